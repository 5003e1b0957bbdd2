#include "precision/backend/without_effect.h"

#include <algorithm>
#include <map>
#include <optional>

#include "graph/operator_traits.h"
#include "precision/backend/layer_tensors.h"
#include "precision/layers/folded_layer.h"
#include "precision/layers/node_tensors.h"
#include "precision/sharing/observer_groups.h"

namespace quantscope {
namespace {

constexpr std::size_t kMaxNamed = 8;

/// The same, where the observer is not the one of all tensors.
std::string idleObserver(const TensorPrecision& precision, bool isWeight) {
  return precision.observer == ObserverSpec() ? std::string() : whyNotObserved(precision, isWeight);
}

/// Why the granularity of a tensor says nothing; empty where it does, or is the coarsest.
std::string idleGranularity(const TensorPrecision& precision, bool isWeight) {
  const Granularity& asked = precision.granularity;
  const Granularity leftOut =
      isWeight ? defaultPrecision().weight.granularity : defaultPrecision().activation.granularity;
  return asked == Granularity() || asked == leftOut ? std::string() : whyNoScales(precision.type);
}

/// True where an encoding has scales for other parts of its tensor than are asked for.
bool differs(const Encoding& encoding, const Granularity& asked) {
  switch (asked.kind) {
    case Granularity::Kind::PerTensor:
      return encoding.axis.has_value();
    case Granularity::Kind::PerChannel:
      return !encoding.axis || encoding.blockSize > 0;
    case Granularity::Kind::PerGroup:
      break;
  }
  return encoding.blockSize != asked.groupSize;
}

/// True where a layer of that precision may have a bias of integers.
bool takesIntegerBias(const NodePrecision& precision) {
  const TensorPrecision& inputs = precision.activation;
  if (precision.float32 || inputs.dynamic) return false;
  if (!isInteger(precision.weight.type) || !isInteger(inputs.type)) return false;
  return precision.weight.granularity.kind != Granularity::Kind::PerGroup &&
         (inputs.granularity.kind == Granularity::Kind::PerTensor || inputs.range);
}

bool othersQuantize(const std::string& op) {
  return std::ranges::any_of(
      backendNames(), [&](const std::string& backend) { return findBackend(backend)->knows(op); });
}

class Search {
 public:
  Search(const ConfiguredLayers& configured, const ObserverGroups& groups,
         const ResolvedEncodings& encodings)
      : m_configured(configured),
        m_graph(configured.graph()),
        m_groups(groups),
        m_encodings(encodings),
        m_layerOf(m_graph.nodes().size()) {
    for (std::size_t i = 0; i < m_configured.layers.size(); ++i) {
      for (const NodeId member : m_configured.layers[i].members) m_layerOf[member.at()] = i;
    }
  }

  WithoutEffect run() {
    addBias();
    const NodePrecision& defaults = config().defaults;
    auto rules = nodesByRule();
    const Rule byDefault{PrecisionRule::Kind::Default, 0};
    if (!defaults.float32) addSettings(byDefault, defaults, rules[byDefault]);
    rules.erase(byDefault);
    for (const auto& [rule, nodes] : rules) addEntry(rule, nodes);
    addLeftFloat();
    return std::move(m_found);
  }

 private:
  using Rule = std::pair<PrecisionRule::Kind, std::size_t>;

  const PrecisionConfig& config() const { return m_configured.config.config(); }

  std::string placeOf(const Rule& rule) const {
    return describe(config(), {rule.first, rule.second});
  }

  void add(const std::string& place, const std::string& why) {
    m_found.sentences.push_back("'" + place + "' has no effect: " + why);
  }

