#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/engine.h"
#include "precision/backend/backend.h"
#include "precision/config/point_name.h"
#include "precision/config/resolved_config.h"
#include "precision/layers/configured_layers.h"
#include "precision/layers/node_tensors.h"

namespace quantscope {

/// A place where a value is quantized: on the edge into a node, or at the output of its producer.
struct QuantizationPoint {
  ValueId value;
  NodeId consumer;        ///< none for an output
  std::size_t input = 0;  ///< which input of the consumer
  TensorPrecision precision;
  std::size_t group = 0;      ///< index of the group that it belongs to
  std::optional<Grid> fixed;  ///< set by the backend; it uses all codes of the type

  bool isOutput() const { return !consumer.valid(); }
};

/// Why two points share one grid.
enum class SharingCause : std::uint8_t {
  SameValue,  ///< they quantize one value, and alike
  Backend,    ///< the backend's operator has one grid for both
  ByHand,     ///< the configuration merges them
};

/// Two points, as indices, that share one grid.
struct SharingLink {
  std::size_t first = 0;
  std::size_t second = 0;
  SharingCause cause = SharingCause::SameValue;
};

/// All points of a graph under a configuration, united into groups that share one grid.
struct ObserverGroups {
  std::vector<QuantizationPoint> points;          ///< in execution order
  std::vector<std::vector<std::size_t>> members;  ///< by group: indices into `points`
  std::vector<SharingLink> links;                 ///< the causes that unite the groups
  std::vector<std::string> notices;               ///< sharing by hand that has no effect
};

/// The grid that the backend gives the output of an operator, whatever was observed; none where it
/// gives none, or where the precision asks for something else.
std::optional<Grid> fixedGrid(const Backend& backend, std::string_view op,
                              const TensorPrecision& precision);

/// Points and groups: an edge is united with the other edges of the same value and with its
/// producer's output if the whole precision is equal and no entry splits them. The backend unites
/// the inputs and outputs of operators that share, and the values that data movers pass on, in any
/// case. The merges of the configuration come last. Throws InvalidConfiguration where a group
/// contradicts itself, naming its members.
ObserverGroups findObserverGroups(const ConfiguredLayers& configured);

/// The same for an unresolved configuration; also throws the errors of ResolvedConfig. Needs no
/// data, so contradictions are found before a run.
ObserverGroups findObserverGroups(const Engine& engine, const PrecisionConfig& config);

/// A point's name, from the node that makes the value and the one that reads it.
PointName pointName(const Graph& graph, const QuantizationPoint& point);

/// "the edge from '/conv1' to '/conv2'" or "the output of '/conv1'", for messages.
std::string describe(const Graph& graph, const QuantizationPoint& point);

}  // namespace quantscope
