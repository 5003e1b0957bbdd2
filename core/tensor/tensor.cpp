#include "tensor/tensor.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <string>

#include "base/error.h"
#include "tensor/element_memory.h"
#include "tensor/half.h"
#include "tensor/memory_use.h"
#include "tensor/transpose_plane.h"

namespace quantscope {
namespace {

// Only for reports and budgets: no result may depend on them. They lag behind by what threads have
// counted but not yet added.
std::atomic<std::int64_t> livingBytes{0};
std::atomic<std::int64_t> peakBytes{0};

// Each thread adds its allocations and releases in large sums: threads that counted every small
// tensor in one place would wait for each other.
class UntoldBytes {
 public:
  ~UntoldBytes() { tell(); }

  void add(std::int64_t bytes) {
    m_bytes += bytes;
    if (m_bytes >= kMost || m_bytes <= -kMost) tell();
  }

 private:
  static constexpr std::int64_t kMost = std::int64_t{1} << 18;

  void tell() {
    const std::int64_t now = livingBytes.fetch_add(m_bytes, std::memory_order_relaxed) + m_bytes;
    m_bytes = 0;
    std::int64_t peak = peakBytes.load(std::memory_order_relaxed);
    while (now > peak && !peakBytes.compare_exchange_weak(peak, now, std::memory_order_relaxed)) {
    }
  }

  std::int64_t m_bytes = 0;
};

void countBytes(std::int64_t bytes) {
  static thread_local UntoldBytes untold;
  untold.add(bytes);
}

std::shared_ptr<std::byte> allocateElements(std::size_t bytes, MemoryUse use) {
  ElementMemory memory(bytes, use);
  countBytes(static_cast<std::int64_t>(bytes));
  std::byte* const data = memory.data();
  return {data, [bytes, kept = std::move(memory)](std::byte*) {
            countBytes(-static_cast<std::int64_t>(bytes));
          }};
}

}  // namespace

std::size_t tensorBytes() {
  return static_cast<std::size_t>(
      std::max<std::int64_t>(0, livingBytes.load(std::memory_order_relaxed)));
}

std::size_t peakTensorBytes() {
  return static_cast<std::size_t>(
      std::max<std::int64_t>(0, peakBytes.load(std::memory_order_relaxed)));
}

void restartTensorPeak() {
  restartHeapPeaks();
  peakBytes.store(livingBytes.load(std::memory_order_relaxed), std::memory_order_relaxed);
}

Tensor::Tensor(ElementType type, const Shape& shape, Layout layout, MemoryUse use)
    : m_elementCount(static_cast<std::size_t>(shape.elementCount())),
      m_shape(shape),
      m_type(type),
      m_layout(layout) {
  const std::size_t size = quantscope::byteSize(type);
  if (m_elementCount > std::numeric_limits<std::int64_t>::max() / size / 2) {
    throw Error(ErrorCode::InvalidParameters,
                "a tensor of shape " + toString(shape) + " does not fit into memory");
  }
  m_bytes = allocateElements(m_elementCount * size, use);
}

Tensor Tensor::zeros(ElementType type, const Shape& shape) {
  Tensor tensor(type, shape);
  std::memset(tensor.mutableBytes(), 0, tensor.byteSize());
  return tensor;
}

Tensor Tensor::reshaped(const Shape& shape) const {
  return toLayout(*this, Layout::Plain).reinterpreted(shape, Layout::Plain);
}

Tensor Tensor::reinterpreted(const Shape& shape, Layout layout) const {
  if (static_cast<std::size_t>(shape.elementCount()) != m_elementCount) {
    throw Error(ErrorCode::InvalidParameters, "a tensor of shape " + toString(m_shape) +
                                                  " cannot take the shape " + toString(shape));
  }
  Tensor result = *this;
  result.m_shape = shape;
  result.m_layout = layout;
  return result;
}

void Tensor::requireType(ElementType type) const {
  if (type == m_type) return;
  throw Error(ErrorCode::UnsupportedType, "expected " + std::string(name(type)) +
                                              " elements but found " + std::string(name(m_type)));
}

Tensor toLayout(const Tensor& tensor, Layout layout) {
  if (tensor.layout() == layout || tensor.shape().rank() < 3) return tensor;
  const Shape& shape = tensor.shape();
  const std::int64_t channels = shape[1];
  const std::int64_t positions = shape.elementCount(2, shape.rank());
  if (channels == 1 || positions == 1) return tensor.reinterpreted(shape, layout);
  Tensor result(tensor.type(), shape, layout);
  // Between [N, C, P] and [N, P, C].
  const bool toPlain = layout == Layout::Plain;
  const std::int64_t rows = toPlain ? channels : positions;
  const std::int64_t columns = toPlain ? positions : channels;
  const std::size_t itemBytes =
      static_cast<std::size_t>(channels * positions) * byteSize(tensor.type());
  for (std::size_t begin = 0; begin < tensor.byteSize(); begin += itemBytes) {
    transposePlane(
        tensor.bytes() + begin, result.mutableBytes() + begin, byteSize(tensor.type()),
        {.rows = rows, .columns = columns, .sourceStride = rows, .targetStride = columns});
  }
  return result;
}

Tensor toFloat32(const Tensor& tensor) {
  if (tensor.type() == ElementType::Float32) return tensor;
  Tensor result(ElementType::Float32, tensor.shape(), tensor.layout());
  const std::span<float> target = result.mutableValues<float>();
  if (tensor.type() == ElementType::Float16) {
    toFloat(tensor.values<Float16>(), target);
    return result;
  }
  visitElementType(tensor.type(), [&]<class T>() {
    const std::span<const T> source = tensor.values<T>();
    for (std::size_t i = 0; i < source.size(); ++i) {
      if constexpr (std::is_same_v<T, Float16> || std::is_same_v<T, BFloat16>) {
        target[i] = toFloat(source[i]);
      } else {
        target[i] = static_cast<float>(source[i]);
      }
    }
  });
  return result;
}

Tensor fromFloat32(const Tensor& tensor, ElementType type) {
  if (type == ElementType::Float32) return tensor;
  Tensor result(type, tensor.shape(), tensor.layout());
  const std::span<const float> source = tensor.values<float>();
  switch (type) {
    case ElementType::Float16:
      toFloat16(source, result.mutableValues<Float16>());
      return result;
    case ElementType::BFloat16:
      std::ranges::transform(source, result.mutableValues<BFloat16>().begin(), toBFloat16);
      return result;
    case ElementType::Float64:
      std::ranges::copy(source, result.mutableValues<double>().begin());
      return result;
    default:
      throw Error(ErrorCode::UnsupportedType, "cannot round float32 to " + std::string(name(type)));
  }
}

std::vector<std::int64_t> toIntegers(const Tensor& tensor) {
  if (tensor.type() == ElementType::Int64) {
    const auto source = tensor.values<std::int64_t>();
    return {source.begin(), source.end()};
  }
  const auto source = tensor.values<std::int32_t>();
  return {source.begin(), source.end()};
}

bool identical(const Tensor& a, const Tensor& b) {
  if (a.defined() != b.defined()) return false;
  if (!a.defined()) return true;
  if (a.type() != b.type() || a.shape() != b.shape()) return false;
  const Tensor left = toLayout(a, Layout::Plain);
  const Tensor right = toLayout(b, Layout::Plain);
  return std::memcmp(left.bytes(), right.bytes(), left.byteSize()) == 0;
}

}  // namespace quantscope
