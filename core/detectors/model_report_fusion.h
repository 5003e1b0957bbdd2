#pragma once

#include "precision/backend/backend.h"

namespace quantscope {

/// Patterns alone, as PyTorch's `prepare_fx` fuses for its ModelReport whatever the backend: Conv
/// and Linear (Gemm, or MatMul with a bias) with BatchNormalization and Relu behind them,
/// BatchNormalization with Relu.
const Backend& modelReportFusion();

}  // namespace quantscope
