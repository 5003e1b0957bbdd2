#include "graph/operator_traits.h"

namespace quantscope {
namespace {

constexpr int kFirstAxis = 0;
constexpr int kSecondAxis = 1;

template <int axis, class Extents>
int axisIs(const Node&, std::size_t, Extents) {
  return axis;
}

// ConvTranspose has weights [C_in, C_out/group, …]; depthwise, with an output channel for each
// input channel, axis 0 counts the output channels.
int transposedOutputAxis(const Node& node, std::size_t, const Shape& weight) {
  const std::int64_t groups = node.integer("group", 1);
  const bool depthwise = groups > 1 && weight.rank() > 1 && weight[1] == 1 && weight[0] == groups;
  return depthwise ? kFirstAxis : kSecondAxis;
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
                             .outputChannelAxis = axisIs<kFirstAxis, const Shape&>,
                             .inputChannelAxis = axisIs<kSecondAxis, std::size_t>,
                             .summedAxis = axisIs<kSecondAxis, std::size_t>,
                             .groupedAxis = GroupedAxis::Input,
                             .multiplyAccumulates = perOutput};
  OperatorTraits transposed = convolution;
  transposed.outputChannelAxis = transposedOutputAxis;
  transposed.inputChannelAxis = axisIs<kFirstAxis, std::size_t>;
  transposed.groupedAxis = GroupedAxis::Output;
  transposed.multiplyAccumulates = perInput;
  return {{"Conv", convolution},
          {"ConvTranspose", transposed},
          {"DeformConv", {.channels = ChannelFlow::SecondAxis}}};
}

}  // namespace quantscope
