#pragma once

#include <vector>

#include "detectors/detector.h"

namespace quantscope {

/// Merges findings of one detector that have one cause in several layers; the layers become members
/// of the remaining finding, with their own channels: the same entry of the configuration for
/// weights per tensor and symmetric grids, the same types where their sums overflow, the same fixed
/// grid of the backend, and layers of
/// repeated structures, of one operator and with names that differ in numbers alone
/// ("blocks.3/attn/Softmax"), if the same part is at fault; and what gets the same advice, where no
/// configuration can hold it. From three layers on; from two on where one layer of a scope comes
/// again in others ("f0/Conv_5" and "f1/Conv_5", "b0/conv1/Conv" and "b1/conv1/Conv", but not
/// "b0/conv2/Conv"). Of what is reported only if it helps (Finding::onlyIfItHelps), nothing else is
/// merged than such repeats and layers of which the same channels are at fault: together they may
/// lose what one of them gains. The most severe one stays, or else the first one; its suggestion
/// holds for all of them.
///
/// Layers that lead to exact outputs only have nothing to repair: what is found there becomes one
/// finding of each detector, for information.
void groupCauses(const DetectorInput& input, std::vector<Finding>& findings);

/// Makes what `other` says a part of `kept`, a finding of the same detector: its layers become
/// members, its changes are suggested too.
void absorbFinding(Finding& kept, const Finding& other);

}  // namespace quantscope
