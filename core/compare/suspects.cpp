#include "compare/suspects.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/number_text.h"
#include "compare/broken_numbers.h"

namespace quantscope {
namespace {

// Of the signal: what folding and another order of additions may change.
constexpr double kArithmetic = 1e-10;
// Rounding to the nearest is off by 0 on average; down, up or towards 0 by half a step.
constexpr double kBiasedRounding = 0.35;
// The power of the error of a rounding to the type, relative to that of what is rounded: half a
// unit in the last place, in the mean over a binade. Inputs, weights and outputs are rounded.
constexpr double kHalfRounding = 0x1p-22 / 3;
constexpr double kBFloatRounding = 0x1p-18 / 3;
constexpr double kRoundings = 3;
// A layer whose codes are rounded the wrong way is wrong however small that is beside its output.
constexpr double kBiasedScore = kSuspectDb + 2;
constexpr double kForeignWeights = 0.5;
constexpr double kSameWeights = 0.95;
constexpr double kClippedShare = 0.01;

// Σ(error)² of the output on the grid of its type that just holds the expected values.
double outputNoise(const LayerPair& pair, const PairMeasures& measures) {
  if (pair.outputBits == 0 || measures.expected.empty()) return 0;
  const double low = std::min(0.0F, measures.expected.min);
  const double high = std::max(0.0F, measures.expected.max);
  const Range reach =
      pair.outputGrids == nullptr ? Range() : reachOf(*pair.outputGrids, pair.outputBits);
  // A grid around 0 has to hold the larger side twice.
  const bool symmetric = reach.low < 0 && std::abs(reach.low + reach.high) <
                                              0.02 * (static_cast<double>(reach.high) - reach.low);
  const double width = symmetric ? 2 * std::max(-low, high) : high - low;
  const double step = width / (std::pow(2.0, pair.outputBits) - (symmetric ? 2 : 1));
  return static_cast<double>(measures.own.count) * step * step / 12;
}

double relativeRounding(ElementType type) {
  if (type == ElementType::Float16) return kHalfRounding;
  return type == ElementType::BFloat16 ? kBFloatRounding : 0;
}

bool roundsWeightsBiased(const LayerPair& pair, std::string& how) {
  for (const WeightPair& weight : pair.weights) {
    const std::optional<WeightRounding> rounding = roundingOf(weight);
    if (!rounding || weight.cosine < kSameWeights) continue;
    if (std::abs(rounding->offset) > kBiasedRounding) {
      how = rounding->offset < 0 ? "down" : "up";
      return true;
    }
    if (std::abs(rounding->inwards) > kBiasedRounding) {
      how = rounding->inwards < 0 ? "towards 0" : "away from 0";
      return true;
    }
  }
  return false;
}

bool roundsOutputBiased(const PairMeasures& measures) {
  if (measures.rounded == 0) return false;
  const double mean = measures.roundedSum / static_cast<double>(measures.rounded);
  return std::abs(mean) > kBiasedRounding && std::abs(mean) < 0.65;
}

/// Finds the likeliest reason for a layer's error.
class Reasons {
 public:
  Reasons(const ComparedModel& first, const std::vector<LayerPair>& pairs)
      : m_first(first), m_pairs(pairs) {}

  std::string of(const LayerPair& pair, const PairMeasures& measures, double excess) const {
    for (const auto& reason :
         {foreignWeights(pair), biasedWeights(pair), clipping(pair, measures),
          missingActivation(pair, measures), channelGains(pair, measures), gain(measures),
          offset(pair, measures), coarseGrid(pair, measures), biasedOutput(measures)}) {
      if (!reason.empty()) return reason;
    }
    return "its error is " + briefNumber(excess) + " dB above what rounding to its types explains";
  }

 private:
  // Whose weights they are instead, where another layer's fit.
  std::string foreignWeights(const LayerPair& pair) const {
    for (const WeightPair& weight : pair.weights) {
      if (weight.cosine > kForeignWeights) continue;
      for (const LayerPair& other : m_pairs) {
        for (const WeightPair& theirs : other.weights) {
          if (&other == &pair || theirs.first.numbers.shape() != weight.first.numbers.shape())
            continue;
          if (std::abs(cosineOf(theirs.first.numbers, weight.second.numbers)) > kSameWeights) {
            return "its weights are those of " + other.firstName;
          }
        }
      }
      if (weight.second.perChannel()) {
        return "its weights have little in common with the float ones (cosine " +
               briefNumber(weight.cosine) + "): codes or their scales lie along another axis";
      }
      return "its weights have little in common with the float ones (cosine " +
             briefNumber(weight.cosine) + ")";
    }
    return {};
  }

  static std::string biasedWeights(const LayerPair& pair) {
    std::string how;
    if (!roundsWeightsBiased(pair, how)) return {};
    return "its weights are rounded " + how + " instead of to the nearest code";
  }

  std::string missingActivation(const LayerPair& pair, const PairMeasures& measures) const {
    if (measures.expected.empty() || measures.actual.empty()) return {};
    const double width = static_cast<double>(measures.expected.max) - measures.expected.min;
    if (!(width > 0) || measures.expected.min - measures.actual.min <= 0.05 * width) return {};
    const NodeId maker = m_first.graph()[pair.first].producer;
    if (!maker.valid() || measures.expected.min < 0) return {};
    return "its values reach down to " + briefNumber(measures.actual.min) +
           " where the float ones end at " + briefNumber(measures.expected.min) + ": its " +
           m_first.graph()[maker].op + " is missing";
  }

