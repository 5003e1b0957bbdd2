#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "calibration/observers/observer_spec.h"
#include "precision/backend/bias_rule.h"
#include "precision/config/name_pattern.h"
#include "precision/sharing/hand_sharing.h"
#include "quant/granularity.h"
#include "quant/quant_params.h"

namespace quantscope {

/// "onnx", "pytorch", as in files.
const char* name(Convention convention);

/// The quantization of one tensor.
struct TensorPrecision {
  QuantType type = QuantType::Float32;
  bool symmetric = true;
  Granularity granularity;
  ObserverSpec observer;
  bool dynamic = false;                 ///< activations: the range of each sample by itself
  std::optional<Range> range;           ///< set by hand; beats the observer
  std::optional<std::int32_t> lowest;   ///< narrower codes than the type has (`qmin`)
  std::optional<std::int32_t> highest;  ///< `qmax`

  friend bool operator==(const TensorPrecision&, const TensorPrecision&) = default;
};

/// The precision of a node in a configuration; Q in the documentation.
struct NodePrecision {
  bool float32 = false;  ///< "fp32": the node adds no quantization at all
  TensorPrecision weight;
  TensorPrecision activation;  ///< its input edges
  TensorPrecision output;      ///< equals `activation` if the configuration does not set it

  friend bool operator==(const NodePrecision&, const NodePrecision&) = default;
};

/// Weights int8 symmetric per channel, activations uint8 asymmetric per tensor, min/max, static.
NodePrecision defaultPrecision();

/// The precision of all nodes whose whole name matches.
struct PatternPrecision {
  NamePattern match;
  NodePrecision use;

  friend bool operator==(const PatternPrecision&, const PatternPrecision&) = default;
};

/// Types and rules: what to quantize, and how. An entry of `nodes` beats the first
/// pattern that matches, that beats the operator type, and that the default.
struct PrecisionConfig {
  std::string backend = "x86";  ///< a name, or the path of a file
  Convention convention = Convention::Onnx;
  std::optional<BiasRule> bias;  ///< none: as the backend does it
  NodePrecision defaults = defaultPrecision();
  std::vector<std::pair<std::string, NodePrecision>> opTypes;
  std::vector<PatternPrecision> patterns;
  std::vector<std::pair<std::string, NodePrecision>> nodes;
  HandSharing groups;
  /// Fewer calibration samples than this are an error.
  std::size_t calibrationSamples = 0;

  /// Every precision that stands in it, the default first.
  std::vector<const NodePrecision*> allPrecisions() const;

  friend bool operator==(const PrecisionConfig&, const PrecisionConfig&) = default;
};

}  // namespace quantscope
