#pragma once

#include <vector>

#include "engine/training_quantizer.h"

namespace quantscope {

/// The result of a step back through fake quantization. With v = x/s, r = rne(v) (or what the noise
/// rounds v to) and the codes n … p in use (Esser and others, "Learned Step Size Quantization";
/// Bhalgat and others, "LSQ+"):
///
/// |        | n ≤ r + z ≤ p | below | above |
/// | ∂x̂/∂x | 1             | 0     | 0     |
/// | ∂x̂/∂s | r − v         | n − z | p − z |
/// | ∂x̂/∂z | 0             | −s    | −s    |
struct StraightThrough {
  Tensor x;                    ///< ∂L/∂x, as ∂L/∂x̂ lies; undefined where it is not wanted
  std::vector<double> scales;  ///< ∂L/∂s by grid, summed over its elements
  std::vector<double> zeroPoints;  ///< ∂L/∂z by grid
};

/// Computed from dy = ∂L/∂x̂ for static integer parameters. `noise`: that of the forward pass, or
/// null. Sums are taken in double, in an order that depends on the shape alone.
StraightThrough straightThrough(const Tensor& x, const Tensor& dy, const QuantParams& params,
                                const RoundingNoise* noise, bool wantsX);

/// ∂L/∂x of all other parameters: dy where x is not clipped, else 0. Dynamic grids clip nothing.
Tensor straightThroughFixed(const Tensor& x, const Tensor& dy, const QuantParams& params);

}  // namespace quantscope
