#pragma once

#include <string>
#include <vector>

#include "precision/config/configuration.h"

namespace quantscope {

/// The changes from one configuration to another, one sentence each, in the order of the file:
/// "'conv1' weights: int8 per-channel → int4 per-group of 32". Empty where both are equal.
///
/// An entry that only one of them has is compared with the rule of the other that applies to such
/// nodes: for a name the first matching pattern, else the default. (Its operator is not known here,
/// so that `op_types` are not looked at.)
std::vector<std::string> describeChanges(const Configuration& before, const Configuration& after);

}  // namespace quantscope
