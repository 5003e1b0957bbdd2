#include <array>
#include <nlohmann/json.hpp>
#include <utility>

#include "precision/config/json_reader.h"
#include "precision/config/precision_json.h"
#include "precision/edits/config_edit.h"

namespace quantscope {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::array<std::pair<ConfigStep::Entry, const char*>, 12> kKeys{{
    {ConfigStep::Entry::Backend, "backend"},
    {ConfigStep::Entry::Convention, "convention"},
    {ConfigStep::Entry::Bias, "bias"},
    {ConfigStep::Entry::CalibrationSamples, "calibration_samples"},
    {ConfigStep::Entry::Detectors, "detectors"},
    {ConfigStep::Entry::Default, "default"},
    {ConfigStep::Entry::OpType, "op_types"},
    {ConfigStep::Entry::Pattern, "patterns"},
    {ConfigStep::Entry::Node, "nodes"},
    {ConfigStep::Entry::Groups, "groups"},
    {ConfigStep::Entry::Encoding, "encodings"},
    {ConfigStep::Entry::Equalize, "equalize"},
}};

const char* keyOf(ConfigStep::Entry place) {
  return kKeys[static_cast<std::size_t>(place)].second;
}

ConfigStep::Entry readPlace(const JsonReader& reader) {
  const std::string key = reader.text();
  std::string known;
  for (const auto& [place, name] : kKeys) {
    if (key == name) return place;
    known += (known.empty() ? "" : ", ") + std::string(name);
  }
  reader.fail("is the unknown key '" + key + "'", "use one of " + known);
}

bool hasName(ConfigStep::Entry place) {
  return place == ConfigStep::Entry::OpType || place == ConfigStep::Entry::Pattern ||
         place == ConfigStep::Entry::Node || place == ConfigStep::Entry::Encoding ||
         place == ConfigStep::Entry::Equalize;
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

ConfigStep::Value readValue(const JsonReader& reader, ConfigStep::Entry place) {
  switch (place) {
    case ConfigStep::Entry::Backend:
      return reader.text();
    case ConfigStep::Entry::Convention:
      return readConvention(reader);
    case ConfigStep::Entry::Bias:
      return readBiasRule(reader);
    case ConfigStep::Entry::CalibrationSamples:
      return readCount(reader);
    case ConfigStep::Entry::Detectors:
      return readThresholds(reader);
    case ConfigStep::Entry::Default:
    case ConfigStep::Entry::OpType:
    case ConfigStep::Entry::Pattern:
    case ConfigStep::Entry::Node:
      return readNodePrecision(reader);
    case ConfigStep::Entry::Groups:
      return readHandSharing(reader);
    case ConfigStep::Entry::Encoding:
      return readEncoding(reader);
    case ConfigStep::Entry::Equalize:
      break;
  }
  return readFactors(reader);
}

Json toJson(const ConfigStep& step) {
  Json json{{"set", keyOf(step.place)}};
  if (hasName(step.place)) {
    json["name"] = step.place == ConfigStep::Entry::Encoding ? pointKey(step.point) : step.name;
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
  if (step.place == ConfigStep::Entry::Encoding) {
    step.point = pointFromKey(reader.required("name").text(), reader["name"]);
  } else if (hasName(step.place)) {
    step.name = reader.required("name").text();
  } else if (reader.has("name")) {
    reader["name"].fail("has no meaning for " + std::string(keyOf(step.place)), "leave it out");
  }
  if (step.place == ConfigStep::Entry::Pattern) readPattern(reader["name"]);
  if (reader.has("value")) {
    step.value = readValue(reader["value"], step.place);
  } else if (!hasName(step.place) && step.place != ConfigStep::Entry::Bias) {
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
