#pragma once

#include <string>

#include "export/export_loss.h"
#include "export/qdq/draft_builder.h"
#include "precision/parameters/layer_weights.h"

namespace quantscope {

/// The place of a constant in the model.
struct ConstantPlace {
  std::string name;  ///< of what it takes the place of
  BlockId block;
};

/// Adds a fake-quantized float32 constant as its codes with a DequantizeLinear behind them (half
/// types: as their numbers with a Cast). The dequantized numbers are those of `rounded`, to the
/// bit. Returns what takes the constant's place.
ValueId addStoredConstant(DraftBuilder& draft, const Tensor& rounded, const QuantParams& params,
                          const ConstantPlace& place, ExportLosses& losses);

/// Adds a layer's bias: as int32 with a DequantizeLinear of scale s_input · s_weight where it is
/// on such a grid and int32 gives the same numbers, else as the floats that it is.
ValueId addStoredBias(DraftBuilder& draft, const Tensor& bias, const BiasParams& params,
                      bool integerLayer, const ConstantPlace& place, ExportLosses& losses);

/// Adds a float32 constant as it is.
ValueId addFloatConstant(DraftBuilder& draft, const Tensor& values, const ConstantPlace& place);

}  // namespace quantscope
