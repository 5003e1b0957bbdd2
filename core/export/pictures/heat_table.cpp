#include "export/pictures/heat_table.h"

#include <algorithm>
#include <cmath>

namespace quantscope {
namespace {

HeatCell cellOf(double sqnrDb) {
  if (std::isnan(sqnrDb)) return {.kind = HeatCell::Kind::NotComputed};
  return {.kind = HeatCell::Kind::Value, .sqnrDb = sqnrDb};
}

HeatCell cellOf(const std::optional<LayerError>& error, HeatCell without) {
  if (!error) return without;
  return error->total.sqnrDb ? cellOf(*error->total.sqnrDb) : HeatCell{};
}

HeatCell missing(const LayerResult& layer) {
  return {.kind = layer.quantized ? HeatCell::Kind::NotComputed : HeatCell::Kind::NotQuantized};
}

std::vector<HeatCell> sampleCells(const LayerResult& layer, std::size_t samplesPerColumn) {
  std::vector<HeatCell> cells;
  if (!layer.accumulated) return cells;
  const std::vector<float>& samples = layer.accumulated->sampleSqnrDb;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    if (i % samplesPerColumn == 0) cells.emplace_back();
    cells.back() = worse(cells.back(), cellOf(static_cast<double>(samples[i])));
  }
  return cells;
}

std::vector<HeatCell> worstChannelCells(const LayerResult& layer, std::size_t maxChannels) {
  std::vector<HeatCell> cells;
  if (!layer.local) return cells;
  for (const double sqnrDb : layer.local->channelSqnrDb) {
    if (!std::isnan(sqnrDb)) cells.push_back(cellOf(sqnrDb));
  }
  std::ranges::sort(cells, {}, &HeatCell::sqnrDb);
  cells.resize(std::min(cells.size(), maxChannels));
  return cells;
}

std::size_t longestSampleSeries(const AnalysisResult& result) {
  std::size_t longest = 0;
  for (const LayerResult& layer : result.layers) {
    if (layer.accumulated) longest = std::max(longest, layer.accumulated->sampleSqnrDb.size());
  }
  return longest;
}

std::size_t mostChannels(const AnalysisResult& result, std::size_t limit) {
  std::size_t most = 0;
  for (const LayerResult& layer : result.layers) {
    if (layer.local) most = std::max(most, layer.local->channelSqnrDb.size());
  }
  return std::min(most, limit);
}

void appendPadded(std::vector<HeatCell>& row, std::vector<HeatCell> cells, std::size_t count,
                  HeatCell padding) {
  cells.resize(count, padding);
  row.insert(row.end(), cells.begin(), cells.end());
}

HeatGroup sampleGroup(std::size_t samples, std::size_t perColumn) {
  HeatGroup group{.title = "Samples", .note = "accumulated SQNR", .labels = {}};
  if (perColumn > 1) group.note += ", the worst of " + std::to_string(perColumn) + " per column";
  for (std::size_t first = 0; first < samples; first += perColumn) {
    const std::size_t last = std::min(first + perColumn, samples) - 1;
    group.labels.push_back(std::to_string(first) +
                           (last > first ? "–" + std::to_string(last) : ""));
  }
  return group;
}

HeatGroup channelGroup(std::size_t columns) {
  HeatGroup group{.title = "Worst channels", .note = "local SQNR, worst first", .labels = {}};
  for (std::size_t i = 1; i <= columns; ++i) group.labels.push_back(std::to_string(i));
  return group;
}

}  // namespace

HeatCell localCell(const LayerResult& layer) {
  return cellOf(layer.local, missing(layer));
}

HeatCell accumulatedCell(const LayerResult& layer) {
  return cellOf(layer.accumulated, HeatCell{});
}

HeatCell worse(HeatCell a, HeatCell b) {
  if (a.kind == HeatCell::Kind::Value && b.kind == HeatCell::Kind::Value) {
    return a.sqnrDb <= b.sqnrDb ? a : b;
  }
  return a.kind > b.kind ? a : b;
}

HeatTable heatTable(const AnalysisResult& result, std::size_t maxSamples, std::size_t maxChannels) {
  const std::size_t samples = longestSampleSeries(result);
  const std::size_t perColumn = std::max<std::size_t>(1, (samples + maxSamples - 1) / maxSamples);
  const std::size_t channels = mostChannels(result, maxChannels);

  HeatTable table;
  table.groups.push_back({.title = "Layer", .note = "SQNR", .labels = {"local", "accum."}});
  if (samples > 0) table.groups.push_back(sampleGroup(samples, perColumn));
  if (channels > 0) table.groups.push_back(channelGroup(channels));
  for (const HeatGroup& group : table.groups) table.columns += group.labels.size();

  const std::size_t sampleColumns = (samples + perColumn - 1) / perColumn;
  for (const LayerResult& layer : result.layers) {
    std::vector<HeatCell>& row = table.rows.emplace_back();
    row.push_back(localCell(layer));
    row.push_back(accumulatedCell(layer));
    const std::vector<HeatCell> perSample = sampleCells(layer, perColumn);
    appendPadded(row, perSample, sampleColumns, HeatCell{});
    appendPadded(row, worstChannelCells(layer, channels), channels,
                 layer.local ? HeatCell{.kind = HeatCell::Kind::Empty} : missing(layer));
  }
  return table;
}

}  // namespace quantscope
