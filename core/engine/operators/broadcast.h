#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "graph/graph.h"
#include "tensor/tensor.h"

namespace quantscope {

/// How two or three operands of different shapes are walked together, in the order of memory of
/// the result. Neighbouring axes that every operand steps through alike are merged, so the last
/// one is as long as it can be; along it an operand advances by 1 or stands still.
struct BroadcastPlan {
  static constexpr std::size_t kMaxOperands = 3;

  Shape shape;                    ///< of the result
  Layout layout = Layout::Plain;  ///< of the result
  std::size_t axes = 0;           ///< merged ones, at least 1
  std::array<std::int64_t, Shape::kMaxRank> extents{};
  std::array<std::array<std::int64_t, Shape::kMaxRank>, kMaxOperands> strides{};
};

/// Plans by the multidirectional rule of ONNX. The result is channels-last where operands of its
/// full shape are; operands that lie otherwise are replaced by converted ones.
/// Throws InvalidParameters where the shapes do not fit.
BroadcastPlan planBroadcast(std::span<Tensor> operands);

/// Calls row(offsets, target, count) for every run of the last merged axis: the elements that each
/// operand and the result start at.
template <class Row>
void forEachRow(const BroadcastPlan& plan, Row&& row) {
  std::array<std::int64_t, Shape::kMaxRank> index{};
  std::array<std::int64_t, BroadcastPlan::kMaxOperands> offsets{};
  const std::size_t last = plan.axes - 1;
  const std::int64_t count = plan.extents[last];
  std::int64_t rows = 1;
  for (std::size_t axis = 0; axis < last; ++axis) rows *= plan.extents[axis];
  for (std::int64_t i = 0; i < rows; ++i) {
    row(offsets, i * count, count);
    for (std::size_t axis = last; axis-- > 0;) {
      const bool wraps = ++index[axis] == plan.extents[axis];
      const std::int64_t steps = wraps ? 1 - plan.extents[axis] : 1;
      for (std::size_t k = 0; k < offsets.size(); ++k) offsets[k] += steps * plan.strides[k][axis];
      if (!wraps) break;
      index[axis] = 0;
    }
  }
}

/// The alignment that operators before opset 7 ask for by their attributes `broadcast` and `axis`:
/// B's first axis stands under A's axis `axis`.
class LegacyBroadcast {
 public:
  /// Does nothing for versions from 7 on.
  explicit LegacyBroadcast(const Node& node);

  /// Gives inputs[1] trailing axes of extent 1, so that the multidirectional rule aligns it.
  void apply(std::span<Tensor> inputs) const;
  bool active() const { return m_active; }

 private:
  bool m_active = false;
  std::int64_t m_axis = 0;
};

}  // namespace quantscope
