#include "analysis/errors/layer_errors.h"

#include <algorithm>
#include <limits>

namespace quantscope {
namespace {

constexpr double kNotComputed = std::numeric_limits<double>::quiet_NaN();

void addCounts(const std::vector<std::uint32_t>& from, std::vector<std::uint64_t>& to) {
  to.resize(std::max(to.size(), from.size()));
  for (std::size_t i = 0; i < from.size(); ++i) to[i] += from[i];
}

}  // namespace

LayerErrors::LayerErrors(std::size_t layers)
    : m_local(layers), m_accumulated(layers), m_counted(layers) {}

void LayerErrors::add(const FeedRecords& feed) {
  for (std::size_t layer = 0; layer < m_local.size(); ++layer) {
    const LayerRecords& records = feed.layers[layer];
    if (records.local != nullptr) addSamples(records.local->samples, m_local[layer]);
    if (records.accumulated == nullptr) continue;
    addSamples(records.accumulated->samples, m_accumulated[layer]);
    // Values that differ in shape between the networks are not counted either.
    if (records.accumulated->compared()) addCounted(records, m_counted[layer]);
  }
}

void LayerErrors::addCounted(const LayerRecords& records, Counted& counted) {
  if (records.referenceBins != nullptr) addCounts(records.referenceBins->counts, counted.reference);
  if (records.quantizedBins != nullptr) addCounts(records.quantizedBins->counts, counted.quantized);
  if (records.clips == nullptr) return;
  counted.clipped += records.clips->clipped;
  counted.total += records.clips->total;
  counted.clippedSquares += records.clips->squares;
  counted.range.include(records.clips->range);
}

void LayerErrors::addSamples(const std::vector<ChannelSums>& samples, Collected& collected) {
  for (const ChannelSums& sample : samples) {
    const bool computed = !sample.empty();
    collected.sampleSqnrDb.push_back(
        static_cast<float>(computed ? sqnrDb(total(sample)).value_or(kNotComputed) : kNotComputed));
    addSample(collected.channels, sample);
  }
}

std::optional<LayerError> LayerErrors::errorOf(const Collected& collected,
                                               std::optional<double> scale) {
  if (collected.channels.empty()) return std::nullopt;
  LayerError error;
  error.total = metricsOf(quantscope::total(collected.channels), scale);
  error.sampleSqnrDb = collected.sampleSqnrDb;
  if (collected.channels.size() > 1) {
    for (const ErrorSums& channel : collected.channels) {
      error.channelSqnrDb.push_back(sqnrDb(channel).value_or(kNotComputed));
    }
  }
  return error;
}

std::optional<LayerError> LayerErrors::local(std::size_t layer, std::optional<double> scale) const {
  return errorOf(m_local[layer], scale);
}

std::optional<LayerError> LayerErrors::accumulated(std::size_t layer,
                                                   std::optional<double> scale) const {
  return errorOf(m_accumulated[layer], scale);
}

std::optional<OutputHistogram> LayerErrors::histogram(std::size_t layer, const Range& range) const {
  const Counted& counted = m_counted[layer];
  if (counted.reference.empty()) return std::nullopt;
  return OutputHistogram{range.low, range.high, counted.reference, counted.quantized};
}

std::optional<double> LayerErrors::clippedShare(std::size_t layer) const {
  const Counted& counted = m_counted[layer];
  if (counted.total == 0) return std::nullopt;
  return static_cast<double>(counted.clipped) / static_cast<double>(counted.total);
}

std::optional<double> LayerErrors::clippedSquare(std::size_t layer) const {
  const Counted& counted = m_counted[layer];
  if (counted.total == 0) return std::nullopt;
  return counted.clippedSquares / static_cast<double>(counted.total);
}

std::optional<Range> LayerErrors::analysedRange(std::size_t layer) const {
  const Range& range = m_counted[layer].range;
  return range.empty ? std::nullopt : std::optional(range);
}

}  // namespace quantscope
