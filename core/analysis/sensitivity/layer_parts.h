#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "analysis/layer_run.h"
#include "analysis/sensitivity/layer_part.h"
#include "precision/parameters/quantized_model.h"

namespace quantscope {

/// By member of a layer: its weights and bias as float constants, folded, and divided by the
/// factors if it is equalized.
std::vector<NodeQuantization> floatConstants(const Engine& engine, const QuantizedModel& model,
                                             const LayerQuantization& layer);

/// True if a constant that is applied to a member of a layer lies on an edge that is quantized as
/// an activation.
bool isOnEdge(const QuantizedModel& model, const LayerQuantization& layer, NodeId member,
              std::size_t input);

/// One layer of a quantized model, of which one part at a time is quantized. Made once for all
/// samples; may be used from any thread.
class LayerParts {
 public:
  /// `layer`: of the model, quantized, with kernels for all of its nodes. All must outlive it.
  LayerParts(const Engine& engine, const QuantizedModel& model, const LayerQuantization& layer);

  /// False where the layer has nothing of it.
  bool has(LayerPart part) const;
  /// The layer's output with that part alone quantized. Undefined where that changes nothing, as
  /// where nothing is clipped. `expected`: the output of the float run; `inputOf` gives its values.
  Tensor run(LayerPart part, const Tensor& expected, std::size_t batch,
             const LayerInput& inputOf) const;

 private:
  using Members = std::vector<NodeQuantization>;  // by member of the layer
  struct Edge {
    std::size_t input = 0;  // of the leading node
    QuantParams params;
  };

  void findEdges(const QuantizedModel& model);
  void separateConstants(const QuantizedModel& model);
  Tensor runWith(const Members& members, std::size_t batch, const LayerInput& inputOf) const;
  Tensor runOnEdges(LayerPart part, const Tensor& expected, std::size_t batch,
                    const LayerInput& inputOf) const;

  const Engine& m_engine;
  const LayerQuantization& m_layer;
  std::vector<Edge> m_edges;
  std::vector<std::pair<std::size_t, ChannelFactors>> m_factors;  // by input of the leading node
  std::optional<QuantParams> m_output;
  Members m_float;    // folded; on inputs that were multiplied by the factors
  Members m_weights;  // likewise, the weights quantized
  Members m_bias;     // likewise, the bias quantized
};

}  // namespace quantscope
