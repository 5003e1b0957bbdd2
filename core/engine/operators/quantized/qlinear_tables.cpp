// Operators on 8-bit codes that need no more than one look into a table of 256: QLinearSigmoid,
// QLinearLeakyRelu and QLinearConcat, which brings its inputs to one grid.

#include <array>
#include <cmath>
#include <cstring>

#include "engine/operators/operands.h"
#include "engine/operators/quantized/code_rounding.h"
#include "engine/operators/quantized/microsoft_quantized.h"

namespace quantscope {
namespace {

// q(f(s·(code − z))), indexed by the bits of the code.
using Table = std::array<std::uint8_t, 256>;

template <class T, class Function>
Table tableOf(const CodeGrid& from, const CodeGrid& to, const Function& function) {
  Table table;
  for (std::size_t bits = 0; bits < table.size(); ++bits) {
    const auto code = static_cast<std::int32_t>(static_cast<T>(bits));
    const float x = from.scale * static_cast<float>(code - from.zeroPoint);
    table[bits] = static_cast<std::uint8_t>(roundToCode<T>(function(x) / to.scale, to.zeroPoint));
  }
  return table;
}

template <class Function>
Table tableFor(ElementType type, const CodeGrid& from, const CodeGrid& to,
               const Function& function) {
  Table table{};
  visitByteCodes(type, [&]<class T>() { table = tableOf<T>(from, to, function); });
  return table;
}

void translate(const Table& table, const std::byte* from, std::byte* to, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    to[i] = static_cast<std::byte>(table[static_cast<std::size_t>(from[i])]);
  }
}

template <class Function>
std::unique_ptr<Kernel> unary(const Function& function) {
  return makeKernel(
      [function](std::span<Tensor> inputs, std::span<Tensor> outputs) {
        const Tensor& x = requiredInput(inputs, 0);
        const Table table = tableFor(x.type(), CodeGrid(inputs, 1), CodeGrid(inputs, 3), function);
        Tensor y(x.type(), x.shape(), x.layout());
        translate(table, x.bytes(), y.mutableBytes(), x.byteSize());
        setOutput(outputs, 0, std::move(y));
      },
      Kernel::InputLayout::Any);
}

std::unique_ptr<Kernel> sigmoid(const Node& /*node*/, const Graph& /*graph*/) {
  return unary(
      [](float x) { return static_cast<float>(1 / (1 + std::exp(-static_cast<double>(x)))); });
}

std::unique_ptr<Kernel> leakyRelu(const Node& node, const Graph& /*graph*/) {
  return unary([alpha = node.real("alpha", 0.01F)](float x) { return x >= 0 ? x : alpha * x; });
}

// Inputs: scale and zero point of the result, then codes, scale and zero point of each operand.
void concatenate(std::span<Tensor> inputs, std::span<Tensor> outputs, std::int64_t signedAxis) {
  const CodeGrid to(inputs, 0);
  const Tensor& first = requiredInput(inputs, 2);
  const std::size_t axis = normalizeAxis(signedAxis, first.shape().rank());
  Shape shape = first.shape();
  shape[axis] = 0;
  for (std::size_t i = 2; i + 2 < inputs.size() && inputs[i].defined(); i += 3) {
    Shape other = inputs[i].shape();
    if (other.rank() == shape.rank()) other[axis] = shape[axis];
    if (other != shape || inputs[i].type() != first.type()) {
      throw Error(ErrorCode::InvalidParameters, "a tensor of shape " + toString(inputs[i].shape()) +
                                                    " cannot be joined to one of shape " +
                                                    toString(first.shape()));
    }
    shape[axis] += inputs[i].shape()[axis];
  }
  Tensor y(first.type(), shape);
  const auto outer = static_cast<std::size_t>(shape.elementCount(0, axis));
  const std::size_t row = outer == 0 ? 0 : y.elementCount() / outer;
  std::byte* place = y.mutableBytes();
  for (std::size_t i = 2; i + 2 < inputs.size() && inputs[i].defined(); i += 3) {
    const Tensor& x = inputs[i];
    const CodeGrid from(inputs, i + 1);
    const bool same = from.scale == to.scale && from.zeroPoint == to.zeroPoint;
    const Table table = tableFor(x.type(), from, to, [](float value) { return value; });
    const std::size_t count = outer == 0 ? 0 : x.elementCount() / outer;
    for (std::size_t k = 0; k < outer && count > 0; ++k) {
      if (same) {
        std::memcpy(place + k * row, x.bytes() + k * count, count);
      } else {
        translate(table, x.bytes() + k * count, place + k * row, count);
      }
    }
    place += count;
  }
  setOutput(outputs, 0, std::move(y));
}

std::unique_ptr<Kernel> concat(const Node& node, const Graph& /*graph*/) {
  return makeKernel(
      [axis = node.integer("axis", 0)](std::span<Tensor> inputs, std::span<Tensor> outputs) {
        concatenate(inputs, outputs, axis);
      });
}

}  // namespace

void registerQLinearTables(OperatorRegistry& registry) {
  registry.add("QLinearSigmoid", {1}, sigmoid, "com.microsoft");
  registry.add("QLinearLeakyRelu", {1}, leakyRelu, "com.microsoft");
  registry.add("QLinearConcat", {1}, concat, "com.microsoft");
}

}  // namespace quantscope
