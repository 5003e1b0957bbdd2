#pragma once

#include <cstddef>
#include <vector>

#include "graph/channel_axis.h"
#include "kernels/statistics/error_sums.h"
#include "tensor/tensor.h"

namespace quantscope {

/// Error sums of one sample of one value, per channel; a single entry where it has no channels.
using ChannelSums = std::vector<ErrorSums>;

/// The sum over all channels, in their order.
ErrorSums total(const ChannelSums& channels);
/// Adds a sample's channels to those of the samples before it.
void addSample(ChannelSums& channels, const ChannelSums& sample);

/// Compares two tensors of equal shape that hold `batch` samples along axis 0 (all of them one
/// sample where that is not their first extent), of which the first `samples` count. Adds sample
/// i's sums to result[i].
void addErrors(const Tensor& reference, const Tensor& value, ChannelAxis axis, std::size_t batch,
               std::span<ChannelSums> result);

/// Calls visit(sample, first element, element count) for each of the first `samples` samples of a
/// tensor with `batch` of them along axis 0; one call for all elements where that does not fit.
template <class Visit>
void visitSamples(const Tensor& tensor, std::size_t batch, std::size_t samples, Visit&& visit) {
  const Shape& shape = tensor.shape();
  const bool batched = batch > 1 && !shape.empty() && shape[0] == static_cast<std::int64_t>(batch);
  if (!batched) {
    visit(std::size_t{0}, std::size_t{0}, tensor.elementCount());
    return;
  }
  const std::size_t length = tensor.elementCount() / batch;
  for (std::size_t i = 0; i < samples; ++i) visit(i, i * length, length);
}

}  // namespace quantscope
