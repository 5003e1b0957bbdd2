#include <algorithm>
#include <cmath>
#include <optional>
#include <string>

#include "base/error.h"
#include "engine/operators/operands.h"
#include "engine/operators/quantized/code_rounding.h"
#include "engine/operators/quantized/quantization_grid.h"
#include "engine/operators/quantized/quantized.h"
#include "kernels/codes/fake_quantize.h"

namespace quantscope {
namespace {

struct LinearSettings {
  std::int64_t axis;
  std::int64_t blockSize;
  ElementType defaultType;
  bool fourBit;                     ///< the codes are those of int4 or uint4, in bytes
  std::optional<QuantType> float8;  ///< the numbers of that type are in float32

  explicit LinearSettings(const Node& node)
      : axis(node.integer("axis", 1)),
        blockSize(node.integer("block_size", 0)),
        defaultType(outputType(node.integer("output_dtype", 0))),
        fourBit(node.integer("output_dtype", 0) == 21 || node.integer("output_dtype", 0) == 22),
        float8(float8Of(node)) {
    if (blockSize >= 0) return;
    throw Error(ErrorCode::InvalidModel,
                node.op + " has the block size " + std::to_string(blockSize));
  }

  static std::optional<QuantType> float8Of(const Node& node) {
    const std::int64_t number = node.integer("output_dtype", 0);
    if (number != 17 && number != 19) return std::nullopt;
    if (node.integer("saturate", 1) == 0) {
      throw Error(ErrorCode::UnsupportedOperation,
                  "quantizing to FP8 with infinities is not supported");
    }
    return number == 17 ? QuantType::Float8E4M3 : QuantType::Float8E5M2;
  }

