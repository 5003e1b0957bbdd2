#include "kernels/simd_target.h"

#include <cstdint>
#include <cstdlib>

#include "base/error.h"
#include "hwy/highway.h"

namespace quantscope {

std::string simdTargetNames() {
  std::string names;
  for (const std::int64_t target : hwy::SupportedAndGeneratedTargets()) {
    names += (names.empty() ? "" : ", ") + std::string(hwy::TargetName(target));
  }
  return names;
}

void useSimdTarget(std::string_view name) {
  hwy::DisableTargets(0);
  if (name.empty()) return;
  for (const std::int64_t target : hwy::SupportedAndGeneratedTargets()) {
    if (name != hwy::TargetName(target)) continue;
    hwy::DisableTargets(~target);
    return;
  }
  throw Error(ErrorCode::InvalidParameters,
              "this CPU has no SIMD target '" + std::string(name) + "'", {},
              "use one of " + simdTargetNames());
}

void useSimdTargetOfEnvironment() {
  const char* const name = std::getenv("QUANTSCOPE_SIMD_TARGET");
  if (name != nullptr) useSimdTarget(name);
}

}  // namespace quantscope
