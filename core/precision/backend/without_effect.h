#pragma once

#include <string>
#include <vector>

#include "engine/engine.h"
#include "precision/backend/backend.h"
#include "precision/config/resolved_config.h"
#include "precision/layers/configured_layers.h"

namespace quantscope {

/// The entries of a configuration that have no effect, as sentences that begin with the key:
/// - an observer where nothing is observed: types without a scale or with that of a mean magnitude,
///   dynamic ranges, ranges set by hand, outputs whose range the backend sets; a moving average of
///   weights, which have no batches;
/// - scales per channel or group of a type without a scale;
/// - an entry whose nodes all only move data, compute no float data, or are parts of layers that
///   other nodes lead;
/// - weights, activations or outputs of an entry whose nodes have none to quantize, unless they are
///   as by default or left out;
/// - a rule for biases of integers where no layer has integer weights and static integer inputs;
/// and last, in one sentence, the operators that other backends quantize and this one leaves in
/// float, where only the default asks for them.
std::vector<std::string> findWithoutEffect(const ConfiguredLayers& configured);

}  // namespace quantscope
