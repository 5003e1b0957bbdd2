#include "analysis/layer_report.h"

#include <algorithm>
#include <set>

#include "graph/parameters.h"
#include "onnx/operator_versions.h"

namespace quantscope {
namespace {

std::string fusedName(const Graph& graph, const FusedLayer& layer) {
  std::string text;
  for (const NodeId member : layer.members) {
    text += (text.empty() ? "" : "+") + graph[member].op;
  }
  return text;
}

// What a node computes from constants alone counts where it is read.
bool givesConstant(const Engine& engine, const Node& node) {
  return std::ranges::any_of(node.outputs, [&](ValueId output) {
    return output.valid() && engine.constant(output) != nullptr;
  });
}

// As findParameters() has it.
std::int64_t parameterCount(const Engine& engine, const FusedLayer& layer) {
  std::int64_t count = 0;
  for (const NodeId member : layer.members) {
    const Node& node = engine.graph()[member];
    if (givesConstant(engine, node)) continue;
    std::set<ValueId> read;
    for (std::size_t slot = 0; slot < node.inputs.size(); ++slot) {
      if (node.inputs[slot].valid() && !isSetting(node, slot)) read.insert(node.inputs[slot]);
    }
    for (const ValueId value : read) {
      const Tensor* constant = engine.constant(value);
      if (constant == nullptr || !isParameterType(constant->type())) continue;
      count += static_cast<std::int64_t>(constant->elementCount());
    }
  }
  return count;
}

void describeRanges(const LayerQuantization& layer, const Observations& observations,
                    ValueId output, LayerResult& result) {
  if (output.valid() && observations.observed(output)) {
    const Range range = observations.range(output, ObserverSpec{});
    result.observedMin = range.low;
    result.observedMax = range.high;
    result.channelAxis = observations.channelAxis(output);
  }
  if (!layer.output || layer.output->grids.size() != 1) return;
  const Grid& grid = layer.output->grids.front();
  const Range representable = layer.output->representable(grid);
  // An error in steps has a meaning only if all steps are equal.
  if (isInteger(layer.output->type)) result.outputScale = grid.scale;
  result.representableMin = representable.low;
  result.representableMax = representable.high;
}

std::string describe(const TensorPrecision& precision) {
  std::string text(name(precision.type));
  if (!hasScale(precision.type)) return text;
  if (canBeAsymmetric(precision.type)) text += precision.symmetric ? " symmetric" : " asymmetric";
  return text + " " + toString(precision.granularity);
}

}  // namespace

AppliedType appliedType(const QuantParams& params) {
  AppliedType applied;
  applied.type = params.type;
  applied.symmetric = params.symmetric;
  applied.dynamic = params.dynamic;
  // A single scale along an axis is one for the tensor.
  if (params.axis >= 0 && params.grids.size() > 1) {
    applied.granularity.kind =
        params.groupSize > 0 ? Granularity::Kind::PerGroup : Granularity::Kind::PerChannel;
    applied.granularity.axis = params.axis;
    applied.granularity.groupSize = params.groupSize;
  }
  return applied;
}

LayerResult layerResult(const TwinSetup& setup, const Observations& observations,
                        const LayerErrors& errors, std::size_t index) {
  const Graph& graph = setup.graph();
  const LayerQuantization& layer = setup.model.layers[index];
  const Node& lead = graph[layer.layer.lead()];
  const ValueId output = setup.outputOf(index);

  LayerResult result;
  result.node = layer.layer.lead();
  result.members = layer.layer.members;
  result.name = lead.name;
  result.op = lead.op;
  result.fusedOps = fusedName(graph, layer.layer);
  result.scope = scopeOf(lead.name);
  if (output.valid()) result.outputValue = graph[output].name;
  result.parameters = parameterCount(setup.engine(), layer.layer);
  result.quantized = layer.quantized;
  result.dataMover = layer.dataMover;
  result.biasOverflows = biasOverflows(layer);
  if (layer.quantized) {
    const auto applied = [](const std::optional<QuantParams>& params) {
      return params ? appliedType(*params) : AppliedType{};
    };
    if (layer.weightElements > 0) result.weight = applied(layer.weight);
    result.activation = applied(layer.activation);
    result.output = applied(layer.output);
  }
  describeRanges(layer, observations, output, result);
  result.local = errors.local(index, result.outputScale);
  result.accumulated = errors.accumulated(index, result.outputScale);
  result.clippedShare = errors.clippedShare(index);
  result.clippedSquare = errors.clippedSquare(index);
  if (const std::optional<Range> range = errors.analysedRange(index)) {
    result.analysedMin = range->low;
    result.analysedMax = range->high;
  }
  if (setup.ranges[index]) result.histogram = errors.histogram(index, *setup.ranges[index]);
  return result;
}

std::string describeDefault(const PrecisionConfig& config) {
  std::string others;
  const auto add = [&](bool has, const char* what) {
    if (has) others += (others.empty() ? ", with entries for " : " and ") + std::string(what);
  };
  add(!config.opTypes.empty(), "operators");
  add(!config.patterns.empty(), "patterns");
  add(!config.nodes.empty(), "single nodes");
  if (config.defaults.float32) return "fp32" + others;
  const TensorPrecision& activation = config.defaults.activation;
  std::string text =
      "weights " + describe(config.defaults.weight) + ", activations " + describe(activation);
  if (hasScale(activation.type)) text += activation.dynamic ? " dynamic" : " static";
  return text + others;
}

std::vector<NotComputed> listNotComputed(const Evaluator& evaluator, const QuantizedModel& model) {
  const Engine& engine = evaluator.engine();
  const Graph& graph = engine.graph();
  std::vector<NotComputed> list;
  const auto add = [&](NodeId id, const std::string& reason) {
    const Node& node = graph[id];
    list.push_back({node.name, node.op, node.domain, askedVersion(graph, node), reason});
  };
  std::set<NodeId> listed;
  for (const NotExecutable& entry : engine.notExecutable()) {
    add(entry.node, entry.reason);
    listed.insert(entry.node);
  }
  for (std::size_t i = 0; i < graph.values().size(); ++i) {
    if (evaluator.computable(ValueId(i))) continue;
    const NodeId producer = graph.values()[i].producer;
    if (!listed.insert(producer).second) continue;
    add(producer, "it needs a value that could not be computed");
  }
  for (const LayerQuantization& layer : model.layers) {
    if (!layer.notCalibrated.empty() && listed.insert(layer.layer.lead()).second) {
      add(layer.layer.lead(), layer.notCalibrated);
    }
  }
  return list;
}

}  // namespace quantscope
