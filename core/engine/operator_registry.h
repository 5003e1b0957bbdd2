#pragma once

#include <initializer_list>
#include <map>
#include <string>
#include <string_view>

#include "engine/kernel.h"

namespace quantscope {

/// The operators, with their versions, that the engine can execute, and their kernels.
///
/// Support is decided per operator and version, never by a model's opset: an operator that did
/// not change between two opsets is the same operator.
class OperatorRegistry {
 public:
  /// Registers `factory` for `op` of `domain` ("" = ai.onnx) in each of `versions`, the numbers
  /// of the opsets that introduced a change.
  void add(std::string_view op, std::initializer_list<int> versions, KernelFactory factory,
           std::string_view domain = "");

  /// nullptr where the operator or this version of it is not there.
  KernelFactory find(const Node& node) const;
  /// True where any version of the operator is there.
  bool knows(std::string_view op, std::string_view domain = "") const;

 private:
  std::map<std::pair<std::string, std::string>, std::map<int, KernelFactory>> m_factories;
};

/// All operators of the engine.
const OperatorRegistry& operatorRegistry();

// One function per family, in engine/operators/.
void registerElementwise(OperatorRegistry& registry);
void registerReductions(OperatorRegistry& registry);
void registerDataMovers(OperatorRegistry& registry);
void registerIndexing(OperatorRegistry& registry);
void registerShapes(OperatorRegistry& registry);
void registerConvolutions(OperatorRegistry& registry);
void registerMatrixProducts(OperatorRegistry& registry);
void registerPooling(OperatorRegistry& registry);
void registerNormalization(OperatorRegistry& registry);
void registerRecurrence(OperatorRegistry& registry);
void registerResampling(OperatorRegistry& registry);
void registerQuantized(OperatorRegistry& registry);

}  // namespace quantscope
