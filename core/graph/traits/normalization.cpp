#include "graph/operator_traits.h"

namespace quantscope {

std::vector<NamedTraits> normalizationTraits() {
  const OperatorTraits channels{.channels = ChannelFlow::SecondAxis};
  return {{"BatchNormalization",
           {.shortName = "BN", .channels = ChannelFlow::SecondAxis, .foldsIntoWeights = true}},
          {"InstanceNormalization", channels},
          {"GroupNormalization", channels},
          {"LRN", channels},
          {"LayerNormalization", {.channels = ChannelFlow::LastAxis}},
          {"Softmax", {.channels = ChannelFlow::Carried, .givesProbabilities = true}},
          {"LogSoftmax", {.channels = ChannelFlow::Carried}}};
}

}  // namespace quantscope
