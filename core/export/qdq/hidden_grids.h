#pragma once

#include <map>

#include "export/qdq/draft_builder.h"
#include "quant/quant_params.h"

namespace quantscope {

/// Keeps weights float that are meant to be.
///
/// From version 1.21 on, ONNX Runtime's basic optimizations round the float weights of Conv,
/// ConvTranspose and Gemm to int8, with one scale for all of them, where the data come from a
/// DequantizeLinear with one scale (its WeightBiasQuantization). A layer that a configuration
/// leaves in float for its accuracy loses it there. Where each channel has a scale of its own, the
/// runtime leaves the weights alone; so such layers read the same codes with the same scale,
/// written once for each channel.
class HiddenGrids {
 public:
  /// `draft` must outlive it.
  explicit HiddenGrids(DraftBuilder& draft) : m_draft(draft) {}

  /// `rounded`: what addActivationPair() gave for these parameters, which must outlive this.
  void note(ValueId rounded, const QuantParams& params);

  /// The value with scales per channel; `rounded` itself where it was not noted, has no static
  /// integers with one scale, or no axis of a known extent above 1.
  ValueId of(ValueId rounded);

  /// What of() has made, by the value.
  std::map<ValueId, ValueId> made() const;

 private:
  ValueId make(ValueId rounded, const QuantParams& params);

  DraftBuilder& m_draft;
  std::map<ValueId, const QuantParams*> m_noted;
  std::map<ValueId, ValueId> m_made;  // itself where nothing could be made
};

}  // namespace quantscope
