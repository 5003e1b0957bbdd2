#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "calibration/sample_set.h"
#include "calibration/sample_subset.h"
#include "repair/output_judge.h"

namespace quantscope {

/// The samples of a repair. With a calibration set of its own that one is fitted to, and the data
/// are held out as a whole; else a quarter of the data is held out, of fewer than 32 samples half,
/// in whole recordings where they are frames of some: see splitHeldOut(). Of fewer than 16 each
/// half is held out once, while steps are fitted to the other; and of fewer than 8, or where one
/// run of the model takes them all, all are: then steps that fit to samples do not run.
class SplitSamples {
 public:
  /// All must outlive it. `original`: the float network. Throws Cancelled.
  SplitSamples(const Engine& original, SampleSet& data, SampleSet& calibration,
               AnalysisMemory& memory, JobContext& job);

  /// The samples that the final state is fitted to.
  SampleSet& fit() { return *m_fit; }
  std::size_t foldCount() const { return m_folds.size(); }
  RepairSamples fold(std::size_t i) { return {*m_folds[i].fit, *m_folds[i].heldOut}; }
  /// The number of samples that a step is fitted to before it is judged.
  std::size_t leastFit() const;
  std::size_t heldOutCount() const;

  /// Why a step that needs so many samples to fit to cannot run; empty where it can.
  std::string whyTooFew(std::size_t needed) const;
  /// How frames of recordings are held out; empty where samples are independent.
  std::string recordings() const;

 private:
  struct Fold {
    SampleSet* fit;
    SampleSet* heldOut;
  };

  SampleSet* own(std::vector<std::size_t> feeds);

  SampleSet& m_data;
  SampleSet& m_calibration;
  HeldOutSplit m_split;
  std::vector<std::unique_ptr<SampleSet>> m_own;
  SampleSet* m_fit;
  std::vector<Fold> m_folds;
};

}  // namespace quantscope
