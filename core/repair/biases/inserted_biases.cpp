#include "repair/biases/inserted_biases.h"

#include <algorithm>

#include "graph/operator_traits.h"

namespace quantscope {
namespace {

bool isZero(const Tensor& tensor) {
  return std::ranges::all_of(tensor.values<float>(), [](float each) { return each == 0; });
}

}  // namespace

InsertedBiases::InsertedBiases(const RepairState& state, const LinearLayers& layers,
                               RepairTools& tools)
    : m_before(state), m_layers(layers.withShared()) {
  const std::shared_ptr<const Backend> backend = findBackend(state.config.precision->backend);
  Overlay places;
  for (const LinearLayer& layer : m_layers) {
    if (layer.bias) continue;
    std::string refusal = refusalOf(layer, *backend);
    if (refusal.empty()) {
      const Shape shape{static_cast<std::int64_t>(layer.outputs)};
      places.biases.push_back({layer.lead, Tensor::zeros(ElementType::Float32, shape)});
      refusal = kNoBiasPlace;
    }
    m_whyNot.emplace(layer.lead, std::move(refusal));
  }
  if (!places.biases.empty()) prepare(places, tools);
}

std::string InsertedBiases::refusalOf(const LinearLayer& layer, const Backend& backend) const {
  const Graph& graph = m_before.engine->graph();
  const Node& node = graph[layer.lead];
  const std::vector<NodeId>& members = m_before.model->layers[layer.index].layer.members;
  const bool hasAdd = std::ranges::any_of(
      members, [&](NodeId member) { return operatorTraits(graph[member]).addsBias; });
  if (layer.window || operatorTraits(node).biasSlot || hasAdd) return kNoBiasPlace;
  const PatternRule* rule = backend.patternOf(node.op);
  const bool joins = rule != nullptr && !rule->followers.empty() &&
                     std::ranges::any_of(rule->followers.front(), [](const std::string& op) {
                       return operatorTraits(op).addsBias;
                     });
  return joins ? "" : "the backend does not quantize it as one layer with an Add behind it";
}

void InsertedBiases::prepare(const Overlay& places, RepairTools& tools) {
  m_prepared = withOverlay(m_before, places, OverlayEffect::SameValues, tools);
  const std::vector<LinearLayer> now =
      findLinearLayers(*m_prepared->engine, *m_prepared->model).withShared();
  for (LinearLayer& layer : m_layers) {
    const auto found = std::ranges::find(now, layer.lead, &LinearLayer::lead);
    if (found != now.end()) layer = *found;
  }
}

void InsertedBiases::moveInto(RepairProposal& proposal) const {
  if (!m_prepared) return;
  Overlay& overlay = proposal.overlay;
  const std::size_t known = m_before.engine->graph().nodes().size();
  for (const LinearLayer& layer : m_layers) {
    if (!layer.bias || layer.bias->node.at() < known) continue;
    const auto found =
        std::ranges::find(overlay.constants, layer.bias->node, &ChangedConstant::node);
    if (found == overlay.constants.end()) continue;
    if (!isZero(found->tensor)) overlay.biases.push_back({layer.lead, found->tensor});
    overlay.constants.erase(found);
  }
  proposal.inserted += overlay.biases.size();
}

}  // namespace quantscope
