#pragma once

#include <nlohmann/json_fwd.hpp>

#include "training/learned_parameters.h"
#include "training/training_settings.h"

namespace quantscope {

/// Learned numbers as binary strings, for formats of JSON that have them.
nlohmann::json valuesJson(const LearnedParameters::Values& values);
/// Throws nlohmann::json::exception for something else.
LearnedParameters::Values readValues(const nlohmann::json& list);
/// `number`: one of the enumerators; Diverged for all that are none.
TrainingEnd trainingEnd(int number);

}  // namespace quantscope
