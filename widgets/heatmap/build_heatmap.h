#pragma once

#include "analysis/analysis_result.h"
#include "widgets/heatmap/heatmap_data.h"
#include "widgets/view/display_options.h"
#include "widgets/view/layer_maps.h"

namespace quantscope {

/// The columns of the heatmap; Layer: the channels of one layer against samples.
enum class HeatmapMode { Metrics, Samples, Channels, Layer };

/// The table of a result, in any mode but Layer. `kind` chooses the error of samples and channels;
/// metrics show both kinds, and `metric` (an index into metricCatalogue()) of `kind` speaks for a
/// row. `stretch` as in DisplayOptions. Columns are as many as the longest series of any layer.
/// With `other`, figures are differences: those of its layers are taken away.
HeatmapData buildHeatmap(const AnalysisResult& result, HeatmapMode mode, ErrorKind kind,
                         bool stretch, std::size_t metric = 0,
                         const AnalysisResult* other = nullptr);

/// The channels of one layer as rows, samples as columns.
HeatmapData buildLayerHeatmap(const LayerMaps& maps, NodeId layer, ErrorKind kind, bool stretch);

/// SQNR of each channel as figures; NaN = a channel without signal, not computed.
std::vector<Figure> channelFigures(const LayerError& error);

}  // namespace quantscope
