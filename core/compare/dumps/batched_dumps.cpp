#include "compare/dumps/batched_dumps.h"

#include <algorithm>

namespace quantscope {
namespace {

bool hasRows(const Tensor& value, const Feed& feed) {
  return feed.batch > 1 && !value.shape().empty() &&
         value.shape()[0] == static_cast<std::int64_t>(feed.batch);
}

}  // namespace

Tensor dumpedFeed(const DumpFolder& folder, const DumpedValue& value, const Feed& feed,
                  std::size_t samples, const Tensor& expected) {
  const Tensor first = folder.read(value, feed.firstSample);
  if (!hasRows(expected, feed) || first.elementCount() * feed.batch != expected.elementCount()) {
    return first;
  }
  Tensor rows(first.type(), expected.shape());
  for (std::size_t i = 0; i < feed.batch; ++i) {
    const std::size_t sample = std::min(i, samples - 1);
    const Tensor row = sample == 0 ? first : folder.read(value, feed.firstSample + sample);
    // One of another size is no row.
    if (row.type() != first.type() || row.elementCount() != first.elementCount()) return row;
    std::copy_n(row.bytes(), row.byteSize(), rows.mutableBytes() + i * row.byteSize());
  }
  return rows;
}

Tensor countedRows(const Tensor& value, const Feed& feed, std::size_t samples) {
  const Tensor whole = toFloat32(toLayout(value, Layout::Plain));
  if (!hasRows(value, feed) || samples == feed.batch) return whole;
  Shape shape = whole.shape();
  shape[0] = static_cast<std::int64_t>(samples);
  Tensor counted(whole.type(), shape);
  std::copy_n(whole.bytes(), counted.byteSize(), counted.mutableBytes());
  return counted;
}

}  // namespace quantscope