  // What an entry has from the defaults, it does not ask for. `nodes` are those that it is for.
  void addSettings(const Rule& rule, const NodePrecision& precision,
                   const std::vector<NodeId>& nodes) {
    const bool isDefault = rule.first == PrecisionRule::Kind::Default;
    const auto check = [&](const char* tensor, auto role, bool isWeight, const std::string& fixed) {
      const TensorPrecision& own = precision.*role;
      const TensorPrecision& inherited = config().defaults.*role;
      const std::string place = placeOf(rule) + "." + tensor;
      const Encoded encoded = isDefault ? Encoded() : encodedOf(nodes, precision, role);
      const auto note = [&](const char* key, const std::string& asked, const std::string& why,
                            bool isEncoded) {
        const std::string of = place + "." + key;
        if (!why.empty()) {
          add(of, asked + ": " + why);
        } else if (isEncoded) {
          m_found.encoded.push_back(of);
        }
      };
      if (isDefault || own.observer != inherited.observer) {
        std::string why = idleObserver(own, isWeight);
        if (why.empty() && own.observer != ObserverSpec()) why = fixed;
        note("observer", toString(own.observer), why,
             encoded.all() && own.observer != ObserverSpec());
      }
      if (isDefault || own.granularity != inherited.granularity) {
        note("granularity", toString(own.granularity), idleGranularity(own, isWeight),
             encoded.all() && own.granularity != (defaultPrecision().*role).granularity &&
                 encoded.differFrom(own.granularity));
      }
      if (own.range != inherited.range) {
        note("range", {}, {}, encoded.all() && own.range.has_value());
      }
      if (!isWeight && own.dynamic && (isDefault || !followsMode(rule, role))) {
        note("mode", "dynamic", idleMode(own, nodes), false);
      }
    };
    const LayerTensors tensors = isDefault ? LayerTensors{true, true, true} : tensorsOf(nodes);
    const bool hasOutput = precision.output != precision.activation;
    const std::string op = nodes.empty() ? std::string() : m_graph[nodes.front()].op;
    if (tensors.weights) {
      check("weight", &NodePrecision::weight, true, {});
    } else if (asksFor(precision, &NodePrecision::weight)) {
      add(placeOf(rule) + ".weight", op + " has no constant weights here");
    }
    if (tensors.activations) {
      check("activation", &NodePrecision::activation, false, {});
    } else if (asksFor(precision, &NodePrecision::activation)) {
      add(placeOf(rule) + ".activation", op + " reads no activations here");
    }
    if (hasOutput && tensors.outputs) {
      check("output", &NodePrecision::output, false, isDefault ? std::string() : whyFixed(nodes));
    } else if (hasOutput && asksFor(precision, &NodePrecision::output)) {
      add(placeOf(rule) + ".output", "the output of " + op + " stays on the grids of its weights");
    }
  }

  // The encodings of those tensors of some nodes that a precision is for.
  struct Encoded {
    std::vector<const NamedEncoding*> encodings;
    bool anyWithout = false;

    bool all() const { return !encodings.empty() && !anyWithout; }
    bool differFrom(const Granularity& asked) const {
      return std::ranges::any_of(
          encodings, [&](const NamedEncoding* each) { return differs(*each->encoding, asked); });
    }
    void add(const NamedEncoding* encoding) {
      if (encoding == nullptr) {
        anyWithout = true;
      } else {
        encodings.push_back(encoding);
      }
    }
  };

  // Activations are the outputs as well, where those have no precision of their own.
  Encoded encodedOf(const std::vector<NodeId>& nodes, const NodePrecision& precision,
                    TensorPrecision NodePrecision::*role) const {
    Encoded encoded;
    if (m_encodings.empty()) return encoded;
    if (role == &NodePrecision::weight) {
      for (const NodeId node : nodes) {
        if (!m_configured.quantized[node.at()]) continue;
        for (const std::size_t input : weightInputs(m_configured.engine, m_graph[node])) {
          encoded.add(m_encodings.ofWeight(node, input));
        }
      }
      return encoded;
    }
    const bool ofEdges = role == &NodePrecision::activation;
    const bool ofOutputs = !ofEdges || precision.output == precision.activation;
    std::vector<bool> wanted(m_graph.nodes().size());
    std::vector<bool> made(m_graph.values().size());
    for (const NodeId node : nodes) {
      wanted[node.at()] = true;
      const ValueId output =
          m_graph[m_configured.layers[*m_layerOf[node.at()]].last()].outputs.at(0);
      if (output.valid()) made[output.at()] = true;
    }
    for (const QuantizationPoint& point : m_groups.points) {
      const bool counts = point.isOutput() ? ofOutputs && made[point.value.at()]
                                           : ofEdges && wanted[point.consumer.at()];
      if (counts) encoded.add(m_encodings.ofGroup(point.group));
    }
    return encoded;
  }

  // A node whose type was set has the mode that its rule asked for.
  bool followsMode(const Rule& rule, TensorPrecision NodePrecision::*role) const {
    if ((config().defaults.*role).dynamic) return true;
    if (rule.first != PrecisionRule::Kind::Node) return false;
    return std::ranges::any_of(config().opTypes,
                               [&](const auto& entry) { return (entry.second.*role).dynamic; }) ||
           std::ranges::any_of(config().patterns, [&](const PatternPrecision& entry) {
             return (entry.use.*role).dynamic;
           });
  }

