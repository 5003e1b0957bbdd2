#include "widgets/words/match_cursor.h"

#include <algorithm>

namespace quantscope {

bool MatchCursor::setWords(const QString& words) {
  if (words == m_words) return false;
  m_words = words;
  return true;
}

void MatchCursor::search(const SnapshotPtr& snapshot, const LayerFindings& findings) {
  const std::optional<SearchMatch> last =
      m_current ? std::optional(m_matches[*m_current]) : std::nullopt;
  m_matches.clear();
  m_current.reset();
  if (snapshot) m_matches = findMatches(*snapshot, findings, m_words);
  const auto again = last ? std::ranges::find(m_matches, *last) : m_matches.end();
  if (again != m_matches.end()) m_current = static_cast<std::size_t>(again - m_matches.begin());
}

std::optional<SearchMatch> MatchCursor::step(int by) {
  if (m_matches.empty()) return std::nullopt;
  const auto count = static_cast<std::ptrdiff_t>(m_matches.size());
  const std::ptrdiff_t from =
      m_current ? static_cast<std::ptrdiff_t>(*m_current) : (by > 0 ? -1 : count);
  m_current = static_cast<std::size_t>((from + by + count) % count);
  return m_matches[*m_current];
}

}  // namespace quantscope
