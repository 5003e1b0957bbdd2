#pragma once

#include <random>

#include "engine/operators/window.h"

namespace quantscope::test {

/// A window over so many axes, with strides, gaps and pads, that goes as far as its input does.
Window anyWindow(std::mt19937& random, std::size_t axes);

}  // namespace quantscope::test