  // An operator that the backend runs in one mode alone needs that of any type.
  std::string idleMode(const TensorPrecision& precision, const std::vector<NodeId>& nodes) const {
    const bool chooses = std::ranges::any_of(nodes, [&](NodeId node) {
      const std::string& op = m_graph[node].op;
      return m_configured.backend.quantizes(op, true) != m_configured.backend.quantizes(op, false);
    });
    return chooses ? std::string() : whyNoScales(precision.type);
  }

  // What any of the nodes has.
  LayerTensors tensorsOf(const std::vector<NodeId>& nodes) const {
    LayerTensors all{false, false, false};
    for (const NodeId node : nodes) {
      const LayerTensors own = layerTensors(m_configured.engine, m_graph[node]);
      all.weights = all.weights || own.weights;
      all.activations = all.activations || own.activations;
      all.outputs = all.outputs || own.outputs;
    }
    return all;
  }

  // Why the outputs of the nodes are on grids that nothing observes; empty where any is not.
  std::string whyFixed(const std::vector<NodeId>& nodes) const {
    const Backend& backend = m_configured.backend;
    const bool fixed = std::ranges::all_of(nodes, [&](NodeId node) {
      const FusedLayer& layer = m_configured.layers[*m_layerOf[node.at()]];
      return m_configured.quantized[node.at()] && !backend.shares(m_graph[node].op) &&
             fixedGrid(backend, m_graph[layer.last()].op, m_configured.config[node].output);
    });
    return fixed ? "backend " + backend.name + " sets the range of that output" : std::string();
  }

  // A layer that only an entry of its own keeps from an integer bias says nothing of the rule.
  void addBias() {
    const std::optional<BiasRule>& bias = config().bias;
    if (!bias || *bias == BiasRule::Float) return;
    bool hasPlace = false;
    for (std::size_t i = 0; i < m_configured.layers.size(); ++i) {
      const NodeId lead = m_configured.layers[i].lead();
      const Node& node = m_graph[lead];
      const bool isLinear = m_configured.quantizable(i) && m_configured.backend.knows(node.op) &&
                            weightInput(m_configured.engine, node) &&
                            biasPlace(m_configured.engine, m_configured.layers[i]);
      if (!isLinear) continue;
      hasPlace = true;
      if (mayHaveIntegerBias(lead)) return;
    }
    if (!hasPlace) return;
    add("bias", std::string(name(*bias)) +
                    ": no layer with a bias has static integer inputs and, per tensor or channel, "
                    "integer weights");
  }

  bool mayHaveIntegerBias(NodeId lead) const {
    const auto scalesProduct = operatorTraits(m_graph[lead]).scalesProduct;
    if (scalesProduct != nullptr && scalesProduct(m_graph[lead])) return false;
    if (m_configured.quantized[lead.at()] && takesIntegerBias(m_configured.config[lead])) {
      return true;
    }
    if (!m_configured.config.names(lead)) return false;
    const auto second = [](const auto& entry) { return takesIntegerBias(entry.second); };
    return takesIntegerBias(config().defaults) || std::ranges::any_of(config().opTypes, second) ||
           std::ranges::any_of(config().patterns, takesIntegerBias, &PatternPrecision::use);
  }

  std::map<Rule, std::vector<NodeId>> nodesByRule() const {
    std::map<Rule, std::vector<NodeId>> nodes;
    for (std::size_t i = 0; i < m_graph.nodes().size(); ++i) {
      const PrecisionRule& rule = m_configured.config.rule(NodeId(i));
      nodes[{rule.kind, rule.index}].emplace_back(i);
    }
    return nodes;
  }

  // An entry asks for what is neither as by default nor what keys that it leaves out stand for. The
  // observer of the default may be that of all tensors.
  bool asksFor(const NodePrecision& entry, TensorPrecision NodePrecision::*role) const {
    const TensorPrecision& inherited = config().defaults.*role;
    const TensorPrecision leftOut = defaultPrecision().*role;
    TensorPrecision observed = leftOut;
    observed.observer = inherited.observer;
    const TensorPrecision& own = entry.*role;
    return own != inherited && own != leftOut && own != observed;
  }

  void addEntry(const Rule& rule, const std::vector<NodeId>& nodes) {
    std::string why;
    std::vector<NodeId> active;
    for (const NodeId node : nodes) {
      std::string own = whyIdle(node);
      if (own.empty()) active.push_back(node);
      if (why.empty()) why = std::move(own);
    }
    if (active.empty()) {
      add(placeOf(rule), why);
      return;
    }
    const NodePrecision& precision = m_configured.config[nodes.front()];
    if (!precision.float32) addSettings(rule, precision, active);
  }

