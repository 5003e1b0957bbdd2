#pragma once

#include <QString>

#include "jobs/sensitivity/sensitivity_in_steps.h"

namespace quantscope {

/// What an estimate from gradients is, on how many samples: "Estimated from gradients on 8 samples,
/// not measured yet: …"
QString estimateSentence(std::size_t samples);

/// What there is to say of the estimates of a sensitivity analysis: how well they agree with the
/// rows that are measured, or what they are until there are some; how many rows have none, and why.
/// Empty while nothing is known.
QString estimateNote(const SensitivityState& state);

}  // namespace quantscope
