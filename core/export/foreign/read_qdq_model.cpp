#include <algorithm>
#include <map>

#include "base/error.h"
#include "export/foreign/placed_grids.h"
#include "onnx/element_numbers.h"
#include "onnx/rounded_edges.h"

namespace quantscope {
namespace {

// TensorProto.DataType of onnx.proto.
std::optional<QuantType> typeOfCodes(int onnxType) {
  static const std::map<int, QuantType> types{
      {2, QuantType::UInt8},       {3, QuantType::Int8},        {4, QuantType::UInt16},
      {5, QuantType::Int16},       {10, QuantType::Float16},    {16, QuantType::BFloat16},
      {17, QuantType::Float8E4M3}, {19, QuantType::Float8E5M2}, {21, QuantType::UInt4},
      {22, QuantType::Int4}};
  const auto found = types.find(onnxType);
  return found == types.end() ? std::nullopt : std::optional(found->second);
}

constexpr int kInt32 = 6;

class QdqPlacer {
 public:
  QdqPlacer(const Engine& engine, const RoundedModel& file)
      : m_engine(engine), m_graph(engine.graph()), m_file(file) {}

  PlacedGrids place() {
    for (const RoundedEdge& edge : m_file.edges) placeEdge(edge);
    m_placed.absent.resize(m_graph.nodes().size());
    for (std::size_t i = 0; i < m_file.present.size(); ++i) m_placed.absent[i] = !m_file.present[i];
    if (!m_file.foreign.empty()) {
      m_placed.notices.push_back("the model has no node " + quotedNames(m_file.foreign));
    }
    if (!m_unknownTypes.empty()) {
      m_placed.notices.push_back("there is no such type of codes here as " +
                                 quotedNames(m_unknownTypes) + " read");
    }
    return std::move(m_placed);
  }

 private:
  void placeEdge(const RoundedEdge& edge) {
    const ValueId value = edge.node.valid() ? inputOf(edge) : m_graph.outputs()[edge.input];
    std::vector<ForeignGrid> grids;
    for (const FileRounding& rounding : edge.chain) {
      // An int32 constant is a bias, whose grid follows from its layer.
      if (rounding.onnxType == kInt32) continue;
      // A half network's values are of that type as they are.
      if (value.valid() && isElementOf(value, rounding.onnxType)) continue;
      if (const auto grid = gridOf(rounding, edge, value)) grids.push_back(*grid);
    }
    if (!grids.empty()) ++m_placed.encodings;
    if (!edge.node.valid()) {
      m_placed.outputs[value] = std::move(grids);
    } else if (edge.constant.defined() || !value.valid() || m_engine.constant(value) != nullptr) {
      if (grids.size() > 1) grids.resize(1);
      m_placed.constants[{edge.node, edge.input}] = {std::move(grids), edge.constant};
    } else {
      m_placed.edges[{edge.node, edge.input}] = std::move(grids);
    }
  }

  bool isElementOf(ValueId value, int onnxType) const {
    const std::optional<ElementType>& element = m_graph[value].type.element;
    return element && onnxNumberOf(*element) == onnxType;
  }

  // None where the file's node has an input more, a bias that folding brought in.
  ValueId inputOf(const RoundedEdge& edge) const {
    const std::vector<ValueId>& inputs = m_graph[edge.node].inputs;
    return edge.input < inputs.size() ? inputs[edge.input] : ValueId();
  }

  std::optional<ForeignGrid> gridOf(const FileRounding& rounding, const RoundedEdge& edge,
                                    ValueId value) {
    const std::optional<QuantType> type = typeOfCodes(rounding.onnxType);
    if (!type) {
      m_unknownTypes.push_back(edge.node.valid() ? m_graph[edge.node].name : "an output");
      return std::nullopt;
    }
    ForeignGrid grid{value.valid() ? m_graph[value].name : std::string()};
    grid.encoding = {*type, rounding.scales, rounding.zeroPoints, {}, rounding.blockSize};
    if (rounding.scales.size() > 1) grid.encoding.axis = rounding.axis;
    grid.dynamic = rounding.dynamic;
    grid.lowest = rounding.lowest;
    grid.highest = rounding.highest;
    const std::int32_t middle = hasScale(*type) ? symmetricZeroPoint(*type) : 0;
    grid.symmetric =
        rounding.dynamic
            ? rounding.symmetric
            : std::ranges::all_of(rounding.zeroPoints, [&](auto zero) { return zero == middle; });
    return grid;
  }

  const Engine& m_engine;
  const Graph& m_graph;
  const RoundedModel& m_file;
  std::vector<std::string> m_unknownTypes;  // nodes
  PlacedGrids m_placed;
};

}  // namespace

PlacedGrids readQdqModel(const std::filesystem::path& file, const Engine& engine) {
  PlacedGrids placed = QdqPlacer(engine, readRoundedModel(file, engine.graph())).place();
  if (placed.encodings > 0) return placed;
  throw Error(ErrorCode::InvalidData, "the model rounds nothing that the float model has",
              {.file = file.string(), .node = {}, .value = {}},
              "give a model with QuantizeLinear and DequantizeLinear that was made of this one");
}

}  // namespace quantscope
