#include "precision/edits/type_choices.h"

#include <algorithm>
#include <cctype>
#include <iterator>

#include "base/number_text.h"
#include "precision/backend/layer_tensors.h"
#include "precision/config/precision_words.h"
#include "precision/config/replace_types.h"
#include "precision/edits/entry_of_rule.h"
#include "precision/edits/target_match.h"
#include "precision/edits/voided_encodings.h"
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

// Of an operator whose inputs and outputs share one grid: what is said of one holds for all.
PrecisionFields onOneGrid(PrecisionFields fields) {
  fields.output = merged(fields.output, fields.activation);
  fields.activation = fields.output;
  return fields;
}

// The type of a layer as a whole: that of its weights, where it has some.
QuantType typeIn(const NodePrecision& precision, const LayerTensors& tensors) {
  if (precision.float32) return QuantType::Float32;
  return signedType(tensors.weights ? precision.weight.type : precision.activation.type);
}

// A range set by hand is right for the tensor that it was set for, and for no other.
NodePrecision withoutRanges(NodePrecision precision) {
  precision.weight.range.reset();
  precision.activation.range.reset();
  precision.output.range.reset();
  return precision;
}

const std::optional<TensorAbility>& abilityOf(const OperatorWay& way, TensorRole role) {
  return role == TensorRole::Weight       ? way.weight
         : role == TensorRole::Activation ? way.activation
                                          : way.output;
}

}  // namespace

std::span<const QuantType> wholeTypes() {
  return kWholeTypes;
}

bool TypeChoices::Kind::sameAs(const Kind& other) const {
  return op == other.op && tensors.weights == other.tensors.weights &&
         tensors.activations == other.tensors.activations &&
         tensors.outputs == other.tensors.outputs && dataMover == other.dataMover &&
         quantizable == other.quantizable;
}

TypeChoices::TypeChoices(std::shared_ptr<const Engine> engine, Configuration config,
                         std::shared_ptr<const QuantizedModel> model, const TypeChoices* before)
    : m_engine(std::move(engine)),
      m_model(std::move(model)),
      m_config(std::move(config)),
      m_withoutNodes(withoutNodes(*m_config.precision)),
      m_resolved(m_engine->graph(), *m_config.precision),
      m_otherwise(m_engine->graph(), m_withoutNodes),
      m_backend(findBackend(m_config.precision->backend)) {
  const bool follows =
      before != nullptr && before->m_engine == m_engine && before->m_backend == m_backend;
  m_ofBackend = follows ? before->m_ofBackend : std::make_shared<OfBackend>();
  if (!follows) m_ofBackend->regions = findFloatRegions(graph(), m_backend->floatRegions);
  m_floats = findFloatNodes(graph(), m_ofBackend->regions, m_resolved);
  if (follows && hasKindsOf(*before)) {
    m_kinds = before->m_kinds;
    m_kindOfLayer = before->m_kindOfLayer;
  } else {
    findKinds();
  }
}

// Of the same engine and backend.
bool TypeChoices::hasKindsOf(const TypeChoices& other) const {
  return other.m_config.precision->defaults == m_config.precision->defaults &&
         other.m_floats == m_floats && sameLayers(*other.m_model, *m_model);
}

void TypeChoices::findKinds() {
  m_kindOfLayer.reserve(layerCount());
  for (std::size_t i = 0; i < layerCount(); ++i) {
    Kind kind = kindOf(i);
    const auto known =
        std::ranges::find_if(m_kinds, [&](const Kind& each) { return each.sameAs(kind); });
    m_kindOfLayer.push_back(static_cast<std::size_t>(known - m_kinds.begin()));
    if (known != m_kinds.end()) continue;
    for (const QuantType type : kWholeTypes) kind.refusals.push_back(refusalOf(kind, type));
    m_kinds.push_back(std::move(kind));
  }
}

const FusedFollowers& TypeChoices::followers() const {
  OfBackend& shared = *m_ofBackend;
  std::call_once(shared.made,
                 [&] { shared.followers.emplace(*m_engine, *m_backend, shared.regions); });
  return *shared.followers;
}

