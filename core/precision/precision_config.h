#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "calibration/observer_spec.h"
#include "graph/graph.h"
#include "quant/granularity.h"
#include "quant/quant_params.h"

namespace quantscope {

/// How one tensor is to be quantized.
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

/// What a configuration says of a node; Q in the documentation.
struct NodePrecision {
  bool float32 = false;  ///< "fp32": the node adds no quantization at all
  TensorPrecision weight;
  TensorPrecision activation;  ///< its input edges
  TensorPrecision output;      ///< as `activation` where the configuration is silent

  friend bool operator==(const NodePrecision&, const NodePrecision&) = default;
};

/// Weights int8 symmetric per channel, activations uint8 asymmetric per tensor, min/max, static.
NodePrecision defaultPrecision();

/// A precision configuration: what to quantize, and how.
struct PrecisionConfig {
  std::string backend = "x86";
  Convention convention = Convention::Onnx;
  NodePrecision defaults = defaultPrecision();
  std::vector<std::pair<std::string, NodePrecision>> nodes;
  /// Fewer calibration samples than this are an error.
  std::size_t calibrationSamples = 0;

  /// The node's own entry, else the default.
  const NodePrecision& of(std::string_view node) const;
  bool names(std::string_view node) const;
};

/// Parses a configuration. Strict: unknown keys, wrong types, duplicate keys and values out of
/// range are Error(InvalidConfiguration) with the path of the key. `source` names the text in
/// messages.
PrecisionConfig parsePrecisionConfig(std::string_view json, const std::string& source);
PrecisionConfig readPrecisionConfig(const std::filesystem::path& file);

/// Throws InvalidConfiguration where an entry of `nodes` matches no node of the graph.
void requireKnownNodes(const PrecisionConfig& config, const Graph& graph);

/// The configuration as JSON, every key written out in a fixed order.
std::string toJson(const PrecisionConfig& config);

}  // namespace quantscope
