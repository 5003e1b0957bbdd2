#pragma once

#include <vector>

#include "precision/layers/configured_layers.h"

namespace quantscope {

/// By layer: true if some machine could quantize it: its output is a float value that depends on
/// the model's inputs, it does more than move data, and the backend does not run it as a part of a
/// larger float operator.
std::vector<bool> findQuantizableLayers(const ConfiguredLayers& configured);

}  // namespace quantscope
