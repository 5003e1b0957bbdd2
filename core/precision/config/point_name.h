#pragma once

#include <compare>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "base/ids.h"

namespace quantscope {

class Graph;
class JsonReader;

/// A place where a value may be quantized, by name: the edge from a producer to a consumer, or the
/// output of a producer. Producers are nodes, or values that no node makes: graph inputs and
/// constants.
struct PointName {
  std::string producer;
  std::string consumer;  ///< empty: the producer's output

  bool isOutput() const { return consumer.empty(); }
  friend auto operator<=>(const PointName&, const PointName&) = default;
};

/// "the edge from 'a' to 'b'" or "the output of 'a'", for messages.
std::string describe(const PointName& point);

/// NODE for an output, [PRODUCER, CONSUMER] for an edge.
nlohmann::ordered_json toJson(const PointName& point);
/// The same read; fails with the reader's path where it is neither.
PointName readPointName(const JsonReader& reader);

/// The name of a value's producer in the name of a point: the node that makes it, else the value's
/// own name.
const std::string& producerName(const Graph& graph, ValueId value);

/// Why a model has no such point, and what to write instead; both empty where it has.
struct PointProblem {
  std::string what;    ///< "the model has no node 'b'", "there is no such edge in the model"
  std::string remedy;  ///< "it reads from 'x', 'y'"

  bool any() const { return !what.empty(); }
};
PointProblem findProblem(const Graph& graph, const PointName& point);

}  // namespace quantscope
