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
  std::size_t period = 0;            ///< a share of 1/period is held out
  /// Number of recordings of which the samples are frames; 0 where samples are independent.
  std::size_t recordings = 0;
  bool cut = false;  ///< the last part of each recording is held out: they are too few
};

/// Holds out every fourth recording, of fewer than 32 samples every second one; where there are
/// fewer recordings than that, the last quarter or half of each. `starts`: see recordingStarts();
/// of independent samples every feed is one. Of fewer than 4 samples or 2 feeds none is held out.
HeldOutSplit splitHeldOut(const SampleSource& samples, const std::vector<std::size_t>& starts);

/// How frames of recordings are held out, a sentence; empty where samples are independent.
/// `inTurns`: what is held out and the rest change places.
std::string recordingNotice(const HeldOutSplit& split, bool inTurns);

}  // namespace quantscope
