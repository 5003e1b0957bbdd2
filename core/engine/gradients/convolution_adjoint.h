#pragma once

#include <cstdint>
#include <memory>

#include "engine/gradients/gradient.h"
#include "engine/onednn/weight_packer.h"
#include "engine/operators/convolutions/convolution_shapes.h"
#include "engine/recent_cache.h"

namespace quantscope {

class CotangentSum;
struct ConvolutionBackward;

/// The bilinear map behind both kinds of convolution, v = u * weights, and its two adjoints: u [N,
/// C, D1, …], weights [F, C / groups, k1, …], v [N, F, E1, …].
///
/// A convolution is forward(x, W); its gradients are data(dy, W) and weights(x, dy). A transposed
/// convolution is data(x, W); its gradients are forward(dy, W) and weights(dy, x).
class ConvolutionAdjoint {
 public:
  /// `constantWeights`: they are worth being packed.
  explicit ConvolutionAdjoint(bool constantWeights);
  ~ConvolutionAdjoint();

  /// `shapes` are those of the map; `u` is the shape of u. In float oneDNN computes where it has
  /// a fast kernel, in double loops do.
  Tensor forward(const ConvolutionShapes& shapes, const Shape& u, const Tensor& uValues,
                 const Tensor& weights) const;
  Tensor data(const ConvolutionShapes& shapes, const Shape& u, const Tensor& v,
              const Tensor& weights) const;
  Tensor weights(const ConvolutionShapes& shapes, const Tensor& u, const Tensor& v) const;
  /// Adds weights() to a sum, and returns true; false where there is no faster way than weights().
  bool addWeights(const ConvolutionShapes& shapes, const Tensor& u, const Tensor& v,
                  CotangentSum& sum) const;

 private:
  struct Prepared;
  std::shared_ptr<const Prepared> prepare(const ConvolutionShapes& shapes, const Shape& u) const;
  static Tensor packedWeights(const ConvolutionBackward& backward, const Tensor& u,
                              const Tensor& v);

  onednn::WeightPacker m_forwardPacker;
  onednn::WeightPacker m_dataPacker;
  RecentCache<Prepared> m_prepared;
};

}  // namespace quantscope
