#include "engine/gradients/convolution_backward.h"

#include <string_view>

#include "engine/operators/convolutions/convolution_primitive.h"

namespace quantscope {
namespace {

using dnnl::memory;

// oneDNN's reference implementations take a hundred times as long as the others.
template <class Description>
bool isPlainLoop(const Description& description) {
  return std::string_view(description.impl_info_str()).starts_with("ref");
}

ConvolutionBackward createBackward(const ConvolutionShapes& shapes, const Shape& u,
                                   const memory::desc& plainWeights) {
  const WindowDims window(shapes.window);
  const memory::desc source = onednn::descriptor(u, Layout::ChannelsLast);
  const memory::desc target = onednn::descriptor(shapes.output, Layout::ChannelsLast);
  const memory::desc weights = onednn::anyOrder(plainWeights.dims());
  const auto direct = dnnl::algorithm::convolution_direct;
  const dnnl::convolution_forward::primitive_desc hint(
      {dnnl::prop_kind::forward_training, direct, source, weights, target, window.strides,
       window.gaps, window.padsBegin, window.padsEnd},
      onednn::cpuEngine());
  const dnnl::convolution_backward_data::primitive_desc data(
      {direct, source, weights, target, window.strides, window.gaps, window.padsBegin,
       window.padsEnd},
      onednn::userScratchpad(), onednn::cpuEngine(), hint);
  const dnnl::convolution_backward_weights::primitive_desc filters(
      {direct, source, weights, target, window.strides, window.gaps, window.padsBegin,
       window.padsEnd},
      onednn::userScratchpad(), onednn::cpuEngine(), hint);
  ConvolutionBackward backward;
  backward.plainWeights = plainWeights;
  backward.dataWeights = data.weights_desc();
  backward.weightsResult = filters.diff_weights_desc();
  if (!isPlainLoop(data))
    backward.data = std::make_unique<onednn::PrimitiveCall>(
        dnnl::convolution_backward_data(data),
        std::vector<onednn::PrimitiveCall::Argument>{{DNNL_ARG_DIFF_DST, target},
                                                     {DNNL_ARG_WEIGHTS, backward.dataWeights},
                                                     {DNNL_ARG_DIFF_SRC, source}},
        data.scratchpad_desc());
  if (!isPlainLoop(filters))
    backward.weights = std::make_unique<onednn::PrimitiveCall>(
        dnnl::convolution_backward_weights(filters),
        std::vector<onednn::PrimitiveCall::Argument>{
            {DNNL_ARG_SRC, source},
            {DNNL_ARG_DIFF_DST, target},
            {DNNL_ARG_DIFF_WEIGHTS, backward.weightsResult}},
        filters.scratchpad_desc());
  return backward;
}

}  // namespace

ConvolutionBackward makeConvolutionBackward(const ConvolutionShapes& shapes, const Shape& u) {
  const auto forward = makeConvolutionPrimitive(shapes, u, false, false);
  if (!forward) return {};
  try {
    return createBackward(shapes, u, forward->plainWeights);
  } catch (const dnnl::error& error) {
    if (error.status == dnnl_out_of_memory) onednn::throwTranslated(error);
    return {};
  }
}

}  // namespace quantscope
