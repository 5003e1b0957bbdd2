#include "training/training_choices.h"

#include <nlohmann/json.hpp>

#include "precision/config/json_reader.h"

namespace quantscope {
namespace {

constexpr const char* kRemedy = "leave it out for the default";

std::size_t countIn(const JsonReader& reader, std::int64_t least) {
  const std::int64_t count = reader.integer();
  if (count < least) reader.fail("is less than " + std::to_string(least), kRemedy);
  return static_cast<std::size_t>(count);
}

std::set<std::string> namesIn(const JsonReader& reader) {
  const std::vector<std::string> names = reader.texts();
  return {names.begin(), names.end()};
}

}  // namespace

TrainingSettings withChoices(TrainingSettings settings, const TrainingChoices& choices) {
  settings.steps = choices.steps;
  settings.batch = choices.batch;
  settings.scales = choices.scales;
  settings.stochastic = choices.stochastic.has_value();
  settings.temperature = choices.stochastic.value_or(1);
  settings.freezeObserversAfter = choices.freezeObserversAfter;
  settings.frozen = choices.frozen;
  settings.unquantized = choices.unquantized;
  settings.unobserved = choices.unobserved;
  return choices.keepsWeights ? withoutWeights(std::move(settings)) : settings;
}

nlohmann::ordered_json jsonOf(const TrainingChoices& choices) {
  const TrainingChoices usual;
  nlohmann::ordered_json json = nlohmann::ordered_json::object();
  if (choices.steps) json["steps"] = *choices.steps;
  if (choices.batch != usual.batch) json["batch"] = choices.batch;
  if (choices.scales != usual.scales) json["scales"] = name(choices.scales);
  if (choices.keepsWeights) json["keeps_weights"] = true;
  if (choices.stochastic) json["stochastic"] = *choices.stochastic;
  if (choices.freezeObserversAfter) {
    json["freeze_observers_after"] = *choices.freezeObserversAfter;
  }
  if (!choices.frozen.empty()) json["freeze"] = choices.frozen;
  if (!choices.unquantized.empty()) json["no_fake_quantize"] = choices.unquantized;
  if (!choices.unobserved.empty()) json["freeze_observers"] = choices.unobserved;
  return json;
}

TrainingChoices readTrainingChoices(const JsonReader& reader) {
  reader.requireKeys({"steps", "batch", "scales", "keeps_weights", "stochastic",
                      "freeze_observers_after", "freeze", "no_fake_quantize", "freeze_observers"});
  TrainingChoices choices;
  if (reader.has("steps")) choices.steps = countIn(reader["steps"], 1);
  if (reader.has("batch")) choices.batch = countIn(reader["batch"], 1);
  if (reader.has("scales")) {
    const std::optional<ScaleForm> form = scaleFormFromName(reader["scales"].text());
    if (!form) reader["scales"].fail("is none of log, lsq and tqt", kRemedy);
    choices.scales = *form;
  }
  if (reader.has("keeps_weights")) choices.keepsWeights = reader["keeps_weights"].boolean();
  if (reader.has("stochastic")) {
    choices.stochastic = reader["stochastic"].real();
    if (!(*choices.stochastic > 0)) reader["stochastic"].fail("is not positive", kRemedy);
  }
  if (reader.has("freeze_observers_after")) {
    choices.freezeObserversAfter = countIn(reader["freeze_observers_after"], 0);
  }
  if (reader.has("freeze")) choices.frozen = namesIn(reader["freeze"]);
  if (reader.has("no_fake_quantize")) choices.unquantized = namesIn(reader["no_fake_quantize"]);
  if (reader.has("freeze_observers")) choices.unobserved = namesIn(reader["freeze_observers"]);
  return choices;
}

}  // namespace quantscope
