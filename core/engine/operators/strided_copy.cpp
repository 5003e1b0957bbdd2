// Every operator that only moves elements is a copy between two strided arrays. Axes of extent 1
// are dropped and neighbours that both sides step through without a gap are merged, so that most
// copies end up as a few long runs. What is left is a loop over rows with one of four bodies: a
// contiguous run, a repeated element, a tiled transposition (where the source is contiguous along
// another axis than the target), or a strided loop.

#include "engine/operators/strided_copy.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "base/part_loop.h"
#include "engine/operators/memory_order.h"
#include "tensor/raw_element.h"
#include "tensor/transpose_plane.h"

namespace quantscope {
namespace {

struct AxisList {
  std::array<CopyAxis, kMaxCopyAxes> axes;
  std::size_t count = 0;

  CopyAxis& last() { return axes[count - 1]; }
  std::span<const CopyAxis> span() const { return {axes.data(), count}; }
};

void append(AxisList& list, const CopyAxis& axis) {
  if (axis.extent == 1) return;
  if (list.count > 0 && list.last().sourceStride == axis.sourceStride * axis.extent &&
      list.last().targetStride == axis.targetStride * axis.extent) {
    list.last() = {list.last().extent * axis.extent, axis.sourceStride, axis.targetStride};
  } else {
    list.axes[list.count++] = axis;
  }
}

AxisList merged(std::span<const CopyAxis> axes) {
  AxisList list;
  for (const CopyAxis& axis : axes) append(list, axis);
  return list;
}

// Moves the axis along which the source is contiguous next to the innermost one, so that the two
// can be walked in tiles; true where there is such an axis and the target is contiguous too.
bool bringTogether(AxisList& list) {
  if (list.count < 2 || list.last().targetStride != 1 || list.last().sourceStride == 1) {
    return false;
  }
  const auto begin = list.axes.begin();
  const auto end = begin + static_cast<std::ptrdiff_t>(list.count) - 1;
  const auto contiguous =
      std::find_if(begin, end, [](const CopyAxis& axis) { return axis.sourceStride == 1; });
  if (contiguous == end) return false;
  std::rotate(contiguous, contiguous + 1, end);
  return true;
}

// Calls body(source, target) for every index of the outer axes.
template <class T, class Body>
void forEachOuter(std::span<const CopyAxis> outer, const T* source, T* target, const Body& body) {
  std::array<std::int64_t, kMaxCopyAxes> index{};
  for (;;) {
    body(source, target);
    std::size_t axis = outer.size();
    for (; axis > 0; --axis) {
      const CopyAxis& current = outer[axis - 1];
      const bool wraps = ++index[axis - 1] == current.extent;
      const std::int64_t steps = wraps ? 1 - current.extent : 1;
      source += steps * current.sourceStride;
      target += steps * current.targetStride;
      if (!wraps) break;
      index[axis - 1] = 0;
    }
    if (axis == 0) return;
  }
}

template <class T>
void copyRow(const T* source, T* target, const CopyAxis& axis) {
  if (axis.targetStride == 1 && axis.sourceStride == 1) {
    std::memcpy(target, source, static_cast<std::size_t>(axis.extent) * sizeof(T));
  } else if (axis.targetStride == 1 && axis.sourceStride == 0) {
    std::fill_n(target, axis.extent, *source);
  } else {
    for (std::int64_t i = 0; i < axis.extent; ++i) {
      target[i * axis.targetStride] = source[i * axis.sourceStride];
    }
  }
}

// `rows` is contiguous in the source, `columns` in the target.
template <class T>
void transposeAxes(const T* source, T* target, const CopyAxis& rows, const CopyAxis& columns) {
  transposePlane(reinterpret_cast<const std::byte*>(source), reinterpret_cast<std::byte*>(target),
                 sizeof(T),
                 {.rows = rows.extent,
                  .columns = columns.extent,
                  .sourceStride = columns.sourceStride,
                  .targetStride = rows.targetStride});
}

template <class T>
void copyMerged(const T* source, T* target, AxisList list) {
  if (list.count == 0) {
    *target = *source;
  } else if (bringTogether(list)) {
    const CopyAxis& rows = list.axes[list.count - 2];
    const CopyAxis& columns = list.axes[list.count - 1];
    forEachOuter(list.span().first(list.count - 2), source, target,
                 [&](const T* from, T* to) { transposeAxes(from, to, rows, columns); });
  } else {
    const CopyAxis& row = list.last();
    forEachOuter(list.span().first(list.count - 1), source, target,
                 [&](const T* from, T* to) { copyRow(from, to, row); });
  }
}

void copyPart(const std::byte* source, std::byte* target, std::size_t elementBytes,
              const AxisList& list) {
  visitRawElements(elementBytes, [&]<class T>() {
    copyMerged(reinterpret_cast<const T*>(source), reinterpret_cast<T*>(target), list);
  });
}

}  // namespace

void stridedCopy(const std::byte* source, std::byte* target, std::size_t elementBytes,
                 std::span<const CopyAxis> axes) {
  for (const CopyAxis& axis : axes) {
    if (axis.extent == 0) return;
  }
  const AxisList list = merged(axes);
  if (list.count == 0) return copyPart(source, target, elementBytes, list);
  // Runs in parts along the outermost axis.
  const CopyAxis& outer = list.axes[0];
  std::int64_t inner = 1;
  for (const CopyAxis& axis : list.span().subspan(1)) inner *= axis.extent;
  const std::int64_t grain =
      std::max<std::int64_t>(1, static_cast<std::int64_t>(kPieceElements) / inner);
  const auto bytes = static_cast<std::int64_t>(elementBytes);
  forEachPiece(static_cast<std::size_t>(outer.extent), static_cast<std::size_t>(grain),
               [&](std::size_t first, std::size_t end) {
                 const auto start = static_cast<std::int64_t>(first);
                 AxisList part = list;
                 part.axes[0].extent = static_cast<std::int64_t>(end - first);
                 copyPart(source + start * outer.sourceStride * bytes,
                          target + start * outer.targetStride * bytes, elementBytes,
                          merged(part.span()));
               });
}

void copyBox(const Tensor& source, const Shape& from, Tensor& target, const Shape& to,
             const Shape& extents) {
  const std::size_t rank = extents.rank();
  const Layout layout = source.layout();
  const Shape sourceStrides = rowMajorStrides(memoryShape(source.shape(), layout));
  const Shape targetStrides = rowMajorStrides(memoryShape(target.shape(), layout));
  std::array<CopyAxis, Shape::kMaxRank> axes;
  std::int64_t first = 0;
  std::int64_t place = 0;
  for (std::size_t i = 0; i < rank; ++i) {
    const std::size_t axis = logicalAxis(i, rank, layout);
    axes[i] = {extents[axis], sourceStrides[i], targetStrides[i]};
    first += from[axis] * sourceStrides[i];
    place += to[axis] * targetStrides[i];
  }
  const std::size_t bytes = byteSize(source.type());
  stridedCopy(source.bytes() + first * static_cast<std::int64_t>(bytes),
              target.mutableBytes() + place * static_cast<std::int64_t>(bytes), bytes,
              std::span(axes).first(rank));
}

Tensor copyOfBox(const Tensor& source, const Shape& from, const Shape& extents) {
  Tensor result(source.type(), extents, source.layout());
  copyBox(source, from, result, Shape::filled(extents.rank(), 0), extents);
  return result;
}

}  // namespace quantscope
