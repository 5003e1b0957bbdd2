#pragma once

#include <string>
#include <vector>

#include "export/formats/format.h"

namespace quantscope {

/// "[0.5, 0.25]", the scales of the grids, or their zero points, as a Python list.
std::string scaleList(const QuantParams& params);
std::string zeroPointList(const QuantParams& params);

/// A class ShownScales for a script that has ObserverBase: an observer that gives fixed scales, per
/// tensor or per channel, as PyTorch has none for channels. `zeroPointType`: "torch.int32".
std::string shownScalesClass(const std::string& zeroPointType);

/// Why PyTorch's observers cannot take the grids; empty where they can.
std::string torchProblem(const QuantParams& params, bool isWeight);

/// A quantized layer with the module of a PyTorch network that its first node came from.
struct TorchLayer {
  const LayerQuantization* layer = nullptr;
  std::string module;  ///< see modulePath()
};

/// The layers that PyTorch can quantize as they were shown, in execution order: those whose module
/// is known and all of whose grids have an observer. The others are losses and stay float.
std::vector<TorchLayer> torchLayers(const FormatInput& input, ExportLosses& losses);

}  // namespace quantscope
