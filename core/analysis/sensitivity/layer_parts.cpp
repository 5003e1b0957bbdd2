#include "analysis/sensitivity/layer_parts.h"

#include <algorithm>

#include "engine/channels_along.h"
#include "engine/fake_quantize_tensor.h"
#include "engine/quantized_node.h"

namespace quantscope {
namespace {

enum class Keep : std::uint8_t { Rounding, Clipping };

bool clips(const QuantParams& params) {
  return !params.dynamic && hasScale(params.type) && !isSignCode(params.type);
}

// Handles one run of elements on one grid. `to` holds the quantized values at first; returns true
// if any element lies beyond the grid.
bool keepOne(Keep keep, const QuantParams& params, const Grid& grid, std::span<const float> from,
             std::span<float> to) {
  const Range inside = params.unclipped(grid);
  const Range held = params.representable(grid);
  bool any = false;
  for (std::size_t i = 0; i < from.size(); ++i) {
    const bool beyond = from[i] < inside.low || from[i] > inside.high;
    any |= beyond;
    if (keep == Keep::Rounding) {
      to[i] = beyond ? from[i] : to[i];
    } else {
      to[i] = beyond ? std::clamp(from[i], held.low, held.high) : from[i];
    }
  }
  return any;
}

// x after its quantization, of which only the rounding or only the clipping is kept. Undefined
// where nothing is left of it.
Tensor keptOf(Keep keep, const Tensor& x, const QuantParams& params, std::size_t batch) {
  if (!x.defined() || !isFloat(x.type())) return {};
  if (keep == Keep::Clipping && !clips(params)) return {};
  const bool channels = params.perChannel();
  const Tensor from = channels ? toLayout(toFloat32(x), Layout::Plain) : toFloat32(x);
  Tensor to = fakeQuantizeValue(from, params, batch);
  if (!clips(params)) return fromFloat32(to, x.type());
  const auto in = from.values<float>();
  const auto out = to.mutableValues<float>();
  bool any = false;
  if (!channels) {
    any = keepOne(keep, params, params.grids.front(), in, out);
  } else {
    const std::size_t axis = normalizeAxis(params.axis, from.shape().rank());
    const ChannelLayout layout = channelsAlong(from.shape(), axis);
    for (std::size_t run = 0; run < layout.outer * layout.channels; ++run) {
      const Grid& grid = params.grids[run % layout.channels % params.grids.size()];
      const std::size_t first = run * layout.inner;
      any |= keepOne(keep, params, grid, in.subspan(first, layout.inner),
                     out.subspan(first, layout.inner));
    }
  }
  if (keep == Keep::Clipping && !any) return {};
  return fromFloat32(to, x.type());
}

Tensor* constantAt(std::vector<std::pair<std::size_t, Tensor>>& constants, std::size_t input) {
  const auto found = std::ranges::find(constants, input, &std::pair<std::size_t, Tensor>::first);
  return found == constants.end() ? nullptr : &found->second;
}

}  // namespace

std::vector<NodeQuantization> floatConstants(const Engine& engine, const QuantizedModel& model,
                                             const LayerQuantization& layer) {
  const std::vector<NodeId>& members = layer.layer.members;
  const auto& factors = model.applied[layer.layer.lead()].factors;
  WeightOverrides overrides;
  if (!factors.empty()) overrides.inputFactors = factors.front().second.factors;
  TensorPrecision inFloat;
  inFloat.type = QuantType::Float32;
  const LayerWeights folded =
      quantizeWeights(engine, layer.layer, inFloat, {model.weightRules.convention, BiasRule::Float},
                      std::nullopt, nullptr, overrides);
  std::vector<NodeQuantization> constants(members.size());
  for (const PlacedConstant& constant : folded.constants) {
    const auto member = std::ranges::find(members, constant.node) - members.begin();
    constants[static_cast<std::size_t>(member)].constants.emplace_back(constant.input,
                                                                       constant.tensor);
  }
  for (std::size_t i = 0; i < members.size(); ++i) {
    constants[i].bypassed = model.applied[members[i]].bypassed;
  }
  return constants;
}

bool isOnEdge(const QuantizedModel& model, const LayerQuantization& layer, NodeId member,
              std::size_t input) {
  return member == layer.layer.lead() && std::ranges::any_of(layer.edges, [&](std::size_t point) {
           return model.groups.points[point].input == input;
         });
}

LayerParts::LayerParts(const Engine& engine, const QuantizedModel& model,
                       const LayerQuantization& layer)
    : m_engine(engine), m_layer(layer), m_factors(model.applied[layer.layer.lead()].factors) {
  findEdges(model);
  separateConstants(model);
  for (const auto& [output, params] : model.applied[layer.layer.last()].outputs) {
    if (output == 0) m_output = params;
  }
}

// An edge that reads what its producer has left on the very same grid rounds nothing itself.
void LayerParts::findEdges(const QuantizedModel& model) {
  for (const auto& [input, params] : model.applied[m_layer.layer.lead()].inputs) {
    m_edges.push_back({input, params});
  }
  for (const std::size_t point : m_layer.edges) {
    const QuantizationPoint& edge = model.groups.points[point];
    const Tensor* constant = m_engine.constant(edge.value);
    const std::optional<QuantParams>& params = paramsOf(model, point);
    if (constant != nullptr && params && !params->dynamic) m_edges.push_back({edge.input, *params});
  }
}

void LayerParts::separateConstants(const QuantizedModel& model) {
  const std::vector<NodeId>& members = m_layer.layer.members;
  m_float = floatConstants(m_engine, model, m_layer);
  m_weights = m_float;
  m_bias = m_float;
  for (std::size_t i = 0; i < members.size(); ++i) {
    for (const auto& [input, tensor] : model.applied[members[i]].constants) {
      const bool isBias =
          m_layer.bias && m_layer.bias->holder == members[i] && m_layer.bias->input == input;
      Tensor* place = constantAt((isBias ? m_bias : m_weights)[i].constants, input);
      if (place != nullptr) *place = tensor;
    }
  }
  m_weights.front().factors = m_factors;
  m_bias.front().factors = m_factors;
}

bool LayerParts::has(LayerPart part) const {
  switch (part) {
    case LayerPart::Input:
      return !m_edges.empty();
    case LayerPart::Weight:
      return !m_layer.weights.empty();
    case LayerPart::Bias:
      return m_layer.bias && m_layer.bias->bits > 0;
    case LayerPart::Output:
      return m_output.has_value();
    case LayerPart::Clipping:
      return !m_edges.empty() || m_output.has_value();
  }
  return false;
}

Tensor LayerParts::run(LayerPart part, const Tensor& expected, std::size_t batch,
                       const LayerInput& inputOf) const {
  switch (part) {
    case LayerPart::Weight:
      return runWith(m_weights, batch, inputOf);
    case LayerPart::Bias:
      return runWith(m_bias, batch, inputOf);
    case LayerPart::Output:
      return keptOf(Keep::Rounding, expected, *m_output, batch);
    case LayerPart::Input:
    case LayerPart::Clipping:
      return runOnEdges(part, expected, batch, inputOf);
  }
  return {};
}

Tensor LayerParts::runWith(const Members& members, std::size_t batch,
                           const LayerInput& inputOf) const {
  MemberQuantization quantization;
  for (const NodeQuantization& member : members) quantization.push_back(&member);
  return runLayer(m_engine, m_layer.layer, quantization, batch, inputOf);
}

// Factors are a part of the float network; they come before the rounding.
Tensor LayerParts::runOnEdges(LayerPart part, const Tensor& expected, std::size_t batch,
                              const LayerInput& inputOf) const {
  const Keep keep = part == LayerPart::Input ? Keep::Rounding : Keep::Clipping;
  const NodeId lead = m_layer.layer.lead();
  Members members = m_float;
  bool any = false;
  const auto scaled = [&](std::size_t input) {
    Tensor x = inputOf(lead, input, preferredLayout(*m_engine.kernel(lead)));
    for (const auto& [at, factors] : m_factors) {
      if (at == input) x = fromFloat32(scaledByChannel(toFloat32(x), factors), x.type());
    }
    return x;
  };
  for (const Edge& edge : m_edges) {
    Tensor x = scaled(edge.input);
    Tensor kept = keptOf(keep, x, edge.params, batch);
    any = any || kept.defined();
    members.front().constants.emplace_back(edge.input, kept.defined() ? kept : x);
  }
  Tensor result = any ? runWith(members, batch, inputOf) : Tensor();
  if (keep == Keep::Rounding || !m_output) return result;
  const Tensor clipped = keptOf(keep, result.defined() ? result : expected, *m_output, batch);
  return clipped.defined() ? clipped : result;
}

}  // namespace quantscope
