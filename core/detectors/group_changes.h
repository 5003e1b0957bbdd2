#pragma once

#include <functional>

#include "detectors/detector.h"

namespace quantscope {

/// The change of configuration that alters how `value` is quantized on its way into `consumer`:
/// wherever its group has a member, at the producer's output and at the edges into consumers, so
/// that the group stays one. A node's `activation` holds for all of its inputs.
std::vector<ConfigChange> changeGroup(const DetectorInput& input, ValueId value, NodeId consumer,
                                      const std::function<void(TensorPrecision&)>& modify);

}  // namespace quantscope
