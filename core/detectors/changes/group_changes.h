#pragma once

#include <functional>
#include <optional>
#include <string>

#include "detectors/detector.h"

namespace quantscope {

/// The change of configuration that alters the quantization of `value` on its way into `consumer`
/// (none: as its producer leaves it): at every member of its group, at the producer's output and at
/// the edges into consumers, so that the group stays one. A node's `activation` holds for all of
/// its inputs. Empty where calibration has not kept what the new ranges need.
std::vector<ConfigChange> changeGroup(const DetectorInput& input, ValueId value, NodeId consumer,
                                      const std::function<void(TensorPrecision&)>& modify);

/// True where the backend runs a node in that precision.
bool runsOnBackend(const DetectorInput& input, NodeId node, const NodePrecision& asked);
/// The same of all nodes with the activations and outputs that the changes give them.
bool allRun(const DetectorInput& input, const std::vector<ConfigChange>& changes);

/// The suggestion to give that group 16 bits, or where the backend cannot do that to leave the
/// consumer, or without one the layer that computes the value, in float. Nothing where the group
/// has 16 bits, or no integers, already. `what` names the values in its text.
std::optional<Suggestion> widenGroup(const DetectorInput& input, ValueId value, NodeId consumer,
                                     const std::string& what);

/// The suggestion to let that group's range follow the data: from the smallest to the largest
/// value, none set by hand.
Suggestion freeRange(const DetectorInput& input, ValueId value, NodeId consumer,
                     const std::string& what);

/// The suggestion to give each output channel of a node's weights a scale of its own.
Suggestion scalePerChannel(const DetectorInput& input, NodeId node);

/// The suggestion to give a node's weights the next wider type that the backend runs beside its
/// activations; nothing where there is none.
std::optional<Suggestion> widenWeights(const DetectorInput& input, NodeId node);

/// The suggestion not to quantize a layer at all, by the node that leads it.
Suggestion keepFloat(const DetectorInput& input, NodeId node);
/// The changes of it: of all members of the layer, which is then no pattern any more.
std::vector<ConfigChange> floatChanges(const DetectorInput& input, NodeId node);

}  // namespace quantscope
