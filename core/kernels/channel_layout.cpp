#include "kernels/channel_layout.h"

#include <limits>
#include <string>

#include "base/error.h"

namespace quantscope {
namespace {

std::size_t checkedProduct(std::size_t a, std::size_t b) {
  if (b != 0 && a > std::numeric_limits<std::size_t>::max() / b) {
    throw Error(ErrorCode::InvalidParameters, "a channel layout with more elements than memory");
  }
  return a * b;
}

}  // namespace

std::size_t ChannelLayout::elementCount() const {
  return checkedProduct(checkedProduct(outer, channels), inner);
}

void requireLayout(const ChannelLayout& layout, std::size_t elements, std::size_t channels) {
  if (layout.elementCount() != elements) {
    throw Error(ErrorCode::InvalidParameters,
                "an array of " + std::to_string(elements) + " elements is no [" +
                    std::to_string(layout.outer) + ", " + std::to_string(layout.channels) + ", " +
                    std::to_string(layout.inner) + "]");
  }
  if (layout.channels != channels) {
    throw Error(ErrorCode::InvalidParameters, std::to_string(channels) + " entries for " +
                                                  std::to_string(layout.channels) + " channels");
  }
}

void requireSameLength(std::size_t a, std::size_t b) {
  if (a != b) {
    throw Error(ErrorCode::InvalidParameters, "arrays of " + std::to_string(a) + " and " +
                                                  std::to_string(b) + " elements do not match");
  }
}

}  // namespace quantscope
