#include "engine/gradients/convolution_adjoint.h"

#include <optional>

#include "engine/gradients/convolution_backward.h"
#include "engine/gradients/convolution_columns.h"
#include "engine/gradients/convolution_loops.h"
#include "engine/gradients/cotangent_sum.h"
#include "engine/onednn/reorder.h"
#include "engine/operators/convert.h"
#include "engine/operators/convolutions/tiled_convolution.h"

namespace quantscope {
namespace {

constexpr std::size_t kPreparedAdjoints = 4;

Tensor asDouble(const Tensor& tensor) {
  return convertedTo(toLayout(tensor, Layout::Plain), ElementType::Float64);
}

// oneDNN's results are laid out otherwise than weights are, and to rearrange those of one tap takes
// as long as their product.
bool packsWeights(const ConvolutionShapes& shapes, const ConvolutionBackward& backward) {
  const bool oneTap = shapes.groups == 1 && shapes.window.taps() == 1;
  return backward.weights != nullptr && !oneTap;
}

}  // namespace

struct ConvolutionAdjoint::Prepared {
  ConvolutionShapes shapes;
  Shape u;
  std::optional<TiledConvolution> forward;
  ConvolutionBackward backward;
};

ConvolutionAdjoint::ConvolutionAdjoint(bool constantWeights)
    : m_forwardPacker(constantWeights),
      m_dataPacker(constantWeights),
      m_prepared(kPreparedAdjoints) {}

ConvolutionAdjoint::~ConvolutionAdjoint() = default;

std::shared_ptr<const ConvolutionAdjoint::Prepared> ConvolutionAdjoint::prepare(
    const ConvolutionShapes& shapes, const Shape& u) const {
  const auto matches = [&](const Prepared& known) {
    return known.u == u && known.shapes.output == shapes.output &&
           known.shapes.groups == shapes.groups &&
           known.shapes.filtersPerGroup == shapes.filtersPerGroup &&
           known.shapes.channelsPerGroup == shapes.channelsPerGroup &&
           known.shapes.window.axes == shapes.window.axes;
  };
  return m_prepared.findOrMake(matches, [&] {
    auto prepared = std::make_shared<Prepared>();
    prepared->shapes = shapes;
    prepared->u = u;
    if (shapes.output.elementCount() > 0 && u.elementCount() > 0) {
      prepared->forward = TiledConvolution::make(shapes, u, false, false);
      prepared->backward = makeConvolutionBackward(shapes, u);
    }
    return prepared;
  });
}

Tensor ConvolutionAdjoint::forward(const ConvolutionShapes& shapes, const Shape& u,
                                   const Tensor& uValues, const Tensor& weights) const {
  const bool isDouble = uValues.type() == ElementType::Float64;
  const auto prepared = isDouble ? nullptr : prepare(shapes, u);
  if (prepared == nullptr || !prepared->forward) {
    const Tensor v = convolutionByLoops(shapes, u, asDouble(uValues), asDouble(weights));
    return isDouble ? v : toFloat32(v);
  }
  Tensor v(ElementType::Float32, shapes.output, Layout::ChannelsLast);
  prepared->forward->run(toLayout(uValues, Layout::ChannelsLast), weights, Tensor(),
                         m_forwardPacker, v, nullptr);
  return v;
}

Tensor ConvolutionAdjoint::data(const ConvolutionShapes& shapes, const Shape& u, const Tensor& v,
                                const Tensor& weights) const {
  if (v.type() == ElementType::Float64)
    return convolutionDataByLoops(shapes, u, asDouble(v), asDouble(weights));
  const auto prepared = prepare(shapes, u);
  const ConvolutionBackward& backward = prepared->backward;
  if (backward.data == nullptr) return convolutionDataByColumns(shapes, u, v, weights);
  const Tensor dv = toLayout(v, Layout::ChannelsLast);
  const auto packed = m_dataPacker.pack(weights, backward.plainWeights, backward.dataWeights);
  Tensor du(ElementType::Float32, u, Layout::ChannelsLast);
  backward.data->run({dv.bytes(), packed->data(), du.mutableBytes()});
  return du;
}

Tensor ConvolutionAdjoint::weights(const ConvolutionShapes& shapes, const Tensor& u,
                                   const Tensor& v) const {
  if (v.type() == ElementType::Float64)
    return convolutionWeightsByLoops(shapes, asDouble(u), asDouble(v));
  const auto prepared = prepare(shapes, u.shape());
  const ConvolutionBackward& backward = prepared->backward;
  if (!packsWeights(shapes, backward)) return convolutionWeightsByColumns(shapes, u, v);
  const Tensor packed = packedWeights(backward, u, v);
  Tensor dw(ElementType::Float32, weightsShape(shapes));
  onednn::reorder(backward.weightsResult, packed.bytes(), backward.plainWeights, dw.mutableBytes());
  return dw;
}

bool ConvolutionAdjoint::addWeights(const ConvolutionShapes& shapes, const Tensor& u,
                                    const Tensor& v, CotangentSum& sum) const {
  if (v.type() == ElementType::Float64) return false;
  const auto prepared = prepare(shapes, u.shape());
  const ConvolutionBackward& backward = prepared->backward;
  if (!packsWeights(shapes, backward)) return false;
  sum.addPacked(packedWeights(backward, u, v), backward.weightsResult, backward.plainWeights,
                weightsShape(shapes));
  return true;
}

// As oneDNN lays them out.
Tensor ConvolutionAdjoint::packedWeights(const ConvolutionBackward& backward, const Tensor& u,
                                         const Tensor& v) {
  const Tensor source = toLayout(u, Layout::ChannelsLast);
  const Tensor dv = toLayout(v, Layout::ChannelsLast);
  const std::size_t elements = backward.weightsResult.get_size() / sizeof(float);
  Tensor packed(ElementType::Float32, Shape{static_cast<std::int64_t>(elements)});
  backward.weights->run({source.bytes(), dv.bytes(), packed.mutableBytes()});
  return packed;
}

}  // namespace quantscope
