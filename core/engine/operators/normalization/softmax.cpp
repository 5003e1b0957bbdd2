#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "base/part_loop.h"
#include "engine/operators/normalization/normalization.h"
#include "engine/operators/operands.h"
#include "engine/vector_math.h"
#include "kernels/network/softmax.h"

namespace quantscope {
namespace {

// A tensor seen as [outer, extent, inner]; the operators work along the middle.
struct Axes {
  std::int64_t outer, extent, inner;
};

class AxesAttribute {
 public:
  // Up to version 12 the axes from `axis` on count as one.
  explicit AxesAttribute(const Node& node)
      : m_flattens(node.version < 13), m_axis(node.integer("axis", m_flattens ? 1 : -1)) {}

  Axes of(const Shape& shape) const {
    if (shape.empty()) return {1, 1, 1};
    const auto rank = static_cast<std::int64_t>(shape.rank());
    if (m_flattens && m_axis == rank) return {shape.elementCount(), 1, 1};
    const std::size_t axis = normalizeAxis(m_axis, shape.rank());
    if (m_flattens) {
      return {shape.elementCount(0, axis), shape.elementCount(axis, shape.rank()), 1};
    }
    return {shape.elementCount(0, axis), shape[axis], shape.elementCount(axis + 1, shape.rank())};
  }