  // ONNX's numbers of the types; 0 = by the zero point, uint8 without one.
  static ElementType outputType(std::int64_t number) {
    switch (number) {
      case 0:
      case 2:
      case 21:
        return ElementType::UInt8;
      case 1:  // of DequantizeLinear
      case 17:
      case 19:
        return ElementType::Float32;
      case 3:
      case 22:
        return ElementType::Int8;
      case 4:
        return ElementType::UInt16;
      case 5:
        return ElementType::Int16;
      default:
        throw Error(
            ErrorCode::UnsupportedOperation,
            "quantizing to ONNX's element type " + std::to_string(number) + " is not supported");
    }
  }
};

// Runs of neighbours are those of the plain layout; one pair for all fits any layout.
Tensor layoutFor(const Tensor& x, const Tensor& scale) {
  return scale.elementCount() == 1 ? x : toLayout(x, Layout::Plain);
}

template <class Function>
void visitCodeType(ElementType type, const Function& function) {
  switch (type) {
    case ElementType::UInt8:
      return function.template operator()<std::uint8_t>();
    case ElementType::Int8:
      return function.template operator()<std::int8_t>();
    case ElementType::UInt16:
      return function.template operator()<std::uint16_t>();
    case ElementType::Int16:
      return function.template operator()<std::int16_t>();
    default:
      throw Error(ErrorCode::UnsupportedType,
                  "quantization to " + std::string(name(type)) + " is not supported");
  }
}

// Codes of bytes, held within the sixteen that four bits have.
void saturateToFourBits(Tensor& codes) {
  if (codes.type() == ElementType::UInt8) {
    for (auto& code : codes.mutableValues<std::uint8_t>()) code = std::min<std::uint8_t>(code, 15);
  } else {
    for (auto& code : codes.mutableValues<std::int8_t>()) {
      code = std::clamp<std::int8_t>(code, -8, 7);
    }
  }
}

Tensor quantize(const Tensor& x, const QuantizationGrid& grid, ElementType type) {
  Tensor y(type, x.shape(), x.layout());
  const float* from = x.values<float>().data();
  visitCodeType(type, [&]<class T>() {
    T* to = y.mutableValues<T>().data();
    grid.forEachRun([&](std::size_t first, std::size_t count, float scale, std::int32_t zero) {
      for (std::size_t i = first; i < first + count; ++i) {
        to[i] = roundToCode<T>(from[i] / scale, zero);
      }
    });
  });
  return y;
}

template <class T>
void dequantize(const T* codes, const QuantizationGrid& grid, float* y) {
  grid.forEachRun([&](std::size_t first, std::size_t count, float scale, std::int32_t zero) {
    for (std::size_t i = first; i < first + count; ++i) {
      // Computed in 64 bits: the difference of two int32 may not fit into one.
      if constexpr (sizeof(T) == 4) {
        y[i] = static_cast<float>(static_cast<std::int64_t>(codes[i]) - zero) * scale;
      } else {
        y[i] = static_cast<float>(static_cast<std::int32_t>(codes[i]) - zero) * scale;
      }
    }
  });
}

Tensor dequantize(const Tensor& x, const QuantizationGrid& grid) {
  Tensor y(ElementType::Float32, x.shape(), x.layout());
  float* to = y.mutableValues<float>().data();
  if (x.type() == ElementType::Float32) {
    // The numbers of FP8, which have no zero point.
    const float* from = x.values<float>().data();
    grid.forEachRun([&](std::size_t first, std::size_t count, float scale, std::int32_t) {
      for (std::size_t i = first; i < first + count; ++i) to[i] = from[i] * scale;
    });
  } else if (x.type() == ElementType::Int32) {
    dequantize(x.values<std::int32_t>().data(), grid, to);
  } else {
    visitCodeType(x.type(), [&]<class T>() { dequantize(x.values<T>().data(), grid, to); });
  }
  return y;
}

// The nearest FP8 numbers to x / scale, in float32.
Tensor quantizeToFloat8(const Tensor& x, const QuantizationGrid& grid, QuantType type) {
  Tensor y(ElementType::Float32, x.shape(), x.layout());
  const float* from = x.values<float>().data();
  const std::span<float> to = y.mutableValues<float>();
  grid.forEachRun([&](std::size_t first, std::size_t count, float scale, std::int32_t) {
    for (std::size_t i = first; i < first + count; ++i) to[i] = from[i] / scale;
  });
  fakeQuantize(to, to, Codes::of(type), Grid());
  return y;
}

void quantizeDynamically(std::span<Tensor> inputs, std::span<Tensor> outputs) {
  const Tensor& x = requiredInput(inputs, 0);
  float low = 0;
  float high = 0;
  for (const float value : x.values<float>()) {
    low = value < low ? value : low;
    high = value > high ? value : high;
  }
  const float scale = low == high ? 1.0F : (high - low) / 255.0F;
  const float zero = std::clamp(0.0F - low / scale, 0.0F, 255.0F);
  // A NaN comes from an infinite range.
  const auto zeroPoint = static_cast<std::uint8_t>(std::isnan(zero) ? 0 : std::nearbyint(zero));
  Tensor scaleTensor = Tensor::scalar(scale);
  Tensor zeroTensor = Tensor::scalar(zeroPoint);
  const QuantizationGrid grid(x.shape(), scaleTensor, zeroTensor, 0, 0);
  setOutput(outputs, 0, quantize(x, grid, ElementType::UInt8));
  setOutput(outputs, 1, std::move(scaleTensor));
  setOutput(outputs, 2, std::move(zeroTensor));
}

}  // namespace

std::unique_ptr<Kernel> makeQuantizeLinear(const Node& node, const Graph& /*graph*/) {
  const LinearSettings settings(node);
  const auto run = [settings](std::span<Tensor> inputs, std::span<Tensor> outputs) {
    const Tensor& scale = requiredInput(inputs, 1);
    const Tensor zeroPoint = inputOrUndefined(inputs, 2);
    const Tensor x = toFloat32(layoutFor(requiredInput(inputs, 0), scale));
    if (settings.float8) {
      const QuantizationGrid scales(x.shape(), scale, {}, settings.axis, settings.blockSize);
      setOutput(outputs, 0, quantizeToFloat8(x, scales, *settings.float8));
      return;
    }
    const QuantizationGrid grid(x.shape(), scale, zeroPoint, settings.axis, settings.blockSize);
    Tensor y = quantize(x, grid, zeroPoint.defined() ? zeroPoint.type() : settings.defaultType);
    if (settings.fourBit) saturateToFourBits(y);
    setOutput(outputs, 0, std::move(y));
  };
  return makeKernel(run, Kernel::InputLayout::Any);
}

std::unique_ptr<Kernel> makeDequantizeLinear(const Node& node, const Graph& /*graph*/) {
  const LinearSettings settings(node);
  const auto run = [settings](std::span<Tensor> inputs, std::span<Tensor> outputs) {
    const Tensor& scale = requiredInput(inputs, 1);
    const Tensor x = layoutFor(requiredInput(inputs, 0), scale);
    const Tensor zeroPoint = inputOrUndefined(inputs, 2);
    if (zeroPoint.defined() && zeroPoint.type() != x.type()) {
      throw Error(ErrorCode::InvalidParameters,
                  "codes and zero point differ in type: " + std::string(name(x.type())) + " and " +
                      std::string(name(zeroPoint.type())));
    }
    const bool isFloat8 = x.type() == ElementType::Float32;
    const QuantizationGrid grid(x.shape(), scale, isFloat8 ? Tensor() : zeroPoint, settings.axis,
                                settings.blockSize);
    setOutput(outputs, 0, dequantize(x, grid));
  };
  return makeKernel(run, Kernel::InputLayout::Any);
}

std::unique_ptr<Kernel> makeDynamicQuantizeLinear(const Node& /*node*/, const Graph& /*graph*/) {
  return makeKernel(quantizeDynamically, Kernel::InputLayout::Any);
}

}  // namespace quantscope
