#include "detectors/findings/group_causes.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <string>
#include <unordered_map>

#include "analysis/bad_layers.h"
#include "base/number_text.h"
#include "detectors/findings/finding_kinds.h"
#include "graph/graph.h"

namespace quantscope {
namespace {

// Two layers that are alike are a coincidence, but for the same one in two scopes that are alike.
constexpr std::size_t kLeastMembers = 3;
constexpr std::size_t kLeastRepeats = 2;
constexpr std::array<std::string_view, 2> kOfTheConfiguration{"per_channel", "one_sided"};
constexpr std::string_view kOfTypes = "accumulator_overflow";

bool sameChange(const ConfigChange& one, const ConfigChange& other) {
  return one.node == other.node && one.weight == other.weight &&
         one.activation == other.activation && one.output == other.output &&
         one.float32 == other.float32 && one.removesEntry == other.removesEntry &&
         one.bias == other.bias && one.inputFactors == other.inputFactors &&
         one.split == other.split && one.unmerge == other.unmerge;
}

std::string withoutNumbers(const std::string& name) {
  std::string masked;
  for (const char c : name) {
    const bool digit = std::isdigit(static_cast<unsigned char>(c)) != 0;
    if (!digit) masked += c;
    if (digit && (masked.empty() || masked.back() != '#')) masked += '#';
  }
  return masked;
}

/// Tells the layers of a scope apart, whichever scopes repeat.
class NamesInScopes {
 public:
  explicit NamesInScopes(const DetectorInput& input) : m_graph(input.graph()) {
    for (const LayerQuantization& layer : input.model.layers) {
      std::string scope = scopeOf(m_graph[layer.layer.lead()].name);
      for (; !scope.empty(); scope = scopeOf(scope)) ++m_layers[scope];
    }
  }

  // An operator's name or one without numbers says little where a scope stands for one layer, as in
  // "conv1/Conv" and "conv2/Conv": the scope belongs to the name.
  std::string of(NodeId id) const {
    const Node& node = m_graph[id];
    std::string last = shortName(node.name);
    if (last != node.op && withoutNumbers(last) != last) return last;
    const std::string scope = scopeOf(node.name);
    const auto found = m_layers.find(scope);
    const bool ofOneLayer = found != m_layers.end() && found->second == 1;
    return ofOneLayer ? shortName(scope) + '/' + last : last;
  }

 private:
  const Graph& m_graph;
  std::map<std::string, std::size_t> m_layers;  // by scope, with those of its scopes
};

/// By node: true if it leads to an output that is not exact, or that was not compared.
std::vector<bool> leadingToErrors(const DetectorInput& input) {
  const Graph& graph = input.graph();
  std::vector<bool> leading(graph.nodes().size());
  // Values that a sub-graph reads from outside are not inputs of a node.
  if (graph.blocks().size() > 1) return std::vector<bool>(graph.nodes().size(), true);
  std::vector<ValueId> open;
  for (std::size_t i = 0; i < graph.outputs().size(); ++i) {
    const bool known = i < input.result.outputs.size();
    if (known && isExactOutput(input.result.outputs[i])) continue;
    open.push_back(graph.outputs()[i]);
  }
  while (!open.empty()) {
    const NodeId node = open.back().valid() ? graph[open.back()].producer : NodeId();
    open.pop_back();
    if (!node.valid() || leading[node.at()]) continue;
    leading[node.at()] = true;
    const std::vector<ValueId>& inputs = graph[node].inputs;
    open.insert(open.end(), inputs.begin(), inputs.end());
  }
  return leading;
}

class Grouping {
 public:
  explicit Grouping(const DetectorInput& input)
      : m_input(input), m_leading(leadingToErrors(input)), m_names(input) {}

  bool harmless(const Finding& finding) const {
    const auto harms = [&](NodeId node) { return m_leading[node.at()]; };
    return harmOf(finding) != DetectorHarm::BeyondFigures && finding.node.valid() &&
           !harms(finding.node) && std::ranges::none_of(finding.members, harms);
  }

  /// The common key of findings with one cause; empty for a finding of its own.
  std::string keyOf(const Finding& finding) const {
    if (!finding.node.valid()) return {};
    const Node& node = m_input.graph()[finding.node];
    const std::string start = finding.detector + '\n' + node.op + '\n' +
                              (finding.onlyIfItHelps ? "?" : "") +
                              (finding.aboutWeights ? "weights" : "values") + '\n';
    if (std::ranges::find(kOfTheConfiguration, finding.detector) != kOfTheConfiguration.end()) {
      return start + ruleOf(finding.node);
    }
    if (onFixedGrid(finding)) return start + "fixed";
    // Where nothing can be changed layer by layer, the same advice is given once.
    if (finding.suggestion && finding.suggestion->changes.empty()) {
      return finding.detector + '\n' + finding.suggestion->text;
    }
    if (finding.detector == kOfTypes) return finding.detector + '\n' + typesOf(finding.node);
    const std::string masked = withoutNumbers(node.name);
    if (masked == node.name) return {};
    std::string key = start + masked;
    for (const LayerPart part : partsNamed(m_input, finding, finding.node)) {
      key += '|' + std::to_string(static_cast<int>(part));
    }
    if (!finding.onlyIfItHelps) return key;
    // What helps one layer may spoil another: only the same layer in other scopes is as good.
    if (!scopeOf(node.name).empty()) return key + '\n' + m_names.of(finding.node);
    for (const std::int64_t channel : finding.channels) key += ' ' + std::to_string(channel);
    return key;
  }

