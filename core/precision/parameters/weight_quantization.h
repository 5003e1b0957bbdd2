#pragma once

#include "base/job_context.h"
#include "precision/config/precision_config.h"
#include "quant/quant_params.h"
#include "tensor/tensor.h"

namespace quantscope {

/// The parameters of weights before their elements are known: type, codes and symmetry, no grids.
QuantParams weightParamsWithoutGrids(const TensorPrecision& precision, Convention convention);

/// The grids of a float32 tensor whose elements are known, per tensor, channel or group: from the
/// range of `precision` where it has one, else from what its observer makes of the elements.
/// Ternary and binary take their mean magnitudes (kernels/codes/magnitude_grid.h), half types have
/// one grid whatever the granularity. A part without finite elements counts as zeros. `defaultAxis`
/// serves "per-channel" without an axis. `job`: see forEachItem(). Throws InvalidParameters for an
/// axis that the tensor lacks, and Cancelled.
QuantParams weightParams(const Tensor& weight, const TensorPrecision& precision, int defaultAxis,
                         Convention convention, const JobContext* job = nullptr);

}  // namespace quantscope
