#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "engine/gradients/gradient.h"

namespace quantscope {

/// The gradients of the operators. Unlike kernels, one gradient serves all versions of an operator:
/// it reads from the node what differs between them.
class GradientRegistry {
 public:
  /// `domain` "" = ai.onnx.
  void add(std::string_view op, GradientFactory factory, std::string_view domain = "");
  /// nullptr where there is none.
  GradientFactory find(const Node& node) const;

 private:
  std::map<std::pair<std::string, std::string>, GradientFactory> m_factories;
};

/// All gradients of the engine.
const GradientRegistry& gradientRegistry();

// One function per family.
void registerElementwiseGradients(GradientRegistry& registry);
void registerBroadcastGradients(GradientRegistry& registry);
void registerVariadicGradients(GradientRegistry& registry);
void registerConvolutionGradients(GradientRegistry& registry);
void registerProductGradients(GradientRegistry& registry);
void registerPoolingGradients(GradientRegistry& registry);
void registerNormalizationGradients(GradientRegistry& registry);
void registerSoftmaxGradients(GradientRegistry& registry);
void registerReductionGradients(GradientRegistry& registry);
void registerMovingGradients(GradientRegistry& registry);
void registerResizeGradients(GradientRegistry& registry);
void registerRecurrenceGradients(GradientRegistry& registry);
void registerFakeQuantizeGradient(GradientRegistry& registry);
void registerVanishingGradients(GradientRegistry& registry);

}  // namespace quantscope
