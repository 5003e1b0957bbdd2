#pragma once

#include <utility>
#include <vector>

#include "calibration/sample_source.h"
#include "compare/compared_model.h"

namespace quantscope {

/// Which input of the second model gets what is read for which of the first: that of its name, else
/// the one at its place. Throws InvalidParameters, naming the input, where the models' inputs do
/// not fit each other.
class PairedInputs {
 public:
  PairedInputs(const ComparedModel& first, const ComparedModel& second);

  /// A feed of the first model as the second takes it: codes where that takes codes.
  Feed forSecond(const Feed& feed) const;

 private:
  const ComparedModel& m_second;
  std::vector<std::pair<ValueId, ValueId>> m_pairs;  // first, second
};

}  // namespace quantscope
