#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "base/files/input_file.h"
#include "calibration/images/preprocessing.h"

namespace quantscope {
namespace {

using Json = nlohmann::json;

constexpr int kMaxSide = 16384;
constexpr std::uint64_t kMaxBytes = 1U << 20;

Error wrong(const std::string& key, const std::string& wanted, const Place& place) {
  return {ErrorCode::InvalidConfiguration, "the preprocessing's key \"" + key + "\" is not valid",
          place, "it takes " + wanted};
}

PictureSize parseSize(const Json& value, const std::string& key, const Place& place) {
  const auto isSide = [](const Json& side) {
    return side.is_number_integer() && side >= 1 && side <= kMaxSide;
  };
  if (!value.is_array() || value.size() != 2 || !isSide(value[0]) || !isSide(value[1]) ||
      value[0].get<std::int64_t>() * value[1].get<std::int64_t>() > kMaxPixels) {
    throw wrong(key, "[height, width], each from 1 to " + std::to_string(kMaxSide), place);
  }
  return {.height = value[0].get<int>(), .width = value[1].get<int>()};
}

double parseNumber(const Json& value, const std::string& key, const Place& place) {
  if (!value.is_number() || !std::isfinite(value.get<double>())) {
    throw wrong(key, "a number", place);
  }
  return value.get<double>();
}

std::vector<double> parseNumbers(const Json& value, const std::string& key, const Place& place) {
  if (!value.is_array() || value.empty()) {
    throw wrong(key, "an array with one number per channel, or one for all", place);
  }
  std::vector<double> numbers;
  for (const Json& number : value) numbers.push_back(parseNumber(number, key, place));
  return numbers;
}

template <class Enum, std::size_t kCount>
Enum parseChoice(const Json& value, const std::string& key,
                 const std::array<std::pair<const char*, Enum>, kCount>& choices,
                 const Place& place) {
  std::string list;
  for (const auto& [name, choice] : choices) {
    if (value == name) return choice;
    list += (list.empty() ? "\"" : ", \"") + std::string(name) + "\"";
  }
  throw wrong(key, "one of " + list, place);
}

constexpr std::array<std::pair<const char*, Preprocessing::Resize>, 3> kResizes{
    {{"stretch", Preprocessing::Resize::Stretch},
     {"shorter-side", Preprocessing::Resize::ShorterSide},
     {"letterbox", Preprocessing::Resize::Letterbox}}};
constexpr std::array<std::pair<const char*, Preprocessing::Color>, 3> kColors{
    {{"rgb", Preprocessing::Color::Rgb},
     {"bgr", Preprocessing::Color::Bgr},
     {"gray", Preprocessing::Color::Gray}}};
constexpr std::array<std::pair<const char*, Preprocessing::Order>, 2> kOrders{
    {{"nchw", Preprocessing::Order::Nchw}, {"nhwc", Preprocessing::Order::Nhwc}}};

template <class Enum, std::size_t kCount>
const char* nameOf(Enum value, const std::array<std::pair<const char*, Enum>, kCount>& choices) {
  for (const auto& [name, choice] : choices) {
    if (value == choice) return name;
  }
  return "";
}

void parseKey(Preprocessing& result, const std::string& key, const Json& value,
              const Place& place) {
  if (key == "size") {
    result.size = parseSize(value, key, place);
  } else if (key == "resize") {
    result.resize = parseChoice(value, key, kResizes, place);
  } else if (key == "crop") {
    result.crop = parseSize(value, key, place);
  } else if (key == "color") {
    result.color = parseChoice(value, key, kColors, place);
  } else if (key == "scale") {
    result.scale = parseNumber(value, key, place);
  } else if (key == "mean") {
    result.mean = parseNumbers(value, key, place);
  } else if (key == "std") {
    result.std = parseNumbers(value, key, place);
  } else if (key == "layout") {
    result.order = parseChoice(value, key, kOrders, place);
  } else {
    throw Error(ErrorCode::InvalidConfiguration,
                "the preprocessing has the unknown key \"" + key + "\"", place,
                "the keys are size, resize, crop, color, scale, mean, std and layout");
  }
}

// Called once all keys are known, because the allowed values of some depend on others.
void requireConsistent(const Preprocessing& result, const Place& place) {
  const auto fits = [&](const std::vector<double>& numbers) {
    return numbers.size() <= 1 || numbers.size() == result.channels();
  };
  const std::string perChannel =
      "one number for each of the " + std::to_string(result.channels()) + " channels, or one";
  if (!fits(result.mean)) throw wrong("mean", perChannel, place);
  if (!fits(result.std)) throw wrong("std", perChannel, place);
  for (const double deviation : result.std) {
    if (deviation <= 0) throw wrong("std", "numbers above 0", place);
  }
}

}  // namespace

Preprocessing parsePreprocessing(std::string_view json, const Place& place) {
  const Json document = Json::parse(json, nullptr, /*allow_exceptions=*/false);
  if (!document.is_object()) {
    throw Error(ErrorCode::InvalidConfiguration, "the preprocessing is not a JSON object", place,
                R"(write it like {"size": [224, 224], "scale": 0.00392})");
  }
  Preprocessing result;
  for (const auto& [key, value] : document.items()) parseKey(result, key, value, place);
  requireConsistent(result, place);
  return result;
}

Preprocessing readPreprocessing(const std::filesystem::path& file) {
  return parsePreprocessing(readFile(file, kMaxBytes),
                            {.file = file.string(), .node = {}, .value = {}});
}

std::string toJson(const Preprocessing& preprocessing) {
  nlohmann::ordered_json json;
  const auto setSize = [&](const char* key, const std::optional<PictureSize>& size) {
    if (size) json[key] = {size->height, size->width};
  };
  setSize("size", preprocessing.size);
  json["resize"] = nameOf(preprocessing.resize, kResizes);
  setSize("crop", preprocessing.crop);
  json["color"] = nameOf(preprocessing.color, kColors);
  json["scale"] = preprocessing.scale;
  if (!preprocessing.mean.empty()) json["mean"] = preprocessing.mean;
  if (!preprocessing.std.empty()) json["std"] = preprocessing.std;
  json["layout"] = nameOf(preprocessing.order, kOrders);
  return json.dump();
}

}  // namespace quantscope
