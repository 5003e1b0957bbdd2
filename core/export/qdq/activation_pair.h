#pragma once

#include <string>

#include "export/export_loss.h"
#include "export/qdq/draft_builder.h"
#include "quant/quant_params.h"

namespace quantscope {

/// Adds the nodes that round the float value `x` to the grid of `params` and back, all in `block`,
/// and returns the rounded value, of the type of `x`:
///
/// - integers and FP8: QuantizeLinear, DequantizeLinear, with a Clip of the codes between them
///   where fewer than the type's are in use;
/// - dynamic ones: DynamicQuantizeLinear where its rule is that of `params`, else the rule in
///   primitive operators and a QuantizeLinear that takes its result;
/// - FP16 and BF16: a Cast to the type and one back;
/// - ternary and binary: comparisons in float.
///
/// Half types are widened before and narrowed after, as the simulation does. `base` names what is
/// added. Losses get no node.
ValueId addActivationPair(DraftBuilder& draft, ValueId x, const QuantParams& params,
                          const std::string& base, BlockId block, ExportLosses& losses);

/// DequantizeLinear of `codes`; `grid` and `code` as gridTensors() and codeTypeOf() give them.
struct QuantizedCodes {
  ValueId codes;
  ValueId scale;
  ValueId zeroPoint;
};
ValueId addDequantize(DraftBuilder& draft, const QuantizedCodes& codes, const QuantParams& params,
                      const ValueType& type, const std::string& base, BlockId block);

/// A Cast; `x` itself where it has that type.
ValueId addCast(DraftBuilder& draft, ValueId x, ElementType to, const std::string& base,
                BlockId block);

}  // namespace quantscope
