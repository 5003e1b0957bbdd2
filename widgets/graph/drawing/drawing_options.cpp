#include "widgets/graph/drawing/drawing_options.h"

#include <algorithm>
#include <vector>

#include "widgets/graph/drawing/scope_tree.h"
#include "widgets/view/scopes.h"

namespace quantscope {
namespace {

// Number of boxes that are still readable at once.
constexpr std::size_t kReadableBoxes = 400;

ScopeTree treeOf(const AnalysisSnapshot& snapshot) {
  return scopeTree(*snapshot.result, snapshot.graph(),
                   layerGraph(*snapshot.result, snapshot.graph()));
}

// How many boxes there are where groups deeper than `depth` are cards and bodies are closed.
std::size_t boxesAt(const ScopeTree& tree, int depth) {
  const std::vector<ScopeGroup>& groups = tree.groups;
  const auto isOpen = [&](const ScopeGroup& group) {
    return group.kind != ScopeGroup::Kind::Owner && group.depth <= depth;
  };
  std::vector<char> visible(groups.size(), 1);  // the group's contents are
  std::size_t boxes = 0;
  for (std::size_t i = 1; i < groups.size(); ++i) {
    const bool inside = visible[groups[i].parent] != 0;
    visible[i] = inside && isOpen(groups[i]) ? 1 : 0;
    if (inside && visible[i] == 0) ++boxes;
  }
  for (const std::size_t group : tree.groupOfBox) boxes += visible[group] != 0 ? 1 : 0;
  return boxes;
}

}  // namespace

DrawingOptions defaultOptions(const AnalysisSnapshot& snapshot) {
  const ScopeTree tree = treeOf(snapshot);
  int depth = std::ranges::max_element(tree.groups, {}, &ScopeGroup::depth)->depth;
  while (depth > 0 && boxesAt(tree, depth) > kReadableBoxes) --depth;
  DrawingOptions options;
  for (const ScopeGroup& group : tree.groups) {
    if (group.kind == ScopeGroup::Kind::Scope && group.depth > depth) {
      options.collapsed.insert(group.scopes.back());
    }
  }
  return options;
}

std::set<std::string> allScopes(const AnalysisSnapshot& snapshot) {
  std::set<std::string> scopes;
  for (const ScopeGroup& group : treeOf(snapshot).groups) {
    if (group.kind == ScopeGroup::Kind::Scope) scopes.insert(group.scopes.back());
  }
  return scopes;
}

DrawingOptions expandAll(DrawingOptions options) {
  options.collapsed.clear();
  return options;
}

DrawingOptions collapseAll(DrawingOptions options, const AnalysisSnapshot& snapshot) {
  options.collapsed = allScopes(snapshot);
  return options;
}

DrawingOptions revealing(DrawingOptions options, const AnalysisSnapshot& snapshot,
                         std::size_t layer) {
  const Graph& graph = snapshot.graph();
  const LayerResult& hidden = snapshot.result->layers.at(layer);
  const auto expand = [&](const std::string& scope) {
    std::erase_if(options.collapsed, [&](const std::string& s) { return isWithinScope(scope, s); });
  };
  expand(hidden.scope);
  for (NodeId owner = graph[graph[hidden.node].block].owner; owner.valid();
       owner = graph[graph[owner].block].owner) {
    options.openBodies.insert(owner);
    expand(scopeOf(graph[owner].name));
  }
  return options;
}

}  // namespace quantscope
