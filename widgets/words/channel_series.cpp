#include "widgets/words/channel_series.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/number_text.h"
#include "engine/channels_along.h"
#include "graph/operator_traits.h"
#include "kernels/statistics/min_max.h"
#include "precision/layers/folded_layer.h"
#include "precision/layers/node_tensors.h"
#include "precision/sharing/observer_groups.h"

namespace quantscope {
namespace {

double median(std::vector<double> numbers) {
  const auto middle = numbers.begin() + static_cast<std::ptrdiff_t>(numbers.size() / 2);
  std::nth_element(numbers.begin(), middle, numbers.end());
  return *middle;
}

std::vector<Range> rangesAlong(const Tensor& weight, std::size_t axis) {
  const ChannelLayout layout = channelsAlong(weight.shape(), axis);
  std::vector<MinMax> extremes(layout.channels);
  minMaxPerChannel(weight.values<float>(), layout, extremes);
  std::vector<Range> ranges(extremes.size());
  for (std::size_t i = 0; i < extremes.size(); ++i) {
    if (!extremes[i].empty()) ranges[i] = {extremes[i].min, extremes[i].max, false};
  }
  return ranges;
}

void addGrids(ChannelSeries& series, const std::optional<QuantParams>& params) {
  series.params = params;
  if (!params || params->groupSize > 0) return;
  if (params->grids.size() != 1 && params->grids.size() != series.channels.size()) return;
  for (const Grid& grid : params->grids) series.grids.push_back(params->representable(grid));
}

bool oneEndCounts(const ChannelSeries& series) {
  if (series.params && series.params->symmetric) return true;
  const auto& channels = series.channels;
  return std::ranges::all_of(channels, [](const Range& r) { return r.empty || r.low >= 0; }) ||
         std::ranges::all_of(channels, [](const Range& r) { return r.empty || r.high <= 0; });
}

std::string end(const Range& channel) {
  return shortNumber(std::abs(channel.low) > std::abs(channel.high) ? channel.low : channel.high);
}

/// How many codes of the grid that all channels share the median channel uses.
std::string codeWords(const ChannelSeries& series) {
  const Range& grid = series.grids.front();
  const double step = series.params->grids.front().scale;
  std::vector<double> codes;
  for (const Range& channel : series.channels) {
    const double common = std::min(grid.high, channel.high) - std::max(grid.low, channel.low);
    codes.push_back(channel.empty ? 0 : std::floor(std::max(0.0, common) / step) + 1);
  }
  const double all = std::round((static_cast<double>(grid.high) - grid.low) / step) + 1;
  return " One grid serves all: the median channel uses " +
         grouped(static_cast<std::size_t>(std::min(median(codes), all))) + " of its " +
         grouped(static_cast<std::size_t>(all)) + " codes.";
}

}  // namespace

const Range* ChannelSeries::gridOf(std::size_t channel) const {
  if (grids.empty()) return nullptr;
  return &grids[grids.size() == 1 ? 0 : channel];
}

ChannelSeries outputSeries(const RangeRow& row) {
  ChannelSeries series;
  series.channels = row.observation->channels;
  if (series.channels.empty()) {
    series.missing =
        "This value has no channels: its operator has no channel axis, or its extent differs "
        "between samples.";
    return series;
  }
  addGrids(series, row.params);
  return series;
}

ChannelSeries weightSeries(const AnalysisSnapshot& snapshot, std::size_t layer) {
  ChannelSeries series;
  const LayerResult& result = snapshot.result->layers[layer];
  const Engine& engine = *snapshot.model.engine;
  const Node& node = snapshot.graph()[result.node];
  const std::optional<std::size_t> input = weightInput(engine, node);
  if (!input) {
    series.missing = "This layer has no weights.";
    return series;
  }
  const Tensor weight = foldLayer(engine, FusedLayer{result.members}, *input).weight;
  const std::optional<QuantParams>& params = snapshot.quantized->layers[layer].weight;
  const int axis = params && params->axis >= 0 && params->groupSize == 0
                       ? params->axis
                       : outputChannelAxis(node, *input, weight.shape());
  if (axis < 0) {
    series.missing = "The weights of this layer have no channel axis.";
    return series;
  }
  series.channels = rangesAlong(weight, static_cast<std::size_t>(axis));
  addGrids(series, params);
  return series;
}

double reach(const Range& channel) {
  return channel.empty ? 0 : std::max(std::abs(channel.low), std::abs(channel.high));
}

std::vector<std::size_t> channelsBySize(const ChannelSeries& series) {
  std::vector<std::size_t> order(series.channels.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::ranges::greater{},
                           [&](std::size_t i) { return reach(series.channels[i]); });
  return order;
}

std::vector<std::size_t> dominatingChannels(const ChannelSeries& series) {
  const auto& channels = series.channels;
  if (channels.empty()) return {};
  const auto index = [&](auto found) { return static_cast<std::size_t>(found - channels.begin()); };
  if (oneEndCounts(series))
    return {index(std::ranges::max_element(channels, {}, [](const Range& r) { return reach(r); }))};
  const std::size_t low = index(std::ranges::min_element(
      channels, {}, [](const Range& r) { return r.empty ? 0.0F : r.low; }));
  const std::size_t high = index(std::ranges::max_element(
      channels, {}, [](const Range& r) { return r.empty ? 0.0F : r.high; }));
  if (low == high) return {low};
  return {low, high};
}

std::string dominanceWords(const ChannelSeries& series) {
  if (series.channels.empty()) return series.missing;
  if (series.channels.size() == 1) return "It has a single channel.";
  const std::vector<std::size_t> dominating = dominatingChannels(series);
  std::vector<double> reaches;
  for (const Range& channel : series.channels) reaches.push_back(reach(channel));
  const std::string others = shortNumber(median(reaches));
  std::string words;
  if (dominating.size() == 1) {
    const Range& channel = series.channels[dominating[0]];
    words = "Channel " + std::to_string(dominating[0]) + " sets the range: it reaches " +
            end(channel) + ", the median channel " + others + ".";
  } else {
    words = "Channels " + std::to_string(dominating[0]) + " (" +
            shortNumber(series.channels[dominating[0]].low) + ") and " +
            std::to_string(dominating[1]) + " (" +
            shortNumber(series.channels[dominating[1]].high) +
            ") set the range; the median channel reaches " + others + ".";
  }
  if (series.grids.size() == 1) words += codeWords(series);
  if (series.grids.size() > 1) words += " Every channel has a grid of its own.";
  return words;
}

}  // namespace quantscope
