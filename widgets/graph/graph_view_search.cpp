// Searching the graph.

#include <QString>

#include "export/layer_words.h"
#include "widgets/graph/graph_canvas.h"
#include "widgets/graph/graph_search.h"
#include "widgets/graph/graph_view.h"
#include "widgets/look/text.h"

namespace quantscope {

void GraphView::connectSearch() {
  connect(m_search, &GraphSearch::wordsChanged, this, &GraphView::setSearch);
  connect(m_search, &GraphSearch::nextRequested, this, &GraphView::findNext);
  connect(m_search, &GraphSearch::previousRequested, this, &GraphView::findPrevious);
  connect(m_search, &GraphSearch::closed, this, [this] { m_canvas->setFocus(); });
}

void GraphView::focusSearch() {
  m_search->open();
  placeOverlays();
}

void GraphView::setSearch(const QString& words) {
  if (words == m_words) return;
  m_words = words;
  m_search->setWords(words);
  findMatches();
  highlight();
}

void GraphView::findMatches() {
  m_matches.clear();
  m_match.reset();
  if (!m_words.isEmpty() && snapshot()) {
    const auto matches = [this](const QString& name) {
      return name.contains(m_words, Qt::CaseInsensitive);
    };
    const Graph& graph = snapshot()->graph();
    for (const ValueId input : graph.inputs()) {
      if (matches(text(graph[input].name))) {
        m_matches.push_back({.node = {}, .scope = {}, .value = input});
      }
    }
    for (const LayerResult& layer : snapshot()->result->layers) {
      if (matches(text(layer.name)) || matches(text(layerOps(layer))) ||
          matches(text(layer.fusedOps))) {
        m_matches.push_back({.node = layer.node, .scope = {}, .value = {}});
      }
    }
    for (const ValueId output : graph.outputs()) {
      if (matches(text(graph[output].name))) {
        m_matches.push_back({.node = {}, .scope = {}, .value = output});
      }
    }
  }
  showMatch();
}

void GraphView::showMatch() {
  m_search->setCount(m_match.value_or(0), m_matches.size());
  placeOverlays();
}

std::vector<std::size_t> GraphView::matchedBoxes() const {
  std::vector<std::size_t> boxes;
  for (const Selected& match : m_matches) {
    std::optional<std::size_t> box;
    if (match.value.valid()) {
      box = m_scene->boxOfValue(match.value);
    } else if (const auto layer = m_layerOfNode.find(match.node)) {
      box = m_scene->boxOfLayer(*layer);
    }
    if (box) boxes.push_back(*box);
  }
  return boxes;
}

void GraphView::goToMatch(int by) {
  if (m_matches.empty()) return;
  const auto count = static_cast<std::ptrdiff_t>(m_matches.size());
  const std::ptrdiff_t from =
      m_match ? static_cast<std::ptrdiff_t>(*m_match) : (by > 0 ? -1 : count);
  m_match = static_cast<std::size_t>((from + by + count) % count);
  showMatch();
  selection().select(m_matches[*m_match]);
  centreSelected();
}

}  // namespace quantscope
