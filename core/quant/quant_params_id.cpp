#include "quant/quant_params_id.h"

#include <cstdint>
#include <span>

namespace quantscope {

ContentId contentId(const QuantParams& params) {
  ContentHasher hasher;
  for (const int number : {static_cast<int>(params.type), params.qmin, params.qmax,
                           static_cast<int>(params.symmetric), static_cast<int>(params.dynamic),
                           static_cast<int>(params.convention), params.axis, params.groupSize}) {
    hasher.add(static_cast<std::uint64_t>(number));
  }
  static_assert(sizeof(Grid) == 12, "grids are hashed as bytes, so they must have no padding");
  hasher.add(std::as_bytes(std::span(params.grids)));
  return hasher.id();
}

}  // namespace quantscope
