#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "precision/layers/folded_layer.h"
#include "precision/parameters/quantized_model.h"

namespace quantscope {

/// A layer that adds up products of its input with a constant weight: per output channel o y[o, p]
/// = Σ_k W[o, k]·x[k, p] + b[o], with p over samples and positions and k over the inputs of one
/// output in its group's channels, `inputs` in all.
struct LinearLayer {
  std::size_t index = 0;  ///< in QuantizedModel::layers
  NodeId lead;
  std::size_t weightSlot = 1;
  std::size_t dataSlot = 0;
  std::optional<InputPlace> bias;  ///< where it has one, or has a place for it
  ValueId data;
  bool window = false;       ///< a convolution: x are the elements below a sliding window
  bool transposed = false;   ///< a transposed one: x lie `stride` apart, with zeros between
  bool inputsFirst = false;  ///< the weight lies as [inputs, outputs]
  bool half = false;         ///< the model has its weight in float16, and what it becomes too
  std::size_t groups = 1;
  std::size_t outputs = 0;  ///< channels, of all groups
  std::size_t inputs = 0;   ///< K of one group
  std::size_t taps = 1;     ///< of the window: k = channel · taps + tap

  std::size_t outputsPerGroup() const { return outputs / groups; }
  /// The place of W[o, k] in the weight's elements.
  std::size_t element(std::size_t output, std::size_t input) const {
    if (transposed) return transposedElement(output, input);
    return inputsFirst ? input * outputs + output : output * inputs + input;
  }

 private:
  // In [inputs, outputs of a group, taps], whose last tap the window meets first.
  std::size_t transposedElement(std::size_t output, std::size_t input) const {
    const std::size_t own = outputsPerGroup();
    const std::size_t channel = output / own * (inputs / taps) + input / taps;
    return (channel * own + output % own) * taps + taps - 1 - input % taps;
  }
};

/// A quantized layer that repairs leave alone, and why.
struct RefusedLayer {
  std::string node;
  std::string reason;
};

struct LinearLayers {
  std::vector<LinearLayer> layers;  ///< with a weight of their own, in execution order
  /// Those whose weight other such layers read too, and nothing else, without normalizations: one
  /// rounding has to suit all of them, and each has its own bias.
  std::vector<LinearLayer> shared;
  std::vector<RefusedLayer> refused;   ///< those of `shared` too
  std::set<ValueId> fixedValues = {};  ///< whose grids stay: their channels are not scaled
  /// By the nodes that lead them: layers taken out of `layers` since they may not change, and why.
  /// The channels that they make and read are not scaled either.
  std::map<NodeId, std::string> takenOut = {};

  /// `layers`, then `shared`.
  std::vector<LinearLayer> withShared() const;
};

/// The quantized layers of the main graph whose weights can be changed: Conv, ConvTranspose, Gemm
/// and MatMul with one constant weight of float32 or float16. Weights that are codes already,
/// recurrences, embeddings, weights that something else reads too, products that attributes scale,
/// and float16 that a normalization would have to be folded into are refused.
LinearLayers findLinearLayers(const Engine& engine, const QuantizedModel& model);

/// The refused layers that are none of `shared`.
std::vector<RefusedLayer> leftAlone(const Graph& graph, const LinearLayers& layers);

/// Why there is no layer, by the first refused one, or the first one with codes.
std::string whyNone(const LinearLayers& layers);
/// Throws UnsupportedOperation, saying that, if there is no layer.
void requireLayers(const LinearLayers& layers);
/// The same where there is no static range of an activation to repair either, or where a weight is
/// stored as codes: the ranges of such a model stand in operators, which repairs do not change.
void requireRepairable(const LinearLayers& layers, const QuantizedModel& model);

/// The weight and the bias of such a layer as they are in the engine, as float32.
Tensor weightOf(const Engine& engine, const LinearLayer& layer);
/// One element per output channel; zeros where the layer has none.
std::vector<double> biasOf(const Engine& engine, const LinearLayer& layer);
/// The weight's parameters in the model.
const QuantParams& weightParamsOf(const QuantizedModel& model, const LinearLayer& layer);

/// The grid of every element of a tensor of that shape, as its index in `params.grids`.
std::vector<std::uint32_t> gridOfElements(const QuantParams& params, const Shape& shape);

}  // namespace quantscope
