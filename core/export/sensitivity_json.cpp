#include "export/sensitivity_json.h"

#include <algorithm>
#include <limits>
#include <string>
#include <tuple>

#include "export/json_number.h"

namespace quantscope {
namespace {

using Json = nlohmann::ordered_json;

Json figuresJson(const OutputResult& output) {
  return {{"value", output.value},
          {"sqnr_db", jsonNumber(output.error.sqnrDb)},
          {"kl", jsonNumber(output.kl)},
          {"top1_agreement", jsonNumber(output.top1Agreement)},
          {"accuracy_float", jsonNumber(output.accuracyFloat)},
          {"accuracy_quantized", jsonNumber(output.accuracyQuantized)}};
}

// Integer outputs are not compared.
const OutputResult* firstCompared(const std::vector<OutputResult>& outputs) {
  const auto found =
      std::ranges::find_if(outputs, [](const auto& output) { return output.error.count > 0; });
  return found == outputs.end() ? nullptr : &*found;
}

// What is not known is not sensitive.
double decibelsOf(const Json& row) {
  const Json& value = row.at("output_sqnr_db");
  if (value.is_number()) return value.get<double>();
  const double infinity = std::numeric_limits<double>::infinity();
  return value.is_string() && value.get<std::string>() == "-Infinity" ? -infinity : infinity;
}

}  // namespace

Json sensitivityRowJson(const SensitivityRow& row) {
  const OutputResult* first = firstCompared(row.outputs);
  Json json{{"node", row.node},
            {"type", name(row.type)},
            {"output_sqnr_db", first != nullptr ? jsonNumber(first->error.sqnrDb) : Json()},
            {"output_kl", first != nullptr ? jsonNumber(first->kl) : Json()},
            {"top1_agreement", first != nullptr ? jsonNumber(first->top1Agreement) : Json()},
            {"local_sqnr_db", jsonNumber(row.localSqnrDb)},
            {"weight_bytes", row.weightBytes},
            {"outputs", Json::array()}};
  for (const OutputResult& output : row.outputs) json["outputs"].push_back(figuresJson(output));
  if (!row.alsoInGroup.empty()) json["also_in_group"] = row.alsoInGroup;
  if (!row.refused.empty()) json["refused"] = row.refused;
  return json;
}

Json baselineJson(const std::vector<OutputResult>& outputs) {
  Json list = Json::array();
  for (const OutputResult& output : outputs) list.push_back(figuresJson(output));
  return {{"outputs", std::move(list)}};
}

void sortSensitivityRows(Json& rows) {
  const auto keyOf = [](const Json& row) {
    return std::tuple(row.at("output_sqnr_db").is_null(), decibelsOf(row),
                      row.at("node").get<std::string>(), row.at("type").get<std::string>());
  };
  std::stable_sort(rows.begin(), rows.end(),
                   [&](const Json& a, const Json& b) { return keyOf(a) < keyOf(b); });
}

}  // namespace quantscope
