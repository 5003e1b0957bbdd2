#pragma once

#include <cstddef>

namespace quantscope {

/// The share of its learning rates that a step of a phase has: a warm-up, in which Adam learns how
/// large gradients are (its first steps are as long for noise as for what matters), then a cosine
/// to 0.
double rateShare(std::size_t step, std::size_t steps);

}  // namespace quantscope
