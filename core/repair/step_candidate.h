#pragma once

#include "repair/repair_course.h"
#include "repair/repair_step.h"

namespace quantscope {

/// What one way of a step has come to.
struct StepCandidate {
  RepairProposal proposal;
  MeasuredState measured;
  std::size_t way = 0;
  StepGain gain = {};

  bool beats(const StepCandidate& other) const {
    if (gain.refusal.empty() != other.gain.refusal.empty()) return gain.refusal.empty();
    return gain.heldOutDb > other.gain.heldOutDb;
  }
};

}  // namespace quantscope
