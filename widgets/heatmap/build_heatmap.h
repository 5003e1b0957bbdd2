#pragma once

#include "analysis/analysis_result.h"
#include "widgets/heatmap/heatmap_data.h"
#include "widgets/view/display_options.h"

namespace quantscope {

/// What the layers are set against.
enum class HeatmapMode { Metrics, Samples, Channels };

/// The table of a result. `kind` chooses the error of samples and channels; metrics show both
/// kinds, and `metric` (an index into metricCatalogue()) of `kind` speaks for a row. `stretch` as
/// in DisplayOptions. Columns are as many as the longest series of any layer. With `other`, figures
/// are differences: those of its layers are taken away.
HeatmapData buildHeatmap(const AnalysisResult& result, HeatmapMode mode, ErrorKind kind,
                         bool stretch, std::size_t metric = 0,
                         const AnalysisResult* other = nullptr);

/// SQNR of each channel as figures; NaN = a channel without signal, not computed.
std::vector<Figure> channelFigures(const LayerError& error);

}  // namespace quantscope
