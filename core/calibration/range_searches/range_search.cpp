#include "calibration/range_searches/range_search.h"

#include <algorithm>
#include <cmath>

#include "calibration/range_searches/least_cost.h"

namespace quantscope {
namespace {

constexpr int kMaxTurns = 16;

// Number of candidates per power of two: the histogram's bins per power of two.
const float kStep = std::exp2(-1.0F / 32);

struct Found {
  Range range;
  double cost = 0;
};

// A range may well end where there are no numbers, between an outlier and the rest.
void fillGaps(std::vector<float>& ends) {
  std::vector<float> filled;
  for (std::size_t i = 0; i < ends.size(); ++i) {
    filled.push_back(ends[i]);
    if (i + 1 == ends.size()) break;
    const float limit = std::abs(ends[i + 1]) / kStep;
    for (float end = ends[i] * kStep; std::abs(end) > limit; end *= kStep) filled.push_back(end);
  }
  ends = std::move(filled);
}

class Searcher {
 public:
  Searcher(const std::vector<BinMass>& masses, const Range& whole,
           const std::function<RangeCost(const Range&)>& costOf,
           const std::function<double(const Range&)>& leastCostOf)
      : m_whole(whole), m_costOf(costOf), m_leastCostOf(leastCostOf) {
    for (const BinMass& mass : masses) {
      addEnd(mass.low);
      addEnd(mass.high);
    }
    for (std::vector<float>* ends : {&m_lows, &m_highs, &m_magnitudes}) {
      std::ranges::sort(*ends, [](float a, float b) { return std::abs(a) > std::abs(b); });
      ends->erase(std::unique(ends->begin(), ends->end()), ends->end());
      fillGaps(*ends);
    }
  }

  Found symmetric() const {
    return best(m_magnitudes, startFrom(m_whole), [this](float magnitude) {
      return Range{std::max(m_whole.low, -magnitude), std::min(m_whole.high, magnitude), false};
    });
  }

  Found asymmetric() const {
    const Found fromWhole = inTurn(startFrom(m_whole));
    const Found fromShrunk = inTurn(symmetric());
    return fromShrunk.cost < fromWhole.cost ? fromShrunk : fromWhole;
  }

 private:
  void addEnd(double end) {
    const auto number = static_cast<float>(end);
    if (number == 0) return;
    (number < 0 ? m_lows : m_highs).push_back(number);
    m_magnitudes.push_back(std::abs(number));
  }

  Found startFrom(const Range& range) const { return {range, m_costOf(range).total}; }

  // Ends come in order of falling magnitude, so that the cost of clipping only grows.
  template <class RangeOf>
  Found best(const std::vector<float>& ends, Found found, const RangeOf& rangeOf) const {
    if (m_leastCostOf) return bestByBounds(ends, found, rangeOf);
    for (const float end : ends) {
      const Range range = rangeOf(end);
      const RangeCost cost = m_costOf(range);
      if (cost.clipping > found.cost) break;
      if (cost.total < found.cost) found = {range, cost.total};
    }
    return found;
  }

  template <class RangeOf>
  Found bestByBounds(const std::vector<float>& ends, const Found& found,
                     const RangeOf& rangeOf) const {
    std::vector<double> bounds;
    for (const float end : ends) bounds.push_back(m_leastCostOf(rangeOf(end)));
    const auto least = firstLeast(bounds, found.cost,
                                  [&](std::size_t i) { return m_costOf(rangeOf(ends[i])).total; });
    return least ? Found{rangeOf(ends[least->index]), least->cost} : found;
  }

  // An end is not moved again while the other one stays where it was when this one was moved.
  Found inTurn(Found found) const {
    for (int turn = 0; turn < kMaxTurns; ++turn) {
      const Range before = found.range;
      found = best(m_highs, found, [&](float high) { return Range{before.low, high, false}; });
      const float high = found.range.high;
      if (turn > 0 && high == before.high) break;
      found = best(m_lows, found, [&](float low) { return Range{low, high, false}; });
      if (found.range.low == before.low) break;
    }
    return found;
  }

  const Range m_whole;
  const std::function<RangeCost(const Range&)>& m_costOf;
  const std::function<double(const Range&)>& m_leastCostOf;
  std::vector<float> m_lows;        // below 0
  std::vector<float> m_highs;       // above 0
  std::vector<float> m_magnitudes;  // of both
};

}  // namespace

Range searchRange(const std::vector<BinMass>& masses, const Range& whole, bool symmetric,
                  const std::function<RangeCost(const Range&)>& costOf,
                  const std::function<double(const Range&)>& leastCostOf) {
  const Searcher searcher(masses, whole, costOf, leastCostOf);
  return symmetric ? searcher.symmetric().range : searcher.asymmetric().range;
}

}  // namespace quantscope
