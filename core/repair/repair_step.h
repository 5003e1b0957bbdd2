#pragma once

#include <string>
#include <vector>

#include "repair/linear_layers.h"
#include "repair/overlay.h"
#include "repair/repair_state.h"

namespace quantscope {

/// A way to carry a step out.
struct RepairProposal {
  Overlay overlay;
  OverlayEffect effect = OverlayEffect::Fitted;
  std::string what;          ///< "with Relu for Clip", where there are several
  std::size_t nodes = 0;     ///< layers that change
  std::size_t inserted = 0;  ///< operators that the model did not have
};

/// What a step has found on a model.
struct RepairProposals {
  std::vector<RepairProposal> proposals;  ///< empty where it is legal nowhere
  std::string reason;                     ///< why it is empty
};

/// One kind of repair. A pure function of its arguments.
struct RepairStep {
  const char* name;  ///< as on the command line: "equalize"
  const char* what;  ///< what it does, in a line
  /// Samples to fit to that it needs; 0 = it takes nothing from samples but ranges.
  std::size_t samples;
  RepairProposals (*propose)(const RepairState& state, const LinearLayers& layers,
                             RepairTools& tools);
  /// A step before it that does it too; it does not run where that one stays. May be empty.
  const char* containedIn = "";
};

/// All of them, in the order in which they run.
const std::vector<RepairStep>& repairSteps();

/// The step of that name; nullptr where there is none.
const RepairStep* findRepairStep(const std::string& name);

}  // namespace quantscope
