#include "analysis/twin_setup.h"

#include <algorithm>
#include <bit>

#include "graph/operator_traits.h"

namespace quantscope {
namespace {

ContentId idOf(const Range& range) {
  return {std::bit_cast<std::uint32_t>(range.low), std::bit_cast<std::uint32_t>(range.high)};
}

/// Tells records of different kinds about the same values from each other.
ContentId kindId(const char* kind) {
  return ContentHasher().add(kind).id();
}

}  // namespace

ContentId outputRecordKey(ContentId reference, ContentId quantized) {
  static const ContentId kind = kindId("output");
  return combined({kind, reference, quantized});
}

bool comesFromSoftmax(const Graph& graph, ValueId output) {
  const NodeId producer = graph[output].producer;
  return producer.valid() && operatorTraits(graph[producer]).givesProbabilities;
}

TwinSetup::TwinSetup(const Evaluator& evaluatorIn, const QuantizedModel& modelIn,
                     std::vector<std::optional<Range>> histogramRanges)
    : TwinSetup(evaluatorIn, evaluatorIn, modelIn, std::move(histogramRanges)) {}

TwinSetup::TwinSetup(const Evaluator& referenceIn, const Evaluator& evaluatorIn,
                     const QuantizedModel& modelIn,
                     std::vector<std::optional<Range>> histogramRanges)
    : reference(referenceIn),
      evaluator(evaluatorIn),
      model(modelIn),
      referenceKeys(referenceIn.engine(), nullptr),
      quantizedKeys(evaluatorIn.engine(), &modelIn.applied),
      channelAxes(findChannelAxes(evaluatorIn.engine().graph())),
      ranges(std::move(histogramRanges)),
      layerOfLead(graph().nodes().size(), kNoLayer),
      layerOfLast(layerOfLead),
      rank(layerOfLead) {
  rankNodes(Graph::mainBlock(), std::nullopt);
  for (std::size_t i = 0; i < model.layers.size(); ++i) {
    layerOfLead[model.layers[i].layer.lead().at()] = i;
    layerOfLast[model.layers[i].layer.last().at()] = i;
    layers.push_back(measuresOf(i));
  }
  for (const ValueId value : graph().outputs()) {
    outputs.push_back({value, comesFromSoftmax(graph(), value),
                       outputRecordKey(referenceKeys[value], quantizedKeys[value])});
  }
}

// Nodes of sub-graphs share the place of the one that they belong to.
void TwinSetup::rankNodes(BlockId block, std::optional<std::size_t> outer) {
  const std::vector<NodeId>& nodes = graph()[block].nodes;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    rank[nodes[i].at()] = outer.value_or(i);
    for (const auto& [name, body] : graph()[nodes[i]].bodies) rankNodes(body, outer.value_or(i));
  }
}

bool TwinSetup::isInReference(ValueId value) const {
  const Graph& other = reference.engine().graph();
  return value.at() < other.values().size() && other[value].name == graph()[value].name;
}

ValueId TwinSetup::outputOf(std::size_t layer) const {
  return graph()[model.layers[layer].layer.last()].outputs.at(0);
}

LayerMeasures TwinSetup::measuresOf(std::size_t index) const {
  static const ContentId errors = kindId("errors");
  static const ContentId bins = kindId("bins");
  static const ContentId clips = kindId("clips");
  const LayerQuantization& layer = model.layers[index];
  const std::vector<NodeId>& members = layer.layer.members;
  const ValueId output = outputOf(index);
  LayerMeasures measures;
  if (!output.valid() || !isInReference(output) || !evaluator.computable(output) ||
      engine().constant(output) != nullptr) {
    return measures;
  }
  measures.output = output;
  measures.inside = graph()[output].block != Graph::mainBlock();
  for (const ValueId input : graph()[layer.layer.lead()].inputs) {
    if (input.valid() && engine().constant(input) == nullptr) measures.inputs.push_back(input);
  }
  const auto isThere = [this](ValueId input) { return isInReference(input); };
  const auto runs = [this](NodeId member) { return engine().kernel(member) != nullptr; };
  measures.local = layer.quantized && std::ranges::all_of(members, runs) &&
                   std::ranges::all_of(measures.inputs, isThere);
  for (const ValueId other : graph()[layer.layer.last()].outputs) {
    if (other.valid() && other != output) measures.byproducts.push_back(other);
  }
  const ContentId expected = referenceKeys[output];
  const ContentId quantized = quantizedKeys[output];
  // Inside, only what both networks run at the same time is compared.
  const ContentId path = measures.inside ? quantized : ContentId{};
  measures.accumulatedKey = combined({errors, expected, quantized});
  if (measures.local) {
    measures.localKey = combined({errors, expected, referenceKeys.after(members, model.applied)});
    if (&reference != &evaluator) {
      measures.localKey = combined({measures.localKey, engine().content()});
    }
    if (measures.inside) measures.localKey = combined({measures.localKey, path});
  }
  const std::optional<Range>& range = ranges[index];
  measures.counted = range && range->low < range->high;
  if (!measures.counted) return measures;
  measures.referenceBinsKey = combined({bins, expected, path, idOf(*range)});
  measures.quantizedBinsKey = combined({bins, quantized, path, idOf(*range)});
  if (measures.inside) {
    measures.quantizedBinsKey = combined({measures.quantizedBinsKey, expected});
  }
  measures.clips = layer.output && layer.output->grids.size() == 1;
  if (measures.clips) {
    const Grid& grid = layer.output->grids.front();
    measures.clipsKey = combined({clips, expected, path, idOf(layer.output->unclipped(grid)),
                                  idOf(layer.output->representable(grid))});
  }
  return measures;
}

}  // namespace quantscope
