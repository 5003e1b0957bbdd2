#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/engine.h"

namespace quantscope {

/// No compared value.
inline constexpr std::size_t kNoValue = std::numeric_limits<std::size_t>::max();

/// The grid that a value's codes stand on: one scale and zero point, or one per index of an axis or
/// per block.
struct CodeGrids {
  Tensor scale;      ///< float32
  Tensor zeroPoint;  ///< undefined = 0
  std::int64_t axis = 1;
  std::int64_t blockSize = 0;
};

/// True for codes below zero, too.
inline bool isSigned(ElementType codes) {
  return codes != ElementType::UInt8 && codes != ElementType::UInt16;
}

/// Values of a graph that stand for the same numbers: what an operator makes, its codes, what these
/// are turned back into, and copies.
struct ComparedValue {
  std::vector<ValueId> members;      ///< in the order in which they are made
  std::vector<ValueId> seen;         ///< those that others read, or that leave the network
  std::vector<std::size_t> reads;    ///< the compared values that it is made of
  std::vector<std::size_t> readers;  ///< the compared values that are made of it
  std::string_view op;               ///< the operator on floats that makes it; empty = an input
};

/// A model, quantized or not, as its float twin is compared with: values of the main graph that
/// depend on data and stand for known numbers. Codes count as the numbers that they stand for;
/// integer sums without a scale and the scales of dynamic quantization are steps on the way.
class ComparedModel {
 public:
  /// The engine must outlive it.
  explicit ComparedModel(const Engine& engine);

  const Engine& engine() const { return m_engine; }
  const Graph& graph() const { return m_engine.graph(); }
  /// In execution order; the network's inputs come first.
  std::span<const ComparedValue> values() const { return m_values; }
  /// The compared value that a value of the graph belongs to, or kNoValue.
  std::size_t find(ValueId value) const { return m_index[value.at()]; }
  const std::string& name(std::size_t value) const;
  /// The grid of a value's codes; null where it is no code.
  const CodeGrids* grids(ValueId value) const;
  /// The numbers that a tensor of that value stands for: float32, in logical order.
  Tensor numbers(ValueId value, const Tensor& tensor) const;
  /// The tensor of that value for `numbers` (float32, Plain): its codes, or its element type.
  Tensor tensorOf(ValueId value, const Tensor& numbers) const;

 private:
  enum class Role : std::uint8_t { None, Compared, Sum, Parameter };

  void addInputs();
  void addNode(NodeId node);
  void addOutput(const Node& node, std::size_t output);
  Role roleOf(const Node& node, ValueId output) const;
  std::size_t sameAs(const Node& node, std::size_t output) const;
  void addGrid(const Node& node, std::size_t output);
  void add(ValueId value, std::size_t index, const Node* node);
  void connect();

  const Engine& m_engine;
  std::vector<bool> m_dependsOnData;  // by value
  std::vector<Role> m_roles;          // by value
  std::vector<std::size_t> m_index;   // by value
  std::vector<ComparedValue> m_values;
  std::map<ValueId, CodeGrids> m_grids;
};

/// True for a value that has the elements of the one that it is made of, with its axes in another
/// order or under another shape: a model may have more or fewer of them without computing anything.
bool isRearranged(const ComparedValue& value);

/// The operator on floats that a node stands for: "Conv" of a QLinearConv.
std::string_view floatOperator(const Node& node);

/// The grids whose scale is input `scale` of a node and whose zero point is input `zeroPoint`,
/// where they are constant; a null scale says that they are not.
CodeGrids constantGrids(const Engine& engine, const Node& node, std::size_t scale,
                        std::size_t zeroPoint);
/// `codes` as numbers. Throws InvalidParameters where the grids do not fit.
Tensor dequantized(const Tensor& codes, const CodeGrids& grids);

}  // namespace quantscope
