#include "precision/edits/type_choices.h"

#include <algorithm>
#include <cctype>

#include "graph/operator_traits.h"
#include "precision/backend/layer_tensors.h"
#include "precision/config/precision_words.h"
#include "precision/config/replace_types.h"
#include "precision/layers/node_tensors.h"
#include "precision/layers/quantizable_layers.h"
#include "precision/parameters/layer_weights.h"

namespace quantscope {
namespace {

constexpr std::array kWholeTypes{QuantType::Int8,       QuantType::Int16,    QuantType::Float16,
                                 QuantType::Float32,    QuantType::BFloat16, QuantType::Float8E4M3,
                                 QuantType::Float8E5M2, QuantType::Int4,     QuantType::Int2,
                                 QuantType::Ternary,    QuantType::Binary};

// Weights of fewer bits stand beside activations of more: what they multiply is widened first.
constexpr int kLeastActivationBits = 8;

std::size_t placeOf(QuantType type) {
  return static_cast<std::size_t>(std::ranges::find(kWholeTypes, type) - kWholeTypes.begin());
}

bool takes(const std::optional<TensorAbility>& ability, QuantType type) {
  return ability && std::ranges::any_of(ability->types,
                                        [&](QuantType each) { return signedType(each) == type; });
}

bool takes(const OperatorWay& way, const LayerTensors& tensors, QuantType type) {
  const bool weights = tensors.weights && way.weight;
  const bool activations = tensors.activations && way.activation;
  if (weights && !takes(way.weight, type)) return false;
  const bool narrow = weights && bitWidth(type) < kLeastActivationBits;
  if (activations && !narrow && !takes(way.activation, type)) return false;
  return weights || activations;
}

std::string title(QuantType type) {
  std::string text(name(type));
  std::ranges::transform(text, text.begin(),
                         [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return type == QuantType::Float32 ? "float" : text;
}

// A pattern that is left in float breaks up: its other members are then layers of their own, and
// are to be float as well. Where it is quantized again, those entries go.
std::vector<ConfigStep> stepsOfMembers(const Graph& graph, const ResolvedConfig& config,
                                       const std::vector<FusedLayer>& patterns, NodeId lead,
                                       bool float32) {
  std::vector<ConfigStep> steps;
  const auto pattern = std::ranges::find(patterns, lead, &FusedLayer::lead);
  if (pattern == patterns.end()) return steps;
  for (const NodeId member : pattern->members) {
    if (member == lead) continue;
    const bool ownFloat = config.names(member) && config[member].float32;
    if (ownFloat == float32) continue;
    ConfigStep step{.place = ConfigStep::Entry::Node, .name = graph[member].name};
    if (float32) step.value = withFields(defaultPrecision(), {.float32 = true});
    steps.push_back(std::move(step));
  }
  return steps;
}

void append(std::vector<ConfigStep>& to, const std::vector<ConfigStep>& steps) {
  to.insert(to.end(), steps.begin(), steps.end());
}

// `over` with what only `under` has.
TensorFields merged(TensorFields over, const TensorFields& under) {
  const auto fill = [](auto& field, const auto& other) {
    if (!field) field = other;
  };
  fill(over.type, under.type);
  fill(over.symmetric, under.symmetric);
  fill(over.granularity, under.granularity);
  fill(over.observer, under.observer);
  fill(over.dynamic, under.dynamic);
  fill(over.range, under.range);
  fill(over.lowest, under.lowest);
  fill(over.highest, under.highest);
  return over;
}

// Of an operator whose inputs and outputs share one grid: what is said of one holds for all.
PrecisionFields onOneGrid(PrecisionFields fields) {
  fields.output = merged(fields.output, fields.activation);
  fields.activation = fields.output;
  return fields;
}

PrecisionConfig withoutNodes(PrecisionConfig config) {
  config.nodes.clear();
  return config;
}

}  // namespace

std::span<const QuantType> wholeTypes() {
  return kWholeTypes;
}

// The integer types stand in pairs, the signed one first.
QuantType signedType(QuantType type) {
  if (!isInteger(type) || isSigned(type)) return type;
  return static_cast<QuantType>(static_cast<int>(type) - 1);
}

bool TypeChoices::Kind::sameAs(const Kind& other) const {
  return op == other.op && tensors.weights == other.tensors.weights &&
         tensors.activations == other.tensors.activations &&
         tensors.outputs == other.tensors.outputs && dataMover == other.dataMover &&
         quantizable == other.quantizable;
}

TypeChoices::TypeChoices(std::shared_ptr<const Engine> engine, Configuration config,
                         std::shared_ptr<const QuantizedModel> model)
    : m_engine(std::move(engine)),
      m_model(std::move(model)),
      m_config(std::move(config)),
      m_withoutNodes(withoutNodes(*m_config.precision)),
      m_resolved(m_engine->graph(), *m_config.precision),
      m_otherwise(m_engine->graph(), m_withoutNodes),
      m_backend(findBackend(m_config.precision->backend)),
      m_patterns(findFusedLayers(*m_engine, *m_backend, m_otherwise)) {
  ConfiguredLayers configured{*m_engine, *m_backend, m_resolved, {}};
  for (const LayerQuantization& layer : m_model->layers) configured.layers.push_back(layer.layer);
  const std::vector<bool> quantizable = findQuantizableLayers(configured);
  for (std::size_t i = 0; i < quantizable.size(); ++i) {
    Kind kind = kindOf(i, quantizable[i]);
    const auto known =
        std::ranges::find_if(m_kinds, [&](const Kind& each) { return each.sameAs(kind); });
    m_kindOfLayer.push_back(static_cast<std::size_t>(known - m_kinds.begin()));
    if (known != m_kinds.end()) continue;
    for (const QuantType type : kWholeTypes) kind.refusals.push_back(refusalOf(kind, type));
    m_kinds.push_back(std::move(kind));
  }
}

TypeChoices::Kind TypeChoices::kindOf(std::size_t layer, bool quantizable) const {
  const Node& node = graph()[lead(layer)];
  Kind kind;
  kind.op = node.op;
  kind.tensors = layerTensors(*m_engine, node);
  kind.dataMover = m_model->layers[layer].dataMover;
  kind.quantizable = quantizable;
  return kind;
}

std::string TypeChoices::refusalOf(const Kind& kind, QuantType type) const {
  if (kind.dataMover)
    return kind.op + " only moves data: its output stays on the grid of its input";
  if (!kind.quantizable) return "no float values of the network pass through this layer";
  if (!isQuantized(type)) return {};
  if (!m_backend->knows(kind.op)) {
    return m_backend->name + " does not quantize " + kind.op + ": it stays float";
  }
  if (nearest(kind, m_config.precision->defaults, type, -1)) return {};
  std::vector<std::string> types;
  for (const QuantType each : kWholeTypes) {
    if (each != type && isQuantized(each) &&
        nearest(kind, m_config.precision->defaults, each, -1)) {
      types.push_back(title(each));
    }
  }
  std::string list;
  for (std::size_t i = 0; i < types.size(); ++i) {
    list += (i == 0 ? "" : i + 1 == types.size() ? " or " : ", ") + types[i];
  }
  return m_backend->name + " runs " + kind.op + " in " + (list.empty() ? "float" : list) + " only";
}

// The way that changes least of what was asked for, among those that have the type.
std::optional<NearestPrecision> TypeChoices::nearest(const Kind& kind, const NodePrecision& asked,
                                                     QuantType type, int channelAxis) const {
  std::optional<NearestPrecision> best;
  const NodePrecision at = withType(asked.float32 ? defaultPrecision() : asked, type);
  for (const OperatorWay& way : m_backend->ways) {
    if (std::ranges::find(way.operators, kind.op) == way.operators.end()) continue;
    if (!takes(way, kind.tensors, type)) continue;
    NearestPrecision found = nearestPrecision(way, at, kind.tensors, channelAxis);
    if (!best || found.distance < best->distance) best = std::move(found);
  }
  return best;
}

const std::string& TypeChoices::name(std::size_t layer) const {
  return graph()[lead(layer)].name;
}

const std::string& TypeChoices::refusal(std::size_t layer, QuantType type) const {
  return kind(layer).refusals[placeOf(type)];
}

std::optional<QuantType> TypeChoices::typeOf(std::size_t layer) const {
  const Kind& of = kind(layer);
  if (of.dataMover || !of.quantizable) return std::nullopt;
  const NodePrecision& precision = precisionOf(layer);
  if (precision.float32 || !m_backend->knows(of.op)) return QuantType::Float32;
  return signedType(of.tensors.weights ? precision.weight.type : precision.activation.type);
}

bool TypeChoices::overridden(std::size_t layer) const {
  return m_resolved.names(lead(layer));
}

const NodePrecision& TypeChoices::precisionOf(std::size_t layer) const {
  return m_resolved[lead(layer)];
}

const NodePrecision& TypeChoices::otherwise(std::size_t layer) const {
  return m_otherwise[lead(layer)];
}

const LayerTensors& TypeChoices::tensorsOf(std::size_t layer) const {
  return kind(layer).tensors;
}

// What a layer would be if it were not float.
const NodePrecision& TypeChoices::baseOf(std::size_t layer) const {
  const NodePrecision& own = precisionOf(layer);
  if (!own.float32) return own;
  return otherwise(layer).float32 ? m_config.precision->defaults : otherwise(layer);
}

NodePrecision TypeChoices::precisionAt(std::size_t layer, QuantType type) const {
  const NodePrecision& base = baseOf(layer);
  if (!isQuantized(type)) return withFields(base, {.float32 = true});
  // What holds without an entry comes back as it was, whatever the entry had made of it.
  const NodePrecision& free = otherwise(layer);
  const LayerTensors& tensors = tensorsOf(layer);
  const auto typeIn = [&](const NodePrecision& precision) {
    return signedType(tensors.weights ? precision.weight.type : precision.activation.type);
  };
  if (!free.float32 && typeIn(free) == type && typeIn(base) != type) return free;
  if (!precisionOf(layer).float32 && typeIn(base) == type) return base;
  const Node& node = graph()[lead(layer)];
  const std::optional<std::size_t> input = weightInput(*m_engine, node);
  const int axis =
      input ? outputChannelAxis(node, *input, m_engine->constant(node.inputs[*input])->shape())
            : -1;
  const auto found = nearest(kind(layer), base, type, axis);
  return found ? withFields(found->precision, {}) : base;
}

ConfigStep TypeChoices::step(std::size_t layer, const NodePrecision& precision) const {
  ConfigStep step{.place = ConfigStep::Entry::Node, .name = name(layer)};
  if (precision != otherwise(layer)) step.value = precision;
  return step;
}

std::string TypeChoices::whose(const std::vector<std::size_t>& layers) const {
  return layers.size() == 1 ? name(layers.front()) : std::to_string(layers.size()) + " layers";
}

ConfigEdit TypeChoices::setType(const std::vector<std::size_t>& layers, QuantType type) const {
  ConfigEdit edit;
  std::vector<std::size_t> able;
  for (const std::size_t layer : layers) {
    if (!refusal(layer, type).empty()) continue;
    able.push_back(layer);
    edit.steps.push_back(step(layer, precisionAt(layer, type)));
    append(edit.steps,
           stepsOfMembers(graph(), m_resolved, m_patterns, lead(layer), !isQuantized(type)));
  }
  edit.sentence = "set " + whose(able) + " to " + title(type);
  return edit;
}

ConfigEdit TypeChoices::setTypeOf(const PrecisionTarget& target, QuantType type) const {
  NodePrecision precision = withType(m_config.precision->defaults, type);
  if (m_config.precision->defaults.float32) precision = withType(defaultPrecision(), type);
  if (target.kind == PrecisionTarget::Kind::OpType) {
    for (std::size_t i = 0; i < layerCount(); ++i) {
      if (kind(i).op != target.names.at(0) || !refusal(i, type).empty()) continue;
      precision = precisionAt(i, type);
      break;
    }
  }
  ConfigEdit edit = setPrecision(m_config, graph(), target, fieldsOf(precision));
  edit.sentence = "set " + describe(target) + " to " + title(type);
  return edit;
}

ConfigEdit TypeChoices::setFields(const std::vector<std::size_t>& layers,
                                  const PrecisionFields& fields, const std::string& what) const {
  ConfigEdit edit{what + " " + whose(layers), {}};
  for (const std::size_t layer : layers) {
    const bool oneGrid = m_backend->shares(operatorOf(layer));
    const NodePrecision precision =
        withFields(precisionOf(layer), oneGrid ? onOneGrid(fields) : fields);
    edit.steps.push_back(step(layer, precision));
    append(edit.steps,
           stepsOfMembers(graph(), m_resolved, m_patterns, lead(layer), precision.float32));
  }
  return edit;
}

ConfigEdit TypeChoices::reset(const std::vector<std::size_t>& layers) const {
  ConfigEdit edit;
  std::vector<std::size_t> own;
  for (const std::size_t layer : layers) {
    if (!overridden(layer)) continue;
    own.push_back(layer);
    edit.steps.push_back({.place = ConfigStep::Entry::Node, .name = name(layer)});
    append(edit.steps, stepsOfMembers(graph(), m_resolved, m_patterns, lead(layer), false));
  }
  edit.sentence = "reset " + whose(own);
  return edit;
}

}  // namespace quantscope
