#pragma once

#include "onnx/upgrade/node_upgrade.h"

namespace quantscope {

/// The first opset in which runtimes have no experimental operators any more.
constexpr int kNoExperiments = 10;

/// Writes an experimental operator (Affine, Crop, ImageScaler) with standard ones of version 7 to
/// 10; the node gets the last of them. False for any other operator.
bool replaceExperimental(NodeUpgrade& upgrade);

}  // namespace quantscope
