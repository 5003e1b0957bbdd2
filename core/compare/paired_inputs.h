#pragma once

#include <vector>

#include "calibration/sample_source.h"
#include "compare/compared_model.h"
#include "compare/matching/axis_order.h"

namespace quantscope {

/// Which input of the second model gets what is read for which of the first: that of its name, else
/// the one at its place; with its axes permuted where only so the shapes fit, axes of equal extent
/// in order: [1, 3, 32, 32] and [1, 32, 32, 3]. Throws InvalidParameters, naming the input, where
/// the models' inputs do not fit each other.
class PairedInputs {
 public:
  PairedInputs(const ComparedModel& first, const ComparedModel& second);

  /// A feed of the first model as the second takes it: codes where that takes codes.
  Feed forSecond(const Feed& feed) const;

 private:
  struct Pair {
    ValueId first;
    ValueId second;
    AxisOrder axes;
  };

  const ComparedModel& m_second;
  std::vector<Pair> m_pairs;
};

}  // namespace quantscope
