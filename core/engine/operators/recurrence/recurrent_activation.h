#pragma once

#include <span>
#include <string_view>

#include "graph/graph.h"

namespace quantscope {

/// One of the functions that ONNX allows inside recurrent cells.
class RecurrentActivation {
 public:
  /// `name` as in ONNX, in any case; alpha and beta as far as the function has them.
  /// Throws InvalidModel for an unknown name.
  RecurrentActivation(std::string_view name, const float* alpha, const float* beta);

  /// x = f(x), in place.
  void apply(std::span<float> x) const { m_apply(x, m_alpha, m_beta); }

  /// Number of the constants alpha and beta that the function of that name takes from the node.
  static int constantCount(std::string_view name);

 private:
  using Loop = void (*)(std::span<float>, float, float);
  Loop m_apply;
  float m_alpha = 0;
  float m_beta = 0;
};

}  // namespace quantscope
