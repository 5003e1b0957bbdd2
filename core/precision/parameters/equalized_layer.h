#pragma once

#include <span>
#include <string>

#include "calibration/observers/observations.h"
#include "precision/config/resolved_config.h"
#include "precision/parameters/quantized_model.h"

namespace quantscope {

/// Equalizes the input x of the layer that `lead` leads with the layer's weights w: channel c of x
/// comes multiplied by s_c before it is rounded, and the weights that meet it are divided by s_c
/// before they are. In float nothing changes.
///
/// `model` is quantized under `config`; `factors` are s_c by input channel. The grid of x follows
/// from the observed ranges of its channels. As if the factors were a part of what computes x, a
/// producer on whose grid the layer reads x does not round x any more; others that read x get it
/// rounded as before. A producer with a grid of its own rounds x before the factors do.
///
/// Returns why the model stays as it is, empty where it does not: the layer is not quantized or has
/// no or several constant weights; x or a value before it on the same grid is an output or has
/// other readers than those that lead to x, its range is not the observed one (another observer
/// than min/max, set by hand or by an encoding, fixed by the backend), or its channels have scales
/// of their own. Throws InvalidConfiguration for other than one factor per input channel.
std::string equalizeLayer(const Engine& engine, const ResolvedConfig& config,
                          const Observations& observations, const ResolvedEncodings& encodings,
                          QuantizedModel& model, NodeId lead, std::span<const float> factors);

}  // namespace quantscope
