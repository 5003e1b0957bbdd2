#include "base/error.h"
#include "precision/config/json_reader.h"
#include "precision/sharing/annotations.h"

namespace quantscope {
namespace {

using Json = nlohmann::ordered_json;

std::string readName(const JsonReader& reader) {
  std::string name = reader.text();
  if (name.empty()) reader.fail("is empty", "write the name of a node");
  return name;
}

Annotation readSpec(const JsonReader& reader, PointName point, bool implicitSharing) {
  Annotation annotation{std::move(point), {}, {}, implicitSharing};
  if (reader.json().is_null()) return annotation;
  reader.requireKeys({"dtype", "dynamic", "shared_with"});
  if (reader.has("shared_with")) {
    if (reader.json().size() > 1) {
      reader.fail("shares with another point and has a precision of its own",
                  "leave one of them out");
    }
    annotation.sharedWith = readPointName(reader["shared_with"]);
    return annotation;
  }
  if (!reader.has("dtype")) {
    reader.fail("has neither a dtype nor a shared_with",
                "write one of them, or null for no observer");
  }
  annotation.spec = PointSpec{readName(reader["dtype"])};
  if (reader.has("dynamic")) annotation.spec->dynamic = reader["dynamic"].boolean();
  return annotation;
}

void readNode(const JsonReader& reader, const std::string& node, std::vector<Annotation>& all) {
  reader.requireKeys({"inputs", "output", "implicit_sharing"});
  const bool implicitSharing =
      !reader.has("implicit_sharing") || reader["implicit_sharing"].boolean();
  if (reader.has("inputs")) {
    const JsonReader inputs = reader["inputs"];
    for (const auto& [producer, spec] : inputs.entries()) {
      if (producer.empty()) inputs.fail("has an empty name", "write the name of a producer");
      all.push_back(readSpec(spec, {producer, node}, implicitSharing));
    }
  }
  if (reader.has("output")) all.push_back(readSpec(reader["output"], {node, {}}, implicitSharing));
}

}  // namespace

std::vector<Annotation> parseAnnotations(std::string_view text, const std::string& source) {
  const std::string what = "the annotation file";
  const Json json = parseStrictJson(text, source, what);
  const JsonReader reader(json, source, what);
  reader.requireKeys({"nodes"});
  const JsonReader nodes = reader.required("nodes");
  std::vector<Annotation> annotations;
  for (const auto& [node, annotation] : nodes.entries()) {
    if (node.empty()) nodes.fail("has an empty name", "write the name of a node");
    readNode(annotation, node, annotations);
  }
  return annotations;
}

}  // namespace quantscope
