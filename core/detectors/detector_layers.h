#pragma once

#include <cstdint>
#include <vector>

#include "detectors/detector.h"

namespace quantscope {

/// True where findings at the node matter: in PyTorch's mode always, in ours where it is quantized.
bool concerns(const DetectorInput& input, NodeId lead);

/// The value that a layer computes; may be none.
ValueId outputOf(const Graph& graph, const FusedLayer& layer);

/// The input of a node that its data come through: the first that is no constant; none where all
/// are constants.
ValueId dataInput(const Engine& engine, const Node& node);

/// The calibration record by channel for the mode: along the channels' axis in ours, along
/// `channelAxis` of the thresholds in PyTorch's. nullptr if there is none.
const ModelReport* reportFor(const DetectorInput& input, const Observation& observation);

enum class WeightChannels : std::uint8_t { Input, Output };

/// Smallest and largest weight by input or output channel, after batch normalization is folded in.
/// By input channel, a grouped convolution has those of one group, over all groups. Empty where the
/// layer has no constant weights.
std::vector<Range> weightRanges(const Engine& engine, const FusedLayer& layer,
                                WeightChannels channels);

/// The float bias of a layer with constant weights, per output channel, after batch normalization
/// is folded in; undefined where it has none.
Tensor foldedBias(const Engine& engine, const FusedLayer& layer);

/// A smaller share of the widest channel is negligible: half a step of 16 bits.
inline constexpr double kNegligibleShare = 1.0 / 65536;
/// Widths of the channels that are not negligible, each range widened to contain 0, ascending.
std::vector<double> liveWidths(const std::vector<Range>& channels);

/// Widest range over narrowest, of the channels that are not negligible; 1 where there are none.
double spreadOf(const std::vector<Range>& channels);

/// high − low; 0 of an empty range.
double widthOf(const Range& range);
/// All of them together.
Range unionOf(const std::vector<Range>& ranges);

/// A finding of `detector` at a node, with its id and names filled in.
Finding findingAt(const DetectorInput& input, const char* detector, NodeId node);

}  // namespace quantscope
