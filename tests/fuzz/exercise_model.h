#pragma once

#include <string_view>

namespace quantscope::test {

/// Reads a model and does with it what follows reading: kernels, layers and groups of a default
/// configuration, the newest opset, writing and reading again, and a run as long as all that is
/// computed stays small.
void exerciseModel(std::string_view bytes);

}  // namespace quantscope::test
