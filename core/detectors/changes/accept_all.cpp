#include "detectors/changes/accept_all.h"

#include <algorithm>
#include <map>
#include <set>

#include "base/error.h"
#include "detectors/changes/apply_changes.h"
#include "precision/backend/backend_check.h"
#include "precision/backend/without_effect.h"
#include "precision/edits/edit_precision.h"
#include "precision/layers/node_tensors.h"
#include "precision/sharing/observer_groups.h"

namespace quantscope {
namespace {

/// The recommendation of the detectors of PyTorch's ModelReport for one layer.
struct Recommendation {
  NodeId node;
  bool dynamic = false;
  bool perChannel = false;
};

/// The ways to follow a suggestion, in the order in which they are tried.
std::vector<NodePrecision> waysToFollow(const Recommendation& wanted, const NodePrecision& before,
                                        const NodePrecision& defaults) {
  const std::pair<bool, bool> modes[] = {
      {wanted.dynamic, wanted.perChannel}, {wanted.dynamic, false}, {false, wanted.perChannel}};
  std::vector<NodePrecision> ways;
  for (const auto& [dynamic, perChannel] : modes) {
    NodePrecision way = before;
    way.weight.granularity = {
        perChannel ? Granularity::Kind::PerChannel : Granularity::Kind::PerTensor, {}, 0};
    way.activation.dynamic = dynamic;
    // The output of a dynamic layer is mostly a float, so a static one takes the activation's.
    if (!dynamic && before.activation.dynamic) way.output = way.activation;
    if (dynamic) {
      way.activation.range.reset();
      way.activation.observer = {};
    }
    ways.push_back(way);
    // Kernels for dynamic ranges mostly output floats.
    if (!dynamic) continue;
    way.output = TensorPrecision{};
    ways.push_back(way);
  }
  ways.push_back(defaults);
  return ways;
}

class Acceptance {
 public:
  Acceptance(const Engine& engine, const Configuration& config, const DetectorReport& report,
             const JobContext& job, const std::set<std::string>& aside)
      : m_engine(engine),
        m_graph(engine.graph()),
        m_report(report),
        m_job(job),
        m_aside(aside),
        m_backend(findBackend(config.precision->backend)),
        m_before(refusedNodes(config)),
        m_vainBefore(inVain(config)),
        m_config(config) {}

  Configuration run() {
    noteKept();
    const Configuration before = m_config;
    accept(acceptable());
    followRecommendations();
    dropStaleFactors(before);
    return std::move(m_config);
  }

 private:
  bool isFollowed(const Finding& finding) const {
    return !m_aside.contains(finding.id) && !losesPrecision(m_report, *finding.suggestion);
  }

  // True for suggestions without a trade-off. Weights in float, and findings that only name the
  // largest part of an error, need a decision of the user.
  bool isForAll(const Finding& finding) const {
    if (!finding.suggestion || finding.suggestion->changes.empty()) return false;
    if (finding.detector == "dominant_part") return false;
    return std::ranges::none_of(finding.suggestion->changes, [&](const ConfigChange& change) {
      const NodeId node = change.float32 ? m_graph.findNode(change.node) : NodeId();
      return node.valid() && weightInput(m_engine, m_graph[node]).has_value();
    });
  }

  void noteKept() {
    for (const Finding& finding : m_report.findings) {
      if (!isForAll(finding)) continue;
      if (isFollowed(finding)) {
        if (finding.detector == "dynamic_static") noteStatic(*finding.suggestion);
        continue;
      }
      for (const ConfigChange& change : finding.suggestion->changes) {
        if (change.weight) m_keepWeights.insert(change.node);
        if (change.activation && change.activation->dynamic) m_keepStatic.insert(change.node);
      }
    }
  }

  void noteStatic(const Suggestion& suggestion) {
    for (const ConfigChange& change : suggestion.changes) {
      if (change.activation && !change.activation->dynamic) m_makeStatic.insert(change.node);
    }
  }

  std::set<std::string> refusedNodes(const Configuration& config) const {
    std::set<std::string> nodes;
    for (const NotSupported& entry : validateConfig(m_engine, *config.precision, *m_backend)) {
      nodes.insert(entry.node);
    }
    return nodes;
  }

  std::set<std::string> inVain(const Configuration& config) const {
    const ResolvedConfig resolved(m_graph, *config.precision);
    const ConfiguredLayers configured{m_engine, *m_backend, resolved};
    const ObserverGroups groups = findObserverGroups(configured);
    const ResolvedEncodings encodings(m_engine, *config.encodings, configured.layers,
                                      configured.quantized, groups);
    const WithoutEffect found = findWithoutEffect(configured, groups, encodings);
    std::set<std::string> keys(found.sentences.begin(), found.sentences.end());
    keys.insert(found.encoded.begin(), found.encoded.end());
    return keys;
  }

  // Contradictions between groups, and of encodings, show only when those are found.
  bool isConsistent(const Configuration& config) const {
    try {
      inVain(config);
      return true;
    } catch (const Error& error) {
      if (error.code() != ErrorCode::InvalidConfiguration) throw;
      return false;
    }
  }

  bool isAcceptable(const Configuration& config) const {
    if (!isConsistent(config)) return false;
    return std::ranges::includes(m_before, refusedNodes(config)) &&
           std::ranges::includes(m_vainBefore, inVain(config));
  }

  // The effect of an equalization is unknown if its run failed or the output has too little signal.
  bool isKnownToWork(const Suggestion& suggestion) const {
    const bool tells = m_report.outputSqnrDb && *m_report.outputSqnrDb >= kLeastTellingDb;
    return (suggestion.gainDb && !suggestion.gainEstimated && tells) ||
           std::ranges::none_of(suggestion.changes, [](const ConfigChange& change) {
             return !change.inputFactors.empty();
           });
  }

