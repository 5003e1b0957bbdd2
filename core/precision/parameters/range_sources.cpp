#include "precision/parameters/range_sources.h"

namespace quantscope {
namespace {

RangeSource sourceOf(const TensorPrecision& precision) {
  if (!hasScale(precision.type)) return RangeSource::None;
  if (precision.dynamic) return RangeSource::Sample;
  if (precision.range) return RangeSource::Hand;
  return isSignCode(precision.type) ? RangeSource::Magnitude : RangeSource::Observer;
}

EncodedNames namesOf(const Graph& graph, const QuantizedModel& model) {
  std::vector<FusedLayer> layers;
  std::multimap<ValueId, EncodedNames::Weight> weights;
  for (const LayerQuantization& layer : model.layers) {
    layers.push_back(layer.layer);
    const NodeId lead = layer.layer.lead();
    for (const WeightParams& weight : layer.weights) {
      weights.emplace(graph[lead].inputs[weight.input], EncodedNames::Weight{lead, weight.input});
    }
  }
  return {graph, layers, model.groups, std::move(weights)};
}

}  // namespace

const char* name(RangeSource source) {
  switch (source) {
    case RangeSource::Sample:
      return "sample";
    case RangeSource::Observer:
      return "observer";
    case RangeSource::Magnitude:
      return "magnitude";
    case RangeSource::Hand:
      return "hand";
    case RangeSource::Backend:
      return "backend";
    case RangeSource::Encoding:
      return "encoding";
    case RangeSource::None:
      break;
  }
  return "none";
}

RangeSources::RangeSources(const Graph& graph, const Configuration& config,
                           const QuantizedModel& model)
    : m_model(model), m_config(graph, *config.precision) {
  if (config.encodings->empty()) return;
  const EncodedNames names = namesOf(graph, model);
  for (const auto& [point, encoding] : config.encodings->entries) {
    m_encodedGroups.merge(names.groupsOf(point));
    for (const EncodedNames::Weight& weight : names.weightsOf(point)) {
      m_encodedWeights.insert(weight);
    }
  }
}

RangeSource RangeSources::ofGroup(std::size_t group) const {
  if (m_encodedGroups.contains(group)) return RangeSource::Encoding;
  const QuantizationPoint& first = m_model.groups.points[m_model.groups.members[group].front()];
  return first.fixed ? RangeSource::Backend : sourceOf(first.precision);
}

RangeSource RangeSources::ofWeight(const LayerQuantization& layer, std::size_t input) const {
  const NodeId lead = layer.layer.lead();
  if (m_encodedWeights.contains({lead, input})) return RangeSource::Encoding;
  return sourceOf(m_config[lead].weight);
}

}  // namespace quantscope
