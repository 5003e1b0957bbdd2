#pragma once

#include <vector>

#include "base/job_context.h"
#include "calibration/observers/observation.h"
#include "calibration/observers/observer_spec.h"
#include "quant/quant_params.h"

namespace quantscope {

/// The range that `observer` derives from an observation.
///
/// - MinMax: smallest and largest element.
/// - MovingAverage: the moving average of the batches' ranges.
/// - Histogram: PyTorch's search on the linear histogram, for as many codes as the type of
///   `target` has, also where fewer are in use.
/// - Percentile: the elements below which lowPercent and highPercent of all lie, from the
///   log-linear histogram, linear inside a bin; 0 and 100 are the smallest and the largest.
/// - Mse, Kl, MaxCodeEntropy: see mseRange, klRange and codeEntropyRange.
///
/// `target` says what the range is for: type, symmetry, limits of the codes and convention; its
/// grids do not count.
///
/// Throws InsufficientData where no finite element was observed, InvalidParameters where the
/// moving average of that constant was not kept.
Range computeRange(const Observation& observation, const ObserverSpec& observer,
                   const QuantParams& target = {});

/// The same for each channel by itself. A channel without a finite element has an empty range.
/// Throws also InvalidParameters without channels, and for all but MinMax and MovingAverage where
/// the histograms of channels were not kept; and Cancelled. `job`: see forEachItem().
std::vector<Range> computeChannelRanges(const Observation& observation,
                                        const ObserverSpec& observer,
                                        const QuantParams& target = {},
                                        const JobContext* job = nullptr);

}  // namespace quantscope
