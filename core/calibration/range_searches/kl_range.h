#pragma once

#include "calibration/observers/observation.h"
#include "quant/quant_params.h"

namespace quantscope {

/// The range whose quantized distribution is nearest to the float one in the sense of Kullback and
/// Leibler, as TensorRT calibrates (Migacz, "8-bit Inference with TensorRT", 2017): over a
/// histogram of |x| without the zeros, for 2^(b−1) levels of a type of b bits, 2^b − 1 where no
/// number is negative and the type is asymmetric. At most half of those numbers are clipped:
/// without that the rule takes the first few numbers behind a gap for all of them.
///
/// The linear histogram serves while no number exceeds 32 times what 99 % stay below and the result
/// takes at least 2 of its bins per level. Beside large outliers it is too coarse: then the search
/// takes 2,048 bins for 32 times those 99 %, or four times the first result (at most to the largest
/// number), made of the log-linear histogram. The result never exceeds what was observed; a type of
/// more levels than bins keeps that.
Range klRange(const Observation& observation, const QuantParams& target);

}  // namespace quantscope
