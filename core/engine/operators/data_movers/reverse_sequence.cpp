#include <string>
#include <vector>

#include "base/error.h"
#include "engine/operators/data_movers/data_movers.h"
#include "engine/operators/operands.h"
#include "engine/operators/strided_copy.h"

namespace quantscope {
namespace {

struct SequenceAxes {
  explicit SequenceAxes(const Node& node)
      : batch(static_cast<std::size_t>(node.integer("batch_axis", 1))),
        time(static_cast<std::size_t>(node.integer("time_axis", 0))) {
    if (batch + time != 1 || batch > 1) {
      throw Error(ErrorCode::InvalidModel, "batch_axis and time_axis are not 0 and 1");
    }
  }
  std::size_t batch;
  std::size_t time;
};

std::vector<std::int64_t> sequenceLengths(const Tensor& tensor, const Shape& shape,
                                          const SequenceAxes& axes) {
  std::vector<std::int64_t> lengths = toIntegers(tensor);
  if (static_cast<std::int64_t>(lengths.size()) != shape[axes.batch]) {
    throw Error(ErrorCode::InvalidParameters, "there are " + std::to_string(lengths.size()) +
                                                  " sequence lengths for " +
                                                  std::to_string(shape[axes.batch]) + " sequences");
  }
  for (const std::int64_t length : lengths) {
    if (length < 0 || length > shape[axes.time]) {
      throw Error(ErrorCode::InvalidParameters, "the sequence length " + std::to_string(length) +
                                                    " is outside 0 to " +
                                                    std::to_string(shape[axes.time]));
    }
  }
  return lengths;
}

// The first `length` steps of every sequence backwards, the rest as it is.
Tensor reversedSequences(const Tensor& x, const Tensor& lengthTensor, const SequenceAxes& axes) {
  const Shape& shape = x.shape();
  if (shape.rank() < 2) {
    throw Error(ErrorCode::InvalidParameters,
                "sequences need two axes but have the shape " + toString(shape));
  }
  const auto lengths = sequenceLengths(lengthTensor, shape, axes);
  const Shape strides = rowMajorStrides(shape);
  const std::size_t bytes = byteSize(x.type());
  const std::int64_t timeStride = strides[axes.time];
  Tensor result(x.type(), shape);
  for (std::size_t sequence = 0; sequence < lengths.size(); ++sequence) {
    const std::int64_t length = lengths[sequence];
    const std::int64_t start = static_cast<std::int64_t>(sequence) * strides[axes.batch];
    const auto copySteps = [&](std::int64_t from, std::int64_t to, std::int64_t count,
                               std::int64_t direction) {
      const std::array steps{CopyAxis{count, direction * timeStride, timeStride},
                             CopyAxis{shape.elementCount(2, shape.rank()), 1, 1}};
      const auto offset = [&](std::int64_t step) {
        return (start + step * timeStride) * static_cast<std::int64_t>(bytes);
      };
      stridedCopy(x.bytes() + offset(from), result.mutableBytes() + offset(to), bytes, steps);
    };
    if (length > 0) copySteps(length - 1, 0, length, -1);
    if (length < shape[axes.time]) copySteps(length, length, shape[axes.time] - length, 1);
  }
  return result;
}

std::unique_ptr<Kernel> reverseSequence(const Node& node, const Graph& /*graph*/) {
  return makeKernel(
      [axes = SequenceAxes(node)](std::span<Tensor> inputs, std::span<Tensor> outputs) {
        const Tensor& x = requiredInput(inputs, 0);
        setOutput(outputs, 0, reversedSequences(x, requiredInput(inputs, 1), axes));
      },
      Kernel::InputLayout::Plain, true);
}

}  // namespace

void registerReverseSequence(OperatorRegistry& registry) {
  registry.add("ReverseSequence", {10}, reverseSequence);
}

}  // namespace quantscope
