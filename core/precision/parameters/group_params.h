#pragma once

#include "calibration/observers/observations.h"
#include "precision/sharing/observer_groups.h"

namespace quantscope {

/// The parameters of a precision without data: type, codes and symmetry, no grids. The codes are
/// those that it asks for, else fewer if the backend reduces the range of bytes.
QuantParams paramsWithoutGrids(const TensorPrecision& precision, const Backend& backend,
                               Convention convention);

/// The parameters of one value as if no other point shared its grid: per channel if that is asked
/// for and the value has channels on that axis, else per tensor. A range set by hand and dynamic
/// quantization are passed over.
QuantParams ownParams(const Observation& observation, const TensorPrecision& precision,
                      const Backend& backend, Convention convention,
                      const JobContext* job = nullptr);

/// The grid that all members of a group share: from a range set by hand, else from the union of the
/// members' observed ranges; or the backend's fixed grid. nullopt if no member was observed. `job`,
/// here and above: see forEachItem().
std::optional<QuantParams> groupParams(const Engine& engine, const ObserverGroups& groups,
                                       std::size_t group, const Backend& backend,
                                       Convention convention, const Observations& observations,
                                       const JobContext* job = nullptr);

}  // namespace quantscope
