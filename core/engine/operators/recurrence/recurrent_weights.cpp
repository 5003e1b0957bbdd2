#include "engine/operators/recurrence/recurrent_weights.h"

namespace quantscope {
namespace {

// The float weights, and those of some quantizations that are being evaluated.
constexpr std::size_t kKeptWeights = 4;

// Matrix `index` of [count, rows, columns] as [columns, rows].
Tensor transposedSlice(const Tensor& stack, std::int64_t index) {
  const std::int64_t rows = stack.shape()[1];
  const std::int64_t columns = stack.shape()[2];
  Tensor result(ElementType::Float32, Shape{columns, rows});
  const float* from = stack.values<float>().data() + index * rows * columns;
  float* to = result.mutableValues<float>().data();
  for (std::int64_t row = 0; row < rows; ++row) {
    for (std::int64_t column = 0; column < columns; ++column) {
      to[column * rows + row] = from[row * columns + column];
    }
  }
  return result;
}

// Sum of the two biases of a direction, [Wb, Rb].
Tensor summedBias(const Tensor& b, std::int64_t direction, std::int64_t separateBiases) {
  const std::int64_t sums = b.shape()[1] / 2;
  Tensor result(ElementType::Float32, Shape{sums});
  const float* from = b.values<float>().data() + direction * 2 * sums;
  float* to = result.mutableValues<float>().data();
  for (std::int64_t i = 0; i < sums; ++i) {
    to[i] = i < sums - separateBiases ? from[i] + from[sums + i] : from[i];
  }
  return result;
}

}  // namespace

RecurrentWeightCache::RecurrentWeightCache() : m_cache(kKeptWeights) {}

std::shared_ptr<const RecurrentWeights> RecurrentWeightCache::get(
    const Tensor& w, const Tensor& r, const Tensor& b, std::int64_t separateBiases) const {
  const auto matches = [&](const RecurrentWeights& kept) {
    return kept.w.sharesElementsWith(w) && kept.r.sharesElementsWith(r) &&
           kept.b.sharesElementsWith(b) && kept.w.shape() == w.shape();
  };
  if (auto found = m_cache.find(matches)) return found;
  auto made = std::make_shared<RecurrentWeights>();
  made->w = w;
  made->r = r;
  made->b = b;
  for (std::int64_t direction = 0; direction < w.shape()[0]; ++direction) {
    made->input.push_back(transposedSlice(w, direction));
    made->recurrent.push_back(transposedSlice(r, direction));
    made->bias.push_back(b.defined() ? summedBias(b, direction, separateBiases) : Tensor());
  }
  m_cache.insert(made);
  return made;
}

}  // namespace quantscope
