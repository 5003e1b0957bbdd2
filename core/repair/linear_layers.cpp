#include "repair/linear_layers.h"

#include <algorithm>

#include "base/error.h"
#include "graph/operator_traits.h"
#include "precision/layers/node_tensors.h"

namespace quantscope {
namespace {

constexpr const char* kFrozen = "its weight is stored as codes, which are frozen";
constexpr const char* kShared = "it shares its weight with another layer";

class LayerReader {
 public:
  LayerReader(const Engine& engine, const LayerQuantization& layer)
      : m_engine(engine), m_graph(engine.graph()), m_layer(layer), m_node(m_graph[lead()]) {}

  // Why the layer is not one, empty where it is.
  std::string read(LinearLayer& linear) const {
    const OperatorTraits& traits = operatorTraits(m_node);
    const std::vector<std::size_t> slots = weightInputs(m_engine, m_node);
    const auto isFrozen = [&](std::size_t slot) { return readsCodes(m_node.inputs[slot]); };
    if (std::ranges::any_of(slots, isFrozen)) return kFrozen;
    if (m_node.block != Graph::mainBlock()) return "it lies in a sub-graph";
    if (traits.weightUse == WeightUse::Gates) return "its weights are used at every step";
    if (traits.weightUse == WeightUse::Rows) return "its rows are looked up, not added up";
    if (slots.size() != 1 || slots.front() != 1) return "its weight is not its right operand";
    if (traits.outputChannelAxis == nullptr || traits.inputChannelAxis == nullptr) {
      return "the axes of its weight are not known";
    }
    if (traits.scalesProduct != nullptr && traits.scalesProduct(m_node)) {
      return "its product is scaled";
    }
    linear.lead = lead();
    linear.data = m_node.inputs[0];
    const ValueId weight = m_node.inputs[1];
    const Tensor& tensor = *m_engine.constant(weight);
    const std::optional<ElementType>& declared = m_graph[weight].type.element;
    linear.half = tensor.type() == ElementType::Float16;
    if ((declared && *declared != tensor.type()) ||
        (!linear.half && tensor.type() != ElementType::Float32)) {
      return "its weight is neither float32 nor float16";
    }
    if (linear.half && normalizationOf(m_graph, m_layer.layer).valid()) {
      return "its weight is float16 and would be rounded again with the normalization behind it";
    }
    if (std::ranges::count(m_node.inputs, weight) != 1) return kShared;
    return readShape(tensor.shape(), linear);
  }

 private:
  NodeId lead() const { return m_layer.layer.lead(); }

  // Behind a DequantizeLinear, whatever only moves its result.
  bool readsCodes(ValueId value) const {
    const NodeId producer = m_graph[value].producer;
    if (!producer.valid()) return false;
    const Node& node = m_graph[producer];
    if (operatorTraits(node).codes.use != CodeUse::None) return true;
    return std::ranges::any_of(node.inputs,
                               [&](ValueId input) { return input.valid() && readsCodes(input); });
  }

  std::string readShape(const Shape& shape, LinearLayer& linear) const {
    const OperatorTraits& traits = operatorTraits(m_node);
    linear.window = traits.groupedAxis != GroupedAxis::None;
    linear.transposed = traits.groupedAxis == GroupedAxis::Output;
    if (linear.window ? shape.rank() < 3 : shape.rank() != 2) return "its weight is no matrix";
    if (!linear.window && m_node.integer("transA", 0) != 0) return "its input is transposed";
    linear.inputsFirst = !linear.window && outputChannelAxis(m_node, 1, shape) == 1;
    linear.groups =
        linear.window ? static_cast<std::size_t>(m_node.integer("group", 1)) : std::size_t{1};
    linear.outputs = linear.transposed
                         ? static_cast<std::size_t>(shape[1]) * linear.groups
                         : static_cast<std::size_t>(shape[linear.inputsFirst ? 1 : 0]);
    if (linear.window) linear.taps = static_cast<std::size_t>(shape.elementCount(2, shape.rank()));
    if (linear.outputs == 0 || linear.groups == 0 || linear.outputs % linear.groups != 0) {
      return "its weight is empty";
    }
    linear.inputs = static_cast<std::size_t>(shape.elementCount()) / linear.outputs;
    if (linear.inputs == 0) return "its weight is empty";
    linear.bias = biasPlace(m_engine, m_layer.layer);
    if (linear.bias) checkBias(linear);
    return {};
  }

  // A bias that is computed, or shared by channels, stays as it is.
  void checkBias(LinearLayer& linear) const {
    const Node& holder = m_graph[linear.bias->node];
    const std::size_t slot = linear.bias->slot;
    if (slot >= holder.inputs.size() || !holder.inputs[slot].valid()) return;
    const Tensor* bias = m_engine.constant(holder.inputs[slot]);
    const ElementType type = linear.half ? ElementType::Float16 : ElementType::Float32;
    const bool usable =
        bias != nullptr && bias->type() == type && bias->elementCount() == linear.outputs;
    if (!usable) linear.bias.reset();
  }

