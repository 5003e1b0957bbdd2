#include "export/json/training_json.h"

#include <nlohmann/json.hpp>
#include <sstream>

#include "base/number_text.h"
#include "export/json/json_number.h"
#include "export/json/repair_json.h"

namespace quantscope {
namespace {

using Json = nlohmann::ordered_json;

Json decibelsOf(const std::vector<OutputResult>& outputs) {
  Json list = Json::array();
  for (const OutputResult& output : outputs) list.push_back(jsonNumber(output.error.sqnrDb));
  return list;
}

Json curveJson(const std::vector<TrainingPoint>& curve) {
  Json list = Json::array();
  for (const TrainingPoint& point : curve) {
    list.push_back({{"phase", point.phase},
                    {"step", point.step},
                    {"loss", point.step == 0 ? Json() : jsonNumber(point.loss)},
                    {"held_back_loss", jsonNumber(point.heldBack)}});
  }
  return list;
}

}  // namespace

Json trainingJson(const RepairResult& result, const TrainingReport& training,
                  const TrainingChoices* choices) {
  const Json repair = repairJson(result);
  Json json{{"start", repair.at("start")}, {"end", repair.at("end")}};
  json["start"]["calibration_db"] = decibelsOf(result.start.fit);
  json["end"]["calibration_db"] = decibelsOf(result.end.fit);
  if (!result.steps.empty()) {
    const Json& step = repair.at("steps").front();
    for (const char* key : {"kept", "reason", "gain_calibration_db", "gain_held_out_db", "kl",
                            "top1_agreement", "nodes", "bytes", "seconds", "way"}) {
      json[key] = step.at(key);
    }
    if (step.contains("only")) json["only"] = step.at("only");
  }
  if (choices != nullptr) json["training"] = jsonOf(*choices);
  json["finished"] = words(training.end);
  json["resumed"] = training.resumed;
  json["steps"] = training.steps;
  json["blocks"] = training.blocks;
  json["start_loss"] = jsonNumber(training.startLoss);
  json["best_loss"] = jsonNumber(training.bestLoss);
  json["samples"] = {{"train", training.trainSamples},
                     {"held_back", training.heldBackSamples},
                     {"held_out", result.heldOutSamples},
                     {"synthetic", result.synthetic}};
  json["refused"] = repair.at("refused");
  json["curve"] = curveJson(training.curve);
  json["notes"] = training.notes;
  return json;
}

std::string trainingText(const RepairResult& result, const TrainingReport& training) {
  std::ostringstream text;
  text << "samples   " << training.trainSamples << " to train on, " << training.heldBackSamples
       << " to stop by, " << result.heldOutSamples << " held out"
       << (result.synthetic ? " (SYNTHETIC)\n" : "\n") << "loss      "
       << shortNumber(training.startLoss) << " → " << shortNumber(training.bestLoss)
       << " on those to stop by\n";
  return text.str() + repairText(result);
}

}  // namespace quantscope
