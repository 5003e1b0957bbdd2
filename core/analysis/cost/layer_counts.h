#pragma once

#include "analysis/errors/error_records.h"
#include "quant/quant_params.h"
#include "tensor/tensor.h"

namespace quantscope {

/// Adds the elements of the first `samples` of `batch` samples to the bins of a range; NaN counts
/// nowhere.
void countInto(const Tensor& values, const Range& range, std::size_t batch, std::size_t samples,
               BinRecord& record);

/// Counts the samples' elements beyond the only grid of `output`.
void countClipped(const Tensor& values, const QuantParams& output, std::size_t batch,
                  std::size_t samples, ClipRecord& record);

}  // namespace quantscope
