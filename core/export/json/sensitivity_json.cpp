#include "export/json/sensitivity_json.h"

#include <algorithm>
#include <limits>
#include <string>
#include <tuple>

#include "analysis/errors/class_drop.h"
#include "export/json/json_number.h"

namespace quantscope {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kWorstSamples = 3;

Json samplesJson(const OutputResult& output) {
  Json samples = Json::array();
  for (const SampleError& worst : worstSamples(output, kWorstSamples)) {
    samples.push_back({{"sample", worst.sample}, {"sqnr_db", jsonNumber(worst.sqnrDb)}});
  }
  return samples;
}

Json figuresJson(const OutputResult& output) {
  return {{"value", output.value},
          {"sqnr_db", jsonNumber(output.error.sqnrDb)},
          {"kl", jsonNumber(output.kl)},
          {"top1_agreement", jsonNumber(output.top1Agreement)},
          {"accuracy_float", jsonNumber(output.accuracyFloat)},
          {"accuracy_quantized", jsonNumber(output.accuracyQuantized)},
          {"worst_samples", samplesJson(output)}};
}

// Integer outputs are not compared.
const OutputResult* firstCompared(const std::vector<OutputResult>& outputs) {
  const auto found =
      std::ranges::find_if(outputs, [](const auto& output) { return output.error.count > 0; });
  return found == outputs.end() ? nullptr : &*found;
}

Json sensitiveJson(const std::vector<OutputResult>& outputs,
                   const std::vector<OutputResult>& baseline) {
  const std::optional<bool> sensitive = isSensitive(outputs, baseline);
  return sensitive ? Json(*sensitive) : Json();
}

double readNumber(const Json& value) {
  if (value.is_number()) return value.get<double>();
  const double infinity = std::numeric_limits<double>::infinity();
  return value.is_string() && value.get<std::string>() == "-Infinity" ? -infinity : infinity;
}

std::optional<double> figureOf(const Json& output, const char* key) {
  const auto found = output.find(key);
  if (found == output.end() || found->is_null()) return std::nullopt;
  return readNumber(*found);
}

// An unknown SQNR counts as infinite, as not sensitive.
double decibelsOf(const Json& row) {
  return readNumber(row.at("output_sqnr_db"));
}

}  // namespace

Json sensitivityRowJson(const SensitivityRow& row, const std::vector<OutputResult>& baseline) {
  const OutputResult* first = firstCompared(row.outputs);
  Json json{{"node", row.node},
            {"type", name(row.type)},
            {"output_sqnr_db", first != nullptr ? jsonNumber(first->error.sqnrDb) : Json()},
            {"output_kl", first != nullptr ? jsonNumber(first->kl) : Json()},
            {"top1_agreement", first != nullptr ? jsonNumber(first->top1Agreement) : Json()},
            {"sensitive", sensitiveJson(row.outputs, baseline)},
            {"local_sqnr_db", jsonNumber(row.localSqnrDb)},
            {"weight_bytes", row.weightBytes},
            {"macs", jsonNumber(row.macs)},
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

std::vector<OutputResult> outputsOfJson(const Json& rowOrBaseline) {
  std::vector<OutputResult> outputs;
  for (const Json& output : rowOrBaseline.value("outputs", Json::array())) {
    OutputResult& result = outputs.emplace_back();
    result.error.sqnrDb = figureOf(output, "sqnr_db");
    result.top1Agreement = figureOf(output, "top1_agreement");
    result.accuracyFloat = figureOf(output, "accuracy_float");
    result.accuracyQuantized = figureOf(output, "accuracy_quantized");
  }
  return outputs;
}

void judgeRow(Json& row, const std::vector<OutputResult>& baseline) {
  row["sensitive"] = sensitiveJson(outputsOfJson(row), baseline);
}

SensitivityRow rankedRowOf(const Json& row) {
  SensitivityRow ranked;
  ranked.node = row.at("node").get<std::string>();
  ranked.type = quantTypeFromName(row.at("type").get<std::string>()).value_or(ranked.type);
  ranked.outputs = outputsOfJson(row);
  ranked.alsoInGroup = row.value("also_in_group", ranked.alsoInGroup);
  return ranked;
}

Json wideningJson(QuantType type, Json order, const WideningCurve& curve) {
  Json points = Json::array();
  for (const auto& [count, point] : curve) {
    points.push_back({{"count", count},
                      {"bits", point.bits},
                      {"bytes", point.bytes},
                      {"sqnr_db", jsonNumber(point.sqnrDb)},
                      {"drop", jsonNumber(point.drop)}});
  }
  return {{"type", name(type)}, {"order", std::move(order)}, {"points", std::move(points)}};
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
