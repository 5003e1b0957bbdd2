#pragma once

#include <string>
#include <vector>

#include "engine/engine.h"
#include "precision/backend/backend.h"
#include "precision/config/resolved_config.h"
#include "precision/layers/configured_layers.h"

namespace quantscope {

/// A precision that the configuration asks for and the backend does not support. It is simulated as
/// asked; an operator that the backend supports in no type stays float.
struct NotSupported {
  std::string node;     ///< leads its layer
  std::string asked;    ///< only what cannot be done: "weights int4 symmetric per-channel"
  std::string nearest;  ///< run instead by the backend: "weights int8 symmetric per-channel"
  std::string reason;   ///< "x86 runs Conv with weights of int8"
  NodePrecision nearestPrecision;  ///< as an entry for the node
};

/// The entries of a configuration that the backend does not support, by layer in execution order.
/// Among all ways to run an operator the nearest is the one that changes least: the mode weighs
/// more than a type, a type more than symmetry or granularity; a type is replaced by one of at
/// least its width where there is one. Layers that stay float by default are not listed, only those
/// with an entry of their own.
std::vector<NotSupported> findNotSupported(const ConfiguredLayers& configured);

/// One sentence per kind of problem: "'conv1' and 11 more ask for weights int4 symmetric
/// per-channel; the nearest is weights int8 symmetric per-channel: x86 runs Conv with weights of
/// int8".
std::vector<std::string> sentences(const std::vector<NotSupported>& list);

/// The same for a configuration as it stands.
/// Throws InvalidConfiguration where an entry matches nothing.
std::vector<NotSupported> validateConfig(const Engine& engine, const PrecisionConfig& config,
                                         const Backend& backend);

}  // namespace quantscope
