#pragma once

#include <string>

#include "analysis/analysis_result.h"
#include "export/pictures/picture.h"

namespace quantscope {

/// The result as a picture, as in heatmap.png: layers in execution order × local and accumulated
/// SQNR, samples and worst channels, with scope brackets and a legend of the fixed colour scale.
/// Its size is bounded: where there are more layers than rows of pixels, each row shows the worst
/// of its layers, and each name is that of the worst layer beside it.
PicturePage drawHeatmap(const AnalysisResult& result);

/// The same as the bytes of a PNG file.
std::string heatmapPng(const AnalysisResult& result);

/// The same picture as an SVG file; see Picture::svg().
std::string heatmapSvg(const AnalysisResult& result);

}  // namespace quantscope
