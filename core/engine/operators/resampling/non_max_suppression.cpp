#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

#include "base/error.h"
#include "engine/operators/operands.h"
#include "engine/operators/resampling/regions.h"

namespace quantscope {
namespace {

struct Box {
  float top, left, bottom, right;
  float area() const { return (bottom - top) * (right - left); }
};

// [y1, x1, y2, x2] of any two opposite corners, or [x, y, width, height] around a centre.
Box boxOf(const float* numbers, bool aroundCentre) {
  if (aroundCentre) {
    const float halfWidth = numbers[2] / 2;
    const float halfHeight = numbers[3] / 2;
    return {numbers[1] - halfHeight, numbers[0] - halfWidth, numbers[1] + halfHeight,
            numbers[0] + halfWidth};
  }
  return {std::min(numbers[0], numbers[2]), std::min(numbers[1], numbers[3]),
          std::max(numbers[0], numbers[2]), std::max(numbers[1], numbers[3])};
}

// Shared by the area covered together is above the threshold; a box without area overlaps none.
bool overlap(const Box& a, const Box& b, float threshold) {
  const float height = std::min(a.bottom, b.bottom) - std::max(a.top, b.top);
  const float width = std::min(a.right, b.right) - std::max(a.left, b.left);
  if (height <= 0 || width <= 0 || a.area() <= 0 || b.area() <= 0) return false;
  const float shared = height * width;
  return shared / (a.area() + b.area() - shared) > threshold;
}

struct Limits {
  std::int64_t count = 0;
  float overlap = 0;
  std::optional<float> score;
};

// Indices of the boxes that stay, best first; of equal scores the first one.
std::vector<std::int64_t> selected(const std::vector<Box>& boxes, const float* scores,
                                   const Limits& limits) {
  std::vector<std::int64_t> order(boxes.size());
  std::iota(order.begin(), order.end(), 0);
  if (limits.score) {
    std::erase_if(order, [&](std::int64_t i) { return !(scores[i] > *limits.score); });
  }
  std::ranges::stable_sort(order,
                           [&](std::int64_t a, std::int64_t b) { return scores[a] > scores[b]; });
  std::vector<std::int64_t> kept;
  for (const std::int64_t i : order) {
    if (static_cast<std::int64_t>(kept.size()) >= limits.count) break;
    const bool hidden = std::ranges::any_of(kept, [&](std::int64_t k) {
      return overlap(boxes[static_cast<std::size_t>(i)], boxes[static_cast<std::size_t>(k)],
                     limits.overlap);
    });
    if (!hidden) kept.push_back(i);
  }
  return kept;
}

Limits limitsOf(std::span<Tensor> inputs) {
  const auto number = [&](std::size_t index) -> std::optional<float> {
    const Tensor* tensor = optionalInput(inputs, index);
    if (tensor == nullptr || tensor->elementCount() == 0) return {};
    return tensor->values<float>()[0];
  };
  const Tensor* count = optionalInput(inputs, 2);
  return {count == nullptr ? 0 : onlyInteger(*count), number(3).value_or(0), number(4)};
}

// boxes [batch, count, 4], scores [batch, classes, count] → [selected, 3] of batch, class, box
void suppress(std::span<Tensor> inputs, std::span<Tensor> outputs, bool aroundCentre) {
  const Tensor& boxes = requiredInput(inputs, 0);
  const Tensor& scores = requiredInput(inputs, 1);
  const Shape& shape = scores.shape();
  if (shape.rank() != 3 || boxes.shape() != Shape{shape[0], shape[2], 4}) {
    throw Error(ErrorCode::InvalidParameters, "boxes of shape " + toString(boxes.shape()) +
                                                  " do not fit scores of shape " + toString(shape));
  }
  const Limits limits = limitsOf(inputs);
  const auto count = static_cast<std::size_t>(shape[2]);
  std::vector<std::int64_t> rows;
  for (std::int64_t i = 0; i < shape[0] * shape[1]; ++i) {
    const std::int64_t batch = i / shape[1];
    std::vector<Box> ofBatch;
    for (std::size_t k = 0; k < count; ++k) {
      const std::size_t place = (static_cast<std::size_t>(batch) * count + k) * 4;
      ofBatch.push_back(boxOf(boxes.values<float>().data() + place, aroundCentre));
    }
    const float* ofClass = scores.values<float>().data() + static_cast<std::size_t>(i) * count;
    for (const std::int64_t box : selected(ofBatch, ofClass, limits)) {
      rows.insert(rows.end(), {batch, i % shape[1], box});
    }
  }
  setOutput(outputs, 0,
            Tensor::of(Shape{static_cast<std::int64_t>(rows.size() / 3), 3},
                       std::span<const std::int64_t>(rows)));
}

std::unique_ptr<Kernel> nonMaxSuppression(const Node& node, const Graph& /*graph*/) {
  return makeKernel([aroundCentre = node.integer("center_point_box", 0) != 0](
                        std::span<Tensor> inputs, std::span<Tensor> outputs) {
    suppress(inputs, outputs, aroundCentre);
  });
}

}  // namespace

void registerNonMaxSuppression(OperatorRegistry& registry) {
  registry.add("NonMaxSuppression", {10, 11}, nonMaxSuppression);
}

}  // namespace quantscope
