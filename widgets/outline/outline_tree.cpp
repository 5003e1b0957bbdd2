#include "widgets/outline/outline_tree.h"

#include <cmath>
#include <utility>

#include "export/pictures/scope_bands.h"
#include "graph/graph.h"

namespace quantscope {
namespace {

// Higher is worse.
double severity(double figure, const MetricDescription& metric) {
  const bool highIsGood =
      metric.figure == &ErrorMetrics::sqnrDb || metric.figure == &ErrorMetrics::cosine;
  return highIsGood ? -figure : std::abs(figure);
}

// Where each of the scope's parts ends: "/a/b" → 2, 4.
std::vector<std::size_t> partEnds(const std::string& scope) {
  std::vector<std::size_t> ends;
  std::size_t end = 0;
  for (const std::string& part : scopeParts(scope)) {
    end = scope.find(part, end) + part.size();
    ends.push_back(end);
  }
  return ends;
}

}  // namespace

OutlineTree::OutlineTree(const AnalysisResult& result) {
  m_byLayer.resize(result.layers.size());
  m_items.reserve(result.layers.size() + result.layers.size() / 4 + 1);
  for (std::size_t i = 0; i < result.layers.size(); ++i) {
    const LayerResult& layer = result.layers[i];
    const Index index = addChild(scopeItem(layer.scope));
    m_items[index].label = shortName(layer.name);
    m_items[index].layer = i;
    m_byLayer[i] = index;
  }
  mergeChains(kRoot, result);
  compact();
  countLayers();
}

OutlineTree::Index OutlineTree::addChild(Index parent) {
  m_items.push_back({});
  m_items.back().parent = parent;
  m_items[parent].children.push_back(m_items.size() - 1);
  return m_items.size() - 1;
}

OutlineTree::Index OutlineTree::scopeItem(const std::string& scope) {
  const auto known = m_byScope.find(scope);
  if (known != m_byScope.end()) return known->second;
  Index index = kRoot;
  std::size_t begin = 0;
  for (const std::size_t end : partEnds(scope)) {
    const std::string prefix = scope.substr(0, end);
    const auto [entry, isNew] = m_byScope.try_emplace(prefix, m_items.size());
    if (isNew) {
      const Index child = addChild(index);
      const std::size_t first = begin + (begin > 0 || scope.front() == '/' ? 1 : 0);
      m_items[child].label = scope.substr(first, end - first);
      m_items[child].scope = prefix;
    }
    index = entry->second;
    begin = end;
  }
  return index;
}

// The child takes the place of a parent that holds nothing else.
void OutlineTree::mergeChains(Index index, const AnalysisResult& result) {
  for (std::size_t i = 0; i < m_items[index].children.size(); ++i) {
    Index child = m_items[index].children[i];
    std::vector<std::string> merged;
    while (!m_items[child].layer && m_items[child].children.size() == 1) {
      const Index only = m_items[child].children.front();
      const std::optional<std::size_t>& layer = m_items[only].layer;
      merged.push_back(m_items[child].scope);
      // "/stem/conv/Conv" is one Conv in a scope: its operator stands beside it anyway.
      const bool onlyOperator = layer && m_items[only].label.starts_with(result.layers[*layer].op);
      m_items[only].label = m_items[child].label + (onlyOperator ? "" : '/' + m_items[only].label);
      m_items[only].parent = index;
      m_items[index].children[i] = only;
      child = only;
    }
    for (const std::string& scope : merged) m_byScope[scope] = child;
    mergeChains(child, result);
  }
}

// Leaves out what merging left without a place.
void OutlineTree::compact() {
  std::vector<Index> moved(m_items.size(), kRoot);
  std::vector<Item> kept;
  kept.reserve(m_items.size());
  kept.push_back(std::move(m_items[kRoot]));
  for (Index index = 0; index < kept.size(); ++index) {
    std::vector<Index> children = std::move(kept[index].children);
    for (std::size_t row = 0; row < children.size(); ++row) {
      moved[children[row]] = kept.size();
      kept.push_back(std::move(m_items[children[row]]));
      kept.back().parent = index;
      kept.back().row = row;
      children[row] = kept.size() - 1;
    }
    kept[index].children = std::move(children);
  }
  m_items = std::move(kept);
  for (Index& index : m_byLayer) index = moved[index];
  for (auto& [scope, index] : m_byScope) index = moved[index];
}

void OutlineTree::countLayers() {
  // Children come behind their parents.
  for (Index index = m_items.size() - 1; index > kRoot; --index) {
    m_items[m_items[index].parent].layers += m_items[index].layer ? 1 : m_items[index].layers;
  }
}

std::optional<OutlineTree::Index> OutlineTree::findLayer(std::size_t layer) const {
  if (layer >= m_byLayer.size()) return std::nullopt;
  return m_byLayer[layer];
}

std::optional<OutlineTree::Index> OutlineTree::findScope(const std::string& scope) const {
  const auto found = m_byScope.find(scope);
  if (found == m_byScope.end() || found->second == kRoot) return std::nullopt;
  return found->second;
}

std::vector<std::size_t> OutlineTree::worstLayers(const std::vector<Figure>& ofLayers,
                                                  const MetricDescription& metric) const {
  constexpr std::size_t kNone = static_cast<std::size_t>(-1);
  std::vector<std::size_t> worst(m_items.size(), kNone);
  for (Index index = m_items.size() - 1; index > kRoot; --index) {
    if (m_items[index].layer) worst[index] = *m_items[index].layer;
    std::size_t& parents = worst[m_items[index].parent];
    // Goes from the last to the first: of equals the first one stands for the scope.
    if (parents == kNone || !worse(ofLayers[parents], ofLayers[worst[index]], metric))
      parents = worst[index];
  }
  return worst;
}

std::vector<Figure> OutlineTree::figures(const std::vector<Figure>& ofLayers,
                                         const MetricDescription& metric) const {
  std::vector<Figure> figures(m_items.size());
  const std::vector<std::size_t> worst = worstLayers(ofLayers, metric);
  for (Index index = kRoot + 1; index < m_items.size(); ++index)
    figures[index] = ofLayers[worst[index]];
  return figures;
}

bool worse(const Figure& a, const Figure& b, const MetricDescription& metric) {
  const bool hasA = a.kind == Figure::Kind::Value;
  const bool hasB = b.kind == Figure::Kind::Value;
  if (hasA && hasB) return severity(a.value, metric) > severity(b.value, metric);
  if (hasA != hasB) return hasA;
  return a.kind == Figure::Kind::NotComputed && b.kind == Figure::Kind::NotQuantized;
}

}  // namespace quantscope
