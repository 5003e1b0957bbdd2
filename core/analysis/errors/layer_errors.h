#pragma once

#include <vector>

#include "analysis/analysis_result.h"
#include "analysis/twin_run.h"

namespace quantscope {

/// Collects the errors of all layers, feed by feed, in the order of the feeds.
class LayerErrors {
 public:
  explicit LayerErrors(std::size_t layers);

  void add(const FeedRecords& records);
  /// The collected error of a layer; nullopt if nothing was computed.
  std::optional<LayerError> local(std::size_t layer, std::optional<double> scale) const;
  std::optional<LayerError> accumulated(std::size_t layer, std::optional<double> scale) const;
  std::optional<OutputHistogram> histogram(std::size_t layer, const Range& range) const;
  std::optional<double> clippedShare(std::size_t layer) const;
  /// See LayerResult.
  std::optional<double> clippedSquare(std::size_t layer) const;
  std::optional<Range> analysedRange(std::size_t layer) const;

 private:
  struct Collected {
    ChannelSums channels;
    std::vector<float> sampleSqnrDb;
  };
  struct Counted {
    std::vector<std::uint64_t> reference;
    std::vector<std::uint64_t> quantized;
    std::uint64_t clipped = 0;
    std::uint64_t total = 0;
    double clippedSquares = 0;
    Range range;
  };

  static void addCounted(const LayerRecords& records, Counted& counted);
  static void addSamples(const std::vector<ChannelSums>& samples, Collected& collected);
  static std::optional<LayerError> errorOf(const Collected& collected, std::optional<double> scale);

  std::vector<Collected> m_local;
  std::vector<Collected> m_accumulated;
  std::vector<Counted> m_counted;
};

}  // namespace quantscope
