#include "graph/operator_traits.h"
#include "graph/traits/conditions.h"

namespace quantscope {
namespace {

template <std::size_t input>
std::optional<std::size_t> steepIn(const Graph&, const Node&) {
  return input;
}

// Squares and higher powers are flat at 0.
std::optional<std::size_t> steepPower(const Graph& graph, const Node& node) {
  if (node.inputs.size() < 2 || !node.inputs[1].valid()) return std::nullopt;
  const Tensor& exponent = graph[node.inputs[1]].constant;
  if (!exponent.defined() || exponent.type() != ElementType::Float32) return std::nullopt;
  if (exponent.elementCount() != 1 || exponent.values<float>()[0] >= 1) return std::nullopt;
  return 0;
}

}  // namespace

std::vector<NamedTraits> elementwiseTraits() {
  constexpr std::size_t kAll = OperatorTraits::kAllInputs;
  const OperatorTraits carries{.channels = ChannelFlow::Carried};
  const OperatorTraits cast{.channels = ChannelFlow::Carried, .keepsValues = true};
  const OperatorTraits homogeneous{.channels = ChannelFlow::Carried,
                                   .positivelyHomogeneous = always};
  OperatorTraits relu = homogeneous;
  relu.shortName = "ReLU";
  relu.rectifies = true;
  OperatorTraits sum{.channels = ChannelFlow::Carried,
                     .dataInputs = kAll,
                     .combination = Combination::Sum,
                     .positivelyHomogeneous = always};
  OperatorTraits addition = sum;
  addition.addsBias = true;
  OperatorTraits sumOfMany = sum;
  sumOfMany.channels = ChannelFlow::Unknown;
  const OperatorTraits extreme{
      .channels = ChannelFlow::Carried, .dataInputs = kAll, .positivelyHomogeneous = always};
  const OperatorTraits steepAt0{.channels = ChannelFlow::Carried, .steepInput = steepIn<0>};
  const OperatorTraits power{.channels = ChannelFlow::Carried, .steepInput = steepPower};
  const OperatorTraits ofAll{.channels = ChannelFlow::Carried, .dataInputs = kAll};
  OperatorTraits product = ofAll;
  product.multiplies = true;
  product.linearInputs = {0, 1};
  OperatorTraits quotient = ofAll;
  quotient.linearInputs = {0};
  quotient.steepInput = steepIn<1>;
  return {{"Relu", relu},
          {"LeakyRelu", homogeneous},
          {"PRelu", homogeneous},
          {"Abs", homogeneous},
          {"Neg", homogeneous},
          {"Elu", carries},
          {"Selu", carries},
          {"Celu", carries},
          {"ThresholdedRelu", carries},
          {"Clip", {.channels = ChannelFlow::Carried, .clips = true}},
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
          {"Log", steepAt0},
          {"Sqrt", steepAt0},
          {"Reciprocal", steepAt0},
          {"Round", carries},
          {"Floor", carries},
          {"Ceil", carries},
          {"Cast", cast},
          {"Pow", power},
          {"Where", ofAll},
          {"Add", addition},
          {"Sub", sum},
          {"Sum", sumOfMany},
          {"Mean", {.dataInputs = kAll, .positivelyHomogeneous = always}},
          {"Min", extreme},
          {"Max", extreme},
          {"Mul", product},
          {"Div", quotient}};
}

}  // namespace quantscope
