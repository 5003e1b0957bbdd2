#pragma once

#include <string>

namespace quantscope {

/// What decides the bits of a figure beside model, samples and configuration: the version of this
/// program, and the instruction sets of this machine that kernels and oneDNN choose by. Figures
/// that were kept with another one are good to look at, but not to go on computing with.
std::string computationOrigin();

}  // namespace quantscope
