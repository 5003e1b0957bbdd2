#include "detectors/detector_layers.h"

#include <algorithm>

#include "engine/channels_along.h"
#include "graph/operator_traits.h"
#include "kernels/statistics/min_max.h"
#include "precision/layers/folded_layer.h"
#include "precision/layers/input_channels.h"
#include "precision/layers/node_tensors.h"

namespace quantscope {

bool concerns(const DetectorInput& input, NodeId lead) {
  if (input.mode == DetectorMode::PyTorch) return true;
  const LayerQuantization* layer = input.index.layerLedBy(lead);
  return layer != nullptr && layer->quantized;
}

ValueId outputOf(const Graph& graph, const FusedLayer& layer) {
  const std::vector<ValueId>& outputs = graph[layer.last()].outputs;
  return outputs.empty() ? ValueId() : outputs.front();
}

ValueId dataInput(const Engine& engine, const Node& node) {
  const auto found = std::ranges::find_if(node.inputs, [&](ValueId input) {
    return input.valid() && engine.constant(input) == nullptr;
  });
  return found == node.inputs.end() ? ValueId() : *found;
}

const ModelReport* reportFor(const DetectorInput& input, const Observation& observation) {
  const bool pytorch = input.mode == DetectorMode::PyTorch;
  const int axis = pytorch ? input.thresholds().channelAxis : observation.channelAxis;
  return axis < 0 ? nullptr : observation.modelReport(axis);
}

std::vector<Range> weightRanges(const Engine& engine, const FusedLayer& layer,
                                WeightChannels channels) {
  const Node& node = engine.graph()[layer.lead()];
  const std::optional<std::size_t> input = weightInput(engine, node);
  if (!input) return {};
  const Tensor weight = toLayout(foldLayer(engine, layer, *input).weight, Layout::Plain);
  const Shape& shape = weight.shape();
  const int axis = channels == WeightChannels::Input ? inputChannelAxis(node, *input, shape.rank())
                                                     : outputChannelAxis(node, *input, shape);
  const ChannelLayout layout = channelsAlong(shape, static_cast<std::size_t>(axis));
  std::vector<MinMax> extremes(layout.channels);
  minMaxPerChannel(weight.values<float>(), layout, extremes);
  std::vector<Range> ranges;
  for (const MinMax& extreme : extremes) {
    ranges.push_back({extreme.min, extreme.max, extreme.empty()});
  }
  return ranges;
}

Tensor foldedBias(const Engine& engine, const FusedLayer& layer) {
  const std::optional<std::size_t> slot = weightInput(engine, engine.graph()[layer.lead()]);
  return slot ? foldLayer(engine, layer, *slot).bias : Tensor();
}

std::vector<double> liveWidths(const std::vector<Range>& channels) {
  std::vector<double> widths;
  for (Range range : channels) {
    range.include(0);
    widths.push_back(widthOf(range));
  }
  std::ranges::sort(widths);
  const double least = widths.empty() ? 0 : kNegligibleShare * widths.back();
  std::erase_if(widths, [&](double width) { return width <= least; });
  return widths;
}

double spreadOf(const std::vector<Range>& channels) {
  const std::vector<double> widths = liveWidths(channels);
  return widths.empty() ? 1 : widths.back() / widths.front();
}

double widthOf(const Range& range) {
  return range.empty ? 0 : static_cast<double>(range.high) - range.low;
}

Range unionOf(const std::vector<Range>& ranges) {
  Range all;
  for (const Range& range : ranges) all.include(range);
  return all;
}

Finding findingAt(const DetectorInput& input, const char* detector, NodeId node) {
  Finding finding;
  finding.detector = detector;
  finding.node = node;
  finding.nodeName = input.graph()[node].name;
  finding.id = finding.detector + "/" + finding.nodeName;
  return finding;
}

}  // namespace quantscope
