#include "graph/operator_traits.h"

namespace quantscope {

std::vector<NamedTraits> normalizationTraits() {
  const OperatorTraits channels{.channels = ChannelFlow::SecondAxis};
  const OperatorTraits scaled{.channels = ChannelFlow::SecondAxis, .outputFactors = {1, 2}};
  return {{"BatchNormalization",
           {.shortName = "BN",
            .channels = ChannelFlow::SecondAxis,
            .foldsIntoWeights = true,
            .outputFactors = {1, 2}}},
          {"InstanceNormalization", scaled},
          {"GroupNormalization", scaled},
          {"LRN", channels},
          {"LayerNormalization", {.channels = ChannelFlow::LastAxis, .outputFactors = {1, 2}}},
          {"Softmax", {.channels = ChannelFlow::Carried, .givesProbabilities = true}},
          {"LogSoftmax", {.channels = ChannelFlow::Carried}}};
}

}  // namespace quantscope
