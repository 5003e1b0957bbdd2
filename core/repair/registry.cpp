#include <algorithm>
#include <utility>

#include "repair/biases/analytic_bias.h"
#include "repair/biases/bias_correction.h"
#include "repair/biases/bias_overflow.h"
#include "repair/ranges/activation_ranges.h"
#include "repair/ranges/weight_clipping.h"
#include "repair/repair_step.h"
#include "repair/rounding/adaround.h"
#include "repair/rounding/data_free_rounding.h"
#include "repair/rounding/rounding.h"
#include "repair/scales/channel_splitting.h"
#include "repair/scales/dead_channels.h"
#include "repair/scales/equalization.h"
#include "repair/scales/smoothing.h"

namespace quantscope {
namespace {

RepairStep movesGrids(RepairStep step) {
  step.movesGrids = true;
  return step;
}

RepairStep scalesBetween(RepairStep step) {
  step.scalesBetween = true;
  return movesGrids(std::move(step));
}

RepairStep takesHalves(RepairStep step) {
  step.takesHalves = true;
  return step;
}

}  // namespace

const std::vector<RepairStep>& repairSteps() {
  static const std::vector<RepairStep> steps{
      movesGrids({"dead-channels", "channels without weights become part of the biases behind them",
                  0, proposeDeadChannels}),
      scalesBetween({"equalize",
                     "even out the ranges of channels between layers, with Relu for Clip", 0,
                     proposeEqualization, kEqualizationWays}),
      scalesBetween(
          {"smooth",
           "channels scaled between what makes and what reads them, by the error that is left", 4,
           proposeSmoothing, kSmoothingWays}),
      scalesBetween({"weight-only-scales",
                     "the same where only weights are rounded, by mean inputs", 4,
                     proposeWeightOnlyScales}),
      movesGrids({"split-channels",
                  "input channels with the largest weights come twice, with half of them", 0,
                  proposeSplitting, kSplittingWays}),
      {"ranges", "ranges of activations that leave the rarest values out", 0, proposeRanges,
       kRangeWays, "", false, false, true},
      takesHalves(
          movesGrids({"clip", "smaller scales for weights, of which the largest are cut off", 0,
                      proposeClipping, kClippingWays})),
      takesHalves(
          movesGrids({"bias-overflow", "larger scales for weights whose integer bias does not fit",
                      0, proposeBiasOverflow})),
      takesHalves({"round",
                   "round weights so that a layer's outputs come closest, with the bias that fits",
                   4, proposeRounding, kRoundingWays, "", true, false, false, true}),
      takesHalves({"round-data-free",
                   "round weights so that the errors of a kernel cancel, without samples", 0,
                   proposeDataFreeRounding, 1, "round"}),
      takesHalves({"bias-correction", "take the mean error of each output channel out of its bias",
                   4, proposeBiasCorrection, 1, "round", true, false, false, true}),
      takesHalves({"bias-analytic",
                   "the same by what batch normalizations say, where there are no samples", 0,
                   proposeAnalyticBias, 1, "", true}),
      takesHalves({"adaround", "learn how to round the weights of at most 4 bits that lose most", 4,
                   proposeAdaRound, 1, "", true, true}),
  };
  return steps;
}

const RepairStep* findRepairStep(const std::string& name) {
  const auto found = std::ranges::find_if(
      repairSteps(), [&](const RepairStep& step) { return step.name == name; });
  return found == repairSteps().end() ? nullptr : &*found;
}

}  // namespace quantscope