TypeChoices::Kind TypeChoices::kindOf(std::size_t layer) const {
  const Node& node = graph()[lead(layer)];
  Kind kind;
  kind.op = node.op;
  kind.tensors = layerTensors(*m_engine, node);
  kind.dataMover = m_model->layers[layer].dataMover;
  kind.quantizable = m_model->layers[layer].computes && !m_floats[lead(layer).at()];
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
  return m_backend->name + " runs " + kind.op + " in " +
         (types.empty() ? "float" : alternatives(types)) + " only";
}

std::optional<NearestPrecision> TypeChoices::nearest(const Kind& kind, const NodePrecision& asked,
                                                     QuantType type, int channelAxis) const {
  return fitted(kind, withType(asked.float32 ? defaultPrecision() : asked, type), type,
                channelAxis);
}

// The way that changes least of what was asked for, among those that have the type.
std::optional<NearestPrecision> TypeChoices::fitted(const Kind& kind, const NodePrecision& asked,
                                                    QuantType type, int channelAxis) const {
  return nearestPrecision(*m_backend, kind.op, asked, kind.tensors, channelAxis,
                          [&](const OperatorWay& way) { return takes(way, kind.tensors, type); });
}

std::optional<std::size_t> TypeChoices::layerWith(NodeId node) const {
  const auto found = std::ranges::find_if(m_model->layers, [&](const LayerQuantization& layer) {
    return std::ranges::find(layer.layer.members, node) != layer.layer.members.end();
  });
  if (found == m_model->layers.end()) return std::nullopt;
  return static_cast<std::size_t>(found - m_model->layers.begin());
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
  if (!m_backend->knows(of.op)) return QuantType::Float32;
  return typeIn(precisionOf(layer), of.tensors);
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
  if (typeIn(free, tensors) == type && typeIn(base, tensors) != type) return free;
  if (!precisionOf(layer).float32 && typeIn(base, tensors) == type) return base;
  const auto found = nearest(kind(layer), base, type, channelAxis(layer));
  if (!found) return base;
  return withFields(ofTensors(found->precision, tensors, m_config.precision->defaults), {});
}

int TypeChoices::channelAxis(std::size_t layer) const {
  return weightChannelAxis(*m_engine, graph()[lead(layer)]);
}

// Of an operator that stays float anyway an entry would say nothing.
ConfigStep TypeChoices::step(std::size_t layer, const NodePrecision& precision) const {
  ConfigStep step{.place = ConfigStep::Entry::Node, .name = name(layer)};
  const bool counts = m_backend->knows(operatorOf(layer));
  if (counts && precision != otherwise(layer)) step.value = precision;
  return step;
}

std::string TypeChoices::whose(const std::vector<std::size_t>& layers) const {
  return layers.size() == 1 ? name(layers.front()) : std::to_string(layers.size()) + " layers";
}

// Entries of layers that complete a rule which the edit removes.
std::vector<ConfigStep> TypeChoices::removalsWith(const ConfigEdit& edit) const {
  std::vector<ConfigStep> removals;
  const auto removes = [](const ConfigStep& step) {
    return step.place != ConfigStep::Entry::Node &&
           std::holds_alternative<std::monostate>(step.value);
  };
  if (std::ranges::none_of(edit.steps, removes)) return removals;
  for (std::size_t i = 0; i < layerCount(); ++i) {
    if (!completesRule(i)) continue;
    const bool goes = std::ranges::any_of(edit.steps, [&](const ConfigStep& step) {
      return removes(step) && isEntryOf(step, m_withoutNodes, m_otherwise.rule(lead(i)));
    });
    if (goes) removals.push_back({.place = ConfigStep::Entry::Node, .name = name(i)});
  }
  return removals;
}

ConfigEdit TypeChoices::complete(ConfigEdit edit) const {
  std::ranges::move(removalsWith(edit), std::back_inserter(edit.steps));
  edit = followers().complete(std::move(edit), m_config, m_resolved, m_otherwise);
  return voidingEncodings(std::move(edit), *m_engine, m_config);
}

