#pragma once

#include <optional>
#include <span>

#include "calibration/observers/observations.h"
#include "precision/config/resolved_config.h"
#include "precision/parameters/quantized_model.h"

namespace quantscope {

/// What becomes of a quantized model where the input x of the layer that `lead` leads is equalized
/// with the layer's weights w: channel c of x comes multiplied by s_c before it is rounded, and the
/// weights that meet it are divided by s_c before they are. In float nothing changes.
///
/// `model` is what quantizeModel() made of `config`; `factors` are s_c by input channel, those that
/// are not positive and finite count as 1. The grid of x follows from the observed ranges of its
/// channels. As if the factors were a part of what computes x, a producer on whose grid the layer
/// reads x does not round x any more; others that read x get it rounded as before. A producer with
/// a grid of its own rounds x before the factors do.
///
/// Nothing where the layer is not quantized, has no or several constant weights, or other than one
/// factor per input channel; and where it cannot be told: x or a value before it on the same grid
/// is an output or has other readers than those that lead to x, its range is not the observed one
/// (another observer than min/max, set by hand, fixed by the backend), or its channels have scales
/// of their own.
std::optional<QuantizationChanges> equalizeLayer(const Engine& engine, const ResolvedConfig& config,
                                                 const Observations& observations,
                                                 const QuantizedModel& model, NodeId lead,
                                                 std::span<const double> factors);

}  // namespace quantscope
