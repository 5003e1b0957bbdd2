#include <string>

#include "base/error.h"
#include "engine/operators/operands.h"
#include "engine/operators/spectra/fourier.h"
#include "engine/operators/spectra/spectra.h"
#include "engine/operators/type_lists.h"

namespace quantscope {
namespace {

using Complex = std::complex<double>;

struct TransformSettings {
  bool inverse;
  bool oneSided;
  bool axisIsInput;
  std::int64_t axis;

  explicit TransformSettings(const Node& node)
      : inverse(node.integer("inverse", 0) != 0),
        oneSided(node.integer("onesided", 0) != 0),
        axisIsInput(node.version >= 20),
        axis(axisIsInput ? -2 : node.integer("axis", 1)) {
    if (!inverse || !oneSided) return;
    throw Error(ErrorCode::UnsupportedOperation,
                "the inverse of a one-sided transform is not defined by the operator");
  }
};

std::int64_t positive(std::int64_t length) {
  if (length > 0) return length;
  throw Error(ErrorCode::InvalidParameters,
              "a Fourier transform cannot have the length " + std::to_string(length));
}

// 1 or 2 numbers per element: real, or real and imaginary part on the last axis.
std::size_t partsOf(const Shape& shape) {
  if (shape.rank() >= 2 && (shape.back() == 1 || shape.back() == 2)) {
    return static_cast<std::size_t>(shape.back());
  }
  throw Error(ErrorCode::InvalidParameters,
              "a signal of shape " + toString(shape) +
                  " has neither real nor complex numbers on its last axis");
}

template <class T>
Complex complexAt(const T* x, std::size_t parts) {
  return {static_cast<double>(x[0]), parts == 2 ? static_cast<double>(x[1]) : 0.0};
}

// x [outer, extent, inner, parts] → y [outer, bins, inner, 2]
template <class T>
Tensor transform(const Tensor& x, std::size_t axis, std::int64_t length,
                 const TransformSettings& settings) {
  const std::size_t parts = partsOf(x.shape());
  Shape shape = x.shape();
  const auto inner = static_cast<std::size_t>(shape.elementCount(axis + 1, shape.rank() - 1));
  const auto outer = static_cast<std::size_t>(shape.elementCount(0, axis));
  const auto extent = static_cast<std::size_t>(shape[axis]);
  const auto bins = static_cast<std::size_t>(settings.oneSided ? length / 2 + 1 : length);
  shape[axis] = static_cast<std::int64_t>(bins);
  shape[shape.rank() - 1] = 2;
  Tensor y(x.type(), shape);
  const T* from = x.values<T>().data();
  T* to = y.mutableValues<T>().data();
  const double factor = settings.inverse ? 1 / static_cast<double>(length) : 1;
  std::vector<Complex> line(static_cast<std::size_t>(length));
  for (std::size_t i = 0; i < outer * inner; ++i) {
    const std::size_t row = i / inner;
    const std::size_t column = i % inner;
    for (std::size_t n = 0; n < line.size(); ++n) {
      const std::size_t place = ((row * extent + n) * inner + column) * parts;
      line[n] = n < extent ? complexAt(from + place, parts) : Complex();
    }
    const std::vector<Complex> sums = fourierSums(line, settings.inverse);
    for (std::size_t k = 0; k < bins; ++k) {
      T* place = to + ((row * bins + k) * inner + column) * 2;
      place[0] = static_cast<T>(sums[k].real() * factor);
      place[1] = static_cast<T>(sums[k].imag() * factor);
    }
  }
  return y;
}

std::unique_ptr<Kernel> fourierTransform(const Node& node, const Graph& /*graph*/) {
  return makeKernel([settings = TransformSettings(node)](std::span<Tensor> inputs,
                                                         std::span<Tensor> outputs) {
    const Tensor& x = requiredInput(inputs, 0);
    const Tensor* givenAxis = settings.axisIsInput ? optionalInput(inputs, 2) : nullptr;
    const std::size_t axis = normalizeAxis(
        givenAxis == nullptr ? settings.axis : onlyInteger(*givenAxis), x.shape().rank());
    if (axis + 1 == x.shape().rank()) {
      throw Error(ErrorCode::InvalidParameters,
                  "a Fourier transform cannot be along the last axis, which holds the parts");
    }
    const Tensor* length = optionalInput(inputs, 1);
    const std::int64_t count = positive(length ? onlyInteger(*length) : x.shape()[axis]);
    visitTypes(FloatTypes{}, x.type(),
               [&]<class T>() { setOutput(outputs, 0, transform<T>(x, axis, count, settings)); });
  });
}

// Signal [batch, length] or [batch, length, parts] → [batch, frames, bins, 2]
template <class T>
Tensor shortTimeTransform(const Tensor& signal, const Tensor& window, std::int64_t step,
                          std::int64_t length, bool oneSided) {
  const Shape& shape = signal.shape();
  const std::size_t parts = shape.rank() == 2 ? 1 : partsOf(shape);
  const std::int64_t frames = shape[1] < length ? 0 : (shape[1] - length) / step + 1;
  const std::int64_t bins = oneSided ? length / 2 + 1 : length;
  Tensor y(signal.type(), {shape[0], frames, bins, 2});
  T* to = y.mutableValues<T>().data();
  std::vector<Complex> line(static_cast<std::size_t>(length));
  for (std::int64_t i = 0; i < shape[0] * frames; ++i) {
    const std::int64_t first = i / frames * shape[1] + i % frames * step;
    const T* from = signal.values<T>().data() + static_cast<std::size_t>(first) * parts;
    for (std::size_t n = 0; n < line.size(); ++n) {
      const double weight = window.defined() ? static_cast<double>(window.values<T>()[n]) : 1;
      line[n] = complexAt(from + n * parts, parts) * weight;
    }
    const std::vector<Complex> sums = fourierSums(line, false);
    for (std::size_t k = 0; k < static_cast<std::size_t>(bins); ++k) {
      *to++ = static_cast<T>(sums[k].real());
      *to++ = static_cast<T>(sums[k].imag());
    }
  }
  return y;
}

void shortTime(std::span<Tensor> inputs, std::span<Tensor> outputs, bool oneSided) {
  const Tensor& signal = requiredInput(inputs, 0);
  if (signal.shape().rank() != 2 && signal.shape().rank() != 3) {
    throw Error(ErrorCode::InvalidParameters,
                "a signal of shape " + toString(signal.shape()) + " is not [batch, length, parts]");
  }
  const std::int64_t step = positive(onlyInteger(requiredInput(inputs, 1)));
  const Tensor window = inputOrUndefined(inputs, 2);
  const Tensor* given = optionalInput(inputs, 3);
  if (given == nullptr && !window.defined()) {
    throw Error(ErrorCode::InvalidModel, "STFT has neither a window nor a frame length");
  }
  const std::int64_t length =
      positive(given ? onlyInteger(*given) : static_cast<std::int64_t>(window.elementCount()));
  if (window.defined() && static_cast<std::int64_t>(window.elementCount()) != length) {
    throw Error(ErrorCode::InvalidParameters, "a window of shape " + toString(window.shape()) +
                                                  " does not fit frames of the length " +
                                                  std::to_string(length));
  }
  visitTypes(FloatTypes{}, signal.type(), [&]<class T>() {
    setOutput(outputs, 0, shortTimeTransform<T>(signal, window, step, length, oneSided));
  });
}

std::unique_ptr<Kernel> shortTimeFourierTransform(const Node& node, const Graph& /*graph*/) {
  return makeKernel([oneSided = node.integer("onesided", 1) != 0](std::span<Tensor> inputs,
                                                                  std::span<Tensor> outputs) {
    shortTime(inputs, outputs, oneSided);
  });
}

}  // namespace

void registerFourierTransforms(OperatorRegistry& registry) {
  registry.add("DFT", {17, 20}, fourierTransform);
  registry.add("STFT", {17}, shortTimeFourierTransform);
}

}  // namespace quantscope