  /// True where findings are about one layer of scopes that repeat: "f0/Conv_5" and "f1/Conv_5".
  bool areRepeats(const std::vector<Finding>& findings,
                  const std::vector<std::size_t>& places) const {
    const std::string first = m_names.of(findings[places.front()].node);
    return std::ranges::all_of(places, [&](std::size_t place) {
      return !scopeOf(findings[place].nodeName).empty() &&
             m_names.of(findings[place].node) == first;
    });
  }

 private:
  // Too wide for the accumulator are the types, whichever operators have them.
  std::string typesOf(NodeId node) const {
    const LayerQuantization* layer = m_input.index.layerLedBy(node);
    if (layer == nullptr || !layer->weight || !layer->activation) return {};
    return std::string(name(layer->weight->type)) + ' ' +
           std::string(name(layer->activation->type));
  }
  std::string ruleOf(NodeId node) const {
    const LayerQuantization* layer = m_input.index.layerLedBy(node);
    if (layer == nullptr) return {};
    return describe(*m_input.configuration.precision, layer->rule);
  }
  bool onFixedGrid(const Finding& finding) const {
    const QuantizationPoint* point =
        finding.value.valid() ? m_input.index.pointMetBy(finding.node, finding.value) : nullptr;
    return point != nullptr && point->fixed && !finding.aboutWeights;
  }

  const DetectorInput& m_input;
  std::vector<bool> m_leading;
  NamesInScopes m_names;
};

/// Makes other findings parts of one, of which there may be thousands.
class Absorber {
 public:
  explicit Absorber(Finding& kept) : m_kept(kept) {
    if (!kept.suggestion) return;
    for (std::size_t i = 0; i < changes().size(); ++i) m_ofNode.emplace(keyOf(changes()[i]), i);
  }

  void absorb(const Finding& other) {
    m_kept.severity = std::max(m_kept.severity, other.severity);
    addMembers(m_kept, other);
    if (!m_kept.suggestion || !other.suggestion) return;
    for (const ConfigChange& change : other.suggestion->changes) add(change);
  }

 private:
  static std::size_t keyOf(const ConfigChange& change) {
    return std::hash<std::string>()(change.node);
  }

  void add(const ConfigChange& change) {
    const auto [first, last] = m_ofNode.equal_range(keyOf(change));
    const bool known = std::any_of(first, last, [&](const auto& entry) {
      return sameChange(changes()[entry.second], change);
    });
    if (known) return;
    m_ofNode.emplace(keyOf(change), changes().size());
    changes().push_back(change);
  }

  std::vector<ConfigChange>& changes() { return m_kept.suggestion->changes; }

  Finding& m_kept;
  std::unordered_multimap<std::size_t, std::size_t> m_ofNode;  // changes by a hash of the node
};

void mergeInto(std::vector<Finding>& findings, const std::vector<std::size_t>& places,
               std::vector<bool>& gone) {
  const std::size_t kept = *std::ranges::max_element(places, [&](std::size_t a, std::size_t b) {
    return findings[a].severity < findings[b].severity;
  });
  Absorber absorber(findings[kept]);
  for (const std::size_t place : places) {
    if (place == kept) continue;
    absorber.absorb(findings[place]);
    gone[place] = true;
  }
}

}  // namespace

void absorbFinding(Finding& kept, const Finding& other) {
  Absorber(kept).absorb(other);
}

void groupCauses(const DetectorInput& input, std::vector<Finding>& findings) {
  const Grouping grouping(input);
  std::map<std::string, std::vector<std::size_t>> harmless;
  std::map<std::string, std::vector<std::size_t>> causes;
  std::vector<bool> gone(findings.size());
  for (std::size_t i = 0; i < findings.size(); ++i) {
    if (grouping.harmless(findings[i])) {
      findings[i].severity = Severity::Info;
      if (findings[i].onlyIfItHelps) gone[i] = true;
      if (!gone[i]) harmless[findings[i].detector].push_back(i);
      continue;
    }
    const std::string key = grouping.keyOf(findings[i]);
    if (!key.empty()) causes[key].push_back(i);
  }
  for (const auto& [detector, places] : harmless) mergeInto(findings, places, gone);
  for (const auto& [key, places] : causes) {
    const bool repeats = places.size() >= kLeastRepeats && grouping.areRepeats(findings, places);
    if (repeats || places.size() >= kLeastMembers) mergeInto(findings, places, gone);
  }
  std::size_t place = 0;
  std::erase_if(findings, [&](const Finding&) { return gone[place++]; });
  for (Finding& finding : findings) {
    const std::size_t more = finding.members.size();
    if (more == 0) continue;
    finding.text += " The same is true of " + counted(more, "more layer") + ".";
    if (finding.suggestion && !finding.suggestion->changes.empty()) {
      finding.suggestion->text += " Likewise of the others.";
    }
  }
}

}  // namespace quantscope