  /// Empty where the node takes its precision from its entry.
  std::string whyIdle(NodeId node) const {
    const std::optional<std::size_t>& layer = m_layerOf[node.at()];
    if (!layer) return "'" + m_graph[node].name + "' computes a constant";
    const NodeId lead = m_configured.layers[*layer].lead();
    if (lead != node) {
      return "'" + m_graph[node].name + "' is a part of '" + m_graph[lead].name + "'";
    }
    if (m_configured.quantizable(*layer) || m_configured.floats[node.at()]) return {};
    return m_configured.facts->dataMovers[node.at()]
               ? m_graph[node].op + " only moves data"
               : "'" + m_graph[node].name + "' computes no float data";
  }

  // findNotSupported() reports entries that the backend lacks.
  bool isLeftFloat(std::size_t layer) const {
    const NodeId lead = m_configured.layers[layer].lead();
    const Node& node = m_graph[lead];
    const NodePrecision& asked = m_configured.config[lead];
    return m_configured.quantizable(layer) && !asked.float32 && node.domain.empty() &&
           m_configured.config.rule(lead).kind == PrecisionRule::Kind::Default &&
           !m_configured.backend.knows(node.op) && othersQuantize(node.op);
  }

  void addLeftFloat() {
    std::vector<std::pair<std::string, std::vector<NodeId>>> operators;
    for (std::size_t i = 0; i < m_configured.layers.size(); ++i) {
      if (!isLeftFloat(i)) continue;
      const NodeId lead = m_configured.layers[i].lead();
      const std::string& op = m_graph[lead].op;
      const auto found =
          std::ranges::find_if(operators, [&](const auto& entry) { return entry.first == op; });
      (found == operators.end() ? operators.emplace_back(op, std::vector<NodeId>()) : *found)
          .second.push_back(lead);
    }
    if (operators.empty()) return;
    std::string text =
        "backend " + m_configured.backend.name + " leaves in float what others quantize: ";
    for (std::size_t i = 0; i < std::min(operators.size(), kMaxNamed); ++i) {
      const auto& [op, nodes] = operators[i];
      text += (i == 0 ? "" : ", ") + op + " ('" + m_graph[nodes.front()].name + "'" +
              (nodes.size() > 1 ? " and " + std::to_string(nodes.size() - 1) + " more" : "") + ")";
    }
    if (operators.size() > kMaxNamed) {
      text += " and " + std::to_string(operators.size() - kMaxNamed) + " more operators";
    }
    m_found.sentences.push_back(std::move(text));
  }

  const ConfiguredLayers& m_configured;
  const Graph& m_graph;
  const ObserverGroups& m_groups;
  const ResolvedEncodings& m_encodings;
  std::vector<std::optional<std::size_t>> m_layerOf;
  WithoutEffect m_found;
};

}  // namespace

std::string whyNotObserved(const TensorPrecision& precision, bool isWeight) {
  const std::string type(name(precision.type));
  if (!hasScale(precision.type)) return whyNoScales(precision.type);
  if (isSignCode(precision.type)) return "the mean magnitude sets the scale of " + type;
  if (!isWeight && precision.dynamic) return "each sample's own range is taken while it runs";
  if (precision.range) return "the range is set by hand";
  if (isWeight && precision.observer.kind == ObserverSpec::Kind::MovingAverage) {
    return "weights have no batches, it is their minimum and maximum";
  }
  return {};
}

std::string whyNoScales(QuantType type) {
  return hasScale(type) ? std::string() : std::string(name(type)) + " has no scale";
}

WithoutEffect findWithoutEffect(const ConfiguredLayers& configured, const ObserverGroups& groups,
                                const ResolvedEncodings& encodings) {
  return Search(configured, groups, encodings).run();
}

std::vector<std::string> noticesOf(const WithoutEffect& found) {
  std::vector<std::string> notices = found.sentences;
  const std::vector<std::string>& keys = found.encoded;
  if (keys.empty()) return notices;
  std::string text;
  for (std::size_t i = 0; i < std::min(keys.size(), kMaxNamed); ++i) {
    text += (i == 0 ? "'" : ", '") + keys[i] + "'";
  }
  if (keys.size() > kMaxNamed) {
    text += " and " + std::to_string(keys.size() - kMaxNamed) + " more keys";
  }
  notices.push_back(text + (keys.size() == 1 ? " has" : " have") +
                    " no effect: encodings set those scales");
  return notices;
}

}  // namespace quantscope
