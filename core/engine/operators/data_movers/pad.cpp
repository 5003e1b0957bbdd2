#include <algorithm>
#include <array>
#include <cstring>
#include <numeric>
#include <string>
#include <vector>

#include "base/error.h"
#include "engine/operators/convert.h"
#include "engine/operators/data_movers/data_movers.h"
#include "engine/operators/memory_order.h"
#include "engine/operators/operands.h"
#include "engine/operators/type_lists.h"

namespace quantscope {
namespace {

using Integers = std::vector<std::int64_t>;

enum class PadMode { Constant, Reflect, Edge, Wrap };

PadMode readMode(const Node& node) {
  const std::string mode = node.text("mode", "constant");
  if (mode == "constant") return PadMode::Constant;
  if (mode == "reflect") return PadMode::Reflect;
  if (mode == "edge") return PadMode::Edge;
  if (mode == "wrap") return PadMode::Wrap;
  throw Error(ErrorCode::UnsupportedOperation, "the padding mode '" + mode + "' is not supported");
}

// The index of the source that stands at `index` of the padded axis (0 = the source's first), or
// −1 for the constant.
std::int64_t sourceIndex(std::int64_t index, std::int64_t extent, PadMode mode) {
  if (index >= 0 && index < extent) return index;
  const auto modulo = [](std::int64_t a, std::int64_t b) { return ((a % b) + b) % b; };
  switch (mode) {
    case PadMode::Constant:
      break;
    case PadMode::Edge:
      return index < 0 ? 0 : extent - 1;
    case PadMode::Wrap:
      return modulo(index, extent);
    case PadMode::Reflect: {
      if (extent == 1) return 0;
      const std::int64_t period = 2 * (extent - 1);
      const std::int64_t place = modulo(index, period);
      return place < extent ? place : period - place;
    }
  }
  return -1;
}

// One axis of the result in the order of memory: which element of the source stands where, and the
// run that is the source itself.
struct PaddedAxis {
  Integers offsets;  ///< elements from the start of the source; −1 = the constant
  std::int64_t runBegin = 0;
  std::int64_t runEnd = 0;
};

// One axis in the order of memory.
struct Extents {
  std::int64_t before, whole, padded, stride;

