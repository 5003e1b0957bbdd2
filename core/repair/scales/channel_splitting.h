#pragma once

#include "repair/repair_step.h"

namespace quantscope {

/// Outlier-channel splitting (Zhao 2019): an input channel with the largest weights of a layer
/// comes twice, and each copy is read by half of its weights, (w − ½s)/2 and (w + ½s)/2, whose
/// codes add up to that of w: rne(v/2 − ¼) + rne(v/2 + ¼) = rne(v) but for ties. So the largest
/// weight halves, and the scale of the others with it. 0.02 of the channels, one after the other;
/// on x86, whose kernels work on 16 channels at a time, a multiple of 16 stays one, by up to a
/// quarter more.
///
/// The layer that makes the values gets the further channels where it alone makes them, this one
/// alone reads them and the operators between do not mind; else a Gather is inserted. Legal for
/// layers in one group with integer weights on a symmetric grid, one for all or of at most 4 bits,
/// that do not read an input of the network. `way` 0 only where no Gather is needed, 1 everywhere.
RepairProposal proposeSplitting(const RepairState& state, const LinearLayers& layers,
                                RepairTools& tools, std::size_t way);

inline constexpr std::size_t kSplittingWays = 2;

/// The halves of a weight on a grid of that scale.
struct SplitWeight {
  float low = 0;
  float high = 0;
};
SplitWeight splitWeight(double weight, double scale);

}  // namespace quantscope
