#include "search/advice/candidate_edits.h"

#include <algorithm>
#include <map>

#include "detectors/changes/apply_changes.h"
#include "precision/edits/voided_encodings.h"
#include "search/advice/layers_aside.h"

namespace quantscope {
namespace {

// Places where the network is cut in two.
constexpr std::size_t kMostSides = 24;

class CandidateFinder {
 public:
  CandidateFinder(const std::shared_ptr<const Engine>& engine, const Configuration& config,
                  const std::shared_ptr<const QuantizedModel>& model, JobContext& job)
      : m_job(job),
        m_engine(*engine),
        m_graph(engine->graph()),
        m_config(config),
        m_model(*model),
        m_choices(engine, config, model) {
    for (const auto& [node, precision] : config.precision->nodes) {
      if (precision.float32) m_floats.insert(node);
    }
    auto followers = std::make_shared<CandidateEdit::Followers>();
    for (const LayerQuantization& layer : m_model.layers) {
      for (const NodeId member : layer.layer.members) {
        if (member == layer.layer.lead()) continue;
        (*followers)[m_graph[layer.layer.lead()].name].push_back(m_graph[member].name);
      }
    }
    m_followers = std::move(followers);
  }

  std::vector<CandidateEdit> find(const DetectorReport& report,
                                  const std::set<std::string>& aside) {
    m_aside = nodesAside(m_graph, m_model, report, aside);
    addFindings(report.findings, aside);
    addFindings(report.unproven, aside);
    addLayers();
    addRegions();
    addSides();
    return std::move(m_found);
  }

 private:
  void addFindings(const std::vector<Finding>& findings, const std::set<std::string>& aside) {
    for (const Finding& finding : findings) {
      const bool usable = finding.suggestion && !finding.suggestion->changes.empty();
      if (!usable || aside.contains(finding.id)) continue;
      CandidateEdit candidate{.source = CandidateEdit::Source::Finding,
                              .what = finding.suggestion->text,
                              .changes = finding.suggestion->changes,
                              .edit = {},
                              .nodes = {finding.nodeName},
                              .findings = {finding.id}};
      know(candidate);
      candidate.edit = candidate.editOn(m_config, m_engine);
      add(std::move(candidate));
    }
  }

  void know(CandidateEdit& candidate) const {
    candidate.floats = m_floats;
    candidate.followers = m_followers;
  }

  void addLayers() {
    for (std::size_t i = 0; i < m_choices.layerCount(); ++i) {
      const std::optional<QuantType> type = m_choices.typeOf(i);
      if (!type || !isQuantized(*type) || m_choices.name(i).empty()) continue;
      if (const std::optional<QuantType> wider = nextWider(i, *type)) addLayer(i, *wider);
      if (m_choices.refusal(i, QuantType::Float32).empty()) addLayer(i, QuantType::Float32);
    }
  }

  std::optional<QuantType> nextWider(std::size_t layer, QuantType type) const {
    std::optional<QuantType> wider;
    for (const QuantType each : wholeTypes()) {
      const bool isNearer = !wider || bitWidth(each) < bitWidth(*wider);
      if (!isQuantized(each) || bitWidth(each) <= bitWidth(type) || !isNearer) continue;
      if (m_choices.refusal(layer, each).empty()) wider = each;
    }
    return wider;
  }

  void addLayer(std::size_t layer, QuantType type) {
    CandidateEdit candidate{.source = CandidateEdit::Source::Layer,
                            .what = {},
                            .changes = {},
                            .edit = m_choices.setType({layer}, type),
                            .nodes = {m_choices.name(layer)},
                            .findings = {}};
    candidate.what = candidate.edit.sentence;
    add(std::move(candidate));
  }

  void addRegions() {
    std::map<std::string, std::vector<std::size_t>> byOperator;
    std::map<std::string, std::vector<std::size_t>> byScope;
    for (std::size_t i = 0; i < m_choices.layerCount(); ++i) {
      if (!canBecomeFloat(i)) continue;
      byOperator["every " + m_choices.operatorOf(i)].push_back(i);
      for (std::string scope = scopeOf(m_choices.name(i)); !scope.empty(); scope = scopeOf(scope)) {
        byScope["scope " + scope].push_back(i);
      }
    }
    for (const auto& [name, layers] : byOperator) addRegion(name, layers);
    for (const auto& [name, layers] : byScope) {
      // One with more is the network rather than a part of it.
      if (2 * layers.size() <= m_choices.layerCount()) addRegion(name, layers);
    }
  }

  bool canBecomeFloat(std::size_t layer) const {
    const std::optional<QuantType> type = m_choices.typeOf(layer);
    return type && isQuantized(*type) && !m_choices.name(layer).empty() &&
           m_choices.refusal(layer, QuantType::Float32).empty();
  }

