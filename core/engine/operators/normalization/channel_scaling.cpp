#include "engine/operators/normalization/channel_scaling.h"

#include <string>

#include "base/error.h"

namespace quantscope {

void requirePerChannel(const Tensor& parameter, const char* what, std::int64_t channels) {
  if (parameter.elementCount() == static_cast<std::size_t>(channels)) return;
  throw Error(ErrorCode::InvalidParameters, std::string(what) + " of shape " +
                                                toString(parameter.shape()) + " does not fit " +
                                                std::to_string(channels) + " channels");
}

std::int64_t channelCount(const Tensor& x) {
  if (x.shape().rank() >= 2) return x.shape()[1];
  throw Error(ErrorCode::InvalidParameters,
              "an input of shape " + toString(x.shape()) + " has no channel axis");
}

}  // namespace quantscope
