#include <algorithm>
#include <array>
#include <numeric>
#include <string>
#include <vector>

#include "base/error.h"
#include "engine/operators/data_movers/data_movers.h"
#include "engine/operators/memory_order.h"
#include "engine/operators/operands.h"
#include "engine/operators/strided_copy.h"

namespace quantscope {
namespace {

using Integers = std::vector<std::int64_t>;

// Attributes in version 1, inputs from version 10 on.
struct SliceOperands {
  explicit SliceOperands(const Node& node)
      : starts(node, "starts", 1),
        ends(node, "ends", 2),
        axes(node, "axes", 3),
        steps(node, "steps", 4) {}
  IntegersOperand starts;
  IntegersOperand ends;
  IntegersOperand axes;
  IntegersOperand steps;
};

struct SlicedAxis {
  std::int64_t first = 0;
  std::int64_t step = 1;
  std::int64_t count = 0;
};

// start : end : step of NumPy: negative ones count from the end, positions outside are cut off.
SlicedAxis sliceAxis(std::int64_t start, std::int64_t end, std::int64_t step, std::int64_t extent) {
  if (step == 0) throw Error(ErrorCode::InvalidParameters, "a slice has the step 0");
  const bool forward = step > 0;
  const std::int64_t lowest = forward ? 0 : -1;
  const std::int64_t highest = forward ? extent : extent - 1;
  const auto inside = [&](std::int64_t index) {
    return std::clamp(index < 0 ? index + extent : index, lowest, highest);
  };
  const std::int64_t first = inside(start);
  const std::int64_t last = inside(end);
  const std::int64_t distance = forward ? last - first : first - last;
  if (distance <= 0) return {.first = 0, .step = 1, .count = 0};
  // A step beyond the distance takes one element; bounding it keeps its negation in range.
  const std::int64_t stride = std::clamp(step, -distance, distance);
  const std::int64_t length = forward ? stride : -stride;
  return {.first = first, .step = stride, .count = (distance + length - 1) / length};
}

using SlicedAxes = std::array<SlicedAxis, Shape::kMaxRank>;

SlicedAxes readSlice(const SliceOperands& operands, std::span<Tensor> inputs, const Shape& shape) {
  const Integers starts = operands.starts.read(inputs).value_or(Integers{});
  const Integers ends = operands.ends.read(inputs).value_or(Integers{});
  Integers axes = operands.axes.read(inputs).value_or(Integers{});
  if (axes.empty()) {
    axes.resize(starts.size());
    std::iota(axes.begin(), axes.end(), 0);
  }
  const Integers steps = operands.steps.read(inputs).value_or(Integers(starts.size(), 1));
  if (ends.size() != starts.size() || axes.size() != starts.size() ||
      steps.size() != starts.size()) {
    throw Error(ErrorCode::InvalidParameters,
                "starts, ends, axes and steps of a slice are not equally many");
  }
  SlicedAxes sliced;
  for (std::size_t i = 0; i < shape.rank(); ++i) sliced[i].count = shape[i];
  for (std::size_t i = 0; i < starts.size(); ++i) {
    const std::size_t axis = normalizeAxis(axes[i], shape.rank());
    sliced[axis] = sliceAxis(starts[i], ends[i], steps[i], shape[axis]);
  }
  return sliced;
}

Tensor sliced(const Tensor& x, const SlicedAxes& slices, const Shape& shape) {
  const std::size_t rank = shape.rank();
  const Shape sourceStrides = rowMajorStrides(memoryShape(x.shape(), x.layout()));
  const Shape targetStrides = rowMajorStrides(memoryShape(shape, x.layout()));
  std::array<CopyAxis, Shape::kMaxRank> axes;
  std::int64_t first = 0;
  for (std::size_t i = 0; i < rank; ++i) {
    const SlicedAxis& slice = slices[logicalAxis(i, rank, x.layout())];
    axes[i] = {slice.count, slice.step * sourceStrides[i], targetStrides[i]};
    first += slice.first * sourceStrides[i];
  }
  Tensor result(x.type(), shape, x.layout());
  const auto bytes = static_cast<std::int64_t>(byteSize(x.type()));
  stridedCopy(x.bytes() + first * bytes, result.mutableBytes(), byteSize(x.type()),
              std::span(axes).first(rank));
  return result;
}

bool takesAll(const SlicedAxes& slices, const Shape& shape) {
  for (std::size_t i = 0; i < shape.rank(); ++i) {
    if (slices[i].count != shape[i] || slices[i].step < 0) return false;
  }
  return true;
}

std::unique_ptr<Kernel> slice(const Node& node, const Graph& /*graph*/) {
  return makeKernel(
      [operands = SliceOperands(node)](std::span<Tensor> inputs, std::span<Tensor> outputs) {
        const Tensor& x = requiredInput(inputs, 0);
        const SlicedAxes slices = readSlice(operands, inputs, x.shape());
        Shape shape = x.shape();
        for (std::size_t i = 0; i < shape.rank(); ++i) shape[i] = slices[i].count;
        setOutput(outputs, 0, takesAll(slices, x.shape()) ? x : sliced(x, slices, shape));
      },
      Kernel::InputLayout::Any, true);
}

}  // namespace

void registerSlice(OperatorRegistry& registry) {
  registry.add("Slice", {1, 10, 11, 13}, slice);
}

}  // namespace quantscope
