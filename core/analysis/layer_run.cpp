#include "analysis/layer_run.h"

#include <utility>

#include "engine/quantized_node.h"

namespace quantscope {

MemberQuantization quantizationOf(const FusedLayer& layer, const AppliedQuantization& applied) {
  MemberQuantization quantization;
  for (const NodeId member : layer.members) quantization.push_back(&applied[member]);
  return quantization;
}

Tensor runLayer(const Engine& engine, const FusedLayer& layer,
                const MemberQuantization& quantization, std::size_t batch,
                const LayerInput& inputOf) {
  Tensor previous;
  ValueId previousId;
  for (std::size_t member = 0; member < layer.members.size(); ++member) {
    const NodeId id = layer.members[member];
    const Node& node = engine.graph()[id];
    const Layout preferred = preferredLayout(*engine.kernel(id));
    std::vector<Tensor> inputs;
    for (std::size_t i = 0; i < node.inputs.size(); ++i) {
      if (!node.inputs[i].valid()) {
        inputs.emplace_back();
      } else {
        const bool inside = previousId.valid() && node.inputs[i] == previousId;
        inputs.push_back(inside ? previous : inputOf(id, i, preferred));
      }
    }
    std::vector<Tensor> outputs(node.outputs.size());
    previous = Tensor();
    runQuantizedNode(engine, id, quantization[member], batch, inputs, outputs);
    previous = std::move(outputs[0]);
    previousId = node.outputs[0];
  }
  return previous;
}

}  // namespace quantscope
