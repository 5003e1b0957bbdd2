#pragma once

#include <string>
#include <vector>

#include "engine/engine.h"
#include "precision/backend/backend.h"
#include "precision/config/resolved_config.h"
#include "precision/layers/configured_layers.h"
#include "precision/parameters/resolved_encodings.h"
#include "precision/sharing/observer_groups.h"

namespace quantscope {

/// Why the observer of a tensor has nothing to do: "fp16 has no scale", "the range is set by hand";
/// empty where it has.
std::string whyNotObserved(const TensorPrecision& precision, bool isWeight);
/// Why channels or groups get no scales of their own, likewise; empty where they do.
std::string whyNoScales(QuantType type);

/// What a configuration asks for in vain.
struct WithoutEffect {
  std::vector<std::string> sentences;  ///< each begins with the key
  /// Keys of observers, ranges and granularities of tensors that all have an encoding:
  /// "nodes.conv1.weight.observer". A repaired configuration may have many.
  std::vector<std::string> encoded;
};

/// The entries of a configuration that have no effect:
/// - an observer where nothing is observed: types without a scale or with that of a mean magnitude,
///   dynamic ranges, ranges set by hand, outputs whose range the backend sets; a moving average of
///   weights, which have no batches;
/// - scales per channel or group, and ranges of each sample, of a type without a scale;
/// - observer, range or another granularity of what has encodings, where not only the default asks
///   for them;
/// - an entry whose nodes all only move data, compute no float data, or are parts of layers that
///   other nodes lead;
/// - weights, activations or outputs of an entry whose nodes have none to quantize, unless they are
///   as by default or left out;
/// - a rule for biases of integers where no layer has integer weights and static integer inputs;
/// and last, in one sentence, the operators that other backends quantize and this one leaves in
/// float, where only the default asks for them.
/// `groups` and `encodings` are those of the configuration.
WithoutEffect findWithoutEffect(const ConfiguredLayers& configured, const ObserverGroups& groups,
                                const ResolvedEncodings& encodings);

/// As notices; one tells of all that encodings beat.
std::vector<std::string> noticesOf(const WithoutEffect& found);

}  // namespace quantscope
