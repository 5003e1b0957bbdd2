#pragma once

#include <string>
#include <vector>

#include "export/formats/format.h"

namespace quantscope {

/// The parameters of one tensor, as targets that know tensors by name take them.
struct ShownGrid {
  std::string tensor;  ///< the value's name
  std::string node;    ///< its producer or, for weights and inputs, its reader
  const QuantParams* params = nullptr;
  bool isWeight = false;
  bool folded = false;  ///< of weights with a normalization in them: the file has other numbers
  Shape shape;          ///< of weights
};

/// "its weights" or "a value of it", for messages that name the node.
std::string describe(const ShownGrid& grid);

/// Every static or dynamic grid of the model, a tensor once: that of its producer's output, else of
/// the first edge that reads it. A reader with another grid is a loss.
std::vector<ShownGrid> shownGrids(const FormatInput& input, ExportLosses& losses);

/// True if anything of the layer is quantized.
bool isQuantizedLayer(const LayerQuantization& layer);

/// "int8", "fp32" of weights and of activations; the latter of the output where nothing goes in.
std::string weightTypeName(const LayerQuantization& layer);
std::string activationTypeName(const LayerQuantization& layer);

/// The path of the module that an ONNX node came from, as PyTorch's exporter names nodes:
/// "/layer1/layer1.0/conv1/Conv" → "layer1.0.conv1"; "" where the name does not tell.
std::string modulePath(const std::string& node);

}  // namespace quantscope
