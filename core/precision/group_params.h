#pragma once

#include "calibration/observations.h"
#include "precision/observer_groups.h"

namespace quantscope {

/// The grid that all members of a group share: from a range set by hand, else from the union of
/// what the members' values showed during calibration; or what the backend sets. None where no
/// member was observed.
std::optional<QuantParams> groupParams(const Engine& engine, const ObserverGroups& groups,
                                       std::size_t group, const Backend& backend,
                                       Convention convention, const Observations& observations);

}  // namespace quantscope
