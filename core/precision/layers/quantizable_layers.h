#pragma once

#include <vector>

#include "precision/layers/fused_patterns.h"

namespace quantscope {

/// By layer: true where some machine could quantize it: its output is a float value that depends on
/// the model's inputs, it does not only move data about, and the backend does not run it as a part
/// of a larger float operator.
std::vector<bool> findQuantizableLayers(const Engine& engine, const Backend& backend,
                                        const ResolvedConfig& config,
                                        const std::vector<FusedLayer>& layers);

}  // namespace quantscope
