#pragma once

#include <optional>
#include <vector>

#include "widgets/words/find_matches.h"

namespace quantscope {

/// Goes through the matches of a search, around the end.
class MatchCursor {
 public:
  const QString& words() const { return m_words; }
  /// False where they are searched for already.
  bool setWords(const QString& words);
  /// Searches anew, null = nowhere. The match that was gone to stays the one to go on from.
  void search(const SnapshotPtr& snapshot, const LayerFindings& findings);

  /// The match that is `by` places after the current one; nullopt if there are no matches.
  std::optional<SearchMatch> step(int by);
  const std::vector<SearchMatch>& matches() const { return m_matches; }
  /// Position of the current match, from 0.
  std::size_t position() const { return m_current.value_or(0); }

 private:
  QString m_words;
  std::vector<SearchMatch> m_matches;
  std::optional<std::size_t> m_current;
};

}  // namespace quantscope
