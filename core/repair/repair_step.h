#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "repair/linear_layers.h"
#include "repair/overlay.h"
#include "repair/repair_state.h"

namespace quantscope {

/// How a step that goes on in small steps of its own has come to its end.
struct FittingEnd {
  std::string how;          ///< "done", "stopped early", "out of time", "diverged"
  std::size_t steps = 0;    ///< that were taken
  std::size_t planned = 0;  ///< at most
  bool cutShort = false;    ///< by the time, or since it was asked to stop

  friend bool operator==(const FittingEnd&, const FittingEnd&) = default;
};

/// The changes that a step proposes for a model.
struct RepairProposal {
  Overlay overlay;
  OverlayEffect effect = OverlayEffect::Fitted;
  std::string what;                ///< which way it is: "weights alone"; may be empty
  std::size_t nodes = 0;           ///< layers that change
  std::size_t inserted = 0;        ///< operators that the model did not have
  std::string reason;              ///< why the overlay is empty: where the step would be legal
  std::optional<FittingEnd> end;   ///< of a step that fits in small steps
  std::vector<std::string> notes;  ///< what it could not do as it was asked to
  std::vector<std::string> remarks = {};   ///< notes that are true of this way alone
  std::vector<RefusedLayer> refused = {};  ///< layers that it leaves as they are
};

/// An empty one that says why.
inline RepairProposal notLegal(std::string reason) {
  RepairProposal proposal;
  proposal.reason = std::move(reason);
  return proposal;
}

/// One kind of repair. Its proposal depends on the arguments alone.
struct RepairStep {
  const char* name;  ///< as on the command line: "equalize"
  const char* what;  ///< its effect, in a line
  /// Samples to fit to that it needs; 0 = it takes nothing from samples but ranges.
  std::size_t samples;
  /// `way` < `ways`: the one of which held-out samples will say that it is the best.
  std::function<RepairProposal(const RepairState& state, const LinearLayers& layers,
                               RepairTools& tools, std::size_t way)>
      propose;
  std::size_t ways = 1;
  /// A step before it that does it too; it does not run where that one stays. May be empty.
  const char* containedIn = "";
  /// Fits biases itself. After other steps, biases are fitted before the step is judged: its effect
  /// on weights shows only without the mean errors.
  bool fitsBiases = false;
  /// Takes too long to be tried again without a step before it: those are left out first.
  bool runsLast = false;
  /// Has to do with all of the model, not with single layers: it does not run where only some are
  /// to change, and it runs where no layer's weights can be changed.
  bool wholeModel = false;
  /// Changes layers that share their weight too.
  bool takesShared = false;
  /// Ends with what it has when the time is over or it is stopped, so that nothing else ends it.
  bool endsItself = false;
  /// Gives weights other grids, or values other scales: it leaves those alone that an encoding of
  /// the configuration fixes. Other steps keep the grids.
  bool movesGrids = false;
  /// Changes float16 weights too: their codes stay what they are when they are rounded to it.
  bool takesHalves = false;
  /// Divides channels where one layer makes them and multiplies them where others read them: it
  /// does nothing to a layer by itself.
  bool scalesBetween = false;
};

/// All of them, in the order in which they run.
const std::vector<RepairStep>& repairSteps();

/// The step of that name; nullptr where there is none.
const RepairStep* findRepairStep(const std::string& name);

}  // namespace quantscope
