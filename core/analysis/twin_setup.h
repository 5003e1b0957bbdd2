#pragma once

#include <optional>
#include <vector>

#include "engine/evaluation/evaluator.h"
#include "graph/channel_axis.h"
#include "precision/parameters/quantized_model.h"

namespace quantscope {

/// The measurements at the output of one layer, and their keys in the error store, to be combined
/// with a feed's key.
struct LayerMeasures {
  ValueId output;  ///< none where nothing can be measured
  /// True in a sub-graph: its measurements depend on the path of both networks through it.
  bool inside = false;
  bool local = false;               ///< its own error can be measured: quantized, and executable
  bool counted = false;             ///< its values are counted into bins
  bool clips = false;               ///< elements beyond its output's grid are counted
  std::vector<ValueId> inputs;      ///< not constant, read by its local run
  std::vector<ValueId> byproducts;  ///< further outputs, worth keeping for later runs
  ContentId accumulatedKey;
  ContentId localKey;
  ContentId referenceBinsKey;
  ContentId quantizedBinsKey;
  ContentId clipsKey;
};

/// The measurement at an output of the network.
struct OutputMeasures {
  ValueId value;
  bool afterSoftmax = false;
  ContentId key;
};

/// The key, to be combined with a feed's, of the record of an output.
ContentId outputRecordKey(ContentId reference, ContentId quantized);
/// True if an output's class scores, if any, are probabilities.
bool comesFromSoftmax(const Graph& graph, ValueId output);

/// The data that all runs of a quantized model beside its float network share; made once.
struct TwinSetup {
  static constexpr std::size_t kNoLayer = static_cast<std::size_t>(-1);

  const Evaluator& reference;  ///< of the float network
  const Evaluator& evaluator;  ///< of the quantized one
  const QuantizedModel& model;
  ValueKeys referenceKeys;
  ValueKeys quantizedKeys;
  std::vector<ChannelAxis> channelAxes;      ///< by value
  std::vector<std::optional<Range>> ranges;  ///< by layer: what the bins span
  std::vector<std::size_t> layerOfLead;      ///< by node; kNoLayer where it leads none
  std::vector<std::size_t> layerOfLast;      ///< by node
  std::vector<std::size_t> rank;             ///< by node: its place in the main graph's order
  std::vector<LayerMeasures> layers;
  std::vector<OutputMeasures> outputs;

  /// All must outlive it.
  TwinSetup(const Evaluator& evaluator, const QuantizedModel& model,
            std::vector<std::optional<Range>> histogramRanges);
  /// The float network may be another one, with other constants: the nodes and values that it has
  /// are those of the quantized network.
  TwinSetup(const Evaluator& reference, const Evaluator& evaluator, const QuantizedModel& model,
            std::vector<std::optional<Range>> histogramRanges);

  const Engine& engine() const { return evaluator.engine(); }
  const Graph& graph() const { return engine().graph(); }
  ValueId outputOf(std::size_t layer) const;

 private:
  bool isInReference(ValueId value) const;
  void rankNodes(BlockId block, std::optional<std::size_t> outer);
  LayerMeasures measuresOf(std::size_t layer) const;
};

}  // namespace quantscope