  // No single layer recovers a loss before, say, a logarithm: so a layer is tried with all before
  // it, or with all behind it, at places spread over the network.
  void addSides() {
    std::vector<std::size_t> able;
    for (std::size_t i = 0; i < m_choices.layerCount(); ++i) {
      if (canBecomeFloat(i)) able.push_back(i);
    }
    const std::size_t step = std::max<std::size_t>(1, able.size() / kMostSides);
    for (std::size_t i = step / 2; i < able.size(); i += step) {
      const std::string& name = m_choices.name(able[i]);
      addRegion(name + " and all before it", side(able, able[i], Direction::Before));
      addRegion(name + " and all behind it", side(able, able[i], Direction::Behind));
    }
  }

  enum class Direction : std::uint8_t { Before, Behind };

  // The layers of `able` on that side of one layer, itself included.
  std::vector<std::size_t> side(const std::vector<std::size_t>& able, std::size_t layer,
                                Direction direction) const {
    std::vector<bool> reached(m_graph.nodes().size());
    std::vector<NodeId> open;
    const auto reach = [&](NodeId node) {
      if (!node.valid() || reached[node.at()]) return;
      reached[node.at()] = true;
      open.push_back(node);
    };
    for (const NodeId member : m_model.layers[layer].layer.members) reach(member);
    while (!open.empty()) {
      const Node& node = m_graph[open.back()];
      open.pop_back();
      if (direction == Direction::Before) {
        for (const ValueId input : node.inputs) {
          if (input.valid()) reach(m_graph[input].producer);
        }
        continue;
      }
      for (const ValueId output : node.outputs) {
        if (!output.valid()) continue;
        for (const NodeId reader : m_graph[output].consumers) reach(reader);
      }
    }
    std::vector<std::size_t> layers;
    for (const std::size_t each : able) {
      if (reached[m_model.layers[each].layer.lead().at()]) layers.push_back(each);
    }
    return layers;
  }

  void addRegion(const std::string& name, const std::vector<std::size_t>& layers) {
    if (layers.size() < 2) return;
    CandidateEdit candidate{.source = CandidateEdit::Source::Region,
                            .what = "set " + name + " to float",
                            .changes = {},
                            .edit = m_choices.setType(layers, QuantType::Float32),
                            .nodes = {},
                            .findings = {}};
    candidate.edit.sentence = candidate.what;
    for (const std::size_t layer : layers) candidate.nodes.push_back(m_choices.name(layer));
    add(std::move(candidate));
  }

  void add(CandidateEdit candidate) {
    m_job.throwIfCancelled();
    if (changesAny(candidate.edit, m_aside)) return;
    know(candidate);
    const auto same = std::ranges::find_if(m_found, [&](const CandidateEdit& each) {
      return each.edit.steps == candidate.edit.steps;
    });
    if (same == m_found.end()) {
      m_found.push_back(std::move(candidate));
    } else {
      same->findings.insert(same->findings.end(), candidate.findings.begin(),
                            candidate.findings.end());
    }
  }

  JobContext& m_job;
  const Engine& m_engine;
  const Graph& m_graph;
  const Configuration& m_config;
  const QuantizedModel& m_model;
  TypeChoices m_choices;
  std::set<std::string> m_aside;   // nodes of layers to leave alone
  std::set<std::string> m_floats;  // nodes that have an entry in float
  std::shared_ptr<const CandidateEdit::Followers> m_followers;
  std::vector<CandidateEdit> m_found;
};

}  // namespace

// A layer that another change has left in float is quantized as a whole again.
ConfigEdit CandidateEdit::editOn(const Configuration& config, const Engine& engine) const {
  ConfigEdit found = changes.empty() ? edit : editOf(config, engine.graph(), changes, what);
  std::vector<ConfigStep> further;
  for (const ConfigStep& step : found.steps) {
    const auto* precision = std::get_if<NodePrecision>(&step.value);
    const bool quantizes = step.place == ConfigStep::Entry::Node && precision != nullptr &&
                           !precision->float32 && isFloatSince(step.name, config);
    const auto fused = followers ? followers->find(step.name) : Followers::const_iterator();
    if (!quantizes || !followers || fused == followers->end()) continue;
    for (const std::string& node : fused->second) {
      if (isFloatSince(node, config)) {
        further.push_back({.place = ConfigStep::Entry::Node, .name = node});
      }
    }
  }
  found.steps.insert(found.steps.end(), further.begin(), further.end());
  return voidingEncodings(found, engine, config);
}

bool CandidateEdit::isFloatSince(const std::string& node, const Configuration& config) const {
  const auto& entries = config.precision->nodes;
  const auto entry =
      std::ranges::find(entries, node, &std::pair<std::string, NodePrecision>::first);
  return entry != entries.end() && entry->second.float32 && !floats.contains(node);
}

std::vector<CandidateEdit> findCandidateEdits(const std::shared_ptr<const Engine>& engine,
                                              const Configuration& config,
                                              const std::shared_ptr<const QuantizedModel>& model,
                                              const DetectorReport& report,
                                              const std::set<std::string>& aside, JobContext& job) {
  return CandidateFinder(engine, config, model, job).find(report, aside);
}

}  // namespace quantscope
