#pragma once

#include <functional>
#include <optional>
#include <string>

#include "detectors/detector.h"

namespace quantscope {

/// The change of configuration that alters how `value` is quantized on its way into `consumer`
/// (none: as its producer leaves it): wherever its group has a member, at the producer's output and
/// at the edges into consumers, so that the group stays one. A node's `activation` holds for all of
/// its inputs.
std::vector<ConfigChange> changeGroup(const DetectorInput& input, ValueId value, NodeId consumer,
                                      const std::function<void(TensorPrecision&)>& modify);

/// The suggestion to give that group 16 bits; nothing where it has them, or no integers, already.
/// `what` names the values in its text, which also says where the backend cannot do it.
std::optional<Suggestion> widenGroup(const DetectorInput& input, ValueId value, NodeId consumer,
                                     const std::string& what);

/// The suggestion to let that group's range follow the data: from the smallest to the largest
/// value, none set by hand.
Suggestion freeRange(const DetectorInput& input, ValueId value, NodeId consumer,
                     const std::string& what);

/// The suggestion to give each output channel of a node's weights a scale of its own.
Suggestion scalePerChannel(const DetectorInput& input, NodeId node);

/// The suggestion not to quantize a node at all.
Suggestion keepFloat(const DetectorInput& input, NodeId node);

}  // namespace quantscope
