#pragma once

#include "repair/output_judge.h"
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
    return worth() > other.worth();
  }

 private:
  // Inserted operators take time wherever the network runs: a way with them has to gain as much
  // more as a step has to gain at least.
  double worth() const { return gain.heldOutDb - (proposal.inserted > 0 ? kLeastStepGain : 0); }
};

}  // namespace quantscope
