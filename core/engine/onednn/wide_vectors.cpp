#include "engine/onednn/wide_vectors.h"

#include <oneapi/dnnl/dnnl.hpp>

namespace quantscope {

bool hasWideVectors() {
  // Instruction sets are bits: those of others, and some of their own.
  const int wide = static_cast<int>(dnnl::cpu_isa::avx512_core);
  return (static_cast<int>(dnnl::get_effective_cpu_isa()) & wide) == wide;
}

}  // namespace quantscope
