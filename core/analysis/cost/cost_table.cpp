#include "analysis/cost/cost_table.h"

#include "base/files/input_file.h"
#include "precision/config/json_reader.h"
#include "precision/edits/type_choices.h"

namespace quantscope {
namespace {

constexpr std::uint64_t kMostTableBytes = std::uint64_t{1} << 26;

const std::string kCostTable = "the cost table";

double readTime(const JsonReader& reader) {
  const double time = reader.real();
  if (time < 0) reader.fail("is no time", "write microseconds, 0 or more");
  return time;
}

QuantType readType(const std::string& name, const JsonReader& reader) {
  const auto type = quantTypeFromName(name);
  if (!type || signedType(*type) != *type) {
    reader.fail("is not of a type that layers run in",
                "use fp32, fp16, bf16, int16, int8, int4, …");
  }
  return *type;
}

std::map<QuantType, MeasuredTime> readLayer(const JsonReader& reader) {
  std::map<QuantType, MeasuredTime> times;
  for (const auto& [name, entry] : reader.entries()) {
    entry.requireKeys({"us", "estimated"});
    MeasuredTime time{readTime(entry.required("us")), false};
    if (entry.has("estimated")) time.estimated = entry["estimated"].boolean();
    times[readType(name, entry)] = time;
  }
  reader.required(std::string(name(QuantType::Float32)));
  return times;
}

ConversionTime readConversion(const JsonReader& reader) {
  reader.requireKeys({"quantize_us", "dequantize_us"});
  return {readTime(reader.required("quantize_us")), readTime(reader.required("dequantize_us"))};
}

}  // namespace

nlohmann::ordered_json toJson(const CostTable& table) {
  nlohmann::ordered_json json{{"quantscope_cost", 1}, {"device", table.device}};
  if (!table.backend.empty()) json["backend"] = table.backend;
  auto& layers = json["layers"] = nlohmann::ordered_json::object();
  for (const auto& [node, times] : table.layers) {
    for (const auto& [type, time] : times) {
      layers[node][std::string(name(type))] = {{"us", time.microseconds},
                                               {"estimated", time.estimated}};
    }
  }
  auto& conversions = json["conversions"] = nlohmann::ordered_json::object();
  for (const auto& [value, time] : table.conversions) {
    conversions[value] = {{"quantize_us", time.quantize}, {"dequantize_us", time.dequantize}};
  }
  return json;
}

CostTable parseCostTable(std::string_view text, const std::string& source) {
  const JsonReader::Json json = parseStrictJson(text, source, kCostTable);
  const JsonReader reader(json, source, kCostTable);
  reader.requireKeys({"quantscope_cost", "device", "backend", "layers", "conversions"});
  const JsonReader version = reader.required("quantscope_cost");
  if (version.integer() != 1) version.fail("is an unknown version", "write 1");
  CostTable table;
  if (reader.has("device")) table.device = reader["device"].text();
  if (reader.has("backend")) table.backend = reader["backend"].text();
  for (const auto& [node, entry] : reader.required("layers").entries()) {
    table.layers[node] = readLayer(entry);
  }
  if (!reader.has("conversions")) return table;
  for (const auto& [value, entry] : reader["conversions"].entries()) {
    table.conversions[value] = readConversion(entry);
  }
  return table;
}

CostTable readCostTable(const std::filesystem::path& file) {
  return parseCostTable(readFile(file, kMostTableBytes), file.string());
}

}  // namespace quantscope
