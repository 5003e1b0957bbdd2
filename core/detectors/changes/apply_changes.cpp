#include "detectors/changes/apply_changes.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>
#include <unordered_map>

#include "base/error.h"
#include "precision/config/resolved_config.h"
#include "precision/edits/edit_groups.h"
#include "precision/edits/edit_precision.h"

namespace quantscope {
namespace {

// The factors as float, the type in which a model would hold them; 1 for unusable ones.
std::vector<float> usable(const std::vector<double>& factors) {
  std::vector<float> result;
  for (const double s : factors) {
    const auto factor = static_cast<float>(s);
    result.push_back(std::isnormal(factor) && factor > 0 ? factor : 1);
  }
  return result;
}

/// Collects the steps, one for each place.
class Steps {
 public:
  Steps(const Configuration& config, const Graph& graph)
      : m_graph(graph),
        m_resolved(graph, *config.precision),
        m_groupsBefore(config.precision->groups),
        m_groups(m_groupsBefore) {}

  void add(const ConfigChange& change) {
    if (change.bias) m_bias = *change.bias;
    if (!change.unmerge.empty()) follow(leaveMerge(m_groups, change.unmerge));
    for (const PointName& point : change.split) follow(splitPoint(m_groups, {point}, true));
    if (change.node.empty()) return;
    const NodeId node = m_graph.findNode(change.node);
    if (!node.valid()) {
      throw Error(ErrorCode::InvalidConfiguration,
                  "the model has no node '" + change.node + "' whose precision could be changed",
                  {.file = {}, .node = change.node, .value = {}},
                  "name one of the nodes that 'inspect' lists");
    }
    if (changesPrecision(change)) addPrecision(change, node);
    if (!change.inputFactors.empty()) addFactors(change);
  }

  std::vector<ConfigStep> take() {
    std::vector<ConfigStep> steps;
    for (const auto& [node, precision] : m_entries) {
      ConfigStep step{.place = ConfigStep::Entry::Node, .name = node};
      if (precision) step.value = withFields(*precision, PrecisionFields());
      steps.push_back(std::move(step));
    }
    std::ranges::move(m_equalized, std::back_inserter(steps));
    if (m_bias) steps.push_back({.place = ConfigStep::Entry::Bias, .value = *m_bias});
    if (m_groups != m_groupsBefore) {
      steps.push_back({.place = ConfigStep::Entry::Groups, .value = m_groups});
    }
    return steps;
  }

 private:
  static bool changesPrecision(const ConfigChange& change) {
    return change.float32 || change.removesEntry || change.weight || change.activation ||
           change.output;
  }

  void follow(const ConfigEdit& edit) {
    m_groups = std::get<HandSharing>(edit.steps.front().value);
  }

  void addPrecision(const ConfigChange& change, NodeId node) {
    const auto [place, isNew] = m_places.try_emplace(change.node, m_entries.size());
    if (isNew) m_entries.emplace_back(change.node, std::nullopt);
    std::optional<NodePrecision>& kept = m_entries[place->second].second;
    if (change.removesEntry) return kept.reset();
    if (!kept) kept = m_resolved[node];
    NodePrecision& entry = *kept;
    entry.float32 = change.float32;
    if (change.weight) entry.weight = *change.weight;
    if (change.activation) entry.activation = *change.activation;
    if (change.output) entry.output = *change.output;
  }

  void addFactors(const ConfigChange& change) {
    std::erase_if(m_equalized, [&](const ConfigStep& step) { return step.name == change.node; });
    m_equalized.push_back({.place = ConfigStep::Entry::Equalize,
                           .name = change.node,
                           .value = usable(change.inputFactors)});
  }

  const Graph& m_graph;
  ResolvedConfig m_resolved;
  HandSharing m_groupsBefore;
  HandSharing m_groups;
  std::vector<std::pair<std::string, std::optional<NodePrecision>>> m_entries;  // none = no entry
  std::unordered_map<std::string, std::size_t> m_places;
  std::vector<ConfigStep> m_equalized;
  std::optional<BiasRule> m_bias;
};

}  // namespace

ConfigEdit editOf(const Configuration& config, const Graph& graph,
                  std::span<const ConfigChange> changes, std::string sentence) {
  Steps steps(config, graph);
  for (const ConfigChange& change : changes) steps.add(change);
  return {std::move(sentence), steps.take()};
}

std::vector<ConfigChange> suggestedChanges(std::span<const Finding> findings) {
  std::vector<ConfigChange> changes;
  for (const Finding& finding : findings) {
    if (!finding.suggestion) continue;
    const std::vector<ConfigChange>& own = finding.suggestion->changes;
    changes.insert(changes.end(), own.begin(), own.end());
  }
  return changes;
}

}  // namespace quantscope
