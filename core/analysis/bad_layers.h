#pragma once

#include <cstddef>
#include <vector>

#include "analysis/analysis_result.h"

namespace quantscope {

/// A layer whose own SQNR in dB is at most this is bad by itself.
inline constexpr double kBadLayerDb = 30;
/// A layer's error with at least this SQNR is not visible.
inline constexpr double kGoodLayerDb = 50;

/// SQNR of a layer's own error in dB; infinite where it has none, or none that is known.
double ownDb(const LayerResult& layer);

/// The layers whose error needs an explanation, in execution order: all that are bad, and the
/// `worst` worst ones that are not good. None where every float output of the network is exact.
std::vector<std::size_t> layersToExplain(const AnalysisResult& result, std::size_t worst = 3);

/// True where the output was compared, and quantization changes nothing of it.
bool isExactOutput(const OutputResult& output);
/// True where there are float outputs, and quantization changes none of them.
bool isExact(const AnalysisResult& result);

}  // namespace quantscope
