#include "jobs/sensitivity/sensitivity_file.h"

#include <functional>
#include <nlohmann/json.hpp>
#include <set>

#include "base/error.h"
#include "base/files/input_file.h"
#include "precision/config/json_reader.h"
#include "quant/quant_type.h"

namespace quantscope {
namespace {

using FileJson = nlohmann::ordered_json;

constexpr std::uint64_t kMostFileBytes = std::uint64_t{1} << 30;
const std::string kResult = "the result";
constexpr const char* kAgain = "run the analysis again";

// What jsonNumber() writes.
void requireFigure(const JsonReader& value) {
  const FileJson& json = value.json();
  const bool infinite = json.is_string() && (json == "Infinity" || json == "-Infinity");
  if (json.is_number() || json.is_null() || infinite) return;
  value.fail("is no figure", "write a number, null, \"Infinity\" or \"-Infinity\"");
}

std::size_t countIn(const JsonReader& value) {
  if (!value.json().is_number_unsigned()) value.fail("is no number of things", kAgain);
  return value.json().get<std::size_t>();
}

void requireOutputs(const JsonReader& outputs) {
  for (const JsonReader& output : outputs.elements()) {
    output.required("value").text();
    for (const char* key :
         {"sqnr_db", "kl", "top1_agreement", "accuracy_float", "accuracy_quantized"}) {
      requireFigure(output.required(key));
    }
  }
}

void requireRow(const JsonReader& row, const std::set<std::string>& types) {
  row.required("node").text();
  const JsonReader type = row.required("type");
  if (!types.contains(type.text())) type.fail("is none of the types of the analysis", kAgain);
  for (const char* key :
       {"output_sqnr_db", "output_kl", "top1_agreement", "local_sqnr_db", "weight_bytes", "macs"}) {
    requireFigure(row.required(key));
  }
  requireOutputs(row.required("outputs"));
  if (row.has("also_in_group")) row["also_in_group"].texts();
  if (row.has("refused")) row["refused"].text();
  if (row.has("estimated")) row["estimated"].boolean();
  if (row.has("estimated_sqnr_db")) requireFigure(row["estimated_sqnr_db"]);
}

void requireRows(const JsonReader& rows, const std::set<std::string>& types) {
  std::set<SensitivityRowKey> seen;
  for (const JsonReader& row : rows.elements()) {
    requireRow(row, types);
    const SensitivityRowKey key = keyOfRow(row.json());
    if (seen.insert(key).second) continue;
    row.fail("is a second row of '" + key.first + "' in " + key.second, "remove one of them");
  }
}

void requireShard(const JsonReader& shard) {
  const std::vector<JsonReader> numbers = shard.elements();
  if (numbers.size() != 2) shard.fail("is not [I, N]", kAgain);
  const std::size_t number = countIn(numbers[0]);
  if (number < 1 || number > countIn(numbers[1])) shard.fail("is no shard I of N", kAgain);
}

std::set<std::string> typesIn(const JsonReader& list) {
  std::set<std::string> types;
  for (const JsonReader& type : list.elements()) {
    if (!quantTypeFromName(type.text())) type.fail("is none of " + quantTypeNames(), kAgain);
    types.insert(type.text());
  }
  return types;
}

void requirePart(const JsonReader& part) {
  if (part.text() == "weights" || part.text() == "activations") return;
  part.fail("is neither weights nor activations", kAgain);
}

void requireContent(const JsonReader& result) {
  result.required("identity").text();
  if (result.has("origin")) result["origin"].text();
  if (result.has("hashes")) {
    const JsonReader hashes = result["hashes"];
    for (const char* key : {"model", "data", "settings"}) hashes.required(key).text();
    if (hashes.has("backend")) hashes["backend"].text();
  }
  result.required("around").text();
  if (result.has("only")) requirePart(result["only"]);
  countIn(result.required("samples"));
  result.required("synthetic").boolean();
  countIn(result.required("rows"));
  if (result.has("complete")) result["complete"].boolean();
  if (result.has("shard")) requireShard(result["shard"]);
  const JsonReader baseline = result.required("baseline");
  if (!baseline.json().is_null()) requireOutputs(baseline.required("outputs"));
  requireRows(result.required("nodes"), typesIn(result.required("types")));
  requireFigure(result.required("forward_passes"));
}

/// Calls what reads JSON: a file that is no configuration is no wrong one.
void asInvalidData(const std::function<void()>& read) {
  try {
    read();
  } catch (const Error& error) {
    throw Error(ErrorCode::InvalidData, error.problem(), error.place(), error.remedy());
  }
}

[[noreturn]] void failAsWhole(const std::filesystem::path& file, const std::string& problem,
                              const std::string& remedy) {
  throw Error(ErrorCode::InvalidData, problem, {.file = file.string(), .node = {}, .value = {}},
              remedy);
}

}  // namespace

SensitivityRowKey keyOfRow(const FileJson& row) {
  return {row.at("node").get<std::string>(), row.at("type").get<std::string>()};
}

FileJson readSensitivityFile(const std::filesystem::path& file) {
  const std::string source = file.string();
  FileJson json;
  const std::string text = readFile(file, kMostFileBytes);
  try {
    json = parseStrictJson(text, source, kResult);
  } catch (const Error& error) {
    throw Error(ErrorCode::InvalidData, "the file is no result of a sensitivity analysis",
                error.place(), error.remedy());
  }
  if (!json.is_object() || !json.contains("sensitivity") || !json.contains("nodes")) {
    failAsWhole(file, "the file is no result of a sensitivity analysis", "name another file");
  }
  if (json["sensitivity"] != kSensitivityVersion) {
    failAsWhole(file, "the result is of another version of the program", kAgain);
  }
  asInvalidData([&] { requireContent(JsonReader(json, source, kResult)); });
  return json;
}

void failAtRow(const std::filesystem::path& file, std::size_t place, const std::string& problem,
               const std::string& remedy) {
  throw Error(ErrorCode::InvalidData, problem,
              {.file = file.string(),
               .node = {},
               .value = {},
               .key = "nodes[" + std::to_string(place) + "]"},
              remedy);
}

}  // namespace quantscope
