#pragma once

#include "calibration/observers/observation.h"
#include "quant/quant_params.h"

namespace quantscope {

/// The range whose codes carry the most Shannon entropy −Σ p·log p, where p is the share of the
/// numbers that a code of `target` gets, over the log-linear histogram with numbers spread evenly
/// inside a bin. It uses the codes evenly and so clips hard, a Gaussian at 2 standard deviations.
/// Types whose grid does not follow from a range keep the whole one.
Range codeEntropyRange(const Observation& observation, const QuantParams& target);

}  // namespace quantscope
