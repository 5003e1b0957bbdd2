#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "analysis/analysis_result.h"

namespace quantscope {

/// What a cell of a heatmap shows. Empty = there is nothing that could be shown, as for the ninth
/// worst of eight channels.
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

/// The cell that stands for both where there is room for one: the lower SQNR; a value before
/// anything else; what was not computed before what was not meant to be.
HeatCell worse(HeatCell a, HeatCell b);

/// Neighbouring columns under one heading.
struct HeatGroup {
  std::string title;
  std::string note;                 ///< what a column stands for
  std::vector<std::string> labels;  ///< one per column
};

/// Layers in execution order × what is known of each.
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
