#pragma once

#include <optional>
#include <vector>

#include "compare/comparison.h"
#include "compare/layer_pairs.h"
#include "compare/measure_pairs.h"

namespace quantscope {

/// A layer is suspect whose own error is so many dB above what rounding explains.
inline constexpr double kSuspectDb = 10;

/// How much larger a layer's own error is than what rounding to its types explains, in dB: its
/// weights rounded to the nearest on min/max grids, its output on the grid that just holds the
/// expected values. None where it was not measured.
std::optional<double> excessDb(const LayerPair& pair, const PairMeasures& measures);

/// The layers whose error is not explained, the worst first, each with the likeliest reason.
std::vector<Suspect> findSuspects(const ComparedModel& first, const std::vector<LayerPair>& pairs,
                                  const std::vector<PairMeasures>& measures);

}  // namespace quantscope
