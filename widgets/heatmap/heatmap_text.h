#pragma once

#include <QString>
#include <span>

#include "widgets/heatmap/heatmap_data.h"

namespace quantscope {

enum class Digits { All, Three };

/// A cell in words: "23.4182 dB" or "23.4 dB", "not quantized", "no such channel".
QString cellWords(const HeatmapData& data, int row, int column, Digits digits);

/// Everything about a cell, a row (column −1) or a column (row −1), as rich text.
QString heatmapTip(const HeatmapData& data, int row, int column);

/// The effect of a click on the corner of the headers.
QString cornerTip(const HeatmapData& data);

/// Tab-separated, a head and the given rows, numbers with full precision.
QString heatmapText(const HeatmapData& data, std::span<const int> rows);

}  // namespace quantscope