  static std::string channelGains(const LayerPair& pair, const PairMeasures& measures) {
    if (measures.ownChannels.size() < 2) return {};
    std::vector<double> gains;
    for (const ErrorSums& channel : measures.ownChannels) {
      if (channel.referenceSquared > 0 && channel.product > 0) {
        gains.push_back(channel.product / channel.referenceSquared);
      }
    }
    if (gains.size() < 2) return {};
    std::ranges::sort(gains);
    const double low = gains[gains.size() / 10];
    const double high = gains[gains.size() - 1 - gains.size() / 10];
    if (high < 1.3 * low) return {};
    const bool perChannel = std::ranges::any_of(
        pair.weights, [](const WeightPair& weight) { return weight.second.perChannel(); });
    return "its channels are " + briefNumber(low) + " to " + briefNumber(high) +
           " times the float ones: " +
           (perChannel ? "the scales of its weights lie along the wrong axis or in another order"
                       : "scales of single channels are wrong");
  }

  static std::string gain(const PairMeasures& measures) {
    const ErrorSums& own = measures.own;
    if (!(own.referenceSquared > 0)) return {};
    const double factor = own.product / own.referenceSquared;
    const double left = own.valueSquared - factor * own.product;
    const bool explains = left < 0.5 * own.squaredError;
    if (!explains || std::abs(factor - 1) < 0.02) return {};
    return "its values are " + briefNumber(factor) + " times the float ones: a scale is wrong";
  }

  static std::string offset(const LayerPair& pair, const PairMeasures& measures) {
    const ErrorSums& own = measures.own;
    if (own.count == 0) return {};
    const double mean = own.error / static_cast<double>(own.count);
    const bool explains = mean * mean * static_cast<double>(own.count) > 0.5 * own.squaredError;
    if (!explains) return {};
    std::string text = "its values are shifted by " + briefNumber(mean);
    if (pair.outputGrids != nullptr && pair.outputGrids->scale.elementCount() == 1) {
      const double step = pair.outputGrids->scale.values<float>()[0];
      if (std::abs(mean) < 0.65 * step) return {};
      text += ", " + briefNumber(mean / step) + " steps";
    }
    return text + ": a zero point or the bias is wrong";
  }

  static std::string clipping(const LayerPair& pair, const PairMeasures& measures) {
    if (pair.outputGrids == nullptr || measures.own.count == 0) return {};
    const double share =
        static_cast<double>(measures.outside) / static_cast<double>(measures.own.count);
    if (share < kClippedShare) return {};
    const Range reach = reachOf(*pair.outputGrids, pair.outputBits);
    return "its output's grid reaches from " + briefNumber(reach.low) + " to " +
           briefNumber(reach.high) + " where values reach from " +
           briefNumber(measures.expected.min) + " to " + briefNumber(measures.expected.max) + ": " +
           percent(share) + " are clipped, its scale or zero point is wrong";
  }

  static std::string coarseGrid(const LayerPair& pair, const PairMeasures& measures) {
    if (pair.outputGrids == nullptr || measures.expected.empty()) return {};
    const Range reach = reachOf(*pair.outputGrids, pair.outputBits);
    const double needed = static_cast<double>(std::max(0.0F, measures.expected.max)) -
                          std::min(0.0F, measures.expected.min);
    const double times = (static_cast<double>(reach.high) - reach.low) / needed;
    if (!(times > 3)) return {};
    return "its output's grid is " + briefNumber(times) +
           " times as wide as the values need: its scale is that of something wider, or wrong";
  }

  static std::string biasedOutput(const PairMeasures& measures) {
    if (!roundsOutputBiased(measures)) return {};
    return "its output is off by " +
           briefNumber(measures.roundedSum / static_cast<double>(measures.rounded)) +
           " steps on average: it is not rounded to the nearest code";
  }

  const ComparedModel& m_first;
  const std::vector<LayerPair>& m_pairs;
};

}  // namespace

std::optional<double> excessDb(const LayerPair& pair, const PairMeasures& measures) {
  if (!measures.measured || measures.own.count == 0) return std::nullopt;
  const double arithmetic = std::max(kArithmetic, kRoundings * relativeRounding(pair.narrowest));
  const double explained = measures.weightNoise + outputNoise(pair, measures) +
                           arithmetic * measures.own.referenceSquared;
  if (explained <= 0) return std::nullopt;
  const double least = 1e-6 * explained;  // an exact layer is 60 dB better than explained
  return 10 * std::log10(std::max(measures.own.squaredError, least) / explained);
}

std::vector<Suspect> findSuspects(const ComparedModel& first, const std::vector<LayerPair>& pairs,
                                  const std::vector<PairMeasures>& measures) {
  const Reasons reasons(first, pairs);
  std::vector<Suspect> suspects;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    if (measures[i].ownBroken > 0) {
      const std::size_t all = measures[i].own.count + measures[i].own.nonFinite;
      suspects.push_back(
          {i, brokenText(measures[i].ownBroken, all), std::numeric_limits<double>::infinity()});
      continue;
    }
    const std::optional<double> excess = excessDb(pairs[i], measures[i]);
    if (!excess) continue;
    std::string how;
    const bool biased = roundsWeightsBiased(pairs[i], how) || roundsOutputBiased(measures[i]);
    const double score = biased ? std::max(*excess, kBiasedScore) : *excess;
    if (score < kSuspectDb) continue;
    suspects.push_back({i, reasons.of(pairs[i], measures[i], *excess), score});
  }
  std::ranges::stable_sort(suspects, std::greater<>(), &Suspect::score);
  return suspects;
}

}  // namespace quantscope
