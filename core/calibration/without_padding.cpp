#include "calibration/without_padding.h"

namespace quantscope {

Tensor withoutPadding(const Tensor& value, const Feed& feed) {
  const Shape& shape = value.shape();
  const bool batched = feed.batch > feed.samples && !shape.empty() &&
                       shape[0] == static_cast<std::int64_t>(feed.batch);
  if (!batched) return value;
  Shape rows = shape;
  rows[0] = static_cast<std::int64_t>(feed.samples);
  const auto count = static_cast<std::size_t>(rows.elementCount());
  return Tensor::of(rows, value.values<float>().first(count));
}

}  // namespace quantscope
