#include "search/advice/node_changes.h"

#include <algorithm>
#include <utility>

#include "precision/config/resolved_config.h"
#include "precision/edits/config_edit.h"
#include "precision/edits/edit_groups.h"
#include "precision/edits/edit_precision.h"

namespace quantscope {
namespace {

// More names than that no line holds.
constexpr std::size_t kMostNamed = 3;

PrecisionFields nodeFields(const NodePrecision& before, const NodePrecision& after) {
  if (after.float32) return {.float32 = true};
  if (before.float32) return fieldsOf(after);
  return {.weight = changedFields(before.weight, after.weight),
          .activation = changedFields(before.activation, after.activation),
          .output = changedFields(before.output, after.output)};
}

std::string sentenceOf(const std::string& verb, const std::string& whose, const std::string& to) {
  return verb + " " + whose + (to.empty() ? "" : " to " + to);
}

bool isMerged(const HandSharing& groups, const PointName& point) {
  return std::ranges::any_of(groups.join, [&](const std::vector<PointName>& list) {
    return std::ranges::find(list, point) != list.end();
  });
}

void addSplits(const HandSharing& before, const HandSharing& after,
               std::vector<NodeChange>& changes) {
  for (const PointName& point : after.part) {
    if (!isSplit(before, point)) changes.push_back({describe(point), "split off", {}, "points"});
  }
  for (const std::vector<PointName>& list : before.join) {
    for (const PointName& point : list) {
      if (isMerged(after, point)) continue;
      changes.push_back({describe(point), "no longer merge", {}, "points"});
    }
  }
}

}  // namespace

std::string changeWords(std::string sentence) {
  if (sentence.ends_with('.')) sentence.pop_back();
  const bool isLower = !sentence.empty() && sentence.front() >= 'a' && sentence.front() <= 'z';
  if (isLower) sentence.front() = static_cast<char>(sentence.front() - 'a' + 'A');
  return sentence;
}

std::string NodeChange::sentence() const {
  return changeWords(sentenceOf(verb, node, to));
}

std::vector<NodeChange> nodeChanges(const Graph& graph, const Configuration& before,
                                    const Configuration& after) {
  const ResolvedConfig then(graph, *before.precision);
  const ResolvedConfig now(graph, *after.precision);
  std::vector<NodeChange> changes;
  for (const ConfigStep& step : editBetween(before, after, {}).steps) {
    if (step.place == ConfigStep::Entry::Equalize) {
      const bool removed = std::holds_alternative<std::monostate>(step.value);
      changes.push_back({step.name, removed ? "no longer equalize" : "equalize", {}});
    }
    if (step.place == ConfigStep::Entry::Bias) {
      const auto* rule = std::get_if<BiasRule>(&step.value);
      changes.push_back({"biases", "set", rule != nullptr ? name(*rule) : "what the backend does"});
    }
    if (const auto* groups = std::get_if<HandSharing>(&step.value)) {
      addSplits(before.precision->groups, *groups, changes);
    }
    if (step.place != ConfigStep::Entry::Node) continue;
    const NodeId node = graph.findNode(step.name);
    if (!node.valid() || then[node] == now[node]) continue;
    changes.push_back({step.name, "set", words(nodeFields(then[node], now[node]))});
  }
  return changes;
}

std::vector<AdvisedChange> inGroups(std::span<const NodeChange> changes) {
  std::vector<AdvisedChange> grouped;
  std::vector<bool> said(changes.size());
  for (std::size_t i = 0; i < changes.size(); ++i) {
    if (said[i]) continue;
    std::vector<std::string> names;
    for (std::size_t other = i; other < changes.size(); ++other) {
      if (changes[other].verb != changes[i].verb || changes[other].to != changes[i].to) continue;
      said[other] = true;
      names.push_back(changes[other].node);
    }
    if (names.size() == 1) {
      grouped.push_back({changes[i].sentence()});
      continue;
    }
    const std::size_t count = names.size();
    std::string text = changeWords(
        sentenceOf(changes[i].verb, std::to_string(count) + " " + changes[i].of, changes[i].to));
    // One left over is named rather than counted.
    const std::size_t named = count <= kMostNamed + 1 ? count : kMostNamed;
    for (std::size_t place = 0; place < named; ++place) {
      text += (place == 0 ? ": " : ", ") + names[place];
    }
    if (named < count) text += " and " + std::to_string(count - named) + " more";
    grouped.push_back({std::move(text), count});
  }
  return grouped;
}

}  // namespace quantscope
