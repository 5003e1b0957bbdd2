#include "export/json/optimized_config_json.h"

#include <nlohmann/json.hpp>

#include "export/json/json_number.h"

namespace quantscope {
namespace {

using Json = nlohmann::ordered_json;

Json reasonsJson(const std::vector<ChoiceReason>& why) {
  Json json = Json::object();
  for (const ChoiceReason& reason : why) {
    const auto entry = [&](const std::string& text) {
      return Json{{"source", reason.measured ? "measured" : "profile"},
                  {"scheme", reason.scheme},
                  {"accuracy_loss", jsonNumber(reason.accuracyLoss)},
                  {"speedup", jsonNumber(reason.speedup)},
                  {"confidence", jsonNumber(reason.confidence)},
                  {"text", text}};
    };
    json[reason.node] = entry(reason.text);
    for (const std::string& follower : reason.followers) {
      json[follower] = entry("fused with '" + reason.node + "': " + reason.text);
    }
  }
  return json;
}

Json paretoJson(const std::vector<FrontPoint>& pareto) {
  Json json = Json::array();
  for (const FrontPoint& each : pareto) {
    const ParetoPoint& point = each.point;
    json.push_back({{"bits", point.bits},
                    {"bytes", point.bytes},
                    {"speedup", jsonNumber(point.speedup)},
                    {"drop", jsonNumber(point.drop)},
                    {"us", jsonNumber(point.microseconds)},
                    {"sqnr_db", jsonNumber(point.sqnrDb)}});
    if (each.chosen) json.back()["chosen"] = true;
    if (each.worseOnPart) json.back()["worse_on_part"] = true;
  }
  return json;
}

}  // namespace

std::string optimizedConfigJson(const OptimizedConfig& optimized) {
  Json json = Json::parse(toJson(optimized.config));
  json["why"] = reasonsJson(optimized.why);
  json["pareto"] = paretoJson(optimized.pareto);
  if (!optimized.notices.empty()) json["notices"] = optimized.notices;
  if (optimized.synthetic) json["synthetic"] = true;
  if (!optimized.complete) json["complete"] = false;
  if (optimized.gap) json["gap"] = *optimized.gap;
  if (optimized.costs != nullptr) json["cost"] = toJson(*optimized.costs);
  return json.dump(2) + "\n";
}

}  // namespace quantscope
