#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/content_id.h"
#include "base/workers.h"
#include "engine/engine.h"
#include "precision/config/configuration.h"
#include "precision/config/point_name.h"
#include "precision/layers/folded_layer.h"
#include "quant/quant_params.h"

namespace quantscope {

/// A constant that a node reads instead of its previous input.
struct ChangedConstant {
  NodeId node;
  std::size_t input = 0;  ///< may be one past the node's own inputs
  Tensor tensor;
  std::string suffix;  ///< names a constant that is new: "weight" of "conv1" is "conv1.weight"
};

/// The exact grid of a weight.
struct FixedGrid {
  NodeId node;
  std::size_t input = 0;
  QuantParams params;  ///< static, with a scale
};

/// The exact grid of a point where activations are quantized.
struct FixedPoint {
  PointName point;
  QuantParams params;  ///< static, with a scale
};

/// An operator with one constant that nodes read a value through; what else reads that value stays.
struct InsertedOperator {
  std::string op;    ///< "Gather", "Mul"
  std::string name;  ///< of the node and of its output; another one is made where it is taken
  std::vector<InputPlace> readers;  ///< which read one value
  Tensor constant;                  ///< its second input
  std::optional<int> axis;          ///< its attribute, along which the constant's elements pick
  bool inFloat = false;             ///< it rounds nothing: its entry in the configuration is "fp32"
};

/// An Add of a constant vector behind a product, which makes it a layer with a bias. What the
/// product makes keeps its name and its readers: the Add makes it, of a new value.
struct InsertedBias {
  NodeId product;
  Tensor bias;  ///< one element per output
};

/// The extent of a value that has more channels than before.
struct ChangedExtent {
  ValueId value;
  std::size_t axis = 0;
  std::int64_t extent = 0;
};

/// The mean and the standard deviation of every output channel of a layer by its batch
/// normalization: its β and |γ|.
struct NormalStatistics {
  std::vector<double> mean;
  std::vector<double> deviation;
};

/// The output channels of a layer, each divided by a factor, then less a shift.
struct ScaledOutputs {
  NodeId lead;
  std::vector<double> factors;
  std::vector<double> shifts;
  /// By channel: which one it was before; empty where they stay.
  std::vector<std::int64_t> from = {};
};

/// The changes of a repair to a frozen model: new constants, and grids that go with them. Nodes and
/// values keep their names and ids; without the overlay the model is unchanged.
struct Overlay {
  std::vector<ChangedConstant> constants;
  /// Clips whose bounds are all that is left of them below: they become rectifiers.
  std::vector<NodeId> rectifiers;
  std::vector<InsertedOperator> inserted;  ///< behind all other nodes in their order
  std::vector<InsertedBias> biases;        ///< behind those
  std::vector<ChangedExtent> extents;
  /// By the node that leads a layer: the statistics of a normalization that was folded into it.
  std::vector<std::pair<NodeId, NormalStatistics>> statistics;
  std::vector<ScaledOutputs> scaled;
  std::vector<FixedGrid> grids;
  std::vector<FixedPoint> points;
  /// Names of encodings of the configuration that go, in favour of those of the points.
  std::vector<PointName> forgotten;
  /// Observes static activations that were observed by their extremes.
  std::optional<ObserverSpec> observer;

  bool empty() const {
    return constants.empty() && rectifiers.empty() && inserted.empty() && biases.empty() &&
           grids.empty() && points.empty() && !observer;
  }
};

/// The name of a point in `graph`, where an inserted bias stands behind the product: the output of
/// the product, and the edges from it, are those of the Add.
PointName namedByBias(const Graph& graph, NodeId product, PointName point);

/// How many nodes get other constants.
std::size_t changedNodes(const Overlay& overlay);

/// The graph with the overlay's constants and operators. A constant that only this node reads is
/// replaced in its place; another one gets a value of its own behind all others.
std::shared_ptr<const Graph> applyOverlay(const Graph& graph, const Overlay& overlay);

/// The same as an engine, whose content is that of `engine` and of the overlay.
std::shared_ptr<const Engine> applyOverlay(const Engine& engine, const Overlay& overlay,
                                           const Workers& workers);

/// The configuration with the overlay's observer, "fp32" for operators in float, and its grids as
/// encodings of the weights and points of `graph`, to which the overlay is applied. A weight that
/// has changed without a grid loses the one that it had. Points behind a product with a new bias
/// are named by its Add.
Configuration withOverlay(const Configuration& config, const Graph& graph, const Overlay& overlay);

}  // namespace quantscope
