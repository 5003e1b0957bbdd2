#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "repair/recipe.h"
#include "training/training_choices.h"
#include "training/training_settings.h"

namespace quantscope {

/// The report of a training whose only step is `result`'s: {"start": {"outputs_db", "held_out_db",
/// "calibration_db", "kl", "top1_agreement"}, "end": {…}, "kept", "reason", "gain_calibration_db",
/// "gain_held_out_db", "bytes", "seconds", "finished", "steps", "blocks", "samples": {"train",
/// "held_back", "held_out"}, "curve": [{"phase", "step", "loss", "held_back_loss"}], "notes",
/// "way", "training"}. "training" is what was chosen, see jsonOf(TrainingChoices); without
/// `choices` it is not there.
/// Losses of samples that are held back stop the training; the held-out samples judge it.
nlohmann::ordered_json trainingJson(const RepairResult& result, const TrainingReport& training,
                                    const TrainingChoices* choices = nullptr);

/// The same for people.
std::string trainingText(const RepairResult& result, const TrainingReport& training);

}  // namespace quantscope
