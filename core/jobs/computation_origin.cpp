#include "jobs/computation_origin.h"

#include <dnnl.h>

#include "kernels/simd_target.h"

namespace quantscope {

std::string programName() {
  return "quantscope " QUANTSCOPE_VERSION;
}

std::string computationOrigin() {
  return programName() + "; kernels " + simdTargetNames() + "; oneDNN " +
         std::to_string(dnnl_version()->major) + "." + std::to_string(dnnl_version()->minor) + "." +
         std::to_string(dnnl_version()->patch) + " isa " +
         std::to_string(static_cast<int>(dnnl_get_effective_cpu_isa()));
}

}  // namespace quantscope
