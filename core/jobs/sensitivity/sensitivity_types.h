#pragma once

#include <string>
#include <vector>

#include "analysis/sensitivity/sensitivity.h"
#include "precision/edits/type_choices.h"

namespace quantscope {

/// One sentence for each type of the request that the backend runs no layer in: its rows are those
/// of a simulation.
std::vector<std::string> simulatedTypes(const TypeChoices& choices,
                                        const SensitivityRequest& request);

/// Throws UnsupportedType where no layer can be set to `wider`, InvalidParameters where none that
/// can is narrower.
void requireWidenable(const TypeChoices& choices, QuantType wider);

}  // namespace quantscope