std::string TypeChoices::followed(const std::string& node) const {
  const NodeId follower = graph().findNode(node);
  const bool entered = follower.valid() && m_resolved.names(follower);
  const NodeId lead = entered ? followers().leadOf(follower) : NodeId();
  const bool owed = lead.valid() && m_resolved[lead].float32 && m_resolved[follower].float32;
  return owed ? graph()[lead].name : std::string();
}

ConfigEdit TypeChoices::setType(const std::vector<std::size_t>& layers, QuantType type) const {
  ConfigEdit edit;
  std::vector<std::size_t> able;
  for (const std::size_t layer : layers) {
    if (!refusal(layer, type).empty()) continue;
    able.push_back(layer);
    edit.steps.push_back(step(layer, precisionAt(layer, type)));
  }
  edit.sentence = "set " + whose(able) + " to " + title(type);
  return complete(std::move(edit));
}

std::vector<std::size_t> TypeChoices::layersOf(const PrecisionTarget& target) const {
  std::vector<std::size_t> layers;
  std::vector<std::size_t> settable;
  const TargetMatch matches(target);
  for (std::size_t i = 0; i < layerCount(); ++i) {
    if (!matches(graph()[lead(i)])) continue;
    layers.push_back(i);
    if (typeOf(i)) settable.push_back(i);
  }
  return settable.empty() ? layers : settable;
}

// True where the entry only brings what a rule says onto the one grid of the operator.
bool TypeChoices::completesRule(std::size_t layer) const {
  if (!overridden(layer) || !m_backend->shares(operatorOf(layer))) return false;
  NodePrecision whole = otherwise(layer);
  whole.output = whole.activation;
  return !whole.float32 && precisionOf(layer) == whole;
}

// One that a rule does not reach, because an entry of its own beats it, or nothing is quantized.
bool TypeChoices::isApart(std::size_t layer, const PrecisionTarget& target) const {
  const bool own =
      overridden(layer) && !completesRule(layer) && target.kind != PrecisionTarget::Kind::Scope;
  return own || !m_backend->knows(operatorOf(layer));
}

// Whatever the rules become.
ConfigStep TypeChoices::entering(std::size_t layer, const PrecisionFields& fields) const {
  return {.place = ConfigStep::Entry::Node,
          .name = name(layer),
          .value = withFields(precisionOf(layer), fields)};
}

// A layer that the backend would run in another type keeps what it has.
ConfigEdit TypeChoices::setTypeOf(const PrecisionTarget& target, QuantType type) const {
  NodePrecision precision = withType(m_config.precision->defaults, type);
  if (m_config.precision->defaults.float32) precision = withType(defaultPrecision(), type);
  const std::vector<std::size_t> layers = layersOf(target);
  if (target.kind == PrecisionTarget::Kind::OpType) {
    const auto able = std::ranges::find_if(
        layers, [&](std::size_t layer) { return refusal(layer, type).empty(); });
    if (able != layers.end()) precision = withoutRanges(precisionAt(*able, type));
  }
  ConfigEdit edit = setPrecision(m_config, graph(), target, fieldsOf(precision));
  for (const std::size_t layer : layers) {
    if (isApart(layer, target)) continue;
    if (!refusal(layer, type).empty()) {
      edit.steps.push_back(entering(layer, {}));
    } else if (target.kind != PrecisionTarget::Kind::Scope && completesRule(layer)) {
      edit.steps.push_back({.place = ConfigStep::Entry::Node, .name = name(layer)});
    }
  }
  edit.sentence = "set " + describe(target) + " to " + title(type);
  return complete(std::move(edit));
}

ConfigEdit TypeChoices::setFields(const std::vector<std::size_t>& layers,
                                  const PrecisionFields& fields, const std::string& what) const {
  ConfigEdit edit{what + " " + whose(layers), {}};
  for (const std::size_t layer : layers) {
    const bool oneGrid = m_backend->shares(operatorOf(layer));
    edit.steps.push_back(
        step(layer, withFields(precisionOf(layer), oneGrid ? onOneGrid(fields) : fields)));
  }
  return complete(std::move(edit));
}

