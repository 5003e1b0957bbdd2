#include "repair/split_samples.h"

#include <algorithm>

#include "calibration/sample_subset.h"

namespace quantscope {
namespace {

// Below this a held-out half says nothing.
constexpr std::size_t kLeastFeeds = 8;
// Below this half of them says so little that each half is held out once.
constexpr std::size_t kLeastToHalve = 16;

}  // namespace

SplitSamples::SplitSamples(SampleSet& data, SampleSet& calibration) : m_fit(&calibration) {
  if (&data != &calibration) {
    m_folds = {{&calibration, &data}};
    return;
  }
  HeldOutSplit split = splitHeldOut(data.feedCount());
  if (data.feedCount() < kLeastFeeds) {
    m_fit = own(data, {});
    m_folds = {{m_fit, &data}};
    return;
  }
  SampleSet* used = own(data, split.used);
  SampleSet* heldOut = own(data, split.heldOut);
  m_folds = {{used, heldOut}};
  if (data.feedCount() >= kLeastToHalve) {
    m_fit = used;
    return;
  }
  m_folds.push_back({heldOut, used});
  m_fit = &data;
}

std::size_t SplitSamples::leastFit() const {
  std::size_t least = m_fit->sampleCount();
  for (const Fold& fold : m_folds) least = std::min(least, fold.fit->sampleCount());
  return least;
}

SampleSet* SplitSamples::own(SampleSet& samples, std::vector<std::size_t> feeds) {
  m_own.push_back(
      std::make_unique<SampleSet>(std::make_unique<SampleSubset>(samples, std::move(feeds)), 0));
  return m_own.back().get();
}

}  // namespace quantscope
