#pragma once

#include <map>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "compare/matching/match_values.h"
#include "compare/matching/rearranged_values.h"

namespace quantscope {

/// The work of matchValues(): used once.
class ValueMatcher {
 public:
  ValueMatcher(const ComparedModel& first, const std::vector<ValuePrint>& firstPrints,
               const ComparedModel& second, const std::vector<ValuePrint>& secondPrints,
               const HandMatches& byHand);

  std::vector<ValueMatch> match();

 private:
  /// How well a value of the first model fits one of the second; each 0 … 1.
  struct Fit {
    double likeness = 0;
    double position = 0;
    double reads = 0;    ///< the values that it is made of match
    double readers = 0;  ///< those that are made of it match
    bool sameName = false;
    double nameWeight = 0;
    bool sameOperator = false;

    double equality() const;  ///< 1 = the elements agree, 0 = they differ by more than rounding
    double score() const;
    bool plausible() const;
    bool structural() const { return sameOperator && reads > 0.99; }
    double confidence() const;
    MatchReason reason() const;
  };
  struct Candidate {
    std::size_t first = 0;
    Fit fit;
  };
  /// Values near the matches of a value's neighbours, and how near: 1 = just where it should be.
  using Nearness = std::unordered_map<std::size_t, double>;

  void indexNames();
  void indexCounts();
  void takeByHand(const HandMatches& byHand);
  void findLikely();
  void weighNames();
  std::vector<Candidate> likelyFor(std::size_t second) const;
  std::vector<std::pair<std::size_t, int>> matchedNear(std::size_t second, bool forwards) const;
  Nearness near(std::size_t second, bool forwards) const;
  bool fits(std::size_t first, std::size_t second) const;
  void rate(std::size_t second);
  double positionFit(std::size_t first, std::size_t second) const;
  bool sameName(std::size_t first, std::size_t second) const;
  bool belongsToSource(std::size_t first, std::size_t second) const;
  std::vector<ValueMatch> bestPairs() const;
  void moveBehindFolds(std::vector<ValueMatch>& matches, std::vector<bool>& firstTaken) const;

  const ComparedModel& m_first;
  const std::vector<ValuePrint>& m_firstPrints;
  const ComparedModel& m_second;
  const std::vector<ValuePrint>& m_secondPrints;
  std::unordered_map<std::string_view, std::vector<std::size_t>> m_named;  // of the first model
  std::map<std::size_t, std::vector<std::size_t>> m_ofCount;  // likewise, by number of elements
  std::vector<bool> m_firstTaken;                             // by hand
  std::vector<bool> m_secondTaken;
  std::vector<ValueMatch> m_byHand;
  RearrangedValues m_firstRearranged;
  RearrangedValues m_secondRearranged;
  std::vector<std::vector<Candidate>> m_likely;      // by value of the second model
  std::vector<std::vector<Candidate>> m_candidates;  // likewise, the best first
  double m_nameWeight = 0;
  std::vector<std::size_t> m_matchOfSecond;  // for now
};

}  // namespace quantscope
