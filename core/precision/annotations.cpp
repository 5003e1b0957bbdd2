#include "precision/annotations.h"

#include <algorithm>

#include "base/error.h"

namespace quantscope {
namespace {

[[noreturn]] void fail(const PointName& point, const std::string& what, const std::string& remedy) {
  const std::string& node = point.isOutput() ? point.producer : point.consumer;
  throw Error(ErrorCode::InvalidConfiguration, describe(point) + " is annotated, but " + what,
              {.file = {}, .node = node, .value = {}}, remedy);
}

/// What stands for a value in an annotation: the node that makes it, else its own name.
const std::string& producerName(const Graph& graph, ValueId value) {
  const NodeId producer = graph[value].producer;
  return producer.valid() ? graph[producer].name : graph[value].name;
}

bool isProducer(const Graph& graph, const std::string& name) {
  if (graph.findNode(name).valid()) return true;
  const ValueId value = graph.findValue(name);
  return value.valid() && !graph[value].producer.valid();
}

void requireEdge(const Graph& graph, const PointName& point) {
  const NodeId consumer = graph.findNode(point.consumer);
  if (!consumer.valid()) {
    fail(point, "the model has no node '" + point.consumer + "'",
         "use a name that `inspect` lists");
  }
  std::string producers;
  for (const ValueId value : readValues(graph, consumer)) {
    if (!value.valid()) continue;
    const std::string& name = producerName(graph, value);
    if (name == point.producer) return;
    producers += (producers.empty() ? "'" : ", '") + name + "'";
  }
  const std::string remedy =
      producers.empty() ? "it reads nothing: leave the edge out" : "it reads from " + producers;
  if (!isProducer(graph, point.producer)) {
    fail(point, "the model has no node or input '" + point.producer + "'", remedy);
  }
  fail(point, "there is no such edge in the model", remedy);
}

}  // namespace

std::string describe(const PointName& point) {
  if (point.isOutput()) return "the output of '" + point.producer + "'";
  return "the edge from '" + point.producer + "' to '" + point.consumer + "'";
}

void requireKnownPoints(const std::vector<Annotation>& annotations, const Graph& graph) {
  for (const Annotation& annotation : annotations) {
    const PointName& point = annotation.point;
    if (!point.isOutput()) {
      requireEdge(graph, point);
    } else if (!isProducer(graph, point.producer)) {
      fail(point, "the model has no node or input of that name", "use a name that `inspect` lists");
    }
  }
}

}  // namespace quantscope
