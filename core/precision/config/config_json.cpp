#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "base/error.h"
#include "base/files/input_file.h"
#include "precision/backend/backend.h"
#include "precision/config/configuration.h"
#include "precision/config/json_reader.h"
#include "precision/config/precision_json.h"

namespace quantscope {
namespace {

// Far more than an entry for each node of the largest models.
constexpr std::uint64_t kMaxBytes = std::uint64_t{1} << 26;

const std::string kWhole = "the configuration";

Granularity readGranularity(const JsonReader& reader) {
  const std::optional<Granularity> granularity = granularityFromText(reader.text());
  if (!granularity) {
    reader.fail("is the unknown granularity '" + reader.text() + "'",
                "use per-tensor, per-channel, per-channel:AXIS or per-group:AXIS:SIZE with a SIZE "
                "from 1 to 2147483647");
  }
  return *granularity;
}

ObserverSpec readObserver(const JsonReader& reader) {
  const std::string text = reader.text();
  try {
    return parseObserver(text);
  } catch (const Error& error) {
    reader.fail("cannot be '" + text + "'", error.remedy());
  }
}

void readCommon(const JsonReader& reader, TensorPrecision& precision) {
  if (reader.has("type")) precision.type = readQuantType(reader["type"]);
  if (reader.has("symmetric")) precision.symmetric = reader["symmetric"].boolean();
  if (isQuantized(precision.type) && !canBeAsymmetric(precision.type)) {
    if (reader.has("symmetric") && !precision.symmetric) {
      reader["symmetric"].fail("cannot be false for " + std::string(name(precision.type)),
                               "write true, or use an integer type");
    }
    precision.symmetric = true;  // the default of activations is for integers
  }
  if (reader.has("granularity")) {
    precision.granularity = readGranularity(reader["granularity"]);
  }
  if (reader.has("observer")) precision.observer = readObserver(reader["observer"]);
}

std::int32_t readCode(const JsonReader& reader, QuantType type) {
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

// Two codes at least, and of a symmetric grid at least one above its zero point.
void readCodes(const JsonReader& reader, TensorPrecision& precision) {
  if (reader.has("qmin")) precision.lowest = readCode(reader["qmin"], precision.type);
  if (reader.has("qmax")) precision.highest = readCode(reader["qmax"], precision.type);
  if (!precision.lowest && !precision.highest) return;
  const std::int32_t lowest = precision.lowest.value_or(lowestCode(precision.type));
  const std::int32_t highest = precision.highest.value_or(highestCode(precision.type));
  if (lowest >= highest) {
    reader.fail("has a qmin that is not below its qmax", "write the lower code as qmin");
  }
  const bool anyAbove = lowest < 0 ? highest > 0 : highest - lowest > 1;
  if (precision.symmetric && !anyAbove) {
    reader.fail("is symmetric but has no code above its zero point",
                "widen qmin … qmax, or write \"symmetric\": false");
  }
}

Range readRange(const JsonReader& reader) {
  const JsonReader::Json& json = reader.json();
  if (!json.is_array() || json.size() != 2 || !json[0].is_number() || !json[1].is_number()) {
    reader.fail("is not a range", "write [low, high]");
  }
  const Range range{json[0].get<float>(), json[1].get<float>(), false};
  if (!std::isfinite(range.low) || !std::isfinite(range.high)) {
    reader.fail("has an end that float32 does not hold", "write numbers up to 3.4e38");
  }
  if (range.low >= range.high) {
    reader.fail("has a low end that is not below its high end", "write [low, high]");
  }
  return range;
}

void readOwnRange(const JsonReader& reader, TensorPrecision& precision) {
  if (!reader.has("range")) return;
  precision.range = readRange(reader["range"]);
  if (hasScale(precision.type)) return;
  reader["range"].fail(
      "has no meaning for " + std::string(name(precision.type)) + ", which has no scale",
      "leave it out");
}

void readWeight(const JsonReader& reader, TensorPrecision& precision) {
  reader.requireKeys({"type", "symmetric", "granularity", "observer", "range", "qmin", "qmax"});
  readCommon(reader, precision);
  readCodes(reader, precision);
  readOwnRange(reader, precision);
}

void readActivation(const JsonReader& reader, TensorPrecision& precision) {
  reader.requireKeys(
      {"type", "symmetric", "granularity", "observer", "mode", "range", "qmin", "qmax"});
  readCommon(reader, precision);
  readCodes(reader, precision);
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
  readOwnRange(reader, precision);
  if (precision.range && precision.dynamic) {
    reader.fail("has a range although it is dynamic", "leave one of them out");
  }
  if (isSignCode(precision.type) && precision.granularity.kind == Granularity::Kind::PerChannel) {
    reader["granularity"].fail("cannot be per channel for " + std::string(name(precision.type)) +
                                   " activations: magnitudes are observed per tensor",
                               "use per-tensor");
  }
}

}  // namespace

NodePrecision readNodePrecision(const JsonReader& reader) {
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

Convention readConvention(const JsonReader& reader) {
  const std::string text = reader.text();
  if (text == "onnx") return Convention::Onnx;
  if (text == "pytorch") return Convention::PyTorch;
  reader.fail("is the unknown convention '" + text + "'", "use onnx or pytorch");
}

NamePattern readPattern(const JsonReader& reader) {
  try {
    return NamePattern(reader.text());
  } catch (const Error& error) {
    reader.fail("is not a valid pattern: " + error.sentence(), error.remedy());
  }
}

QuantType readQuantType(const JsonReader& reader) {
  const std::optional<QuantType> type = quantTypeFromName(reader.text());
  if (!type) {
    reader.fail("is the unknown type '" + reader.text() + "'", "use one of " + quantTypeNames());
  }
  return *type;
}

std::size_t readCount(const JsonReader& reader) {
  const std::int64_t count = reader.integer();
  if (count < 0) reader.fail("is negative", "write a number from 0");
  return static_cast<std::size_t>(count);
}

namespace {

std::vector<std::pair<std::string, NodePrecision>> readNamed(const JsonReader& reader) {
  std::vector<std::pair<std::string, NodePrecision>> list;
  for (const auto& [name, entry] : reader.entries())
    list.emplace_back(name, readNodePrecision(entry));
  return list;
}

std::vector<PatternPrecision> readPatterns(const JsonReader& reader) {
  std::vector<PatternPrecision> list;
  for (const JsonReader& entry : reader.elements()) {
    entry.requireKeys({"match", "use"});
    NamePattern match = readPattern(entry.required("match"));
    if (std::ranges::find(list, match, &PatternPrecision::match) != list.end()) {
      entry["match"].fail("stands twice, so that the second one takes nothing", "remove one");
    }
    list.push_back({std::move(match), readNodePrecision(entry.required("use"))});
  }
  return list;
}

double readShare(const JsonReader& reader) {
  const double value = reader.real();
  if (value >= 0 && value <= 1) return reader.json().get<double>();
  reader.fail("is out of range", "write a number from 0 to 1");
}

// The value is checked as a float: one that rounds to 0 or 1 counts as 0 or 1.
double readOpenShare(const JsonReader& reader) {
  const double value = reader.real();
  if (value > 0 && value < 1) return reader.json().get<double>();
  reader.fail("is out of range", "write a number between 0 and 1, neither of them");
}

double readRatio(const JsonReader& reader) {
  if (reader.real() > 0) return reader.json().get<double>();
  reader.fail("is out of range", "write a number above 0");
}

int readAxis(const JsonReader& reader) {
  const std::int64_t axis = reader.integer();
  if (axis >= 0 && axis <= std::numeric_limits<int>::max()) return static_cast<int>(axis);
  reader.fail("is no axis", "write 0 or more, 1 for the channels of images");
}

}  // namespace

DetectorThresholds readThresholds(const JsonReader& reader) {
  reader.requireKeys({"equalization_ratio", "outlier_ratio", "reference_percentile",
                      "dynamic_tolerance", "batches_used", "channel_axis"});
  DetectorThresholds thresholds;
  const auto read = [&](const char* key, auto& value, const auto& readAs) {
    if (reader.has(key)) value = readAs(reader[key]);
  };
  read("equalization_ratio", thresholds.equalizationRatio, readOpenShare);
  read("outlier_ratio", thresholds.outlierRatio, readRatio);
  read("reference_percentile", thresholds.referencePercentile, readShare);
  read("dynamic_tolerance", thresholds.dynamicTolerance, readShare);
  read("batches_used", thresholds.batchesUsed, readShare);
  read("channel_axis", thresholds.channelAxis, readAxis);
  return thresholds;
}

namespace {

Configuration readConfig(const JsonReader& reader) {
  reader.requireKeys({"quantscope", "backend",   "convention", "bias",     "calibration_samples",
                      "detectors",  "default",   "op_types",   "patterns", "nodes",
                      "groups",     "encodings", "repairs",    "why",      "pareto",
                      "gap",        "cost",      "notices",    "complete", "synthetic"});
  if (!reader.has("quantscope") || reader["quantscope"].integer() != 1) {
    reader.fail("is of another version", "write \"quantscope\": 1");
  }
  PrecisionConfig config;
  if (reader.has("backend")) config.backend = reader["backend"].text();
  if (reader.has("convention")) config.convention = readConvention(reader["convention"]);
  if (reader.has("bias")) config.bias = readBiasRule(reader["bias"]);
  if (reader.has("calibration_samples")) {
    config.calibrationSamples = readCount(reader["calibration_samples"]);
  }
  if (reader.has("default")) config.defaults = readNodePrecision(reader["default"]);
  if (reader.has("op_types")) config.opTypes = readNamed(reader["op_types"]);
  if (reader.has("patterns")) config.patterns = readPatterns(reader["patterns"]);
  if (reader.has("nodes")) config.nodes = readNamed(reader["nodes"]);
  if (reader.has("groups")) config.groups = readHandSharing(reader["groups"]);
  Configuration whole(std::move(config));
  if (reader.has("detectors")) whole.detectors = readThresholds(reader["detectors"]);
  if (reader.has("encodings")) whole.encodings = readEncodings(reader["encodings"]);
  if (reader.has("repairs")) whole.repairs = readRepairs(reader["repairs"]);
  return whole;
}

}  // namespace

namespace {

std::filesystem::path wholePathOf(const std::filesystem::path& path) {
  return std::filesystem::absolute(path).lexically_normal();
}

Configuration withBackend(Configuration config, const std::filesystem::path& file) {
  config.precision.edit([&](PrecisionConfig& precision) { precision.backend = file.string(); });
  return config;
}

}  // namespace

Configuration parseConfiguration(std::string_view text, const std::string& source) {
  const JsonReader::Json json = parseStrictJson(text, source, kWhole);
  return readConfig(JsonReader(json, source, kWhole));
}

Configuration readConfiguration(const std::filesystem::path& file) {
  Configuration config = parseConfiguration(readFile(file, kMaxBytes), file.string());
  const std::filesystem::path backend = config.precision->backend;
  if (!isBackendFile(backend.string())) return config;
  const std::filesystem::path beside = file.parent_path() / backend;
  const auto isThere = [](const std::filesystem::path& path) {
    std::error_code ignored;
    return std::filesystem::is_regular_file(path, ignored);
  };
  return withBackend(std::move(config),
                     wholePathOf(isThere(beside) || !isThere(backend) ? beside : backend));
}

Configuration configurationFor(const std::filesystem::path& file, Configuration config) {
  const std::filesystem::path backend = config.precision->backend;
  if (!isBackendFile(backend.string())) return config;
  const std::filesystem::path seen =
      wholePathOf(backend).lexically_relative(wholePathOf(file).parent_path());
  // Without a dot or a folder it would be a name.
  return withBackend(std::move(config), isBackendFile(seen.string()) ? seen : "." / seen);
}

}  // namespace quantscope
