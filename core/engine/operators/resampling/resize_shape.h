#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "engine/operators/resampling/interpolation.h"
#include "graph/graph.h"
#include "tensor/tensor.h"

namespace quantscope {

/// Finds the resizing of each axis from the inputs of a Resize or Upsample node.
class ResizeShape {
 public:
  explicit ResizeShape(const Node& node);

  /// One entry per axis of x. Throws InvalidParameters where the lists do not fit x, a scale is
  /// not positive or the result would be too large.
  std::vector<ResizedAxis> axesOf(std::span<Tensor> inputs) const;

 private:
  enum class Policy { Stretch, NotLarger, NotSmaller };

  std::vector<std::size_t> affected(std::size_t rank) const;
  void applyScales(std::span<const float> scales, std::span<const std::size_t> which,
                   std::vector<ResizedAxis>& axes) const;
  void applySizes(std::span<const std::int64_t> sizes, std::span<const std::size_t> which,
                  std::vector<ResizedAxis>& axes) const;

  std::optional<std::vector<float>> m_fixedScales;
  std::size_t m_scalesInput;
  std::vector<std::int64_t> m_axes;
  Policy m_policy = Policy::Stretch;
};

}  // namespace quantscope
