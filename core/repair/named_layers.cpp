#include "repair/named_layers.h"

#include <algorithm>

#include "base/error.h"

namespace quantscope {

LinearLayers namedLayers(const RepairState& state, const std::vector<std::string>& names) {
  LinearLayers layers = findLinearLayers(*state.engine, *state.model);
  if (names.empty()) return layers;
  const Graph& graph = state.engine->graph();
  const auto isOther = [&](const LinearLayer& layer) {
    return std::ranges::find(names, graph[layer.lead].name) == names.end();
  };
  std::erase_if(layers.layers, isOther);
  std::erase_if(layers.shared, isOther);
  return layers;
}

std::vector<std::string> repairableLayers(const Engine& engine, const QuantizedModel& model,
                                          const std::vector<NodeId>& nodes) {
  std::vector<LinearLayer> layers = findLinearLayers(engine, model).withShared();
  std::erase_if(layers, [&](const LinearLayer& layer) {
    return std::ranges::find_first_of(model.layers[layer.index].layer.members, nodes) ==
           model.layers[layer.index].layer.members.end();
  });
  std::ranges::sort(layers, {}, &LinearLayer::index);
  std::vector<std::string> names;
  for (const LinearLayer& layer : layers) names.push_back(engine.graph()[layer.lead].name);
  return names;
}

void requireNamed(const Engine& engine, const LinearLayers& layers,
                  const std::vector<std::string>& names) {
  const std::vector<LinearLayer> all = layers.withShared();
  for (const std::string& name : names) {
    if (std::ranges::any_of(all, [&](const LinearLayer& layer) {
          return engine.graph()[layer.lead].name == name;
        })) {
      continue;
    }
    const auto refused = std::ranges::find(layers.refused, name, &RefusedLayer::node);
    throw Error(ErrorCode::InvalidParameters,
                refused != layers.refused.end()
                    ? "the layer cannot be repaired: " + refused->reason
                    : "no layer with quantized weights begins with this node",
                {.file = {}, .node = name, .value = {}},
                "name the first node of a quantized Conv, ConvTranspose, Gemm or MatMul");
  }
}

}  // namespace quantscope
