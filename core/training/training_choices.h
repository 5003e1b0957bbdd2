#pragma once

#include <nlohmann/json_fwd.hpp>

#include "training/training_settings.h"

namespace quantscope {

class JsonReader;

/// What a user chooses of a training; the other settings are its limits, or nobody's choice. See
/// TrainingSettings.
struct TrainingChoices {
  std::optional<std::size_t> steps;
  std::size_t batch = TrainingSettings().batch;
  ScaleForm scales = ScaleForm::Log;
  bool keepsWeights = false;        ///< see withoutWeights()
  std::optional<float> stochastic;  ///< rounds at random, at this temperature
  std::optional<std::size_t> freezeObserversAfter;
  std::set<std::string> frozen;
  std::set<std::string> unquantized;
  std::set<std::string> unobserved;

  friend bool operator==(const TrainingChoices&, const TrainingChoices&) = default;
};

TrainingSettings withChoices(TrainingSettings settings, const TrainingChoices& choices);

/// Only what differs from the default: {"steps", "batch", "scales", "keeps_weights", "stochastic",
/// "freeze_observers_after", "freeze", "no_fake_quantize", "freeze_observers"}.
nlohmann::ordered_json jsonOf(const TrainingChoices& choices);
/// Throws InvalidConfiguration for something else.
TrainingChoices readTrainingChoices(const JsonReader& reader);

}  // namespace quantscope
