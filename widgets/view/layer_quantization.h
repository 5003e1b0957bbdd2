#pragma once

#include <cstddef>

#include "jobs/analysis_snapshot.h"

namespace quantscope {

/// How a layer of the result is quantized; nullptr where the model was not quantized.
inline const LayerQuantization* quantizationOf(const AnalysisSnapshot& snapshot,
                                               std::size_t layer) {
  const bool known = snapshot.quantized && layer < snapshot.quantized->layers.size();
  return known ? &snapshot.quantized->layers[layer] : nullptr;
}

}  // namespace quantscope
