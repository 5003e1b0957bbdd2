#pragma once

#include "engine/engine.h"

namespace quantscope::test {

/// A network of a convolution "conv", its "relu" and a matrix product "linear", for what is read
/// in front of a model.
const Engine& smallModel();

}  // namespace quantscope::test
