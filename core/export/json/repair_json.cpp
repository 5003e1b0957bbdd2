#include "export/json/repair_json.h"

#include <iomanip>
#include <nlohmann/json.hpp>
#include <sstream>

#include "analysis/errors/worst_output.h"
#include "base/number_text.h"
#include "export/json/json_number.h"
#include "export/repair_words.h"
#include "training/training_steps.h"

namespace quantscope {
namespace {

using Json = nlohmann::ordered_json;

Json decibelsJson(const std::vector<OutputResult>& outputs) {
  Json list = Json::array();
  for (const OutputResult& output : outputs) list.push_back(jsonNumber(output.error.sqnrDb));
  return list;
}

// Includes the figures of the first output that has class scores.
Json measuredJson(const std::vector<OutputResult>& all, const std::vector<OutputResult>& heldOut) {
  Json json{{"outputs_db", decibelsJson(all)}, {"held_out_db", decibelsJson(heldOut)}};
  for (const OutputResult& output : all) {
    if (!output.kl) continue;
    json["kl"] = jsonNumber(output.kl);
    json["top1_agreement"] = jsonNumber(output.top1Agreement);
    if (output.accuracyQuantized) json["accuracy"] = jsonNumber(output.accuracyQuantized);
    break;
  }
  return json;
}

Json refusedJson(const std::vector<RefusedLayer>& refused) {
  Json list = Json::array();
  for (const RefusedLayer& layer : refused) {
    list.push_back({{"node", layer.node}, {"reason", layer.reason}});
  }
  return list;
}

Json stepJson(const StepReport& step, const TrainingChoices* training) {
  Json json{{"step", step.step},
            {"nodes", step.nodes},
            {"inserted", step.inserted},
            {"bytes", step.bytes},
            {"gain_calibration_db", jsonNumber(step.gainFitDb)},
            {"gain_held_out_db", jsonNumber(step.gainHeldOutDb)},
            {"kl", jsonNumber(step.kl)},
            {"top1_agreement", jsonNumber(step.top1Agreement)},
            {"seconds", step.seconds},
            {"kept", step.kept},
            {"reason", step.reason}};
  if (!step.what.empty()) json["what"] = step.what;
  json["way"] = step.way;
  if (!step.only.empty()) json["only"] = step.only;
  if (training != nullptr && step.step == kTrainingStep) json["training"] = jsonOf(*training);
  if (step.fittedBiases) json["fitted_biases"] = true;
  if (step.gainOfBiasesDb) json["gain_of_biases_db"] = jsonNumber(step.gainOfBiasesDb);
  if (overfits(step)) json["overfits"] = true;
  if (!step.refused.empty()) json["refused"] = refusedJson(step.refused);
  if (step.end) {
    json["finished"] = step.end->how;
    json["steps_done"] = step.end->steps;
    json["steps_planned"] = step.end->planned;
  }
  std::vector<std::string> notes = step.notes;
  notes.insert(notes.end(), step.remarks.begin(), step.remarks.end());
  if (!notes.empty()) json["notes"] = notes;
  return json;
}

}  // namespace

Json repairJson(const RepairResult& result, const TrainingChoices* training) {
  Json json{{"start", measuredJson(result.startAll, result.start.heldOut)},
            {"end", measuredJson(result.endAll, result.end.heldOut)},
            {"steps", Json::array()}};
  for (const StepReport& step : result.steps) json["steps"].push_back(stepJson(step, training));
  json["refused"] = refusedJson(result.refused);
  json["samples"] = {
      {"fit", result.fitSamples}, {"held_out", result.heldOutSamples}, {"folds", result.folds}};
  json["samples"]["synthetic"] = result.synthetic;
  json["unsafe_pairs_16_bit"] = result.unsafePairs;
  json["raised_scales"] = result.raisedScales;
  if (result.raisedScales > 0) {
    json["raised_scales_gain_calibration_db"] = jsonNumber(result.raisedGainFitDb);
    json["raised_scales_gain_held_out_db"] = jsonNumber(result.raisedGainHeldOutDb);
  }
  if (result.unfitBiases > 0) json["unfit_biases"] = result.unfitBiases;
  json["out_of_time"] = result.outOfTime;
  if (result.stopped) json["stopped"] = true;
  json["original"] = {{"file", result.original.empty() ? Json() : Json(result.original)},
                      {"content", toString(result.originalContent)}};
  json["notes"] = heldOutRemarks(result);
  return json;
}

std::string repairText(const RepairResult& result) {
  std::ostringstream text;
  text << "samples   "
       << counted(result.fitSamples, result.synthetic ? "SYNTHETIC sample" : "sample")
       << " to fit to, " << result.heldOutSamples
       << (result.folds > 1 ? " held out once each, while steps are fitted to the other half\n"
                            : " held out\n");
  for (const StepReport& step : result.steps) {
    text << (step.kept ? "kept      " : "left out  ") << step.step;
    if (!step.what.empty()) text << " " << step.what;
    text << ": ";
    if (step.gainHeldOutDb) {
      const std::string figures = figuresOf(step);
      text << gainText(step.gainHeldOutDb) << " held out, " << counted(step.nodes, "layer")
           << (figures.empty() ? "" : ", " + figures) << "; ";
    }
    text << step.reason << " (" << std::fixed << std::setprecision(1) << step.seconds << " s)\n";
    for (const std::string& remark : remarksOf(step)) text << "          " << remark << "\n";
  }
  for (const std::string& remark : remarksOf(result)) text << "note      " << remark << "\n";
  if (result.outOfTime) {
    text << (result.stopped ? "stopped   early; what was won so far stays\n"
                            : "time      is over; what was won so far stays\n");
  }
  text << "outputs   " << decibelText(worstOutputSqnr(result.startAll), 2) << " → "
       << decibelText(worstOutputSqnr(result.endAll), 2) << " on all samples, "
       << decibelText(worstOutputSqnr(result.start.heldOut), 2) << " → "
       << decibelText(worstOutputSqnr(result.end.heldOut), 2)
       << (result.folds > 1 ? " each held out once\n" : " held out\n");
  return text.str();
}

}  // namespace quantscope
