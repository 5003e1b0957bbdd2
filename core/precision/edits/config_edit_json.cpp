#include <array>
#include <nlohmann/json.hpp>
#include <utility>

#include "precision/config/json_reader.h"
#include "precision/config/precision_json.h"
#include "precision/edits/config_edit.h"

namespace quantscope {
namespace {

using Json = nlohmann::ordered_json;
using Place = ConfigStep::Place;

constexpr std::array<std::pair<Place, const char*>, 12> kKeys{{
    {Place::Backend, "backend"},
    {Place::Convention, "convention"},
    {Place::Bias, "bias"},
    {Place::CalibrationSamples, "calibration_samples"},
    {Place::Detectors, "detectors"},
    {Place::Default, "default"},
    {Place::OpType, "op_types"},
    {Place::Pattern, "patterns"},
    {Place::Node, "nodes"},
    {Place::Groups, "groups"},
    {Place::Encoding, "encodings"},
    {Place::Equalize, "equalize"},
}};

const char* keyOf(Place place) {
  return kKeys[static_cast<std::size_t>(place)].second;
}

Place readPlace(const JsonReader& reader) {
  const std::string key = reader.text();
  std::string known;
  for (const auto& [place, name] : kKeys) {
    if (key == name) return place;
    known += (known.empty() ? "" : ", ") + std::string(name);
  }
  reader.fail("is the unknown key '" + key + "'", "use one of " + known);
}

bool hasName(Place place) {
  return place == Place::OpType || place == Place::Pattern || place == Place::Node ||
         place == Place::Encoding || place == Place::Equalize;
}

struct ValueJson {
  Json operator()(std::monostate /*nothing*/) const { return nullptr; }
  Json operator()(const std::string& text) const { return text; }
  Json operator()(Convention convention) const { return name(convention); }
  Json operator()(BiasRule rule) const { return name(rule); }
  Json operator()(std::size_t count) const { return count; }
  Json operator()(const std::vector<float>& factors) const { return factors; }
  template <class Of>
  Json operator()(const Of& value) const {
    return toJson(value);
  }
};

ConfigStep::Value readValue(const JsonReader& reader, Place place) {
  switch (place) {
    case Place::Backend:
      return reader.text();
    case Place::Convention:
      return readConvention(reader);
    case Place::Bias:
      return readBiasRule(reader);
    case Place::CalibrationSamples:
      return readCount(reader);
    case Place::Detectors:
      return readThresholds(reader);
    case Place::Default:
    case Place::OpType:
    case Place::Pattern:
    case Place::Node:
      return readNodePrecision(reader);
    case Place::Groups:
      return readHandSharing(reader);
    case Place::Encoding:
      return readEncoding(reader);
    case Place::Equalize:
      break;
  }
  return readFactors(reader);
}

Json toJson(const ConfigStep& step) {
  Json json{{"set", keyOf(step.place)}};
  if (hasName(step.place)) {
    json["name"] = step.place == Place::Encoding ? pointKey(step.point) : step.name;
  }
  if (!std::holds_alternative<std::monostate>(step.value)) {
    json["value"] = std::visit(ValueJson(), step.value);
  }
  if (step.position) json["position"] = *step.position;
  return json;
}

ConfigStep readStep(const JsonReader& reader) {
  reader.requireKeys({"set", "name", "value", "position"});
  ConfigStep step;
  step.place = readPlace(reader.required("set"));
  if (step.place == Place::Encoding) {
    step.point = pointFromKey(reader.required("name").text(), reader["name"]);
  } else if (hasName(step.place)) {
    step.name = reader.required("name").text();
  } else if (reader.has("name")) {
    reader["name"].fail("has no meaning for " + std::string(keyOf(step.place)), "leave it out");
  }
  if (step.place == Place::Pattern) readPattern(reader["name"]);
  if (reader.has("value")) {
    step.value = readValue(reader["value"], step.place);
  } else if (!hasName(step.place) && step.place != Place::Bias) {
    reader.fail("has no value", "add 'value'");
  }
  if (reader.has("position")) step.position = readCount(reader["position"]);
  return step;
}

}  // namespace

Json toJson(const ConfigEdit& edit) {
  Json steps = Json::array();
  for (const ConfigStep& step : edit.steps) steps.push_back(toJson(step));
  return {{"sentence", edit.sentence}, {"steps", std::move(steps)}};
}

ConfigEdit readConfigEdit(const JsonReader& reader) {
  reader.requireKeys({"sentence", "steps"});
  ConfigEdit edit{reader.required("sentence").text(), {}};
  for (const JsonReader& step : reader.required("steps").elements()) {
    edit.steps.push_back(readStep(step));
  }
  return edit;
}

}  // namespace quantscope
