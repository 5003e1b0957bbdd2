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

/// Measures items, those first that are the most sensitive as far as few samples tell, so that what
/// is known is useful at once; `atOnce` items at a time. The rows do not depend on that number.
/// Throws Cancelled; what was told by then stays valid.
void sweepSensitivity(Sensitivity& sensitivity, SampleSet& samples,
                      const std::vector<std::size_t>& items, std::size_t atOnce,
                      const SensitivitySweepSink& sink);

}  // namespace quantscope
