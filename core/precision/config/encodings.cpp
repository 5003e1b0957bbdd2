#include "precision/config/encodings.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "base/number_text.h"
#include "precision/config/json_reader.h"

namespace quantscope {
namespace {

using Json = nlohmann::ordered_json;

QuantType readEncodingType(const JsonReader& reader) {
  const std::optional<QuantType> type = quantTypeFromName(reader.text());
  if (!type) {
    reader.fail("is the unknown type '" + reader.text() + "'", "use one of " + quantTypeNames());
  }
  if (!hasScale(*type)) reader.fail("has no scale", "remove the entry, or use another type");
  return *type;
}

// A single number is read as a list of one.
std::vector<JsonReader> listOf(const JsonReader& reader) {
  if (reader.json().is_number()) return {reader};
  std::vector<JsonReader> list = reader.elements();
  if (list.empty()) reader.fail("is empty", "write at least one number");
  return list;
}

float readScale(const JsonReader& reader) {
  const float scale = reader.real();
  if (!std::isnormal(scale) || scale < 0)
    reader.fail("is no scale", "write a number above 1.2e-38");
  return scale;
}

std::int32_t readZeroPoint(const JsonReader& reader, QuantType type) {
  const std::int64_t code = reader.integer();
  const bool known =
      isInteger(type) ? code >= lowestCode(type) && code <= highestCode(type) : code == 0;
  if (!known) {
    reader.fail("is no zero point of " + std::string(name(type)),
                isInteger(type) ? "stay within " + std::to_string(lowestCode(type)) + " … " +
                                      std::to_string(highestCode(type))
                                : "write 0");
  }
  return static_cast<std::int32_t>(code);
}

int readInt(const JsonReader& reader, int lowest) {
  const std::int64_t value = reader.integer();
  if (value < lowest || value > std::numeric_limits<int>::max()) {
    reader.fail("is out of range", "write a number from " + std::to_string(lowest));
  }
  return static_cast<int>(value);
}

bool isNames(const Json& json, std::size_t count) {
  return json.is_array() && json.size() == count && std::ranges::all_of(json, [](const Json& name) {
           return name.is_string() && !name.get_ref<const std::string&>().empty();
         });
}

std::string trimmed(const std::string& text) {
  const std::size_t first = text.find_first_not_of(' ');
  if (first == std::string::npos) return {};
  return text.substr(first, text.find_last_not_of(' ') - first + 1);
}

bool isBracketed(const std::string& key) {
  return key.size() > 2 && key.front() == '[' && key.back() == ']';
}

}  // namespace

std::int32_t symmetricZeroPoint(QuantType type) {
  if (!isInteger(type) || isSigned(type)) return 0;
  return (lowestCode(type) + highestCode(type) + 1) / 2;
}

const Encoding* Encodings::find(const PointName& point) const {
  const auto found =
      std::ranges::find_if(entries, [&](const auto& entry) { return entry.first == point; });
  return found == entries.end() ? nullptr : &found->second;
}

Encoding readEncoding(const JsonReader& reader) {
  reader.requireKeys({"type", "scale", "zero_point", "axis", "block_size"});
  Encoding encoding;
  encoding.type = readEncodingType(reader.required("type"));
  for (const JsonReader& scale : listOf(reader.required("scale"))) {
    encoding.scales.push_back(readScale(scale));
  }
  if (reader.has("zero_point")) {
    for (const JsonReader& code : listOf(reader["zero_point"])) {
      encoding.zeroPoints.push_back(readZeroPoint(code, encoding.type));
    }
    if (encoding.zeroPoints.size() != encoding.scales.size()) {
      reader["zero_point"].fail("has another length than 'scale'", "write one for each scale");
    }
  } else {
    encoding.zeroPoints.assign(encoding.scales.size(), symmetricZeroPoint(encoding.type));
  }
  if (reader.has("axis")) {
    encoding.axis = readInt(reader["axis"], std::numeric_limits<int>::min());
  }
  if (reader.has("block_size")) encoding.blockSize = readInt(reader["block_size"], 1);
  if (encoding.axis) return encoding;
  if (encoding.blockSize > 0) reader.fail("has a block_size without an axis", "add 'axis'");
  if (encoding.scales.size() > 1) {
    reader.fail("has several scales without an axis", "say with 'axis' what they lie along");
  }
  return encoding;
}

Encodings readEncodings(const JsonReader& reader) {
  Encodings encodings;
  for (const auto& [key, entry] : reader.entries()) {
    PointName point = pointFromKey(key, entry);
    if (encodings.find(point) != nullptr) {
      entry.fail("names " + describe(point) + " a second time", "remove one of them");
    }
    encodings.entries.emplace_back(std::move(point), readEncoding(entry));
  }
  return encodings;
}

Json toJson(const Encoding& encoding) {
  Json json;
  json["type"] = name(encoding.type);
  json["scale"] = encoding.scales;
  json["zero_point"] = encoding.zeroPoints;
  if (encoding.axis) json["axis"] = *encoding.axis;
  if (encoding.blockSize > 0) json["block_size"] = encoding.blockSize;
  return json;
}

Json toJson(const Encodings& encodings) {
  Json json = Json::object();
  for (const auto& [point, encoding] : encodings.entries) json[pointKey(point)] = toJson(encoding);
  return json;
}

std::string pointKey(const PointName& point) {
  Json names = Json::array({point.producer});
  if (!point.isOutput()) {
    names.push_back(point.consumer);
  } else if (!isBracketed(point.producer)) {
    return point.producer;
  }
  return names.dump(-1, ' ', false, Json::error_handler_t::replace);
}

PointName pointFromKey(const std::string& key, const JsonReader& entry) {
  if (key.empty()) entry.fail("has no name", "write the name of a node or an initializer");
  if (!isBracketed(key)) return {key, {}};
  const Json names = Json::parse(key, nullptr, false);
  if (isNames(names, 1)) return {names[0].get<std::string>(), {}};
  if (isNames(names, 2)) return {names[0].get<std::string>(), names[1].get<std::string>()};
  const std::size_t comma = key.find(',');
  if (comma == std::string::npos || key.find('"') != std::string::npos) return {key, {}};
  PointName point{trimmed(key.substr(1, comma - 1)),
                  trimmed(key.substr(comma + 1, key.size() - comma - 2))};
  const bool complete = !point.producer.empty() && !point.consumer.empty() &&
                        point.consumer.find(',') == std::string::npos;
  if (!complete) {
    entry.fail("names no point", R"(write ["PRODUCER","CONSUMER"] for an edge, as a JSON text)");
  }
  return point;
}

std::string words(const Encoding& encoding) {
  std::string text(name(encoding.type));
  if (!encoding.axis) {
    return text + " scale " + shortestText(encoding.scales.front()) + " zero point " +
           std::to_string(encoding.zeroPoints.front());
  }
  text += " " + std::to_string(encoding.scales.size()) + " scales ";
  if (encoding.blockSize > 0) text += "in blocks of " + std::to_string(encoding.blockSize) + " ";
  return text + "along axis " + std::to_string(*encoding.axis);
}

std::string encodingPath(const PointName& point) {
  return "encodings." + pointKey(point);
}

}  // namespace quantscope
