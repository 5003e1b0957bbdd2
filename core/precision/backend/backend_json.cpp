#include <algorithm>
#include <map>

#include "base/error.h"
#include "precision/backend/backend.h"
#include "precision/config/json_reader.h"
#include "precision/config/precision_json.h"
#include "precision/layers/float_regions.h"

namespace quantscope {
namespace {

const std::string kBackend = "the backend";

using Tensors = std::map<std::string, TensorAbility>;

// "per-tensor", "per-channel" (of the output), "per-channel:any", "per-group:any", "per-group:64".
GranularityChoice readGranularityChoice(const JsonReader& reader) {
  const std::string text = reader.text();
  if (text == "per-tensor") return {};
  if (text == "per-channel") return {Granularity::Kind::PerChannel, false, 0};
  if (text == "per-channel:any") return {Granularity::Kind::PerChannel, true, 0};
  if (text == "per-group:any") return {Granularity::Kind::PerGroup, true, 0};
  // The same form as in a configuration, without the axis.
  const std::string prefix = "per-group:";
  if (text.starts_with(prefix)) {
    const auto group = granularityFromText("per-group:0:" + text.substr(prefix.size()));
    if (group) return {Granularity::Kind::PerGroup, true, group->groupSize};
  }
  reader.fail("is the unknown granularity '" + text + "'",
              "use per-tensor, per-channel, per-channel:any, per-group:any or per-group:SIZE");
}

TensorAbility readAbility(const JsonReader& reader) {
  reader.requireKeys({"types", "granularity", "symmetry"});
  TensorAbility ability;
  for (const JsonReader& type : reader.required("types").elements()) {
    ability.types.push_back(readQuantType(type));
  }
  if (ability.types.empty()) reader["types"].fail("is empty", "name at least one type");
  if (reader.has("granularity")) {
    ability.granularities.clear();
    for (const JsonReader& choice : reader["granularity"].elements()) {
      ability.granularities.push_back(readGranularityChoice(choice));
    }
    if (ability.granularities.empty()) reader["granularity"].fail("is empty", "name one");
  }
  if (reader.has("symmetry")) {
    ability.symmetric = ability.asymmetric = false;
    for (const JsonReader& symmetry : reader["symmetry"].elements()) {
      const std::string text = symmetry.text();
      if (text != "symmetric" && text != "asymmetric") {
        symmetry.fail("is the unknown symmetry '" + text + "'", "use symmetric or asymmetric");
      }
      (text == "symmetric" ? ability.symmetric : ability.asymmetric) = true;
    }
    if (!ability.symmetric && !ability.asymmetric) reader["symmetry"].fail("is empty", "name one");
  }
  return ability;
}

Tensors readTensors(const JsonReader& reader) {
  Tensors tensors;
  for (const auto& [name, entry] : reader.entries()) tensors.emplace(name, readAbility(entry));
  return tensors;
}

std::vector<std::string> readOperators(const JsonReader& reader) {
  std::vector<std::string> list = reader.texts();
  if (list.empty()) reader.fail("is empty", "name at least one operator");
  return list;
}

OperatorWay readWay(const JsonReader& reader, const Tensors& tensors) {
  reader.requireKeys({"operators", "mode", "weight", "activation", "output"});
  const auto tensor = [&](const char* key) -> std::optional<TensorAbility> {
    if (!reader.has(key)) return std::nullopt;
    const std::string name = reader[key].text();
    const auto found = tensors.find(name);
    if (found == tensors.end()) {
      reader[key].fail("names '" + name + "', which 'tensors' does not have", "add it there");
    }
    return found->second;
  };
  OperatorWay way;
  way.operators = readOperators(reader.required("operators"));
  const std::string mode = reader.required("mode").text();
  if (mode != "static" && mode != "dynamic") {
    reader["mode"].fail("is the unknown mode '" + mode + "'", "use static or dynamic");
  }
  way.dynamic = mode == "dynamic";
  way.weight = tensor("weight");
  way.activation = tensor("activation");
  way.output = reader.has("output") ? tensor("output") : way.activation;
  return way;
}

FixedOutput readFixed(const JsonReader& reader) {
  reader.requireKeys({"operators", "type", "scale", "zero_point"});
  FixedOutput fixed;
  fixed.operators = readOperators(reader.required("operators"));
  fixed.type = readQuantType(reader.required("type"));
  if (!isInteger(fixed.type)) reader["type"].fail("is no integer type", "use one");
  fixed.grid.scale = reader.required("scale").real();
  if (!(fixed.grid.scale > 0)) reader["scale"].fail("is not above 0", "write a number above 0");
  const std::int64_t zero = reader.required("zero_point").integer();
  if (zero < lowestCode(fixed.type) || zero > highestCode(fixed.type)) {
    reader["zero_point"].fail("is not a code of " + std::string(name(fixed.type)),
                              "stay within its codes");
  }
  fixed.grid.zeroPoint = static_cast<std::int32_t>(zero);
  return fixed;
}

PatternRule readPatternRule(const JsonReader& reader) {
  reader.requireKeys({"lead", "followers"});
  PatternRule rule;
  rule.leads = readOperators(reader.required("lead"));
  for (const JsonReader& stage : reader.required("followers").elements()) {
    rule.followers.push_back(readOperators(stage));
  }
  return rule;
}

std::vector<std::string> readRegions(const JsonReader& reader) {
  for (const JsonReader& region : reader.elements()) {
    if (std::ranges::find(floatRegionNames(), region.text()) != floatRegionNames().end()) continue;
    std::string list;
    for (const std::string& name : floatRegionNames()) list += (list.empty() ? "" : ", ") + name;
    region.fail("is the unknown region '" + region.text() + "'", "use one of " + list);
  }
  return reader.texts();
}

int readAccumulator(const JsonReader& reader) {
  const std::int64_t bits = reader.integer();
  if (bits < 8 || bits > 64) reader.fail("is out of range", "write a number from 8 to 64");
  return static_cast<int>(bits);
}

Backend readBackend(const JsonReader& reader) {
  reader.requireKeys({"quantscope_backend", "name", "about", "accumulator_bits", "bias",
                      "reduce_range", "tensors", "ways", "share", "share_inputs", "fixed",
                      "patterns", "float_regions"});
  if (!reader.has("quantscope_backend") || reader["quantscope_backend"].integer() != 1) {
    reader.fail("is of another version", "write \"quantscope_backend\": 1");
  }
  Backend backend;
  backend.name = reader.required("name").text();
  if (reader.has("about")) backend.about = reader["about"].text();
  if (reader.has("accumulator_bits")) {
    backend.accumulatorBits = readAccumulator(reader["accumulator_bits"]);
  }
  if (reader.has("bias")) backend.bias = readBiasRule(reader["bias"]);
  if (reader.has("reduce_range")) {
    const JsonReader reduce = reader["reduce_range"];
    reduce.requireKeys({"onnx", "pytorch"});
    backend.reduceRange = {reduce.required("onnx").boolean(), reduce.required("pytorch").boolean()};
  }
  const Tensors tensors = readTensors(reader.required("tensors"));
  for (const JsonReader& way : reader.required("ways").elements()) {
    backend.ways.push_back(readWay(way, tensors));
  }
  if (reader.has("share")) backend.sharing = reader["share"].texts();
  if (reader.has("share_inputs")) backend.sharingInputs = reader["share_inputs"].texts();
  if (reader.has("fixed")) {
    for (const JsonReader& entry : reader["fixed"].elements()) {
      backend.fixed.push_back(readFixed(entry));
    }
  }
  if (reader.has("patterns")) {
    for (const JsonReader& entry : reader["patterns"].elements()) {
      backend.patterns.push_back(readPatternRule(entry));
    }
  }
  if (reader.has("float_regions")) backend.floatRegions = readRegions(reader["float_regions"]);
  return backend;
}

}  // namespace

Backend parseBackend(std::string_view json, const std::string& source) {
  const JsonReader::Json parsed = parseStrictJson(json, source, kBackend);
  return readBackend(JsonReader(parsed, source, kBackend));
}

}  // namespace quantscope
