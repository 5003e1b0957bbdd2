#include "compare/cone_run.h"

#include <algorithm>

#include "engine/quantized_node.h"

namespace quantscope {
namespace {

// More than any layer has; a cone that large lies between values that nothing matches.
constexpr std::size_t kMaxNodes = 256;

}  // namespace

bool isRunnable(const Engine& engine, const InputCone& cone) {
  return !cone.nodes.empty() && cone.nodes.size() <= kMaxNodes &&
         std::ranges::all_of(cone.nodes,
                             [&](NodeId node) { return engine.kernel(node) != nullptr; });
}

Tensor runCone(const Engine& engine, const InputCone& cone, ValueId value,
               const std::map<ValueId, Tensor>& given, const PlacedInputs& placed,
               const AppliedQuantization* applied, std::size_t batch) {
  std::map<ValueId, Tensor> made;
  const auto find = [&](ValueId id) {
    if (const Tensor* constant = engine.constant(id)) return *constant;
    const auto known = made.find(id);
    if (known != made.end()) return known->second;
    const auto outside = given.find(id);
    return outside == given.end() ? Tensor() : outside->second;
  };
  for (const NodeId id : cone.nodes) {
    const Node& node = engine.graph()[id];
    std::vector<Tensor> inputs;
    for (std::size_t i = 0; i < node.inputs.size(); ++i) {
      const auto instead = placed.find({id, i});
      if (instead != placed.end()) {
        inputs.push_back(instead->second);
      } else {
        inputs.push_back(node.inputs[i].valid() ? find(node.inputs[i]) : Tensor());
      }
    }
    std::vector<Tensor> outputs(node.outputs.size());
    const NodeQuantization* const quantization = applied == nullptr ? nullptr : &(*applied)[id];
    runQuantizedNode(engine, id, quantization, batch, inputs, outputs);
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      if (node.outputs[i].valid()) made[node.outputs[i]] = std::move(outputs[i]);
    }
  }
  return find(value);
}

}  // namespace quantscope
