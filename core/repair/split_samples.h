#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "calibration/sample_set.h"
#include "repair/output_judge.h"

namespace quantscope {

/// The samples of a repair. With a calibration set of its own that one is fitted to, and the data
/// are held out as a whole; else every fourth feed of the data is held out, of fewer than 32 every
/// second one; of fewer than 16 each half is held out once, while steps are fitted to the other;
/// and of fewer than 8 all are: then steps that fit to samples do not run.
class SplitSamples {
 public:
  SplitSamples(SampleSet& data, SampleSet& calibration);

  /// The samples that the final state is fitted to.
  SampleSet& fit() { return *m_fit; }
  std::size_t foldCount() const { return m_folds.size(); }
  /// The number of samples that a step is fitted to before it is judged.
  std::size_t leastFit() const;
  RepairSamples fold(std::size_t i) { return {*m_folds[i].fit, *m_folds[i].heldOut}; }

 private:
  struct Fold {
    SampleSet* fit;
    SampleSet* heldOut;
  };

  SampleSet* own(SampleSet& samples, std::vector<std::size_t> feeds);

  std::vector<std::unique_ptr<SampleSet>> m_own;
  SampleSet* m_fit;
  std::vector<Fold> m_folds;
};

}  // namespace quantscope
