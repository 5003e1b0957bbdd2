#include "repair/named_layers.h"

#include <algorithm>
#include <functional>
#include <set>

#include "base/error.h"
#include "repair/scales/scale_regions.h"

namespace quantscope {
namespace {

// Of all layers of which it is true, in execution order.
std::vector<std::string> namesOf(const Graph& graph, const LinearLayers& layers,
                                 const std::function<bool(const LinearLayer&)>& isWanted) {
  std::vector<LinearLayer> all = layers.withShared();
  std::ranges::sort(all, {}, &LinearLayer::index);
  std::vector<std::string> names;
  for (const LinearLayer& layer : all) {
    if (isWanted(layer)) names.push_back(graph[layer.lead].name);
  }
  return names;
}

}  // namespace

LinearLayers namedLayers(const RepairState& state, const std::vector<std::string>& names) {
  LinearLayers layers = findLinearLayers(*state.engine, *state.model);
  if (names.empty()) return layers;
  const Graph& graph = state.engine->graph();
  const auto isOther = [&](const LinearLayer& layer) {
    return std::ranges::find(names, graph[layer.lead].name) == names.end();
  };
  for (const LinearLayer& layer : layers.layers) {
    if (isOther(layer)) layers.takenOut[layer.lead] = "is not among those that may change";
  }
  std::erase_if(layers.layers, isOther);
  std::erase_if(layers.shared, isOther);
  return layers;
}

std::vector<std::string> repairableLayers(const Engine& engine, const QuantizedModel& model,
                                          const std::vector<NodeId>& nodes) {
  const LinearLayers layers = findLinearLayers(engine, model);
  return namesOf(engine.graph(), layers, [&](const LinearLayer& layer) {
    const std::vector<NodeId>& members = model.layers[layer.index].layer.members;
    return std::ranges::find_first_of(members, nodes) != members.end();
  });
}

std::vector<std::string> withOtherEnds(const Engine& engine, const QuantizedModel& model,
                                       const std::vector<std::string>& names) {
  const LinearLayers layers = findLinearLayers(engine, model);
  const Graph& graph = engine.graph();
  std::set<NodeId> leads;
  for (const std::string& name : names) leads.insert(graph.findNode(name));
  leads.merge(otherEnds(engine, model, layers, leads));
  return namesOf(graph, layers,
                 [&](const LinearLayer& layer) { return leads.contains(layer.lead); });
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
