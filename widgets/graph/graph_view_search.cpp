// Searching the graph.

#include <QString>
#include <algorithm>

#include "widgets/graph/graph_canvas.h"
#include "widgets/graph/graph_search.h"
#include "widgets/graph/graph_view.h"

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
  search();
  highlight();
}

// The match that was gone to stays the one to go on from.
void GraphView::search() {
  const std::optional<SearchMatch> last =
      m_match ? std::optional(m_matches[*m_match]) : std::nullopt;
  m_matches.clear();
  m_match.reset();
  if (snapshot()) m_matches = findMatches(*snapshot(), m_findings, m_words);
  const auto again = last ? std::ranges::find(m_matches, *last) : m_matches.end();
  if (again != m_matches.end()) m_match = static_cast<std::size_t>(again - m_matches.begin());
  showMatch();
}

void GraphView::showMatch() {
  m_search->setCount(m_match.value_or(0), m_matches.size());
  placeOverlays();
}

std::vector<std::size_t> GraphView::matchedBoxes() const {
  std::vector<std::size_t> boxes;
  for (const SearchMatch& match : m_matches) {
    std::optional<std::size_t> box;
    if (match.selected.value.valid()) {
      box = m_scene->boxOfValue(match.selected.value);
    } else if (const auto layer = m_layerOfNode.find(match.selected.node)) {
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
  const SearchMatch match = m_matches[*m_match];
  selection().select(match.selected);
  if (!match.finding.empty()) Q_EMIT findingFound(match.finding);
  centreSelected();
}

}  // namespace quantscope
