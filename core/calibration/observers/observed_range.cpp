#include "calibration/observers/observed_range.h"

#include <algorithm>

#include "base/error.h"
#include "base/job_loop.h"
#include "base/number_text.h"
#include "calibration/range_searches/code_entropy_range.h"
#include "calibration/range_searches/kl_range.h"
#include "calibration/range_searches/l2_range_search.h"
#include "calibration/range_searches/mse_range.h"

namespace quantscope {
namespace {

void requireData(const Observation& observation) {
  if (!observation.range.empty) return;
  throw Error(ErrorCode::InsufficientData, "no finite number was observed", {},
              "calibrate with samples that reach this value");
}

const MovingAverageRange& movingAverage(const Observation& observation, double constant) {
  for (const MovingAverageRange& moving : observation.movingAverages) {
    if (moving.constant == constant) return moving;
  }
  throw Error(ErrorCode::InvalidParameters,
              "no moving average with the constant " + shortestText(constant) + " was kept", {},
              "calibrate with this observer");
}

Range histogramRange(const Observation& observation, int bins, int levels) {
  const Range& range = observation.range;
  if (range.low == range.high) return range;
  return searchRangeL2(resampled(observation.linearBins(), range, bins), range, levels);
}

// The number below which `rank` of all elements lie.
float atRank(const std::vector<LogLinearBin>& bins, const Range& range, double rank) {
  double below = 0;
  for (const LogLinearBin& bin : bins) {
    const auto count = static_cast<double>(bin.count);
    if (below + count >= rank) {
      const double low = std::clamp(bin.low, range.low, range.high);
      const double high = std::clamp(bin.high, range.low, range.high);
      return static_cast<float>(low + (high - low) * std::max(0.0, rank - below) / count);
    }
    below += count;
  }
  return range.high;
}

Range percentileRange(const Observation& observation, double lowPercent, double highPercent) {
  const std::vector<LogLinearBin> bins = observation.logLinear.bins();
  const auto count = static_cast<double>(observation.count);
  return {atRank(bins, observation.range, lowPercent / 100 * count),
          atRank(bins, observation.range, highPercent / 100 * count), false};
}

// The observation of one channel alone, as far as histograms give it.
Observation channelOf(const Observation& observation, std::size_t channel) {
  Observation result;
  result.range = observation.channels[channel];
  result.linear = observation.channelHistograms[channel].linear;
  result.logLinear = observation.channelHistograms[channel].logLinear;
  for (const LogLinearBin& bin : result.logLinear.bins()) result.count += bin.count;
  return result;
}

}  // namespace

Range computeRange(const Observation& observation, const ObserverSpec& observer,
                   const QuantParams& target) {
  requireData(observation);
  switch (observer.kind) {
    case ObserverSpec::Kind::MinMax:
      break;
    case ObserverSpec::Kind::MovingAverage:
      return movingAverage(observation, observer.averagingConstant).range;
    case ObserverSpec::Kind::Histogram:
      return histogramRange(observation, observer.bins, levelCount(target.type));
    case ObserverSpec::Kind::Percentile:
      return percentileRange(observation, observer.lowPercent, observer.highPercent);
    case ObserverSpec::Kind::Mse:
      return mseRange(observation, target);
    case ObserverSpec::Kind::Kl:
      return klRange(observation, target);
    case ObserverSpec::Kind::MaxCodeEntropy:
      return codeEntropyRange(observation, target);
  }
  return observation.range;
}

std::vector<Range> computeChannelRanges(const Observation& observation,
                                        const ObserverSpec& observer, const QuantParams& target,
                                        const JobContext* job) {
  requireData(observation);
  if (observation.channels.empty()) {
    throw Error(ErrorCode::InvalidParameters, "the value has no channels that were observed", {},
                "use per-tensor there");
  }
  if (observer.kind == ObserverSpec::Kind::MinMax) return observation.channels;
  if (observer.kind == ObserverSpec::Kind::MovingAverage) {
    return movingAverage(observation, observer.averagingConstant).channels;
  }
  if (observation.channelHistograms.empty()) {
    throw Error(ErrorCode::InvalidParameters,
                "no histograms of channels were kept for the observer " + toString(observer), {},
                "use minmax or moving-average, or calibrate with this observer");
  }
  std::vector<Range> ranges(observation.channels.size());
  forEachItem(job, ranges.size(), [&](std::size_t c) {
    if (observation.channels[c].empty) return;
    ranges[c] = computeRange(channelOf(observation, c), observer, target);
  });
  return ranges;
}

}  // namespace quantscope
