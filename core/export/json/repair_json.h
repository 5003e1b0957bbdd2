#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "repair/recipe.h"
#include "training/training_choices.h"

namespace quantscope {

/// The report of a repair: {"start": {"outputs_db": […]}, "end": {…}, "steps": [{"step", "nodes",
/// "inserted", "bytes", "gain_calibration_db", "gain_held_out_db", "kl", "top1_agreement",
/// "seconds", "kept", "reason"}], …}. `outputs_db` are SQNRs on all samples, in the order of the
/// outputs; `held_out_db` those on the held-out ones. Steps that fit in small steps have
/// "finished", "steps_done" and "steps_planned", and steps with something to say "notes".
/// "original" is the model that was given: what `outputs_db` is measured against.
/// "raised_scales_gain_held_out_db" is what larger scales for integer biases cost in the end: with
/// the gains of all kept steps the way from start to end. "unfit_biases" still do not fit.
/// The "notes" of the whole are heldOutRemarks(). `unsafe_pairs_16_bit` is what unsafePairs()
/// counts in the end. "way" is the number of the way of a step that counts; "only" are the layers
/// that it might change, where not all. `training`: what was chosen of the step that trains, which
/// it has as "training" (see jsonOf(TrainingChoices)); null = it is not known.
nlohmann::ordered_json repairJson(const RepairResult& result,
                                  const TrainingChoices* training = nullptr);

/// The same for people, a line for each step and for each remark on it.
std::string repairText(const RepairResult& result);

}  // namespace quantscope
