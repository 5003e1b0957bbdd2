#pragma once

#include <limits>

#include "repair/repair_step.h"

namespace quantscope {

/// The mean of clip(x, 0, ceiling) for normally distributed x. With a = −β/γ and u = (ceiling −
/// β)/γ: γ(φ(a) − φ(u)) + β(Φ(u) − Φ(a)) + ceiling·(1 − Φ(u)), which without a ceiling is
/// β(1 − Φ(a)) + γφ(a) (Nagel 2019, appendix C). γ of 0 or below counts by its magnitude.
double rectifiedMean(double mean, double deviation,
                     double ceiling = std::numeric_limits<double>::infinity());

/// Analytic bias correction: b −= Σ over the kernel of (Ŵ − W)·E[x], with E[x] from the batch
/// normalization before it, β and γ of its channels, behind a rectifier or a Clip from 0 on the
/// mean of what is left. Takes no samples; where there are some, they say it better. At padded
/// borders it is approximate.
///
/// Legal for layers behind a batch normalization of which nothing but rectifiers and operators that
/// keep means separates them; without one β and γ would be guesses.
RepairProposal proposeAnalyticBias(const RepairState& state, const LinearLayers& layers,
                                   RepairTools& tools, std::size_t way);

}  // namespace quantscope
