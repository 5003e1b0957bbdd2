#pragma once

#include <span>

#include "calibration/histograms/linear_histogram.h"
#include "quant/quant_params.h"

namespace quantscope {

/// The counts of `bins` over [range.low, range.high] cut into `count` ≥ 1 equal bins; the counts of
/// a source bin are taken to be spread evenly. Exact where the edges coincide.
std::vector<double> resampled(const LinearBins& bins, const Range& range, int count);

/// The part of `range` that is best quantized to `levels` equal steps, for numbers distributed
/// over `range` as `counts` says, by the search of PyTorch's HistogramObserver: from both ends
/// inwards, moving the end whose 1e-5 quantile step passes more bins (tie: the upper), until the
/// squared error of quantization rises. On the same counts it finds the same range as PyTorch; on
/// counts of other bins, shared out, it may stop at another of a tail's isolated numbers.
Range searchRangeL2(std::span<const double> counts, const Range& range, int levels);

}  // namespace quantscope
