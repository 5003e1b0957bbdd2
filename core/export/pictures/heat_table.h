#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "analysis/analysis_result.h"

namespace quantscope {

/// The content of a heatmap's cell. Empty = the cell does not exist, such as the ninth worst of
/// eight channels.
struct HeatCell {
  enum class Kind : std::uint8_t { Empty, NotQuantized, NotComputed, Value };
  Kind kind = Kind::NotComputed;
  double sqnrDb = 0;  ///< of Value; never NaN
  friend bool operator==(const HeatCell&, const HeatCell&) = default;
};

/// The local or accumulated error of a layer as a cell. Without signal there is nothing to
/// compute.
HeatCell localCell(const LayerResult& layer);
HeatCell accumulatedCell(const LayerResult& layer);

/// The cell to show when there is room for only one of the two: the lower SQNR; a value rather than
/// no value; not computed rather than not quantized.
HeatCell worse(HeatCell a, HeatCell b);

/// Neighbouring columns under one heading.
struct HeatGroup {
  std::string title;
  std::string note;                 ///< meaning of a column
  std::vector<std::string> labels;  ///< one per column
};

/// The rows of the heatmap: layers in execution order.
struct HeatTable {
  std::vector<HeatGroup> groups;
  std::size_t columns = 0;
  std::vector<std::vector<HeatCell>> rows;  ///< per layer, one cell per column of all groups
};

/// Columns: local and accumulated SQNR; the accumulated SQNR per sample, several to a column
/// where there are more than `maxSamples`; the local SQNR of the `maxChannels` worst channels of
/// each layer, worst first.
HeatTable heatTable(const AnalysisResult& result, std::size_t maxSamples, std::size_t maxChannels);

}  // namespace quantscope
