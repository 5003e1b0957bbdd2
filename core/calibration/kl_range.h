#pragma once

#include <cstddef>
#include <span>

#include "calibration/observation.h"
#include "quant/quant_params.h"

namespace quantscope {

/// The range whose quantized distribution is nearest to the float one in the sense of Kullback and
/// Leibler, as TensorRT calibrates (Migacz, "8-bit Inference with TensorRT", 2017): over a
/// histogram of |x| without the zeros, for 2^(b−1) levels of a type of b bits, 2^b − 1 where no
/// number is negative and the type is asymmetric.
///
/// The linear histogram serves while no number exceeds 32 times what 99 % stay below and the result
/// takes at least 2 of its bins per level. Beside large outliers it is too coarse: then the search
/// takes 2,048 bins for 32 times those 99 %, or four times the first result (at most to the largest
/// number), made of the log-linear histogram. The result never exceeds what was observed; a type of
/// more levels than bins keeps that.
Range klRange(const Observation& observation, const QuantParams& target);

/// The number of bins, from `levels` to counts.size(), that are best kept. `beyond` numbers lie
/// behind the last bin. With i bins kept, P has all that lies beyond in its last bin; Q has the
/// kept counts merged into `levels` equal parts and spread again over those bins of each that are
/// not empty in P, an empty part counting for 1e-4 of a number; the least Σ P·log(P / Q) wins, of
/// equal ones the most bins.
std::size_t bestKeptBins(std::span<const double> counts, double beyond, std::size_t levels);

}  // namespace quantscope
