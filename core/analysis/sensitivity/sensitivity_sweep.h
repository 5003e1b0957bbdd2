#pragma once

#include <functional>

#include "analysis/sensitivity/sensitivity.h"

namespace quantscope {

/// Receives the next rows of a sweep.
using SensitivityRowSink = std::function<void(const std::vector<SensitivityRow>&)>;

/// Measures items of a sensitivity analysis, by their places, in their order: the most sensitive
/// ones first make what is known useful at once. `atOnce` items at a time; the rows do not depend
/// on that number. Throws Cancelled; what was told by then stays valid.
void sweepSensitivity(Sensitivity& sensitivity, std::span<const std::size_t> places,
                      std::size_t atOnce, const SensitivityRowSink& measured);

}  // namespace quantscope