  bool unpadded() const { return before == 0 && whole == padded; }
};

// The axis and the unpadded ones inside it as a single axis. Only a constant may be padded with
// where those are longer than 1: other modes would turn their elements round, too.
std::size_t mergeInner(std::span<Extents> axes, PadMode mode) {
  std::size_t count = axes.size();
  for (; count > 1; --count) {
    const Extents& inner = axes[count - 1];
    if (!inner.unpadded() || (mode != PadMode::Constant && inner.whole != 1)) break;
    Extents& outer = axes[count - 2];
    // Pads that cut off everything, or whatever they add, may be too large to multiply.
    const std::int64_t before = std::clamp(outer.before, -outer.whole, outer.padded);
    outer = {before * inner.whole, outer.whole * inner.whole, outer.padded * inner.whole,
             inner.stride};
  }
  return count;
}

PaddedAxis padAxis(const Extents& extents, PadMode mode) {
  auto [before, whole, padded, stride] = extents;
  // Negative pads remove elements first; the rest is padded.
  const std::int64_t cut = std::max<std::int64_t>(-before, 0);
  const std::int64_t extent = std::min(whole - cut, padded - before - cut);
  before += cut;
  if (extent <= 0 && mode != PadMode::Constant) {
    throw Error(ErrorCode::InvalidParameters, "nothing is left to pad with");
  }
  PaddedAxis axis;
  axis.offsets.reserve(static_cast<std::size_t>(padded));
  for (std::int64_t i = 0; i < padded; ++i) {
    const std::int64_t index = sourceIndex(i - before, extent, mode);
    axis.offsets.push_back(index < 0 ? -1 : (index + cut) * stride);
  }
  axis.runBegin = std::clamp<std::int64_t>(before, 0, padded);
  axis.runEnd = std::clamp<std::int64_t>(before + extent, axis.runBegin, padded);
  return axis;
}

template <class T>
void padRow(const T* source, T* target, const PaddedAxis& axis, T constant) {
  const auto at = [&](std::int64_t i) {
    const std::int64_t offset = axis.offsets[static_cast<std::size_t>(i)];
    return offset < 0 ? constant : source[offset];
  };
  const auto padded = static_cast<std::int64_t>(axis.offsets.size());
  for (std::int64_t i = 0; i < axis.runBegin; ++i) target[i] = at(i);
  if (axis.runBegin < axis.runEnd) {
    const T* run = source + axis.offsets[static_cast<std::size_t>(axis.runBegin)];
    std::copy(run, run + (axis.runEnd - axis.runBegin), target + axis.runBegin);
  }
  for (std::int64_t i = axis.runEnd; i < padded; ++i) target[i] = at(i);
}

template <class T>
void padElements(const T* source, T* target, std::span<const PaddedAxis> axes, T constant) {
  if (axes.size() == 1) return padRow(source, target, axes[0], constant);
  std::size_t inner = 1;
  for (const PaddedAxis& axis : axes.subspan(1)) inner *= axis.offsets.size();
  for (const std::int64_t offset : axes[0].offsets) {
    if (offset < 0) {
      std::fill_n(target, inner, constant);
    } else {
      padElements(source + offset, target, axes.subspan(1), constant);
    }
    target += inner;
  }
}

// The padded shape, and the elements that are added before every axis; a negative number removes.
struct Margins {
  Shape padded;
  std::array<std::int64_t, Shape::kMaxRank> before{};
};

[[noreturn]] void failPads(const Shape& shape) {
  throw Error(ErrorCode::InvalidParameters,
              "the pads do not fit a tensor of shape " + toString(shape));
}

Margins readMargins(const Shape& shape, const Integers& pads, const Integers& axes) {
  if (pads.size() != 2 * axes.size()) failPads(shape);
  Margins margins{.padded = shape};
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const std::size_t axis = normalizeAxis(axes[i], shape.rank());
    const std::int64_t after = pads[axes.size() + i];
    std::int64_t extent = shape[axis];
    const bool overflows = __builtin_add_overflow(extent, pads[i], &extent) ||
                           __builtin_add_overflow(extent, after, &extent);
    if (overflows || extent < 0) failPads(shape);
    margins.padded[axis] = extent;
    margins.before[axis] = pads[i];
  }
  return margins;
}

Tensor padded(const Tensor& x, const Margins& margins, PadMode mode, const Tensor& constant) {
  Tensor result(x.type(), margins.padded, x.layout());
  const std::size_t rank = x.shape().rank();
  if (result.elementCount() == 0) return result;
  if (mode != PadMode::Constant && x.elementCount() == 0) failPads(x.shape());
  const Shape strides = rowMajorStrides(memoryShape(x.shape(), x.layout()));
  std::array<Extents, Shape::kMaxRank> extents;
  for (std::size_t i = 0; i < rank; ++i) {
    const std::size_t axis = logicalAxis(i, rank, x.layout());
    extents[i] = {margins.before[axis], x.shape()[axis], margins.padded[axis], strides[i]};
  }
  const std::size_t count = mergeInner(std::span(extents).first(rank), mode);
  std::array<PaddedAxis, Shape::kMaxRank> axes;
  for (std::size_t i = 0; i < count; ++i) axes[i] = padAxis(extents[i], mode);
  visitRawElements(byteSize(x.type()), [&]<class T>() {
    T fill;
    std::memcpy(&fill, constant.bytes(), sizeof(T));
    padElements(reinterpret_cast<const T*>(x.bytes()), reinterpret_cast<T*>(result.mutableBytes()),
                std::span<const PaddedAxis>(axes).first(count), fill);
  });
  return result;
}

// Attributes up to version 2 (`paddings` in the first), inputs from version 11 on.
struct PadSettings {
  explicit PadSettings(const Node& node)
      : pads(node, node.version == 1 ? "paddings" : "pads", 1),
        axes(node, "axes", 3),
        value(Tensor::scalar(node.real("value", 0))),
        mode(readMode(node)) {}

  Tensor constant(std::span<Tensor> inputs, ElementType type) const {
    const Tensor* input = optionalInput(inputs, 2);
    const Tensor& chosen = input == nullptr ? value : *input;
    if (chosen.elementCount() != 1) {
      throw Error(ErrorCode::InvalidParameters, "the padding constant is one number but has the " +
                                                    ("shape " + toString(chosen.shape())));
    }
    return convertedTo(chosen, type);
  }

  IntegersOperand pads;
  IntegersOperand axes;
  Tensor value;
  PadMode mode;
};

Integers allAxes(std::size_t rank) {
  Integers axes(rank);
  std::iota(axes.begin(), axes.end(), 0);
  return axes;
}

std::unique_ptr<Kernel> pad(const Node& node, const Graph& /*graph*/) {
  return makeKernel(
      [settings = PadSettings(node)](std::span<Tensor> inputs, std::span<Tensor> outputs) {
        Tensor& x = requiredInput(inputs, 0);
        const Integers pads = settings.pads.read(inputs).value_or(Integers{});
        const Integers axes = settings.axes.read(inputs).value_or(allAxes(x.shape().rank()));
        const Tensor constant = settings.constant(inputs, x.type());
        if (std::ranges::all_of(pads, [](std::int64_t extent) { return extent == 0; })) {
          setOutput(outputs, 0, std::move(x));
        } else {
          const Margins margins = readMargins(x.shape(), pads, axes);
          setOutput(outputs, 0, padded(x, margins, settings.mode, constant));
        }
      },
      Kernel::InputLayout::Any, true);
}

}  // namespace

void registerPad(OperatorRegistry& registry) {
  registry.add("Pad", {1, 2, 11, 13, 18, 19, 21, 23, 24}, pad);
}

}  // namespace quantscope
