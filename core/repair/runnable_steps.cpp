#include "repair/runnable_steps.h"

#include <algorithm>

#include "repair/named_layers.h"

namespace quantscope {

RunnableSteps::RunnableSteps(const RepairState& state, const LinearLayers& layers,
                             const RepairRequest& request) {
  for (const LinearLayer& layer : layers.shared) {
    m_shared.insert(state.engine->graph()[layer.lead].name);
  }
  if (!request.needsNoLayers(!m_shared.empty())) requireLayers(layers);
  requireRepairable(layers, *state.model);
  if (layers.layers.empty()) m_layerless = whyNone(layers);
  requireNamed(*state.engine, layers, request.only);
  for (const GivenStep& given : request.given) requireNamed(*state.engine, layers, given.only);
}

std::string RunnableSteps::whyNot(const RepairStep& step,
                                  const std::vector<std::string>& only) const {
  if (step.wholeModel) {
    if (only.empty()) return {};
    return "it has to do with all of the model, and only some layers are to change";
  }
  if (step.takesShared && !m_shared.empty()) return {};
  if (!m_layerless.empty()) return m_layerless;
  const auto isShared = [&](const std::string& name) { return m_shared.contains(name); };
  if (!only.empty() && std::ranges::all_of(only, isShared)) {
    return "the layers that are to change share their weights with others";
  }
  return {};
}

}  // namespace quantscope
