#pragma once

#include <vector>

#include "precision/parameters/quantized_model.h"

namespace quantscope {

/// Finds the layers and points of a quantized model, which must outlive it.
class ModelIndex {
 public:
  ModelIndex(const Graph& graph, const QuantizedModel& model);

  /// nullptr where no layer is led by the node.
  const LayerQuantization* layerLedBy(NodeId lead) const;
  /// The layer whose output the value is; nullptr where no layer's is.
  const LayerQuantization* layerComputing(ValueId value) const;
  /// The point on the edge to a consumer; without one, at the output. nullptr where there is none.
  const QuantizationPoint* point(ValueId value, NodeId consumer = {}) const;
  /// The point whose grid a node meets in a value: on its edge, else at the value's output.
  const QuantizationPoint* pointMetBy(NodeId node, ValueId value) const;

 private:
  std::vector<const LayerQuantization*> m_byLead;    // by node
  std::vector<const LayerQuantization*> m_byOutput;  // by value
  std::vector<const QuantizationPoint*> m_points;    // by value, then consumer
};

}  // namespace quantscope
