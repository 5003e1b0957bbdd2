#pragma once

#include <functional>

#include "analysis/sensitivity/sensitivity.h"

namespace quantscope {

/// How many items of a sweep are measured before it tells their rows: enough to keep all threads
/// busy, few enough to lose little when it is stopped. At first `first`, then as many as take about
/// `seconds`, but at least one.
struct ItemsAtOnce {
  std::size_t first = 8;
  std::size_t most = 64;
  double seconds = 20;
};

/// Receives the next rows of a sweep.
using SensitivityRowSink = std::function<void(const std::vector<SensitivityRow>&)>;

/// Measures items of a sensitivity analysis, by their places, in their order: the most sensitive
/// ones first make what is known useful at once. The rows do not depend on `atOnce`. Throws
/// Cancelled; what was told by then stays valid.
void sweepSensitivity(Sensitivity& sensitivity, std::span<const std::size_t> places,
                      const ItemsAtOnce& atOnce, const SensitivityRowSink& measured);

}  // namespace quantscope
