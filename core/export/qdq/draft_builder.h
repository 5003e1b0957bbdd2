#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "onnx/names.h"
#include "onnx/writing/model_draft.h"

namespace quantscope {

/// An operator to be added to a draft.
struct NewNode {
  std::string_view op;
  std::vector<ValueId> inputs;
  std::vector<Attribute> attributes = {};
  std::string_view domain = {};
};

/// Adds nodes and constants with names of their own to a model.
class DraftBuilder {
 public:
  /// `opset`: of the operators that are added.
  explicit DraftBuilder(int opset) : m_opset(opset) {}

  int opset() const { return m_opset; }
  Graph& graph() { return m_draft.graph; }
  const Graph& graph() const { return m_draft.graph; }

  /// Names that nothing else may get.
  bool takeValueName(const std::string& name) { return m_valueNames.take(name); }
  bool takeNodeName(const std::string& name) { return m_nodeNames.take(name); }
  /// `wanted`, or the next like it that is free; takes it.
  std::string freeValueName(const std::string& wanted) { return m_valueNames.takeLike(wanted); }

  /// A constant named like `name`; `storedType` as in ModelDraft.
  ValueId constant(const std::string& name, Tensor tensor, BlockId block, int storedType = 0);
  /// A node named "BASE_OP" and its only output, "BASE_OP_Output" of that type and shape.
  ValueId node(const NewNode& node, const std::string& base, BlockId block, const ValueType& type);
  /// The same with several outputs.
  std::vector<ValueId> nodes(const NewNode& node, const std::string& base, BlockId block,
                             const std::vector<ValueType>& types);

  /// Adds a Cast from a value that a node is going to make to one that others read already.
  void narrowInto(ValueId wide, ValueId narrow, const std::string& base);

  /// Gives a value made by node() a name that was taken before for it.
  void rename(ValueId value, const std::string& name) { graph().mutableValue(value).name = name; }

  /// The model. Call once.
  ModelDraft finish();

 private:
  int m_opset;
  bool m_microsoft = false;
  ModelDraft m_draft;
  UniqueNames m_valueNames;
  UniqueNames m_nodeNames;
};

/// The type of a tensor's value.
ValueType typeOfTensor(const Tensor& tensor);
/// The same shape with other elements.
ValueType withElement(ValueType type, ElementType element);

}  // namespace quantscope
