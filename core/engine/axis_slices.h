#pragma once

#include <cstdint>
#include <span>

#include "graph/graph.h"
#include "tensor/tensor.h"

namespace quantscope {

/// `shape` with a new axis of that extent at position `axis`, which is at most its rank.
Shape withAxis(const Shape& shape, std::size_t axis, std::int64_t extent);

/// The elements at `index` of an axis, without that axis. The tensor is Plain; index and axis are
/// within its shape.
Tensor sliceAt(const Tensor& tensor, std::size_t axis, std::int64_t index);

/// The items side by side on a new axis: the inverse of sliceAt. `axis` counts from the back of the
/// result where negative. Without items, an extent of 0 in what `type` knows of one of them
/// (float32 and 0 where it knows nothing). Throws InvalidModel where items differ in type or shape.
Tensor stackOnAxis(std::span<const Tensor> items, std::int64_t axis, const ValueType& type);

}  // namespace quantscope
