#include "detectors/model_index.h"

#include <algorithm>
#include <utility>

#include "detectors/detector_layers.h"

namespace quantscope {
namespace {

auto pointPlace(const QuantizationPoint* point) {
  return std::pair(point->value, point->consumer);
}

}  // namespace

ModelIndex::ModelIndex(const Graph& graph, const QuantizedModel& model)
    : m_byLead(graph.nodes().size(), nullptr), m_byOutput(graph.values().size(), nullptr) {
  for (const LayerQuantization& layer : model.layers) {
    m_byLead[layer.layer.lead().at()] = &layer;
    const ValueId output = outputOf(graph, layer.layer);
    if (output.valid()) m_byOutput[output.at()] = &layer;
  }
  for (const QuantizationPoint& point : model.groups.points) m_points.push_back(&point);
  std::ranges::stable_sort(m_points, {}, pointPlace);
}

const LayerQuantization* ModelIndex::layerLedBy(NodeId lead) const {
  return m_byLead[lead.at()];
}

const LayerQuantization* ModelIndex::layerComputing(ValueId value) const {
  return value.valid() ? m_byOutput[value.at()] : nullptr;
}

const QuantizationPoint* ModelIndex::point(ValueId value, NodeId consumer) const {
  const std::pair place(value, consumer);
  const auto found = std::ranges::lower_bound(m_points, place, {}, pointPlace);
  return found == m_points.end() || pointPlace(*found) != place ? nullptr : *found;
}

const QuantizationPoint* ModelIndex::pointMetBy(NodeId node, ValueId value) const {
  const QuantizationPoint* edge = point(value, node);
  return edge != nullptr ? edge : point(value);
}

}  // namespace quantscope
