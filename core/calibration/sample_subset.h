#pragma once

#include <string>
#include <vector>

#include "calibration/sample_source.h"

namespace quantscope {

/// Some feeds of another source, which must outlive it. They keep the numbers of their samples, so
/// that labels still fit.
class SampleSubset : public SampleSource {
 public:
  /// `feeds`: ascending.
  SampleSubset(SampleSource& source, std::vector<std::size_t> feeds);

  std::string description() const override { return m_source.description(); }
  bool synthetic() const override { return m_source.synthetic(); }
  std::size_t sampleCount() const override { return m_samples; }
  std::size_t feedCount() const override { return m_feeds.size(); }
  Feed read(std::size_t index) override { return m_source.read(m_feeds[index]); }

 private:
  SampleSource& m_source;
  std::vector<std::size_t> m_feeds;
  std::size_t m_samples = 0;
};

/// Feeds by their use.
struct HeldOutSplit {
  std::vector<std::size_t> used;
  std::vector<std::size_t> heldOut;  ///< empty where there are too few
};

/// Holds out every fourth feed, of fewer than 32 every second one; of fewer than 4 none.
HeldOutSplit splitHeldOut(std::size_t feeds);

}  // namespace quantscope
