#include "engine/operators/convolutions/convolution_primitive.h"

#include <algorithm>
#include <string_view>

namespace quantscope {
namespace {

using dnnl::memory;

struct Descriptors {
  memory::desc x, weights, bias, y;
};

// oneDNN names the weights of both directions [groups, outputs, inputs, k1, …].
memory::desc describeWeights(const ConvolutionShapes& shapes, bool transposed) {
  const std::int64_t taps = shapes.window.taps();
  const std::int64_t outer = transposed ? shapes.filtersPerGroup : shapes.channelsPerGroup;
  const std::int64_t perGroup = shapes.filtersPerGroup * shapes.channelsPerGroup * taps;
  memory::dims extents{shapes.groups, shapes.filtersPerGroup, shapes.channelsPerGroup};
  memory::dims strides{perGroup, transposed ? taps : outer * taps,
                       transposed ? outer * taps : taps};
  std::int64_t rest = taps;
  for (const WindowAxis& axis : shapes.window.axes) {
    rest /= axis.kernel;
    extents.push_back(axis.kernel);
    strides.push_back(rest);
  }
  if (shapes.groups == 1) {
    extents.erase(extents.begin());
    strides.erase(strides.begin());
  }
  return onednn::descriptor(extents, strides);
}

// oneDNN puts its newest kernel for depthwise filters first, which takes up to half as long again
// as the one behind it (measured on AVX-512: 3 × 3 and 5 × 5 over 8 to 960 channels).
template <class Description>
void preferPlainDepthwise(Description& chosen) {
  if (!std::string_view(chosen.impl_info_str()).starts_with("brdgmm")) return;
  Description next = chosen;
  if (next.next_impl() && std::string_view(next.impl_info_str()).starts_with("jit_dw")) {
    chosen = next;
  }
}

template <class Operation>
void createCall(const typename Operation::desc& description, const Descriptors& wanted,
                ConvolutionPrimitive& primitive) {
  typename Operation::primitive_desc chosen(description, onednn::userScratchpad(),
                                            onednn::cpuEngine());
  preferPlainDepthwise(chosen);
  primitive.packedWeights = chosen.weights_desc();
  primitive.isReference = std::string_view(chosen.impl_info_str()).starts_with("ref");
  std::vector<onednn::PrimitiveCall::Argument> arguments{
      {DNNL_ARG_SRC, wanted.x},
      {DNNL_ARG_WEIGHTS, primitive.packedWeights},
      {DNNL_ARG_DST, wanted.y},
  };
  if (!wanted.bias.is_zero()) arguments.push_back({DNNL_ARG_BIAS, wanted.bias});
  primitive.call = std::make_unique<onednn::PrimitiveCall>(Operation(chosen), std::move(arguments),
                                                           chosen.scratchpad_desc());
}

ConvolutionPrimitive create(const ConvolutionShapes& shapes, const Shape& x, bool biased,
                            bool transposed, const memory::desc* packedWeights) {
  ConvolutionPrimitive primitive;
  primitive.plainWeights = describeWeights(shapes, transposed);
  Descriptors wanted;
  wanted.x = onednn::descriptor(x, Layout::ChannelsLast);
  wanted.y = onednn::descriptor(shapes.output, Layout::ChannelsLast);
  wanted.weights =
      packedWeights == nullptr ? onednn::anyOrder(primitive.plainWeights.dims()) : *packedWeights;
  if (biased) wanted.bias = onednn::descriptor(Shape{shapes.output[1]}, Layout::Plain);
  const WindowDims geometry(shapes.window);
  const auto inference = dnnl::prop_kind::forward_inference;
  if (transposed) {
    createCall<dnnl::deconvolution_forward>(
        {inference, dnnl::algorithm::deconvolution_direct, wanted.x, wanted.weights, wanted.bias,
         wanted.y, geometry.strides, geometry.gaps, geometry.padsBegin, geometry.padsEnd},
        wanted, primitive);
  } else {
    createCall<dnnl::convolution_forward>(
        {inference, dnnl::algorithm::convolution_direct, wanted.x, wanted.weights, wanted.bias,
         wanted.y, geometry.strides, geometry.gaps, geometry.padsBegin, geometry.padsEnd},
        wanted, primitive);
  }
  return primitive;
}

}  // namespace

WindowDims::WindowDims(const Window& window) {
  for (const WindowAxis& axis : window.axes) {
    strides.push_back(axis.stride);
    gaps.push_back(axis.dilation - 1);
    padsBegin.push_back(axis.padBegin);
    padsEnd.push_back(axis.padEnd);
  }
}

std::optional<ConvolutionPrimitive> makeConvolutionPrimitive(const ConvolutionShapes& shapes,
                                                             const Shape& x, bool biased,
                                                             bool transposed,
                                                             const memory::desc* packedWeights) {
  try {
    return create(shapes, x, biased, transposed, packedWeights);
  } catch (const dnnl::error& error) {
    if (error.status == dnnl_out_of_memory) onednn::throwTranslated(error);
    return std::nullopt;
  }
}

}  // namespace quantscope