std::string TypeChoices::refusal(std::size_t layer, const PrecisionFields& fields) const {
  const LayerTensors& tensors = tensorsOf(layer);
  const auto refusalOf = [&](bool present, TensorRole role, const TensorFields& of) {
    return present && of.type ? tensorRefusal(layer, role, *of.type) : std::string();
  };
  std::string why = refusalOf(tensors.weights, TensorRole::Weight, fields.weight);
  if (why.empty()) {
    why = refusalOf(tensors.activations, TensorRole::Activation, fields.activation);
  }
  if (why.empty()) why = refusalOf(tensors.outputs, TensorRole::Output, fields.output);
  return why;
}

ConfigEdit TypeChoices::setFieldsOf(const PrecisionTarget& target, const PrecisionFields& fields,
                                    const std::string& what) const {
  const std::vector<std::size_t> layers = layersOf(target);
  const PrecisionFields forOneGrid = onOneGrid(fields);
  const auto hasOneGrid = [&](std::size_t layer) { return m_backend->shares(operatorOf(layer)); };
  const bool all = std::ranges::all_of(layers, hasOneGrid);
  ConfigEdit edit = setPrecision(m_config, graph(), target, all ? forOneGrid : fields);
  for (const std::size_t layer : layers) {
    if (isApart(layer, target)) continue;
    if (!refusal(layer, fields).empty()) {
      edit.steps.push_back(entering(layer, {}));
    } else if (!all && hasOneGrid(layer) && (forOneGrid != fields || completesRule(layer))) {
      edit.steps.push_back(entering(layer, forOneGrid));
    }
  }
  edit.sentence = what + " " + describe(target);
  return complete(std::move(edit));
}

const std::string& TypeChoices::refusal(std::size_t layer, const NodePrecision& precision) const {
  return refusal(layer, typeIn(precision, tensorsOf(layer)));
}

// What the layer has no tensor for stays as the default says it, so that its entry says nothing
// without effect.
NodePrecision TypeChoices::nearestTo(std::size_t layer, const NodePrecision& asked) const {
  if (asked.float32) return withFields(asked, {});
  const LayerTensors& tensors = tensorsOf(layer);
  NodePrecision precision = ofTensors(withoutRanges(asked), tensors, m_config.precision->defaults);
  if (m_backend->shares(operatorOf(layer))) precision.output = precision.activation;
  const auto found = fitted(kind(layer), precision, typeIn(precision, tensors), channelAxis(layer));
  return found ? found->precision : precision;
}

ConfigEdit TypeChoices::setPrecisionOf(const std::vector<std::size_t>& layers,
                                       const NodePrecision& precision,
                                       const std::string& what) const {
  ConfigEdit edit;
  std::vector<std::size_t> able;
  for (const std::size_t layer : layers) {
    if (!refusal(layer, precision).empty()) continue;
    able.push_back(layer);
    edit.steps.push_back(step(layer, nearestTo(layer, precision)));
  }
  edit.sentence = what + " " + whose(able);
  return complete(std::move(edit));
}

std::string TypeChoices::tensorRefusal(std::size_t layer, TensorRole role, QuantType type) const {
  const std::string& op = operatorOf(layer);
  std::vector<std::string> types;
  for (const OperatorWay& way : m_backend->ways) {
    if (std::ranges::find(way.operators, op) == way.operators.end()) continue;
    const std::optional<TensorAbility>& ability = abilityOf(way, role);
    const std::vector<QuantType> offered =
        ability ? ability->types : std::vector{QuantType::Float32};
    for (const QuantType each : offered) {
      if (each == type) return {};
      std::string offer = title(each);
      if (std::ranges::find(types, offer) == types.end()) types.push_back(std::move(offer));
    }
  }
  if (types.empty()) return m_backend->name + " does not quantize " + op + ": it stays float";
  return m_backend->name + " runs " + op + " with " + words(role) + " of " + alternatives(types) +
         " only";
}

ConfigEdit TypeChoices::reset(const std::vector<std::size_t>& layers) const {
  ConfigEdit edit;
  std::vector<std::size_t> own;
  for (const std::size_t layer : layers) {
    if (!overridden(layer)) continue;
    own.push_back(layer);
    edit.steps.push_back({.place = ConfigStep::Entry::Node, .name = name(layer)});
  }
  edit.sentence = "reset " + whose(own);
  return complete(std::move(edit));
}

}  // namespace quantscope
