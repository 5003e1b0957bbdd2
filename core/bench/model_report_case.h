#pragma once

#include "bench/kernel_case.h"

namespace quantscope {

/// "model_report/per-channel": the statistics of ModelReport
/// (calibration/observers/model_report.h) with the quantile of PyTorch's outlier detector, of
/// batches [32, 256, 16·16] on one thread each.
KernelCase modelReportCase(const KernelArrays& arrays);

}  // namespace quantscope
