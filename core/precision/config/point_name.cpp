#include "precision/config/point_name.h"

#include <nlohmann/json.hpp>

#include "graph/graph.h"
#include "precision/config/json_reader.h"

namespace quantscope {
namespace {

using Json = nlohmann::ordered_json;

const std::string kListed = "use a name that `inspect` lists";

bool isProducer(const Graph& graph, const std::string& name) {
  if (graph.findNode(name).valid()) return true;
  const ValueId value = graph.findValue(name);
  return value.valid() && !graph[value].producer.valid();
}

PointProblem findEdgeProblem(const Graph& graph, const PointName& point) {
  const NodeId consumer = graph.findNode(point.consumer);
  if (!consumer.valid()) return {"the model has no node '" + point.consumer + "'", kListed};
  std::string producers;
  for (const ValueId value : readValues(graph, consumer)) {
    if (!value.valid()) continue;
    const std::string& name = producerName(graph, value);
    if (name == point.producer) return {};
    producers += (producers.empty() ? "'" : ", '") + name + "'";
  }
  const std::string remedy =
      producers.empty() ? "it reads nothing: leave the edge out" : "it reads from " + producers;
  if (!isProducer(graph, point.producer)) {
    return {"the model has no node or input '" + point.producer + "'", remedy};
  }
  return {"there is no such edge in the model", remedy};
}

bool isName(const Json& json) {
  return json.is_string() && !json.get_ref<const std::string&>().empty();
}

}  // namespace

std::string describe(const PointName& point) {
  if (point.isOutput()) return "the output of '" + point.producer + "'";
  return "the edge from '" + point.producer + "' to '" + point.consumer + "'";
}

Json toJson(const PointName& point) {
  if (point.isOutput()) return point.producer;
  return Json::array({point.producer, point.consumer});
}

PointName readPointName(const JsonReader& reader) {
  const Json& json = reader.json();
  if (json.is_string()) {
    if (!isName(json)) reader.fail("is empty", "write the name of a node");
    return {json.get<std::string>(), {}};
  }
  if (!json.is_array() || json.size() != 2 || !isName(json[0]) || !isName(json[1])) {
    reader.fail("names no point", "write NODE for its output or [PRODUCER, CONSUMER] for an edge");
  }
  return {json[0].get<std::string>(), json[1].get<std::string>()};
}

const std::string& producerName(const Graph& graph, ValueId value) {
  const NodeId producer = graph[value].producer;
  return producer.valid() ? graph[producer].name : graph[value].name;
}

PointProblem findProblem(const Graph& graph, const PointName& point) {
  if (!point.isOutput()) return findEdgeProblem(graph, point);
  if (isProducer(graph, point.producer)) return {};
  return {"the model has no node or input of that name", kListed};
}

}  // namespace quantscope
