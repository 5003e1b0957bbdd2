#pragma once

#include <QString>
#include <optional>
#include <vector>

namespace quantscope {

/// Where the letters of a pattern were found in a text, and how well that fits.
struct FuzzyMatch {
  int score = 0;               ///< higher is better
  std::vector<int> positions;  ///< in the text, one per letter of the pattern
};

/// Finds the letters of `pattern` in `text` in their order, whatever stands between them; case and
/// spaces of the pattern do not count. Beginnings of words and letters in a row are worth most.
std::optional<FuzzyMatch> fuzzyMatch(const QString& pattern, const QString& text);

}  // namespace quantscope
