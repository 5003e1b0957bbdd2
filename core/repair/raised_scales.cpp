#include "repair/raised_scales.h"

#include <new>

#include "base/error.h"
#include "repair/biases/bias_overflow.h"

namespace quantscope {
namespace {

// Why they do not stay; empty where they do, or where none has to grow.
std::string tryScales(StateChanger& changer, const MeasuredOutputs& start,
                      const std::vector<std::string>& only, MeasuredState& now,
                      RepairResult& result) {
  StateChange changed =
      changer.change(now, only, *findRepairStep("bias-overflow"), 0, "Checking biases");
  if (!changed.after) {
    const std::string& reason = changed.proposal.reason;
    // Those of the others do not.
    return reason == kEveryBiasFits ? "the weights of these layers may not change" : reason;
  }
  const MeasuredOutputs& after = changed.after->outputs;
  const std::string lost = lostOutput(now.outputs.heldOut, after.heldOut);
  if (!lost.empty()) return "with larger weight scales, " + lost;
  const std::string since = lostSinceStart(start.heldOut, now.outputs.heldOut, after.heldOut);
  if (!since.empty()) return "with larger weight scales, " + since;
  const StepGain gain = judgeStep(now.outputs, after);
  if (result.fitSamples > 0) result.raisedGainFitDb = gain.fitDb;
  result.raisedGainHeldOutDb = gain.heldOutDb;
  result.raisedScales = changed.proposal.nodes;
  now = *std::move(changed.after);
  return {};
}

}  // namespace

void raiseScales(StateChanger& changer, const MeasuredOutputs& start,
                 const std::vector<std::string>& only, MeasuredState& now, RepairResult& result) {
  changer.setPatient(true);
  std::string why;
  // What was won stays, whatever happens here.
  try {
    why = tryScales(changer, start, only, now, result);
  } catch (const Error& error) {
    why = error.what();
  } catch (const std::bad_alloc&) {
    why = kNoMemoryForIt;
  }
  for (const LayerQuantization& layer : now.state.model->layers) {
    result.unfitBiases += biasOverflows(layer);
  }
  if (result.unfitBiases > 0) result.whyUnfit = std::move(why);
}

}  // namespace quantscope
