#pragma once

#include <span>
#include <vector>

#include "repair/repair_step.h"

namespace quantscope {

/// Rounds the weights of one output channel so that their errors cancel (SQuant, Guo 2022): from
/// the nearest codes on, those with the largest errors of the sign that prevails go to the next
/// code on the other side, first in every kernel of `taps` weights, then in the whole channel,
/// until the errors of each add up to no more than half a code, where the range of codes allows it.
/// `weights` are divided by their scale; `lowest`, `highest`: the codes less the zero point.
std::vector<double> cancelErrors(std::span<const double> weights, std::size_t taps, double lowest,
                                 double highest);

/// True for integers of which all weights of an output lie on one grid, so that errors of codes
/// add up; not where grids vary along the inputs. `weight`: the shape of the layer's.
bool mayCancelErrors(const LinearLayer& layer, const QuantParams& params, const Shape& weight);

/// cancelErrors() for `count` output channels of a layer, into the elements of `rounded`. Legal
/// where mayCancelErrors().
void cancelErrors(const Tensor& weight, const LinearLayer& layer, const QuantParams& params,
                  std::size_t firstOutput, std::size_t count, Tensor& rounded,
                  const JobContext& job);

/// cancelErrors() for all layers with integer weights. Takes no samples; not after a rounding that
/// does.
RepairProposal proposeDataFreeRounding(const RepairState& state, const LinearLayers& layers,
                                       RepairTools& tools, std::size_t way);

}  // namespace quantscope
