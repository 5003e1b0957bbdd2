#include "graph/operator_traits.h"

namespace quantscope {

std::vector<NamedTraits> quantizedTraits() {
  const OperatorTraits carries{.channels = ChannelFlow::Carried};
  const OperatorTraits pools{.channels = ChannelFlow::SecondAxis};
  return {{"QuantizeLinear", carries},
          {"DequantizeLinear", carries},
          {"QLinearAdd", carries},
          {"QLinearMul", carries},
          {"QLinearConcat", carries},
          {"QLinearLeakyRelu", carries},
          {"QLinearSigmoid", carries},
          {"QLinearAveragePool", pools},
          {"QLinearGlobalAveragePool", pools}};
}

}  // namespace quantscope
