#include "engine/gradients/gradient_registry.h"

namespace quantscope {

void GradientRegistry::add(std::string_view op, GradientFactory factory, std::string_view domain) {
  m_factories[{std::string(domain), std::string(op)}] = factory;
}

GradientFactory GradientRegistry::find(const Node& node) const {
  const auto factory = m_factories.find({node.domain, node.op});
  return factory == m_factories.end() ? nullptr : factory->second;
}

const GradientRegistry& gradientRegistry() {
  static const GradientRegistry registry = [] {
    GradientRegistry all;
    registerElementwiseGradients(all);
    registerBroadcastGradients(all);
    registerVariadicGradients(all);
    registerConvolutionGradients(all);
    registerProductGradients(all);
    registerPoolingGradients(all);
    registerNormalizationGradients(all);
    registerSoftmaxGradients(all);
    registerReductionGradients(all);
    registerMovingGradients(all);
    registerResizeGradients(all);
    registerRecurrenceGradients(all);
    registerFakeQuantizeGradient(all);
    registerVanishingGradients(all);
    return all;
  }();
  return registry;
}

}  // namespace quantscope
