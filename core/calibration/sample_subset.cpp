#include "calibration/sample_subset.h"

#include <algorithm>
#include <array>

#include "base/number_text.h"

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

HeldOutSplit splitHeldOut(const SampleSource& samples, const std::vector<std::size_t>& starts) {
  constexpr std::size_t kLeast = 4;
  constexpr std::size_t kMany = 32;
  const std::size_t feeds = samples.feedCount();
  std::vector<bool> heldOut(feeds, false);
  HeldOutSplit split;
  if (samples.sampleCount() >= kLeast && feeds >= 2) {
    split.period = std::min(samples.sampleCount() < kMany ? std::size_t{2} : std::size_t{4}, feeds);
    split.recordings = starts.size() < feeds ? starts.size() : 0;
    split.cut = starts.size() < split.period;
    for (std::size_t i = 0; i < starts.size(); ++i) {
      const std::size_t end = i + 1 < starts.size() ? starts[i + 1] : feeds;
      const std::size_t length = end - starts[i];
      std::size_t kept = length;
      if (split.cut) {
        kept -= length < 2 ? 0 : std::max<std::size_t>(1, length / split.period);
      } else if (i % split.period == split.period - 1) {
        kept = 0;
      }
      for (std::size_t feed = starts[i] + kept; feed < end; ++feed) heldOut[feed] = true;
    }
  }
  for (std::size_t feed = 0; feed < feeds; ++feed) {
    (heldOut[feed] ? split.heldOut : split.used).push_back(feed);
  }
  return split;
}

std::string recordingNotice(const HeldOutSplit& split, bool inTurns) {
  constexpr std::array kEvery{"", "", "second", "third", "fourth"};
  constexpr std::array kShares{"", "", "half", "third", "quarter"};
  if (split.recordings == 0) return {};
  const bool isOne = split.recordings == 1;
  std::string words = "the samples are frames of ";
  words += isOne ? "one recording: " : grouped(split.recordings) + " recordings: ";
  if (split.cut) {
    words += isOne ? "its last " : "the last ";
    words += kShares.at(split.period);
    if (!isOne) words += " of each";
    return words + (inTurns ? " and the rest are held out in turns" : " is held out");
  }
  words += std::string("every ") + kEvery.at(split.period) + " recording ";
  return words + (inTurns ? "and the others are held out in turns" : "is held out");
}

}  // namespace quantscope
