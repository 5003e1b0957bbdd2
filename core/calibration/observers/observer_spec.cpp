#include "calibration/observers/observer_spec.h"

#include <charconv>
#include <cstddef>
#include <optional>
#include <vector>

#include "base/error.h"
#include "base/number_text.h"

namespace quantscope {
namespace {

constexpr int kMaxBins = 65536;

std::vector<std::string_view> split(std::string_view text) {
  std::vector<std::string_view> parts;
  for (std::size_t colon = text.find(':'); colon != std::string_view::npos;
       colon = text.find(':')) {
    parts.push_back(text.substr(0, colon));
    text.remove_prefix(colon + 1);
  }
  parts.push_back(text);
  return parts;
}

template <class Number>
std::optional<Number> toNumber(std::string_view text) {
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

[[noreturn]] void refuse(std::string_view text, std::string remedy) {
  throw Error(ErrorCode::InvalidConfiguration, "\"" + std::string(text) + "\" is no observer", {},
              std::move(remedy));
}

[[noreturn]] void refuseUnknown(std::string_view text) {
  refuse(text,
         "use minmax, moving-average[:C], histogram[:BINS], percentile:LO:HI, mse, kl or "
         "max-code-entropy");
}

ObserverSpec parseMovingAverage(std::string_view text, std::string_view constant) {
  ObserverSpec observer{.kind = ObserverSpec::Kind::MovingAverage};
  observer.averagingConstant = toNumber<double>(constant).value_or(-1);
  if (!(observer.averagingConstant > 0 && observer.averagingConstant <= 1)) {
    refuse(text, "give a constant above 0 and up to 1, as in moving-average:0.01");
  }
  return observer;
}

ObserverSpec parseHistogram(std::string_view text, std::string_view bins) {
  ObserverSpec observer{.kind = ObserverSpec::Kind::Histogram};
  observer.bins = toNumber<int>(bins).value_or(-1);
  if (observer.bins < 2 || observer.bins > kMaxBins) {
    refuse(text, "give a number of bins from 2 to 65536, as in histogram:2048");
  }
  return observer;
}

ObserverSpec parsePercentile(std::string_view text, std::string_view low, std::string_view high) {
  ObserverSpec observer{.kind = ObserverSpec::Kind::Percentile};
  observer.lowPercent = toNumber<double>(low).value_or(-1);
  observer.highPercent = toNumber<double>(high).value_or(-1);
  if (!(observer.lowPercent >= 0 && observer.lowPercent < observer.highPercent &&
        observer.highPercent <= 100)) {
    refuse(text, "give two percentages from 0 to 100, as in percentile:0.1:99.9");
  }
  return observer;
}

}  // namespace

ObserverSpec parseObserver(std::string_view text) {
  const std::vector<std::string_view> parts = split(text);
  const std::string_view name = parts[0];
  const std::size_t arguments = parts.size() - 1;
  if (name == "minmax" && arguments == 0) return {};
  if (name == "mse" && arguments == 0) return {.kind = ObserverSpec::Kind::Mse};
  if ((name == "kl" || name == "entropy") && arguments == 0) {
    return {.kind = ObserverSpec::Kind::Kl};
  }
  if (name == "max-code-entropy" && arguments == 0) {
    return {.kind = ObserverSpec::Kind::MaxCodeEntropy};
  }
  if (name == "moving-average" && arguments == 0) {
    return {.kind = ObserverSpec::Kind::MovingAverage};
  }
  if (name == "moving-average" && arguments == 1) return parseMovingAverage(text, parts[1]);
  if (name == "histogram" && arguments == 0) return {.kind = ObserverSpec::Kind::Histogram};
  if (name == "histogram" && arguments == 1) return parseHistogram(text, parts[1]);
  if (name == "percentile" && arguments == 2) return parsePercentile(text, parts[1], parts[2]);
  refuseUnknown(text);
}

std::string toString(const ObserverSpec& observer) {
  const ObserverSpec defaults;
  switch (observer.kind) {
    case ObserverSpec::Kind::MinMax:
      break;
    case ObserverSpec::Kind::MovingAverage:
      if (observer.averagingConstant == defaults.averagingConstant) return "moving-average";
      return "moving-average:" + shortestText(observer.averagingConstant);
    case ObserverSpec::Kind::Histogram:
      if (observer.bins == defaults.bins) return "histogram";
      return "histogram:" + std::to_string(observer.bins);
    case ObserverSpec::Kind::Percentile:
      return "percentile:" + shortestText(observer.lowPercent) + ":" +
             shortestText(observer.highPercent);
    case ObserverSpec::Kind::Mse:
      return "mse";
    case ObserverSpec::Kind::Kl:
      return "kl";
    case ObserverSpec::Kind::MaxCodeEntropy:
      return "max-code-entropy";
  }
  return "minmax";
}

}  // namespace quantscope
