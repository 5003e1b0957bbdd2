#include "widgets/controls/fuzzy_match.h"

#include <algorithm>
#include <limits>

namespace quantscope {
namespace {

constexpr int kLetter = 4;
constexpr int kWordStart = 12;
constexpr int kInARow = 10;
constexpr int kGapMost = 6;
constexpr int kNone = std::numeric_limits<int>::min() / 2;

bool startsWord(const QString& text, qsizetype position) {
  if (position == 0) return true;
  const QChar before = text[position - 1];
  return !before.isLetterOrNumber() || (before.isLower() && text[position].isUpper());
}

int worth(const QString& text, qsizetype position) {
  return kLetter + (startsWord(text, position) ? kWordStart : 0);
}

}  // namespace

// best[i][j]: the best score of the first i + 1 letters with letter i at text[j]; texts are short,
// so the plain O(letters · text²) table does.
std::optional<FuzzyMatch> fuzzyMatch(const QString& pattern, const QString& text) {
  QString letters = pattern.toLower();
  letters.remove(u' ');
  if (letters.isEmpty()) return FuzzyMatch{};
  const QString lower = text.toLower();
  const auto columns = static_cast<std::size_t>(lower.size());
  const auto rows = static_cast<std::size_t>(letters.size());
  if (columns != static_cast<std::size_t>(text.size())) return std::nullopt;
  std::vector best(rows, std::vector(columns, kNone));
  std::vector from(rows, std::vector(columns, -1));
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t j = i; j < columns; ++j) {
      const auto at = static_cast<qsizetype>(j);
      if (lower[at] != letters[static_cast<qsizetype>(i)]) continue;
      if (i == 0) best[i][j] = worth(text, at) - std::min(static_cast<int>(j), kGapMost);
      for (std::size_t k = 0; i > 0 && k < j; ++k) {
        if (best[i - 1][k] == kNone) continue;
        const int gap = static_cast<int>(j - k) - 1;
        const int score =
            best[i - 1][k] + worth(text, at) + (gap == 0 ? kInARow : -std::min(gap, kGapMost));
        if (score > best[i][j]) {
          best[i][j] = score;
          from[i][j] = static_cast<int>(k);
        }
      }
    }
  }
  const auto last = std::ranges::max_element(best.back());
  if (last == best.back().end() || *last == kNone) return std::nullopt;
  FuzzyMatch match{*last, std::vector<int>(rows)};
  int position = static_cast<int>(last - best.back().begin());
  for (std::size_t i = rows; i-- > 0;) {
    match.positions[i] = position;
    position = from[i][static_cast<std::size_t>(position)];
  }
  return match;
}

}  // namespace quantscope
