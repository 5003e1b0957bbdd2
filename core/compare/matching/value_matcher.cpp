// Weights: what a value is made of says most, as each match then leads to the next; elements that
// agree come next, and a name that both have. Elements that agree up to rounding beat a name and an
// operator: numbers for names shift when a tool adds nodes, and what is folded into a convolution
// leaves it its name. Elements that only resemble each other say little: behind a wrong layer all
// do no more than that.
#include "compare/matching/value_matcher.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <set>

#include "graph/operator_traits.h"

namespace quantscope {
namespace {

constexpr int kRounds = 4;
constexpr std::size_t kLikelyKept = 4;
constexpr std::size_t kLikelyLookedAt = 160;  // those at about the same place, where there are more
constexpr int kMaxHops = 5;  // of values that one of the models lacks, such as those fused away
constexpr std::size_t kMaxNear = 48;
constexpr double kNearnessPerHop = 0.75;
constexpr double kRoundingUnlikeness = 0.03;  // an SQNR of about 13 dB
constexpr double kNameWeight = 1.5;
constexpr double kReliableNameWeight = 12;  // more than all else together but structure
constexpr double kContradictedShare = 0.2;  // of names, above which they are not reliable
constexpr double kClearMargin = 0.25;

}  // namespace

double ValueMatcher::Fit::equality() const {
  return std::max(0.0, 1 - (1 - likeness) / kRoundingUnlikeness);
}

double ValueMatcher::Fit::score() const {
  return 6 * likeness + 4 * equality() + (sameName ? nameWeight : 0) + (sameOperator ? 1 : 0) +
         2.5 * reads + 1.5 * readers + 0.3 * position;
}

// Where elements differ, a place in the graph or a name has to say that they should not.
bool ValueMatcher::Fit::plausible() const {
  return likeness > 0.8 || sameName || structural();
}

double ValueMatcher::Fit::confidence() const {
  const double doubt = (1 - 0.9 * likeness * likeness) * (sameName ? 0.2 : 1) *
                       (1 - (sameOperator ? 0.5 : 0.2) * reads) * (1 - 0.2 * readers);
  return 1 - doubt;
}

MatchReason ValueMatcher::Fit::reason() const {
  if (sameName) return MatchReason::Name;
  return structural() ? MatchReason::Structure : MatchReason::Values;
}

ValueMatcher::ValueMatcher(const ComparedModel& first, const std::vector<ValuePrint>& firstPrints,
                           const ComparedModel& second, const std::vector<ValuePrint>& secondPrints,
                           const HandMatches& byHand)
    : m_first(first),
      m_firstPrints(firstPrints),
      m_second(second),
      m_secondPrints(secondPrints),
      m_firstTaken(first.values().size()),
      m_secondTaken(second.values().size()),
      m_firstRearranged(first, firstPrints),
      m_secondRearranged(second, secondPrints),
      m_candidates(second.values().size()),
      m_matchOfSecond(second.values().size(), kNoValue) {
  indexNames();
  indexCounts();
  takeByHand(byHand);
}

void ValueMatcher::indexNames() {
  for (std::size_t i = 0; i < m_first.values().size(); ++i) {
    for (const std::string_view name : m_firstRearranged.names(i)) m_named[name].push_back(i);
  }
}

void ValueMatcher::indexCounts() {
  for (std::size_t i = 0; i < m_firstPrints.size(); ++i) {
    if (!m_firstPrints[i].elements.empty()) m_ofCount[m_firstPrints[i].elementCount].push_back(i);
  }
}

void ValueMatcher::takeByHand(const HandMatches& byHand) {
  for (const std::size_t value : byHand.firstAlone) m_firstTaken[value] = true;
  for (const std::size_t value : byHand.secondAlone) m_secondTaken[value] = true;
  for (const auto& [first, second] : byHand.matched) {
    m_firstTaken[first] = true;
    m_secondTaken[second] = true;
    m_matchOfSecond[second] = first;
    m_byHand.push_back({first, second, 1, MatchReason::Hand});
  }
}

bool ValueMatcher::fits(std::size_t first, std::size_t second) const {
  const ValuePrint& a = m_firstPrints[first];
  const ValuePrint& b = m_secondPrints[second];
  return !m_firstTaken[first] && !a.elements.empty() && !b.elements.empty() &&
         a.elementCount == b.elementCount && a.elements.size() == b.elements.size();
}

double ValueMatcher::positionFit(std::size_t first, std::size_t second) const {
  const auto share = [](std::size_t i, std::size_t count) {
    return static_cast<double>(i) / static_cast<double>(std::max<std::size_t>(1, count - 1));
  };
  return 1 -
         std::abs(share(first, m_first.values().size()) - share(second, m_second.values().size()));
}

bool ValueMatcher::sameName(std::size_t first, std::size_t second) const {
  return std::ranges::any_of(m_secondRearranged.names(second), [&](std::string_view name) {
    const auto found = m_named.find(name);
    return found != m_named.end() && std::ranges::find(found->second, first) != found->second.end();
  });
}

// A computed value of one model stands for a computed one of the other, not for what only
// rearranges that, where the two can be compared. Neither is a Transpose a Reshape.
bool ValueMatcher::belongsToSource(std::size_t first, std::size_t second) const {
  const bool reshapes = operatorTraits(m_first.values()[first].op).reshapes;
  if (m_firstRearranged.isRearranged(first) == m_secondRearranged.isRearranged(second) &&
      reshapes == operatorTraits(m_second.values()[second].op).reshapes) {
    return false;
  }
  const std::size_t ours = m_firstRearranged.source(first);
  const std::size_t theirs = m_secondRearranged.source(second);
  return m_first.values()[ours].op.empty() == m_second.values()[theirs].op.empty() &&
         !m_firstTaken[ours] && !m_secondTaken[theirs] &&
         haveSameExtents(m_firstPrints[ours], m_secondPrints[theirs]);
}

// What a value looks like does not change from round to round.
std::vector<ValueMatcher::Candidate> ValueMatcher::likelyFor(std::size_t second) const {
  std::vector<std::size_t> looked;
  if (const auto found = m_ofCount.find(m_secondPrints[second].elementCount);
      found != m_ofCount.end()) {
    const std::vector<std::size_t>& all = found->second;
    const auto place = static_cast<std::size_t>(static_cast<double>(second) *
                                                static_cast<double>(m_first.values().size()) /
                                                static_cast<double>(m_second.values().size()));
    const auto at = static_cast<std::size_t>(std::ranges::lower_bound(all, place) - all.begin());
    const std::size_t from = at > kLikelyLookedAt / 2 ? at - kLikelyLookedAt / 2 : 0;
    const std::size_t to = std::min(all.size(), from + kLikelyLookedAt);
    looked.assign(all.begin() + static_cast<std::ptrdiff_t>(from),
                  all.begin() + static_cast<std::ptrdiff_t>(to));
  }
  std::vector<Candidate> likely;
  for (const std::size_t first : looked) {
    if (!fits(first, second)) continue;
    Candidate candidate{first, {}};
    candidate.fit.likeness =
        likenessInAnyOrder(m_firstPrints[first], m_secondPrints[second]).value_or(0);
    candidate.fit.position = positionFit(first, second);
    likely.push_back(candidate);
  }
  std::ranges::stable_sort(likely, std::greater<>(), [](const Candidate& candidate) {
    return candidate.fit.likeness + 0.01 * candidate.fit.position;
  });
  if (likely.size() > kLikelyKept) likely.resize(kLikelyKept);
  for (const std::string_view name : m_secondRearranged.names(second)) {
    const auto found = m_named.find(name);
    if (found == m_named.end()) continue;
    for (const std::size_t first : found->second) {
      const bool known = std::ranges::find(likely, first, &Candidate::first) != likely.end();
      if (!known && fits(first, second)) likely.push_back({first, {}});
    }
  }
  return likely;
}

void ValueMatcher::findLikely() {
  m_likely.resize(m_second.values().size());
  for (std::size_t i = 0; i < m_likely.size(); ++i) {
    if (!m_secondTaken[i] && !m_secondPrints[i].elements.empty()) m_likely[i] = likelyFor(i);
  }
}

// Names are reliable where hardly ever another value has the elements that the name promises.
void ValueMatcher::weighNames() {
  std::size_t named = 0;
  std::size_t contradicted = 0;
  for (std::size_t second = 0; second < m_likely.size(); ++second) {
    double byName = -1;
    double best = 0;
    for (const Candidate& candidate : m_likely[second]) {
      Fit fit;
      fit.likeness =
          likenessInAnyOrder(m_firstPrints[candidate.first], m_secondPrints[second]).value_or(0);
      best = std::max(best, fit.equality());
      if (sameName(candidate.first, second)) byName = std::max(byName, fit.equality());
    }
    if (byName < 0) continue;
    ++named;
    contradicted += byName == 0 && best > 0.5;
  }
  const bool reliable =
      static_cast<double>(contradicted) <= kContradictedShare * static_cast<double>(named);
  m_nameWeight = reliable ? kReliableNameWeight : kNameWeight;
}

// The nearest values of the second model behind or before a value that have a match, over those
// that have none.
std::vector<std::pair<std::size_t, int>> ValueMatcher::matchedNear(std::size_t second,
                                                                   bool forwards) const {
  std::vector<std::pair<std::size_t, int>> found;
  std::set<std::size_t> seen{second};
  std::deque<std::pair<std::size_t, int>> open{{second, 0}};
  while (!open.empty() && seen.size() < kMaxNear) {
    const auto [at, hops] = open.front();
    open.pop_front();
    const ComparedValue& value = m_second.values()[at];
    for (const std::size_t next : forwards ? value.readers : value.reads) {
      if (!seen.insert(next).second) continue;
      if (m_matchOfSecond[next] != kNoValue) {
        found.emplace_back(m_matchOfSecond[next], hops);
      } else if (m_secondRearranged.isRearranged(next)) {
        open.emplace_front(next, hops);
      } else if (hops + 1 < kMaxHops) {
        open.emplace_back(next, hops + 1);
      }
    }
  }
  return found;
}

// The mean over the neighbours that have a match.
ValueMatcher::Nearness ValueMatcher::near(std::size_t second, bool forwards) const {
  Nearness nearness;
  const auto neighbours = matchedNear(second, !forwards);
  for (const auto& [neighbour, away] : neighbours) {
    std::unordered_map<std::size_t, int> hops{{neighbour, 0}};
    std::deque<std::size_t> open{neighbour};
    while (!open.empty() && hops.size() < kMaxNear) {
      const std::size_t at = open.front();
      open.pop_front();
      const bool passes = at != neighbour && m_firstRearranged.isRearranged(at);
      const int next = hops[at] + (passes ? 0 : 1);
      if (next > kMaxHops) break;
      const ComparedValue& value = m_first.values()[at];
      for (const std::size_t other : forwards ? value.readers : value.reads) {
        if (!hops.emplace(other, next).second) continue;
        nearness[other] += std::pow(kNearnessPerHop, std::abs(next - 1 - away));
        m_firstRearranged.isRearranged(other) ? open.push_front(other) : open.push_back(other);
      }
    }
  }
  for (auto& [value, sum] : nearness) sum /= static_cast<double>(neighbours.size());
  return nearness;
}

void ValueMatcher::rate(std::size_t second) {
  const ComparedValue& value = m_second.values()[second];
  const Nearness behindReads = near(second, /*forwards=*/true);
  const Nearness beforeReaders = near(second, /*forwards=*/false);
  std::vector<Candidate> candidates = m_likely[second];
  std::set<std::size_t> there;
  for (const Candidate& candidate : candidates) there.insert(candidate.first);
  for (const Nearness* nearness : {&behindReads, &beforeReaders}) {
    for (const auto& [first, hops] : *nearness) {
      if (fits(first, second) && there.insert(first).second) candidates.push_back({first, {}});
    }
  }
  // An input of one model is no computed value of the other.
  std::erase_if(candidates, [&](const Candidate& candidate) {
    return m_first.values()[candidate.first].op.empty() != value.op.empty() ||
           belongsToSource(candidate.first, second);
  });
  for (Candidate& candidate : candidates) {
    Fit& fit = candidate.fit;
    fit.likeness =
        likenessInAnyOrder(m_firstPrints[candidate.first], m_secondPrints[second]).value_or(0);
    fit.position = positionFit(candidate.first, second);
    fit.sameName = sameName(candidate.first, second);
    fit.nameWeight = m_nameWeight;
    fit.sameOperator = m_first.values()[candidate.first].op == value.op;
    const auto reads = behindReads.find(candidate.first);
    const auto readers = beforeReaders.find(candidate.first);
    fit.reads = reads == behindReads.end() ? 0 : reads->second;
    fit.readers = readers == beforeReaders.end() ? 0 : readers->second;
  }
  std::ranges::sort(candidates, [](const Candidate& a, const Candidate& b) {
    const double difference = a.fit.score() - b.fit.score();
    return difference != 0 ? difference > 0 : a.first < b.first;
  });
  m_candidates[second] = std::move(candidates);
  const bool any = !m_candidates[second].empty() && m_candidates[second].front().fit.plausible();
  m_matchOfSecond[second] = any ? m_candidates[second].front().first : kNoValue;
}

std::vector<ValueMatch> ValueMatcher::bestPairs() const {
  struct Pair {
    double score;
    std::size_t second;
    const Candidate* candidate;
    double margin;
  };
  std::vector<Pair> pairs;
  for (std::size_t second = 0; second < m_candidates.size(); ++second) {
    const std::vector<Candidate>& candidates = m_candidates[second];
    for (std::size_t i = 0; i < candidates.size(); ++i) {
      const Fit& fit = candidates[i].fit;
      if (!fit.plausible()) continue;
      const std::size_t other = i == 0 ? 1 : 0;
      const double margin =
          other < candidates.size() ? fit.score() - candidates[other].fit.score() : kClearMargin;
      pairs.push_back({fit.score(), second, &candidates[i], margin});
    }
  }
  std::ranges::sort(pairs, [](const Pair& a, const Pair& b) {
    if (a.score != b.score) return a.score > b.score;
    if (a.second != b.second) return a.second < b.second;
    return a.candidate->first < b.candidate->first;
  });
  std::vector<bool> firstTaken = m_firstTaken;
  std::vector<bool> secondTaken = m_secondTaken;
  std::vector<ValueMatch> matches = m_byHand;
  for (const Pair& pair : pairs) {
    const std::size_t first = pair.candidate->first;
    if (firstTaken[first] || secondTaken[pair.second]) continue;
    firstTaken[first] = true;
    secondTaken[pair.second] = true;
    const double clearness = std::clamp(pair.margin / kClearMargin, 0.0, 1.0);
    matches.push_back({first, pair.second,
                       pair.candidate->fit.confidence() * (0.6 + 0.4 * clearness),
                       pair.candidate->fit.reason()});
  }
  std::ranges::sort(matches, {}, &ValueMatch::second);
  moveBehindFolds(matches, firstTaken);
  return matches;
}

// A normalization that the other model lacks is in its weights: what that makes is normalized.
void ValueMatcher::moveBehindFolds(std::vector<ValueMatch>& matches,
                                   std::vector<bool>& firstTaken) const {
  for (ValueMatch& match : matches) {
    const ComparedValue& value = m_first.values()[match.first];
    if (match.reason == MatchReason::Hand || value.readers.size() != 1) continue;
    const std::size_t next = value.readers.front();
    const ComparedValue& folded = m_first.values()[next];
    if (!operatorTraits(folded.op).foldsIntoWeights || folded.reads.size() != 1) continue;
    if (firstTaken[next] || value.op != m_second.values()[match.second].op) continue;
    match.first = next;
    firstTaken[next] = true;
  }
}

std::vector<ValueMatch> ValueMatcher::match() {
  findLikely();
  weighNames();
  const std::size_t count = m_second.values().size();
  for (int round = 0; round < kRounds; ++round) {
    // Forwards each value finds its reads matched, backwards its readers.
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t second = round % 2 == 0 ? i : count - 1 - i;
      if (!m_secondTaken[second] && !m_secondPrints[second].elements.empty()) rate(second);
    }
  }
  return bestPairs();
}

}  // namespace quantscope
