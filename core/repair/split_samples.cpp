#include "repair/split_samples.h"

#include <algorithm>

#include "calibration/recordings.h"

namespace quantscope {
namespace {

// Below this a held-out half says nothing.
constexpr std::size_t kLeastSamples = 8;
// Below this half of them says so little that each half is held out once.
constexpr std::size_t kLeastToHalve = 16;

}  // namespace

SplitSamples::SplitSamples(const Engine& original, SampleSet& data, SampleSet& calibration,
                           AnalysisMemory& memory, JobContext& job)
    : m_data(data), m_calibration(calibration), m_fit(&calibration) {
  if (&data != &calibration) {
    m_folds = {{&calibration, &data}};
    return;
  }
  if (data.sampleCount() < kLeastSamples || data.feedCount() < 2) {
    m_fit = own({});
    m_folds = {{m_fit, &data}};
    return;
  }
  m_split = splitHeldOut(data, recordingStarts(original, memory.activations, data, job));
  SampleSet* used = own(m_split.used);
  SampleSet* heldOut = own(m_split.heldOut);
  m_folds = {{used, heldOut}};
  // A last feed alone may hold a single sample.
  if (data.sampleCount() >= kLeastToHalve && heldOut->sampleCount() > 1) {
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

std::size_t SplitSamples::heldOutCount() const {
  std::size_t count = 0;
  for (const Fold& fold : m_folds) count += fold.heldOut->sampleCount();
  return count;
}

std::string SplitSamples::whyTooFew(std::size_t needed) const {
  const std::size_t found = leastFit();
  if (needed <= found) return {};
  const std::string words =
      "insufficient data: it needs " + std::to_string(needed) + " samples to fit to, ";
  if (&m_data != &m_calibration) {
    return words + "but the calibration data has " + std::to_string(found);
  }
  const std::string all = std::to_string(m_data.sampleCount());
  if (m_data.sampleCount() >= kLeastSamples && m_data.feedCount() < 2) {
    return words + "but one run of the model takes all " + all + ", so that none can be held out";
  }
  if (found > 0) {
    return words + "but beside those that are held out there are " + std::to_string(found);
  }
  return words + "beside others that are held out, but there are " + all +
         " in all: give at least " + std::to_string(kLeastSamples);
}

std::string SplitSamples::recordings() const {
  return recordingNotice(m_split, m_folds.size() > 1);
}

SampleSet* SplitSamples::own(std::vector<std::size_t> feeds) {
  m_own.push_back(
      std::make_unique<SampleSet>(std::make_unique<SampleSubset>(m_data, std::move(feeds)), 0));
  return m_own.back().get();
}

}  // namespace quantscope
