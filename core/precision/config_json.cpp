#include <cmath>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <set>

#include "base/error.h"
#include "base/input_file.h"
#include "precision/precision_config.h"

namespace quantscope {
namespace {

using Json = nlohmann::ordered_json;

// Far more than an entry for each node of the largest models.
constexpr std::uint64_t kMaxBytes = std::uint64_t{1} << 26;

/// A JSON value together with its path, so that every complaint can say where it is.
class Reader {
 public:
  Reader(const Json& json, std::string path, const std::string& source)
      : m_json(json), m_path(std::move(path)), m_source(source) {}

  [[noreturn]] void fail(const std::string& what, const std::string& remedy) const {
    const std::string where = m_path.empty() ? "the configuration" : "'" + m_path + "'";
    throw Error(ErrorCode::InvalidConfiguration, where + " " + what,
                {.file = m_source, .node = {}, .value = {}}, remedy);
  }

  const Json& json() const { return m_json; }
  bool has(const char* key) const { return m_json.contains(key); }
  Reader operator[](const std::string& key) const {
    return {m_json.at(key), m_path.empty() ? key : m_path + "." + key, m_source};
  }

  void requireKeys(const std::set<std::string>& known) const {
    if (!m_json.is_object()) fail("is not an object", "write {…}");
    for (const auto& [key, value] : m_json.items()) {
      if (known.contains(key)) continue;
      std::string list;
      for (const std::string& name : known) list += (list.empty() ? "" : ", ") + name;
      fail("has the unknown key '" + key + "'", "use one of " + list);
    }
  }

  std::string text() const {
    if (!m_json.is_string()) fail("is not a string", "write a text in quotes");
    return m_json.get<std::string>();
  }
  bool boolean() const {
    if (!m_json.is_boolean()) fail("is not a boolean", "write true or false");
    return m_json.get<bool>();
  }
  std::int64_t integer() const {
    if (!m_json.is_number_integer()) fail("is not a whole number", "write a number");
    return m_json.get<std::int64_t>();
  }
  float real() const {
    const double value = m_json.is_number() ? m_json.get<double>() : std::nan("");
    if (!std::isfinite(static_cast<float>(value))) fail("is not a number", "write a number");
    return static_cast<float>(value);
  }

