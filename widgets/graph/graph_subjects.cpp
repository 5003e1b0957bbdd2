#include "widgets/graph/graph_subjects.h"

#include <algorithm>

#include "widgets/look/text.h"
#include "widgets/words/finding_places.h"

namespace quantscope {

void GraphSubjects::setSnapshot(const SnapshotPtr& snapshot) {
  m_snapshot = snapshot;
  m_layers = snapshot ? LayerIndex(*snapshot->result) : LayerIndex();
}

void GraphSubjects::countFindings(const Dismissed& dismissed) {
  m_findings = LayerFindings(*m_snapshot, m_layers, dismissed);
}

Selected GraphSubjects::selectedBy(const DrawnBox& box) const {
  Selected selected;
  if (box.kind == DrawnBox::Kind::Scope) {
    selected.scope = box.scope;
  } else if (box.value.valid()) {
    selected.value = box.value;
  } else if (box.owner.valid()) {
    selected.node = box.owner;
  } else if (!box.layers.empty()) {
    selected.node = m_snapshot->result->layers[box.layers.front()].node;
  }
  return selected;
}

// Selects the edge: the layer that reads the value, and the value. For a model output, selects its
// producer.
Selected GraphSubjects::selectedBy(const DrawnEdge& edge) const {
  const Graph& graph = m_snapshot->graph();
  const std::vector<std::size_t>& readers = m_scene->boxes()[edge.to].layers;
  for (const ValueId value : edge.values) {
    for (const NodeId consumer : graph[value].consumers) {
      const auto layer = m_layers.find(consumer);
      if (!layer || std::ranges::find(readers, *layer) == readers.end()) continue;
      return {.node = m_snapshot->result->layers[*layer].node, .scope = {}, .value = value};
    }
  }
  return selectedBy(m_scene->boxes()[edge.from]);
}

Selected GraphSubjects::selectedBy(const DrawnFrame& frame) {
  Selected selected;
  selected.scope = frame.scope;
  selected.node = frame.owner;
  return selected;
}

std::vector<std::size_t> GraphSubjects::boxesOf(const Selected& selected) const {
  std::optional<std::size_t> box;
  if (selected.several()) return boxesOf(selected.nodes());
  if (selected.node.valid()) {
    if (const auto layer = m_layers.find(selected.node)) box = m_scene->boxOfLayer(*layer);
  } else if (!selected.scope.empty()) {
    return m_scene->boxesOfScope(selected.scope);
  } else if (selected.value.valid()) {
    box = m_scene->boxOfValue(selected.value);
  }
  return box ? std::vector{*box} : std::vector<std::size_t>{};
}

std::vector<std::size_t> GraphSubjects::boxesOf(const std::vector<NodeId>& nodes) const {
  std::vector<std::size_t> boxes;
  for (const NodeId node : nodes) {
    const auto layer = m_layers.find(node);
    const auto box = layer ? m_scene->boxOfLayer(*layer) : std::nullopt;
    if (box && std::ranges::find(boxes, *box) == boxes.end()) boxes.push_back(*box);
  }
  return boxes;
}

std::optional<std::size_t> GraphSubjects::frameOf(const Selected& selected) const {
  if (selected.node.valid()) return m_scene->frameOfBody(selected.node);
  return selected.scope.empty() ? std::nullopt : m_scene->frameOfScope(selected.scope);
}

std::vector<std::size_t> GraphSubjects::boxesOf(const std::vector<SearchMatch>& matches) const {
  std::vector<std::size_t> boxes;
  for (const SearchMatch& match : matches) {
    std::optional<std::size_t> box;
    if (match.selected.value.valid()) {
      box = m_scene->boxOfValue(match.selected.value);
    } else if (const auto layer = m_layers.find(match.selected.node)) {
      box = m_scene->boxOfLayer(*layer);
    }
    if (box) boxes.push_back(*box);
  }
  return boxes;
}

std::optional<QPointF> GraphSubjects::cornerOf(const std::string& scope, NodeId owner) const {
  const auto frame = owner.valid() ? m_scene->frameOfBody(owner) : m_scene->frameOfScope(scope);
  if (frame) return m_scene->frames()[*frame].rect.topLeft();
  if (const auto layer = m_layers.find(owner)) {
    const auto box = m_scene->boxOfLayer(*layer);
    return box ? std::optional(m_scene->boxes()[*box].rect.topLeft()) : std::nullopt;
  }
  const std::vector<std::size_t> cards = m_scene->boxesOfScope(scope);
  if (cards.empty()) return std::nullopt;
  return m_scene->boxes()[cards.front()].rect.topLeft();
}

std::optional<QRectF> GraphSubjects::firstInside(const std::string& scope, NodeId owner) const {
  const auto frame = owner.valid() ? m_scene->frameOfBody(owner) : m_scene->frameOfScope(scope);
  if (!frame) return std::nullopt;
  const QRectF& area = m_scene->frames()[*frame].rect;
  const bool leftToRight = m_scene->leftToRight();
  std::optional<QRectF> first;
  for (const DrawnBox& box : m_scene->boxes()) {
    if (!area.contains(box.rect)) continue;
    const bool before =
        first && (leftToRight ? box.rect.left() < first->left() : box.rect.top() < first->top());
    if (!first || before) first = box.rect;
  }
  return first;
}

QString GraphSubjects::nameOf(const DrawnBox& box) const {
  if (box.value.valid()) return text(m_snapshot->graph()[box.value].name);
  if (box.kind == DrawnBox::Kind::Body) return text(m_snapshot->graph()[box.owner].name);
  const bool layer = box.kind == DrawnBox::Kind::Layer || box.kind == DrawnBox::Kind::DataMover;
  return text(layer ? m_snapshot->result->layers[box.layers.front()].name : box.scope);
}

std::vector<const Finding*> GraphSubjects::findingsOf(const DrawnBox& box) const {
  std::vector<std::size_t> indices;
  for (const std::size_t layer : box.layers) {
    const std::span<const std::size_t> own = m_findings.of(layer);
    indices.insert(indices.end(), own.begin(), own.end());
  }
  std::ranges::sort(indices);  // the most severe first
  std::vector<const Finding*> findings;
  for (const std::size_t i : indices) findings.push_back(&m_snapshot->detected->findings[i]);
  return findings;
}

FindingsPlace GraphSubjects::placeOf(const DrawnBox& box) const {
  return placeOfLayers(*m_snapshot, nameOf(box), box.layers);
}

}  // namespace quantscope
