#pragma once

#include <cstdint>
#include <string_view>

#include "onnx/inference/knowledge.h"

namespace quantscope::inference {

/// A list of integers that an operator takes as an attribute or, in other versions, as an input.
struct IntegerList {
  bool given = false;
  std::optional<std::vector<std::int64_t>> values;  ///< none where given but not known
};

/// One node as its inference rule sees it.
class Context {
 public:
  Context(Knowledge& knowledge, NodeId node) : m_knowledge(knowledge), m_id(node) {}

  const Node& node() const { return m_knowledge.graph()[m_id]; }
  Knowledge& knowledge() { return m_knowledge; }

  std::size_t inputCount() const { return node().inputs.size(); }
  bool hasInput(std::size_t index) const;
  std::optional<ElementType> element(std::size_t input) const;
  /// nullptr where it is not known, or the input is omitted.
  const Dimensions* shape(std::size_t input) const;
  const Elements* elements(std::size_t input) const;

  /// The attribute where the node has it, else the elements of the input.
  IntegerList integers(std::string_view attribute, std::size_t input) const;
  /// The same for a single number; `fallback` where neither is given.
  std::optional<std::int64_t> integer(std::string_view attribute, std::size_t input,
                                      std::int64_t fallback) const;
  /// The attribute `axis` counted from the front. Throws InvalidParameters outside the rank.
  std::size_t axis(std::int64_t fallback, std::size_t rank) const;

  std::size_t outputCount() const { return node().outputs.size(); }
  /// The type set so far; empty for outputs that the node does not have.
  ValueType output(std::size_t index) const;
  /// Ignored for outputs that the node does not have.
  void setOutput(std::size_t output, std::optional<ElementType> element,
                 std::optional<Dimensions> shape = {});
  void setElements(std::size_t output, Elements elements);

 private:
  Knowledge& m_knowledge;
  NodeId m_id;
};

/// The integer behind a known element: truncated, and held within ±2^62.
std::int64_t toInteger(double number);

/// The element type behind the number that attributes like `to` and `dtype` hold.
std::optional<ElementType> elementTypeOf(std::int64_t onnxType);

using Rule = void (*)(Context&);

/// The rule of one operator of ai.onnx. It sets the types that it can infer.
struct RuleEntry {
  std::string_view op;
  Rule rule;
};

}  // namespace quantscope::inference
