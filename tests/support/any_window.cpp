#include "support/any_window.h"

#include <algorithm>

namespace quantscope::test {

Window anyWindow(std::mt19937& random, std::size_t axes) {
  const auto upTo = [&](std::int64_t least, std::int64_t most) {
    return std::uniform_int_distribution<std::int64_t>(least, most)(random);
  };
  Window window;
  while (window.axes.size() < axes) {
    WindowAxis axis;
    axis.kernel = upTo(1, 5);
    axis.stride = upTo(1, 4);
    axis.dilation = upTo(1, 3);
    axis.padBegin = upTo(0, 6);
    axis.padEnd = upTo(0, 6);
    axis.input = upTo(1, 9);
    const std::int64_t room = axis.input + axis.padBegin + axis.padEnd - axis.span();
    if (room < 0) axis.padEnd -= room;
    axis.output = std::max<std::int64_t>(room, 0) / axis.stride + 1;
    window.axes.push_back(axis);
  }
  return window;
}

}  // namespace quantscope::test
