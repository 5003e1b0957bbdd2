#pragma once

#include <optional>
#include <string>
#include <vector>

#include "graph/graph.h"

namespace quantscope::inference {

using Dimensions = std::vector<Dimension>;

/// One element of a small tensor before anything runs: a number, a symbol ("batch"), or unknown.
/// double holds every extent, and rounds only the "as far as it goes" of Slice, which stays huge.
struct Element {
  std::optional<double> number;
  std::string symbol;
  bool unknown() const { return !number && symbol.empty(); }
};
using Elements = std::vector<Element>;

/// Larger tensors do not hold shapes and are not tracked.
constexpr std::size_t kMaxElements = 256;

/// The known facts about every value of a graph while inference walks over it.
class Knowledge {
 public:
  explicit Knowledge(Graph& graph);

  const Graph& graph() const { return m_graph; }
  const ValueType& type(ValueId id) const { return m_graph[id].type; }
  /// The elements in row-major order (the shape is then known); nullptr if they are not followed.
  const Elements* elements(ValueId id) const;

  /// Restores the type in the file; constants stay as they are.
  void reset(ValueId id);
  /// `computed`, completed with the type in the file as far as both agree.
  void setType(ValueId id, ValueType computed);
  /// Ignored unless as many as the value's shape has.
  void setElements(ValueId id, Elements elements);

 private:
  Graph& m_graph;
  std::vector<ValueType> m_declared;
  std::vector<std::optional<Elements>> m_elements;
};

/// The number of elements; none where an extent is unknown or the product does not fit.
std::optional<std::int64_t> elementCount(const Dimensions& shape);

}  // namespace quantscope::inference
