#include <CLI/CLI.hpp>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/number_text.h"
#include "data_options.h"
#include "engine/tensor_codes.h"
#include "export/json/json_number.h"
#include "jobs/quantize_tensor.h"
#include "precision/backend/without_effect.h"
#include "tensor/npy.h"

namespace quantscope::cli {
namespace {

using Json = nlohmann::ordered_json;

struct TensorOptions {
  TensorOptions() { precision.type = QuantType::Int8; }

  std::string in;
  std::string out;
  std::optional<std::string> codes;
  bool asymmetric = false;
  Convention convention = Convention::Onnx;
  TensorPrecision precision;
};

std::optional<float> toNumber(std::string_view text) {
  float number = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool isNumber = failure == std::errc() && end == text.data() + text.size();
  return isNumber && std::isfinite(number) ? std::optional(number) : std::nullopt;
}

[[noreturn]] void refuse(const std::string& option, const std::string& why) {
  throw CLI::ValidationError(option, why);
}

QuantType readType(const std::string& text) {
  const std::optional<QuantType> type = quantTypeFromName(text);
  if (!type) refuse("--type", "'" + text + "' is none of " + quantTypeNames());
  return *type;
}

// An array has no operator that could tell which axis its channels lie on.
Granularity readGranularity(const std::string& text) {
  const std::optional<Granularity> granularity = granularityFromText(text);
  const bool lacksAxis =
      granularity && granularity->kind != Granularity::Kind::PerTensor && !granularity->axis;
  if (!granularity || lacksAxis) {
    refuse("--granularity",
           "'" + text +
               "' is none of per-tensor, per-channel:AXIS, per-group:AXIS:SIZE with a SIZE from 1 "
               "to 2147483647");
  }
  return *granularity;
}

ObserverSpec readObserver(const std::string& text) {
  try {
    return parseObserver(text);
  } catch (const Error& error) {
    refuse("--observer", error.sentence() + ", " + error.remedy());
  }
}

Range readRange(const std::string& text) {
  const std::size_t colon = text.find(':');
  const std::optional<float> low = toNumber(std::string_view(text).substr(0, colon));
  const std::optional<float> high = colon == std::string::npos
                                        ? std::nullopt
                                        : toNumber(std::string_view(text).substr(colon + 1));
  if (!low || !high)
    refuse("--range", "'" + text + "' is not two numbers LO:HI that float32 holds");
  if (*low > *high) refuse("--range", "'" + text + "' has a low end above its high end");
  if (*low == *high) refuse("--range", "'" + text + "' is a single number, which sets no scale");
  return {*low, *high, false};
}

Convention readConvention(const std::string& text) {
  if (text != "onnx" && text != "pytorch") {
    refuse("--convention", "'" + text + "' is neither onnx nor pytorch");
  }
  return text == "onnx" ? Convention::Onnx : Convention::PyTorch;
}

void requireSense(const TensorOptions& options) {
  const QuantType type = options.precision.type;
  if (options.asymmetric && !canBeAsymmetric(type)) {
    refuse("--asymmetric", std::string(name(type)) + " has no zero point, only integers have");
  }
  if (options.precision.range && !hasScale(type)) {
    refuse("--range", std::string(name(type)) + " has no scale that a range could set");
  }
  if (options.codes && !isQuantized(type)) {
    refuse("--codes", std::string(name(type)) + " is not quantized: it has no codes");
  }
}

std::string whyNoConvention(QuantType type) {
  if (hasScale(type) && !isSignCode(type)) return {};
  return std::string(name(type)) +
         (hasScale(type) ? " has one rule for its scale" : " has no scale");
}

void noticeIdle(const std::string& option, const std::string& why,
                std::vector<std::string>& notices) {
  if (!why.empty()) notices.push_back(option + " has no effect: " + why);
}

Json observedNumber(const QuantizedTensor& result, float number) {
  return result.observed.empty ? Json(nullptr) : Json(number);
}

Json resultJson(const QuantizedTensor& result) {
  const QuantParams& params = result.params;
  const bool hasCodes = isInteger(params.type) || isSignCode(params.type);
  Json scale = Json::array();
  Json zeroPoint = Json::array();
  Json threshold = Json::array();
  for (const Grid& grid : params.grids) {
    scale.push_back(grid.scale);
    zeroPoint.push_back(grid.zeroPoint);
    threshold.push_back(grid.threshold);
  }
  Json json;
  json["type"] = name(params.type);
  json["scale"] = std::move(scale);
  json["zero_point"] = std::move(zeroPoint);
  if (params.type == QuantType::Ternary) json["threshold"] = std::move(threshold);
  json["qmin"] = hasCodes ? Json(params.qmin) : Json(nullptr);
  json["qmax"] = hasCodes ? Json(params.qmax) : Json(nullptr);
  json["observed_min"] = observedNumber(result, result.observed.low);
  json["observed_max"] = observedNumber(result, result.observed.high);
  json["sqnr_db"] = jsonNumber(result.errors.sqnrDb);
  json["mse"] = jsonNumber(result.errors.mse);
  json["max_abs"] = jsonNumber(result.errors.maxAbs);
  json["non_finite"] = result.nonFinite;
  json["overflows"] = result.overflows;
  return json;
}

std::string resultText(const QuantizedTensor& result, const TensorOptions& options) {
  const QuantParams& params = result.params;
  std::string text = std::string(name(params.type));
  if (canBeAsymmetric(params.type)) text += params.symmetric ? " symmetric" : " asymmetric";
  if (hasScale(params.type)) text += " " + toString(options.precision.granularity);
  if (params.grids.size() > 1) {
    text += ", " + counted(params.grids.size(), "scale");
  } else if (hasScale(params.type) && !params.grids.empty()) {
    text += ", scale " + exactNumber(params.grids.front().scale) + ", zero point " +
            std::to_string(params.grids.front().zeroPoint);
  }
  text += "\nSQNR " + shortNumber(result.errors.sqnrDb) + " dB, MSE " +
          shortNumber(result.errors.mse) + ", largest error " + shortNumber(result.errors.maxAbs) +
          "\n";
  if (result.nonFinite > 0) {
    text += counted(result.nonFinite, "element") + " of the array: NaN or infinite, not counted\n";
  }
  if (result.overflows > 0) {
    text += counted(result.overflows, "element") + " beyond the type's largest number: infinite\n";
  }
  text += counted(result.values.elementCount(), "element") + " written to " + options.out;
  return text + (options.codes ? ", their codes to " + *options.codes : "") + "\n";
}

std::string quantizeFile(const TensorOptions& options, const CommonOptions& common,
                         JobContext& job) {
  const Tensor array = readNpy(options.in);
  const std::size_t asFloats = array.elementCount() * sizeof(float);
  const std::size_t asRead = array.type() == ElementType::Float32 ? 0 : array.byteSize();
  const std::size_t asCodes = options.codes ? 2 * array.elementCount() : 0;
  requireBudget(job, 2 * asFloats + asRead + asCodes, "allow more, or cut the array into pieces");
  TensorPrecision precision = options.precision;
  precision.symmetric = !options.asymmetric;
  QuantizedTensor result;
  try {
    result = quantizeTensor(array, precision, options.convention);
  } catch (const Error& error) {
    throw error.at({.file = options.in, .node = {}, .value = {}});
  }
  job.throwIfCancelled();
  writeNpy(options.out, result.values);
  if (options.codes) writeNpy(*options.codes, codesOf(toFloat32(array), result.params));
  return common.json ? deliverJson(resultJson(result), *common.json) : resultText(result, options);
}

template <class Read, class Target>
CLI::Option* addParsed(CLI::App& command, const char* option, const char* help, const char* type,
                       const Read& read, Target& target) {
  return command
      .add_option_function<std::string>(
          option, [read, &target](const std::string& text) { target = read(text); }, help)
      ->type_name(type);
}

}  // namespace

void addTensor(CLI::App& app, Selection& selection) {
  CLI::App* command = app.add_subcommand(
      "tensor", "Fake-quantize one array: round it to a type and back, and measure the error");
  auto options = std::make_shared<TensorOptions>();
  TensorPrecision& precision = options->precision;
  command->add_option("IN", options->in, "Array (.npy)")->required()->type_name("");
  addParsed(*command, "--type", ("One of " + quantTypeNames() + " (default: int8)").c_str(), "TYPE",
            readType, precision.type);
  command->add_flag("--asymmetric", options->asymmetric,
                    "Use a zero point, for ranges that are not symmetric around 0");
  addParsed(*command, "--granularity",
            "per-tensor (default), per-channel:AXIS or per-group:AXIS:SIZE", "GRANULARITY",
            readGranularity, precision.granularity);
  const CLI::Option* observer =
      addParsed(*command, "--observer",
                "Observer that sets the range: minmax (default), percentile:LO:HI in percent, "
                "histogram[:BINS], mse, "
                "kl (or entropy), max-code-entropy (clips hard), moving-average[:C]",
                "OBSERVER", readObserver, precision.observer);
  addParsed(*command, "--range",
            "Range set by hand instead of an observer; symmetric types use the larger magnitude",
            "LO:HI", readRange, precision.range);
  const CLI::Option* convention =
      addParsed(*command, "--convention",
                "How a symmetric scale follows from a range: onnx (default) or pytorch",
                "CONVENTION", readConvention, options->convention);
  command->add_option("--out", options->out, "File for the result (.npy, float32)")
      ->required()
      ->type_name("FILE");
  command
      ->add_option("--codes", options->codes,
                   "File for the codes as well (.npy, int8, uint8, int16 or uint16)")
      ->type_name("FILE");
  command->parse_complete_callback([options] { requireSense(*options); });
  bindCommand(*command, selection, [&selection, options, observer, convention](JobContext& job) {
    const TensorPrecision& asked = options->precision;
    if (observer->count() > 0) {
      noticeIdle("--observer", whyNotObserved(asked, /*isWeight=*/false), selection.notices);
    }
    if (asked.granularity != Granularity()) {
      noticeIdle("--granularity", whyNoScales(asked.type), selection.notices);
    }
    if (convention->count() > 0) {
      noticeIdle("--convention", whyNoConvention(asked.type), selection.notices);
    }
    return quantizeFile(*options, selection.common, job);
  });
}

}  // namespace quantscope::cli
