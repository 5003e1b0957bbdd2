#include "analysis/sensitivity/early_ranking.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>

#include "calibration/sample_subset.h"
#include "calibration/spread_feeds.h"

namespace quantscope {
namespace {

// One of this many samples is measured first, spread evenly; at least one.
constexpr std::size_t kFirstShare = 24;
// Ranks so far beyond the place in question may still be wrong.
constexpr double kCloseDb = 4;
// At most this share of the items is measured again, on this many times the samples.
constexpr std::size_t kMostAgain = 2;
constexpr std::size_t kMoreSamples = 2;

// For estimates: as many as four probes each are enough for; see probesFor().
constexpr std::size_t kMostEstimated = 16;

}  // namespace

EarlyRanking rankEarly(Sensitivity& sensitivity, SampleSet& samples,
                       const std::vector<std::size_t>& items, std::size_t top) {
  const std::size_t feeds = samples.feedCount();
  const std::size_t few = std::max<std::size_t>(1, feeds / kFirstShare);
  std::map<std::size_t, std::optional<double>> known;  // by place
  const auto sqnrDb = [&](std::size_t place) {
    return known.at(place).value_or(std::numeric_limits<double>::infinity());
  };
  const auto measure = [&](const std::vector<std::size_t>& places, std::size_t count,
                           const char* stage) {
    SampleSet subset(std::make_unique<SampleSubset>(samples, spreadFeeds(feeds, count)));
    const std::vector<std::optional<double>> measured =
        sensitivity.firstOutputOn(subset, places, stage);
    for (std::size_t i = 0; i < places.size(); ++i) known[places[i]] = measured[i];
    return subset.sampleCount();
  };
  EarlyRanking ranking;
  ranking.places = items;
  ranking.samples = measure(items, few, "First ranking");
  const auto sort = [&] {
    std::ranges::stable_sort(ranking.places, {}, sqnrDb);
    ranking.sqnrDb.clear();
    for (const std::size_t place : ranking.places) ranking.sqnrDb.push_back(known.at(place));
  };
  sort();
  const std::size_t more = std::min(feeds, kMoreSamples * few);
  if (top == 0 || items.size() <= top || more <= few) return ranking;
  const double middle = (sqnrDb(ranking.places[top - 1]) + sqnrDb(ranking.places[top])) / 2;
  std::vector<std::size_t> close;
  for (const std::size_t place : ranking.places) {
    if (std::abs(sqnrDb(place) - middle) <= kCloseDb) close.push_back(place);
  }
  std::ranges::stable_sort(close, {},
                           [&](std::size_t place) { return std::abs(sqnrDb(place) - middle); });
  close.resize(std::min(close.size(), std::max<std::size_t>(2, items.size() / kMostAgain)));
  std::ranges::sort(close);
  if (close.empty()) return ranking;
  measure(close, more, "Close ranks");
  sort();
  return ranking;
}

EarlyEstimates estimateEarly(Sensitivity& sensitivity, SampleSet& samples,
                             std::span<const std::size_t> items) {
  SampleSubset part(samples, spreadFeeds(samples.feedCount(), kMostEstimated));
  return {sensitivity.estimate(part, items), part.sampleCount()};
}

}  // namespace quantscope
