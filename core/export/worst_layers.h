#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "analysis/analysis_result.h"

namespace quantscope {

/// Indices of the layers with the lowest SQNR, worst first; layers that only move data, or whose
/// output equals the float one, are left out.
std::vector<std::size_t> worstLayers(const AnalysisResult& result,
                                     std::optional<LayerError> LayerResult::*error,
                                     std::size_t count);

/// A card of HTML for each of the 12 worst layers by local and by accumulated error: figures,
/// distribution, clipping and worst channels. Each tells its place in both lists in
/// `data-local` and `data-accumulated` (empty where it is in one only).
std::string worstLayerCards(const AnalysisResult& result, std::size_t maxName);

/// Text with the colour of its SQNR behind it; "–" without colour where there is none.
std::string sqnrChip(const std::optional<LayerError>& error);

/// A control that selects a layer everywhere on the page, with the layer's name on it.
std::string layerLink(const AnalysisResult& result, std::size_t layer, std::size_t maxName);

}  // namespace quantscope
