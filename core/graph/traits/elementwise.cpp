#include "graph/operator_traits.h"

namespace quantscope {

std::vector<NamedTraits> elementwiseTraits() {
  constexpr std::size_t kAll = OperatorTraits::kAllInputs;
  const OperatorTraits carries{.channels = ChannelFlow::Carried};
  const OperatorTraits homogeneous{.channels = ChannelFlow::Carried, .positivelyHomogeneous = true};
  OperatorTraits relu = homogeneous;
  relu.shortName = "ReLU";
  OperatorTraits sum{.channels = ChannelFlow::Carried,
                     .dataInputs = kAll,
                     .combination = Combination::Sum,
                     .positivelyHomogeneous = true};
  OperatorTraits addition = sum;
  addition.addsBias = true;
  OperatorTraits sumOfMany = sum;
  sumOfMany.channels = ChannelFlow::Unknown;
  const OperatorTraits extreme{
      .channels = ChannelFlow::Carried, .dataInputs = kAll, .positivelyHomogeneous = true};
  const OperatorTraits ofAll{.channels = ChannelFlow::Carried, .dataInputs = kAll};
  return {{"Relu", relu},
          {"LeakyRelu", homogeneous},
          {"PRelu", homogeneous},
          {"Abs", homogeneous},
          {"Neg", homogeneous},
          {"Elu", carries},
          {"Selu", carries},
          {"Celu", carries},
          {"ThresholdedRelu", carries},
          {"Clip", carries},
          {"Sigmoid", carries},
          {"Tanh", carries},
          {"HardSigmoid", carries},
          {"HardSwish", carries},
          {"Softplus", carries},
          {"Softsign", carries},
          {"Mish", carries},
          {"Gelu", carries},
          {"Erf", carries},
          {"Exp", carries},
          {"Log", carries},
          {"Sqrt", carries},
          {"Reciprocal", carries},
          {"Round", carries},
          {"Floor", carries},
          {"Ceil", carries},
          {"Cast", carries},
          {"Pow", carries},
          {"Where", ofAll},
          {"Add", addition},
          {"Sub", sum},
          {"Sum", sumOfMany},
          {"Mean", {.dataInputs = kAll, .positivelyHomogeneous = true}},
          {"Min", extreme},
          {"Max", extreme},
          {"Mul", ofAll},
          {"Div", ofAll}};
}

}  // namespace quantscope