  // Mode and granularity have an order of their own, below.
  std::vector<Finding> acceptable() const {
    std::vector<Finding> findings;
    for (const Finding& finding : m_report.findings) {
      const bool later = finding.detector == "per_channel" || finding.detector == "dynamic_static";
      const bool acceptable =
          !later && isForAll(finding) && isFollowed(finding) && isKnownToWork(*finding.suggestion);
      if (acceptable) findings.push_back(finding);
    }
    // The last change to a tensor wins, so the most severe finding goes last.
    std::ranges::reverse(findings);
    return findings;
  }

  // Mostly all go together; where they do not, halves are tried, down to those that stand in the
  // way.
  void accept(std::span<const Finding> findings) {
    if (findings.empty()) return;
    m_job.throwIfCancelled();
    Configuration next = editOf(m_config, m_graph, suggestedChanges(findings), {}).apply(m_config);
    if (isAcceptable(next)) {
      m_config = std::move(next);
    } else if (findings.size() > 1) {
      const std::size_t half = findings.size() / 2;
      accept(findings.first(half));
      accept(findings.subspan(half));
    }
  }

  std::vector<Recommendation> recommendations() const {
    std::map<std::string, bool> dynamic;
    for (const auto& [node, statistics] : m_report.statistics.dynamicStatic) {
      dynamic[node] = statistics.dynamicRecommended;
    }
    const ResolvedConfig resolved(m_graph, *m_config.precision);
    std::vector<Recommendation> result;
    for (const auto& [name, statistics] : m_report.statistics.perChannel) {
      const NodeId node = m_graph.findNode(name);
      if (!node.valid()) continue;
      const NodePrecision& now = resolved[node];
      const bool concerned = !now.float32 && hasScale(now.weight.type) &&
                             hasScale(now.activation.type) &&
                             now.weight.granularity.kind != Granularity::Kind::PerGroup;
      if (!concerned) continue;
      const bool coarse = now.weight.granularity.kind == Granularity::Kind::PerTensor;
      const bool keepCoarse = coarse && m_keepWeights.contains(name);
      const bool wantsDynamic = dynamic[name] && !m_keepStatic.contains(name);
      result.push_back({node,
                        (now.activation.dynamic && !m_makeStatic.contains(name)) || wantsDynamic,
                        statistics.supported && !keepCoarse});
    }
    return result;
  }

  // The backend is asked once per round for all layers; a refused layer tries its next way.
  void followRecommendations() {
    const std::vector<Recommendation> wanted = recommendations();
    const ResolvedConfig resolved(m_graph, *m_config.precision);
    std::vector<std::vector<NodePrecision>> ways;
    std::vector<std::size_t> chosen(wanted.size(), 0);
    for (const Recommendation& layer : wanted) {
      ways.push_back(waysToFollow(layer, resolved[layer.node], m_config.precision->defaults));
    }
    Configuration next = m_config;
    for (bool settled = false; !settled;) {
      m_job.throwIfCancelled();
      settled = true;
      next = m_config;
      ConfigEdit edit;
      for (std::size_t i = 0; i < wanted.size(); ++i) {
        const NodePrecision& way = ways[i][chosen[i]];
        if (way != resolved[wanted[i].node])
          edit.steps.push_back({.place = ConfigStep::Entry::Node,
                                .name = m_graph[wanted[i].node].name,
                                .value = way});
      }
      next = edit.apply(next);
      const std::set<std::string> refused = refusedNodes(next);
      for (std::size_t i = 0; i < wanted.size(); ++i) {
        if (!refused.contains(m_graph[wanted[i].node].name)) continue;
        if (chosen[i] + 1 == ways[i].size()) continue;
        ++chosen[i];
        settled = false;
      }
    }
    if (isConsistent(next)) m_config = std::move(next);
  }

  // Factors were tried with the layer as it was quantized before: where its weights get a scale per
  // channel, say, they may cost more than they gain.
  void dropStaleFactors(const Configuration& before) {
    const ResolvedConfig then(m_graph, *before.precision);
    const ResolvedConfig now(m_graph, *m_config.precision);
    std::vector<ConfigEdit> edits;
    for (const auto& [name, factors] : m_config.repairs->equalize) {
      const NodeId node = m_graph.findNode(name);
      const bool stale = then[node] != now[node];
      if (stale && !isEqualized(before, name)) edits.push_back(clearEqualization(name));
    }
    m_config = together(std::move(edits), {}).apply(m_config);
  }

  const Engine& m_engine;
  const Graph& m_graph;
  const DetectorReport& m_report;
  const JobContext& m_job;
  const std::set<std::string>& m_aside;
  std::shared_ptr<const Backend> m_backend;
  std::set<std::string> m_before;      // refused by the backend before any acceptance
  std::set<std::string> m_vainBefore;  // without effect before any acceptance
  Configuration m_config;
  std::set<std::string> m_keepWeights;  // nodes whose weights are not to get a scale per channel
  std::set<std::string> m_keepStatic;   // those that are not to become dynamic
  std::set<std::string> m_makeStatic;   // dynamic ones that are to become static
};

}  // namespace

Configuration acceptAll(const Engine& engine, const Configuration& config,
                        const DetectorReport& report, const JobContext& job,
                        const std::set<std::string>& aside) {
  return Acceptance(engine, config, report, job, aside).run();
}

bool losesPrecision(const DetectorReport& report, const Suggestion& suggestion) {
  if (report.outputSqnrDb && *report.outputSqnrDb < kLeastTellingDb) return false;
  return suggestion.gainDb && *suggestion.gainDb < -kNoLossDb;
}

}  // namespace quantscope