 private:
  bool m_flattens;
  std::int64_t m_axis;
};

float exponential(float x) {
  return fastExp(x);
}
double exponential(double x) {
  return std::exp(x);
}

// Elements of a part of an item: an exponential costs as much as moving several elements.
constexpr std::int64_t kPieceSize = kPieceElements / 4;
// Columns that are worked on at once where the axis is not the last one.
constexpr std::int64_t kColumns = 64;
// Independent results, so that the compiler can work on vectors.
constexpr std::int64_t kLanes = 16;

template <class T>
T largestOf(const T* x, std::int64_t count) {
  T lanes[kLanes];
  std::fill_n(lanes, kLanes, -std::numeric_limits<T>::infinity());
  std::int64_t i = 0;
  for (; i + kLanes <= count; i += kLanes) {
    for (std::int64_t lane = 0; lane < kLanes; ++lane) {
      lanes[lane] = x[i + lane] > lanes[lane] ? x[i + lane] : lanes[lane];
    }
  }
  for (; i < count; ++i) lanes[0] = std::max(lanes[0], x[i]);
  return *std::max_element(lanes, lanes + kLanes);
}

template <class T>
T sumOf(const T* x, std::int64_t count) {
  T lanes[kLanes] = {};
  std::int64_t i = 0;
  for (; i + kLanes <= count; i += kLanes) {
    for (std::int64_t lane = 0; lane < kLanes; ++lane) lanes[lane] += x[i + lane];
  }
  for (; i < count; ++i) lanes[0] += x[i];
  T sum = 0;
  for (const T lane : lanes) sum += lane;
  return sum;
}

void softmaxRow(const double* x, double* y, std::int64_t count) {
  const double largest = largestOf(x, count);
  for (std::int64_t i = 0; i < count; ++i) y[i] = std::exp(x[i] - largest);
  const double factor = 1 / sumOf(y, count);
  for (std::int64_t i = 0; i < count; ++i) y[i] *= factor;
}

template <class T>
void logSoftmaxRow(const T* x, T* y, std::int64_t count) {
  const T largest = largestOf(x, count);
  std::vector<T> powers(static_cast<std::size_t>(count));
  for (std::int64_t i = 0; i < count; ++i) {
    powers[static_cast<std::size_t>(i)] = exponential(x[i] - largest);
  }
  const T logSum = std::log(sumOf(powers.data(), count));
  for (std::int64_t i = 0; i < count; ++i) y[i] = (x[i] - largest) - logSum;
}

template <class T>
void hardmaxRow(const T* x, T* y, std::int64_t count) {
  const std::int64_t best = std::max_element(x, x + count) - x;
  std::fill_n(y, count, T{0});
  y[best] = T{1};
}

// Gathers strided columns, lets `rows` work on them, and puts them back.
template <class T, class Rows>
void alongColumns(const T* x, T* y, const Axes& axes, const Rows& rows) {
  std::vector<T> buffer(static_cast<std::size_t>(axes.extent * kColumns));
  for (std::int64_t first = 0; first < axes.inner; first += kColumns) {
    const std::int64_t columns = std::min(kColumns, axes.inner - first);
    for (std::int64_t k = 0; k < axes.extent; ++k) {
      const T* from = x + k * axes.inner + first;
      for (std::int64_t c = 0; c < columns; ++c) {
        buffer[static_cast<std::size_t>(c * axes.extent + k)] = from[c];
      }
    }
    rows(buffer.data(), buffer.data(), columns, axes.extent);
    for (std::int64_t k = 0; k < axes.extent; ++k) {
      T* to = y + k * axes.inner + first;
      for (std::int64_t c = 0; c < columns; ++c) {
        to[c] = buffer[static_cast<std::size_t>(c * axes.extent + k)];
      }
    }
  }
}

template <class T, class Rows>
Tensor alongAxis(Tensor& x, const Axes& axes, const Rows& rows) {
  const T* from = x.values<T>().data();
  const bool empty = x.elementCount() == 0;
  Tensor result = takeOver(x, ElementTypeOf<T>::kType);
  if (empty) return result;
  T* to = result.mutableValues<T>().data();
  const std::int64_t slice = axes.extent * axes.inner;
  const auto grain = static_cast<std::size_t>(std::max<std::int64_t>(1, kPieceSize / slice));
  forEachPiece(static_cast<std::size_t>(axes.outer), grain,
               [&](std::size_t first, std::size_t end) {
                 auto i = static_cast<std::int64_t>(first);
                 const auto last = static_cast<std::int64_t>(end);
                 if (axes.inner == 1)
                   return rows(from + i * slice, to + i * slice, last - i, axes.extent);
                 for (; i < last; ++i) alongColumns(from + i * slice, to + i * slice, axes, rows);
               });
  return result;
}

// `Rows` has an operator()(const T* x, T* y, rows, count) that may work in place.
template <class Rows>
std::unique_ptr<Kernel> makeAlongAxis(const Node& node) {
  const AxesAttribute attribute(node);
  return makeKernel([attribute](std::span<Tensor> inputs, std::span<Tensor> outputs) {
    Tensor& x = requiredInput(inputs, 0);
    const Axes axes = attribute.of(x.shape());
    setOutput(outputs, 0,
              x.type() == ElementType::Float64 ? alongAxis<double>(x, axes, Rows{})
                                               : alongAxis<float>(x, axes, Rows{}));
  });
}

struct SoftmaxRows {
  void operator()(const float* x, float* y, std::int64_t rows, std::int64_t count) const {
    softmaxRows(x, static_cast<std::size_t>(rows), static_cast<std::size_t>(count), y);
  }
  void operator()(const double* x, double* y, std::int64_t rows, std::int64_t count) const {
    for (std::int64_t i = 0; i < rows; ++i) softmaxRow(x + i * count, y + i * count, count);
  }
};

struct LogSoftmaxRows {
  template <class T>
  void operator()(const T* x, T* y, std::int64_t rows, std::int64_t count) const {
    for (std::int64_t i = 0; i < rows; ++i) logSoftmaxRow(x + i * count, y + i * count, count);
  }
};

struct HardmaxRows {
  template <class T>
  void operator()(const T* x, T* y, std::int64_t rows, std::int64_t count) const {
    for (std::int64_t i = 0; i < rows; ++i) hardmaxRow(x + i * count, y + i * count, count);
  }
};

}  // namespace

std::unique_ptr<Kernel> makeSoftmax(const Node& node, const Graph& /*graph*/) {
  return makeAlongAxis<SoftmaxRows>(node);
}

std::unique_ptr<Kernel> makeLogSoftmax(const Node& node, const Graph& /*graph*/) {
  return makeAlongAxis<LogSoftmaxRows>(node);
}

std::unique_ptr<Kernel> makeHardmax(const Node& node, const Graph& /*graph*/) {
  return makeAlongAxis<HardmaxRows>(node);
}

}  // namespace quantscope
