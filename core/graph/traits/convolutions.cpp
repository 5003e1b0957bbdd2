#include "graph/operator_traits.h"

namespace quantscope {
namespace {

constexpr int kFirstAxis = 0;
constexpr int kSecondAxis = 1;

template <int axis>
int always(const Node&, std::size_t, std::size_t) {
  return axis;
}

// Weights [C_out, C_in/group, …]: each output element adds up one filter.
double perOutput(const Node&, const Shape&, const Shape& weight, const Shape& output) {
  return static_cast<double>(output.elementCount()) *
         static_cast<double>(weight.elementCount(1, weight.rank()));
}

// Weights [C_in, C_out/group, …]: each input element is multiplied by one filter.
double perInput(const Node&, const Shape& data, const Shape& weight, const Shape&) {
  return static_cast<double>(data.elementCount()) *
         static_cast<double>(weight.elementCount(1, weight.rank()));
}

}  // namespace

std::vector<NamedTraits> convolutionTraits() {
  OperatorTraits convolution{.channels = ChannelFlow::SecondAxis,
                             .dataInputs = 2,
                             .weightUse = WeightUse::Product,
                             .weightSlots = {1},
                             .biasSlot = 2,
                             .outputChannelAxis = always<kFirstAxis>,
                             .inputChannelAxis = always<kSecondAxis>,
                             .summedAxis = always<kSecondAxis>,
                             .groupedAxis = GroupedAxis::Input,
                             .multiplyAccumulates = perOutput};
  OperatorTraits transposed = convolution;
  transposed.outputChannelAxis = always<kSecondAxis>;
  transposed.inputChannelAxis = always<kFirstAxis>;
  transposed.groupedAxis = GroupedAxis::Output;
  transposed.multiplyAccumulates = perInput;
  return {{"Conv", convolution},
          {"ConvTranspose", transposed},
          {"ConvInteger", {.channels = ChannelFlow::SecondAxis}},
          {"QLinearConv", {.channels = ChannelFlow::SecondAxis}},
          {"DeformConv", {.channels = ChannelFlow::SecondAxis}}};
}

}  // namespace quantscope
