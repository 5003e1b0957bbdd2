#pragma once

#include <memory>

#include "engine/kernel.h"

namespace quantscope {

/// y = (x − mean) / √(variance + ε) · scale + bias with given statistics per channel; in training
/// mode with those of x, and the running statistics as further outputs.
std::unique_ptr<Kernel> makeBatchNormalization(const Node& node, const Graph& graph);

/// The same formula with statistics over the spatial axes of each image and channel …
std::unique_ptr<Kernel> makeInstanceNormalization(const Node& node, const Graph& graph);
/// … of each image and group of channels …
std::unique_ptr<Kernel> makeGroupNormalization(const Node& node, const Graph& graph);
/// … over all axes from `axis` on; also gives mean and 1 / √(variance + ε).
std::unique_ptr<Kernel> makeLayerNormalization(const Node& node, const Graph& graph);

/// y = (x − mean) / (√variance + 10⁻⁹) with statistics over the given axes.
std::unique_ptr<Kernel> makeMeanVarianceNormalization(const Node& node, const Graph& graph);

/// y = x / (Σ |x|^p)^(1/p) along one axis, p = 1 or 2; zeros stay zeros.
std::unique_ptr<Kernel> makeLpNormalization(const Node& node, const Graph& graph);

/// y = x / (bias + α / size · Σ x²)^β over `size` neighbouring channels.
std::unique_ptr<Kernel> makeLocalResponseNormalization(const Node& node, const Graph& graph);

/// e^x / Σ e^x, its logarithm, and 1 at the first largest element, along one axis; before version
/// 13 over all axes from `axis` on as one.
std::unique_ptr<Kernel> makeSoftmax(const Node& node, const Graph& graph);
std::unique_ptr<Kernel> makeLogSoftmax(const Node& node, const Graph& graph);
std::unique_ptr<Kernel> makeHardmax(const Node& node, const Graph& graph);

}  // namespace quantscope
