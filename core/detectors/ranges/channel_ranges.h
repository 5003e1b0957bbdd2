#pragma once

#include <cstdint>
#include <vector>

#include "detectors/detector.h"

namespace quantscope {

/// By channel: true if its range is less than a negligible share of the widest one's.
std::vector<bool> negligible(const std::vector<Range>& channels);

/// By channel of a value: true if it was the same at every place of every calibration sample, with
/// enough elements to be sure. Empty if the value has no channels.
std::vector<bool> constantChannels(const DetectorInput& input, ValueId value);

/// Channels of a layer's input or output that tell nothing.
struct DeadChannels {
  std::vector<std::int64_t> channels;  ///< ascending
  std::size_t withoutWeights = 0;      ///< of these: with weights of 0 or nearly 0
  std::size_t all = 0;                 ///< of the tensor
};

/// A detector's finding of them, still without words. Worth a warning where they widen the grid of
/// `value`; no more than likely where few samples speak for it and the weights do not.
Finding deadChannelsFinding(const DetectorInput& input, const char* detector, NodeId layer,
                            ValueId value, const DeadChannels& dead);

}  // namespace quantscope
