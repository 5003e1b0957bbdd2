#pragma once

#include <functional>

#include "analysis/early_ranking.h"

namespace quantscope {

/// The callbacks of a sweep over the items of a sensitivity analysis; either may be empty.
struct SensitivitySweepSink {
  std::function<void(const EarlyRanking&)> ranked;
  /// The next rows.
  std::function<void(const std::vector<SensitivityRow>&)> measured;
};

/// Measures items, the most sensitive ones by a few samples first, so that early results are
/// useful; `atOnce` items at a time. The rows do not depend on that number. Throws Cancelled; rows
/// reported before stay valid.
void sweepSensitivity(Sensitivity& sensitivity, SampleSet& samples,
                      const std::vector<std::size_t>& items, std::size_t atOnce,
                      const SensitivitySweepSink& sink);

}  // namespace quantscope
