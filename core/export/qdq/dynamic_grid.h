#pragma once

#include <string>

#include "export/qdq/code_type.h"
#include "export/qdq/draft_builder.h"

namespace quantscope {

/// True where DynamicQuantizeLinear takes the same grid from a tensor: all codes of uint8,
/// asymmetric, in ONNX's convention.
bool isDynamicQuantizeLinear(const QuantParams& params);

/// Values that hold a grid.
struct DynamicGrid {
  ValueId scale;
  ValueId zeroPoint;
};

/// Adds the nodes that take the grid of `params` (integers or FP8) from the extremes of x, as
/// gridFromRange() does, in float.
DynamicGrid addDynamicGrid(DraftBuilder& draft, ValueId x, const QuantParams& params,
                           const CodeType& code, const std::string& base, BlockId block);

}  // namespace quantscope