 private:
  const Json& m_json;
  std::string m_path;
  const std::string& m_source;
};

QuantType readType(const Reader& reader) {
  const std::optional<QuantType> type = quantTypeFromName(reader.text());
  if (!type) {
    reader.fail("is the unknown type '" + reader.text() + "'", "use one of " + quantTypeNames());
  }
  return *type;
}

Granularity readGranularity(const Reader& reader) {
  const std::optional<Granularity> granularity = granularityFromText(reader.text());
  if (!granularity) {
    reader.fail("is the unknown granularity '" + reader.text() + "'",
                "use per-tensor, per-channel, per-channel:AXIS or per-group:AXIS:SIZE");
  }
  return *granularity;
}

ObserverSpec readObserver(const Reader& reader) {
  try {
    return parseObserver(reader.text());
  } catch (const Error& error) {
    reader.fail("is no observer: " + error.sentence(), error.remedy());
  }
}

void readCommon(const Reader& reader, TensorPrecision& precision) {
  if (reader.has("type")) precision.type = readType(reader["type"]);
  if (reader.has("symmetric")) precision.symmetric = reader["symmetric"].boolean();
  if (isQuantized(precision.type) && !canBeAsymmetric(precision.type)) {
    if (reader.has("symmetric") && !precision.symmetric) {
      reader["symmetric"].fail("cannot be false for " + std::string(name(precision.type)),
                               "write true, or use an integer type");
    }
    precision.symmetric = true;  // what activations have by default is for integers
  }
  if (reader.has("granularity")) {
    precision.granularity = readGranularity(reader["granularity"]);
  }
  if (reader.has("observer")) precision.observer = readObserver(reader["observer"]);
}

std::int32_t readCode(const Reader& reader, QuantType type) {
  const std::int64_t code = reader.integer();
  if (!isInteger(type)) {
    reader.fail("has no meaning for " + std::string(name(type)),
                "leave it out, or use an integer type");
  }
  if (code < lowestCode(type) || code > highestCode(type)) {
    reader.fail("is not a code of " + std::string(name(type)),
                "stay within " + std::to_string(lowestCode(type)) + " … " +
                    std::to_string(highestCode(type)));
  }
  return static_cast<std::int32_t>(code);
}

void readWeight(const Reader& reader, TensorPrecision& precision) {
  reader.requireKeys({"type", "symmetric", "granularity", "observer", "qmin", "qmax"});
  readCommon(reader, precision);
  if (reader.has("qmin")) precision.lowest = readCode(reader["qmin"], precision.type);
  if (reader.has("qmax")) precision.highest = readCode(reader["qmax"], precision.type);
  if (precision.lowest && precision.highest && *precision.lowest >= *precision.highest) {
    reader.fail("has a qmin that is not below its qmax", "exchange them");
  }
}

Range readRange(const Reader& reader) {
  const Json& json = reader.json();
  if (!json.is_array() || json.size() != 2 || !json[0].is_number() || !json[1].is_number()) {
    reader.fail("is not a range", "write [low, high]");
  }
  const Range range{json[0].get<float>(), json[1].get<float>(), false};
  if (!std::isfinite(range.low) || !std::isfinite(range.high) || range.low >= range.high) {
    reader.fail("has a low end that is not below its high end", "write [low, high]");
  }
  return range;
}

void readActivation(const Reader& reader, TensorPrecision& precision) {
  reader.requireKeys({"type", "symmetric", "granularity", "observer", "mode", "range"});
  readCommon(reader, precision);
  if (precision.granularity.kind == Granularity::Kind::PerGroup) {
    reader["granularity"].fail("is for weights only", "use per-tensor or per-channel");
  }
  if (reader.has("mode")) {
    const std::string mode = reader["mode"].text();
    if (mode != "static" && mode != "dynamic") {
      reader["mode"].fail("is the unknown mode '" + mode + "'", "use static or dynamic");
    }
    precision.dynamic = mode == "dynamic";
  }
  if (reader.has("range")) precision.range = readRange(reader["range"]);
  if (precision.range && precision.dynamic) {
    reader.fail("has a range although it is dynamic", "leave one of them out");
  }
  if (precision.range && !hasScale(precision.type)) {
    reader["range"].fail(
        "has no meaning for " + std::string(name(precision.type)) + ", which has no scale",
        "leave it out");
  }
  if (isSignCode(precision.type) && precision.granularity.kind == Granularity::Kind::PerChannel) {
    reader["granularity"].fail("cannot be per channel for " + std::string(name(precision.type)) +
                                   " activations: magnitudes are observed per tensor",
                               "use per-tensor");
  }
}

NodePrecision readPrecision(const Reader& reader) {
  NodePrecision precision = defaultPrecision();
  if (reader.json().is_string()) {
    if (reader.text() != "fp32") {
      reader.fail("is the unknown precision '" + reader.text() + "'",
                  "write \"fp32\" or an object with weight, activation and output");
    }
    precision.float32 = true;
    return precision;
  }
  reader.requireKeys({"weight", "activation", "output"});
  if (reader.has("weight")) readWeight(reader["weight"], precision.weight);
  if (reader.has("activation")) readActivation(reader["activation"], precision.activation);
  precision.output = precision.activation;
  if (reader.has("output")) {
    precision.output = defaultPrecision().output;
    readActivation(reader["output"], precision.output);
  }
  return precision;
}

Convention readConvention(const Reader& reader) {
  const std::string text = reader.text();
  if (text == "onnx") return Convention::Onnx;
  if (text == "pytorch") return Convention::PyTorch;
  reader.fail("is the unknown convention '" + text + "'", "use onnx or pytorch");
}

PrecisionConfig readConfig(const Reader& reader) {
  reader.requireKeys({"quantscope", "backend", "convention", "calibration_samples", "default",
                      "nodes", "why", "pareto"});
  if (!reader.has("quantscope") || reader["quantscope"].integer() != 1) {
    reader.fail("is of another version", "write \"quantscope\": 1");
  }
  PrecisionConfig config;
  if (reader.has("backend")) config.backend = reader["backend"].text();
  if (reader.has("convention")) config.convention = readConvention(reader["convention"]);
  if (reader.has("calibration_samples")) {
    const std::int64_t count = reader["calibration_samples"].integer();
    if (count < 0) reader["calibration_samples"].fail("is negative", "write how many are needed");
    config.calibrationSamples = static_cast<std::size_t>(count);
  }
  if (reader.has("default")) config.defaults = readPrecision(reader["default"]);
  if (reader.has("nodes")) {
    const Reader nodes = reader["nodes"];
    if (!nodes.json().is_object()) nodes.fail("is not an object", "write {NODE: …}");
    for (const auto& [name, json] : nodes.json().items()) {
      config.nodes.emplace_back(name, readPrecision(nodes[name]));
    }
  }
  return config;
}

// nlohmann's parser keeps the last of two equal keys without a word.
Json parseWithoutDuplicates(std::string_view text, const std::string& source) {
  std::vector<std::set<std::string>> keys;
  const auto check = [&](int /*depth*/, Json::parse_event_t event, Json& parsed) {
    if (event == Json::parse_event_t::object_start) keys.emplace_back();
    if (event == Json::parse_event_t::object_end) keys.pop_back();
    if (event == Json::parse_event_t::key &&
        !keys.back().insert(parsed.get<std::string>()).second) {
      throw Error(ErrorCode::InvalidConfiguration,
                  "the key " + parsed.dump() + " stands twice in one object",
                  {.file = source, .node = {}, .value = {}}, "remove one of them");
    }
    return true;
  };
  try {
    return Json::parse(text, check);
  } catch (const Json::exception& error) {
    throw Error(ErrorCode::InvalidConfiguration,
                std::string("the configuration is not JSON: ") + error.what(),
                {.file = source, .node = {}, .value = {}}, "mend the text at that place");
  }
}

Json toJson(const TensorPrecision& precision, bool isWeight) {
  Json json;
  json["type"] = name(precision.type);
  json["symmetric"] = precision.symmetric;
  json["granularity"] = toString(precision.granularity);
  json["observer"] = toString(precision.observer);
  if (isWeight) {
    if (precision.lowest) json["qmin"] = *precision.lowest;
    if (precision.highest) json["qmax"] = *precision.highest;
  } else {
    json["mode"] = precision.dynamic ? "dynamic" : "static";
    if (precision.range) json["range"] = {precision.range->low, precision.range->high};
  }
  return json;
}

Json toJson(const NodePrecision& precision) {
  if (precision.float32) return "fp32";
  Json json;
  json["weight"] = toJson(precision.weight, true);
  json["activation"] = toJson(precision.activation, false);
  json["output"] = toJson(precision.output, false);
  return json;
}

}  // namespace

PrecisionConfig parsePrecisionConfig(std::string_view text, const std::string& source) {
  const Json json = parseWithoutDuplicates(text, source);
  return readConfig(Reader(json, "", source));
}

PrecisionConfig readPrecisionConfig(const std::filesystem::path& file) {
  return parsePrecisionConfig(readFile(file, kMaxBytes), file.string());
}

std::string toJson(const PrecisionConfig& config) {
  Json json;
  json["quantscope"] = 1;
  json["backend"] = config.backend;
  json["convention"] = config.convention == Convention::Onnx ? "onnx" : "pytorch";
  if (config.calibrationSamples > 0) json["calibration_samples"] = config.calibrationSamples;
  json["default"] = toJson(config.defaults);
  if (!config.nodes.empty()) {
    Json& nodes = json["nodes"] = Json::object();
    for (const auto& [node, precision] : config.nodes) nodes[node] = toJson(precision);
  }
  return json.dump(2) + "\n";
}

}  // namespace quantscope