  const Engine& m_engine;
  const Graph& m_graph;
  const LayerQuantization& m_layer;
  const Node& m_node;
};

// A layer whose weight is stored as codes: the model has been quantized before.
const RefusedLayer* frozenLayer(const LinearLayers& layers) {
  const auto found = std::ranges::find(layers.refused, kFrozen, &RefusedLayer::reason);
  return found == layers.refused.end() ? nullptr : &*found;
}

// Every reader of the layer's weight is one of these, with the same grid.
bool allShare(const Graph& graph, const QuantizedModel& model,
              const std::vector<LinearLayer>& layers, const LinearLayer& layer) {
  const ValueId weight = graph[layer.lead].inputs[layer.weightSlot];
  return std::ranges::all_of(graph[weight].consumers, [&](NodeId reader) {
    const auto found = std::ranges::find(layers, reader, &LinearLayer::lead);
    return found != layers.end() && found->weightSlot == layer.weightSlot &&
           found->inputs == layer.inputs && found->groups == layer.groups &&
           found->transposed == layer.transposed && found->inputsFirst == layer.inputsFirst &&
           weightParamsOf(model, *found) == weightParamsOf(model, layer);
  });
}

// The refused layer that says most: codes are frozen whatever else is true.
const RefusedLayer& nameable(const LinearLayers& layers) {
  const RefusedLayer* frozen = frozenLayer(layers);
  return frozen == nullptr ? layers.refused.front() : *frozen;
}

}  // namespace

LinearLayers findLinearLayers(const Engine& engine, const QuantizedModel& model) {
  LinearLayers found;
  std::vector<LinearLayer> shared;
  for (std::size_t i = 0; i < model.layers.size(); ++i) {
    const LayerQuantization& layer = model.layers[i];
    if (!layer.quantized || layer.weights.empty()) continue;
    LinearLayer linear;
    linear.index = i;
    std::string reason = LayerReader(engine, layer).read(linear);
    const Graph& graph = engine.graph();
    const bool isOwn =
        reason.empty() && graph[graph[linear.lead].inputs[linear.weightSlot]].consumers.size() == 1;
    if (isOwn) {
      found.layers.push_back(linear);
      continue;
    }
    // A normalization is folded into a weight of its own only.
    if (reason.empty() && !normalizationOf(graph, layer.layer).valid()) shared.push_back(linear);
    found.refused.push_back(
        {graph[layer.layer.lead()].name, reason.empty() ? kShared : std::move(reason)});
  }
  for (const LinearLayer& layer : shared) {
    if (allShare(engine.graph(), model, shared, layer)) found.shared.push_back(layer);
  }
  return found;
}

std::vector<LinearLayer> LinearLayers::withShared() const {
  std::vector<LinearLayer> all = layers;
  all.insert(all.end(), shared.begin(), shared.end());
  return all;
}

std::vector<RefusedLayer> leftAlone(const Graph& graph, const LinearLayers& layers) {
  std::vector<RefusedLayer> left = layers.refused;
  std::erase_if(left, [&](const RefusedLayer& refused) {
    return std::ranges::any_of(layers.shared, [&](const LinearLayer& layer) {
      return graph[layer.lead].name == refused.node;
    });
  });
  return left;
}

std::string whyNone(const LinearLayers& layers) {
  if (layers.refused.empty()) return "no layer with weights is quantized";
  const RefusedLayer& first = nameable(layers);
  return "no layer's weights can be changed, such as those of '" + first.node +
         "': " + first.reason;
}

void requireLayers(const LinearLayers& layers) {
  if (!layers.layers.empty()) return;
  if (layers.refused.empty()) {
    throw Error(ErrorCode::UnsupportedOperation, whyNone(layers), {},
                "give a configuration that quantizes some");
  }
  const bool isFrozen = frozenLayer(layers) != nullptr;
  throw Error(
      ErrorCode::UnsupportedOperation,
      whyNone(layers) + (isFrozen ? "; its ranges stand in operators, so no repair can run" : ""),
      {.file = {}, .node = nameable(layers).node, .value = {}},
      isFrozen ? "repair the float model that this one was made from; `import` makes a "
                 "configuration of this one's scales"
               : "repairs need a float32 model with a Conv, ConvTranspose, Gemm or MatMul "
                 "that has a weight of its own");
}

void requireRepairable(const LinearLayers& layers, const QuantizedModel& model) {
  const bool anyRange = std::ranges::any_of(model.groupParams, isStaticInteger);
  const bool anything = anyRange || !layers.shared.empty();
  if (frozenLayer(layers) != nullptr || !anything) requireLayers(layers);
}

Tensor weightOf(const Engine& engine, const LinearLayer& layer) {
  return toFloat32(*engine.constant(engine.graph()[layer.lead].inputs[layer.weightSlot]));
}

std::vector<double> biasOf(const Engine& engine, const LinearLayer& layer) {
  std::vector<double> bias(layer.outputs, 0.0);
  if (!layer.bias) return bias;
  const Node& holder = engine.graph()[layer.bias->node];
  if (layer.bias->slot >= holder.inputs.size()) return bias;
  const ValueId value = holder.inputs[layer.bias->slot];
  if (!value.valid()) return bias;
  const Tensor given = toFloat32(*engine.constant(value));
  std::ranges::copy(given.values<float>(), bias.begin());
  return bias;
}

const QuantParams& weightParamsOf(const QuantizedModel& model, const LinearLayer& layer) {
  return model.layers[layer.index].weights.front().params;
}

std::vector<std::uint32_t> gridOfElements(const QuantParams& params, const Shape& shape) {
  const auto count = static_cast<std::size_t>(shape.elementCount());
  std::vector<std::uint32_t> grids(count, 0);
  if (!params.perChannel()) return grids;
  const auto axis = static_cast<std::size_t>(params.axis);
  const auto inner = static_cast<std::size_t>(shape.elementCount(axis + 1, shape.rank()));
  const auto extent = static_cast<std::size_t>(shape[axis]);
  const auto size = static_cast<std::size_t>(std::max(params.groupSize, 1));
  const std::size_t blocks = (extent + size - 1) / size;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t channel = i / inner % extent;
    if (params.groupSize == 0) {
      grids[i] = static_cast<std::uint32_t>(channel);
    } else {
      const std::size_t outer = i / inner / extent;
      grids[i] = static_cast<std::uint32_t>((outer * blocks + channel / size) * inner + i % inner);
    }
  }
  return grids;
}

}  // namespace quantscope
