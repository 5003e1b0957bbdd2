#include "jobs/computation_origin.h"

#include <dnnl.h>

#include "kernels/simd_target.h"
#include "source_hash.h"

namespace quantscope {
namespace {

std::string oneDnnName() {
  return "oneDNN " + std::to_string(dnnl_version()->major) + "." +
         std::to_string(dnnl_version()->minor) + "." + std::to_string(dnnl_version()->patch) +
         " isa " + std::to_string(static_cast<int>(dnnl_get_effective_cpu_isa()));
}

}  // namespace

std::string programName() {
  return "quantscope " QUANTSCOPE_VERSION " (build " QUANTSCOPE_SOURCE_HASH ")";
}

std::string computationOrigin() {
  return programName() + "; kernels " + simdTargetNames() + "; " + oneDnnName();
}

std::string figuresOrigin() {
  return programName() + "; " + oneDnnName();
}

}  // namespace quantscope
