#include "calibration/sample_subset.h"

namespace quantscope {

SampleSubset::SampleSubset(SampleSource& source, std::vector<std::size_t> feeds)
    : m_source(source), m_feeds(std::move(feeds)) {
  // All feeds of a source hold as many samples, but for the last one.
  if (m_feeds.empty()) return;
  const std::size_t first = source.read(0).samples;
  const std::size_t last = source.feedCount() - 1;
  m_samples = first * m_feeds.size();
  if (m_feeds.back() == last) m_samples -= first - (source.sampleCount() - first * last);
}

HeldOutSplit splitHeldOut(std::size_t feeds) {
  constexpr std::size_t kLeast = 4;
  constexpr std::size_t kMany = 32;
  const std::size_t period = feeds < kMany ? 2 : 4;
  HeldOutSplit split;
  for (std::size_t i = 0; i < feeds; ++i) {
    const bool heldOut = feeds >= kLeast && i % period == period - 1;
    (heldOut ? split.heldOut : split.used).push_back(i);
  }
  return split;
}

}  // namespace quantscope
