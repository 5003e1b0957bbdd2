#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <utility>

#include "graph/graph.h"
#include "tensor/tensor.h"

namespace quantscope {

class CotangentSum;

/// The data of one run of its node that a gradient is given. All real numbers are of one type,
/// float32 or float64, in any layout.
struct GradientCall {
  std::span<const Tensor> inputs;      ///< undefined where omitted or not read (readsInput())
  std::span<const Tensor> outputs;     ///< undefined where not read (readsOutput())
  std::span<const Shape> inputShapes;  ///< empty where omitted or not read (readsShape())
  std::span<const Tensor> cotangents;  ///< by output; undefined = zero. At least one is defined.
  std::span<const char> wanted;        ///< by input: its cotangent is asked for

  /// The type of all real numbers.
  ElementType type() const;
  /// Input `index` as the operator reads it, in logical order; undefined where omitted.
  Tensor plainInput(std::size_t index) const;
  /// The cotangent of output `index` in logical order; undefined = zero.
  Tensor plainCotangent(std::size_t index) const;
};

/// The vector-Jacobian product of one node: from cotangents dy of its outputs to Jᵀ·dy of its
/// inputs, J the matrix of ∂output/∂input at the given inputs. Where an operator has no derivative
/// (the corner of a Relu, equal candidates of a maximum) it is that of one side, the first one.
///
/// Immutable from the outside and safe to run from several threads at once, as Kernel is.
class Gradient {
 public:
  /// By input: true if its cotangent is wanted.
  using Wanted = std::span<const char>;

  virtual ~Gradient() = default;

  /// Fills results[i] for wanted inputs; undefined = zero. A result has the shape of its input.
  /// Throws Error (the caller adds the node's name) where shapes or types do not fit.
  virtual void run(const GradientCall& call, std::span<Tensor> results) const = 0;

  /// Adds the cotangent of input `index` to the sum, in an order of elements that is faster to
  /// write than a tensor's, and returns true; false where there is none, which run() then gives.
  virtual bool addToSum(const GradientCall& /*call*/, std::size_t /*index*/,
                        CotangentSum& /*sum*/) const {
    return false;
  }

  /// Whether run() reads the elements of an input or of an output, for these wanted cotangents.
  /// Elements that are not read need not be kept from the forward run.
  virtual bool readsInput(std::size_t /*index*/, Wanted /*wanted*/) const { return true; }
  virtual bool readsOutput(std::size_t /*index*/) const { return false; }
  /// True if run() reads the shape of an input.
  virtual bool readsShape(std::size_t /*index*/) const { return true; }
  /// True where run() gives nothing: no output changes when an input changes a little.
  virtual bool vanishes() const { return false; }
};

/// Makes the gradient of a node. Throws Error(UnsupportedOperation) with the reason where there is
/// none for its attributes.
using GradientFactory = std::unique_ptr<Gradient> (*)(const Node& node, const Graph& graph);

/// Calls `function.template operator()<T>()` with float or double.
/// Throws UnsupportedType for any other element type.
template <class Function>
decltype(auto) visitRealType(ElementType type, Function&& function) {
  if (type == ElementType::Float64)
    return std::forward<Function>(function).template operator()<double>();
  return std::forward<Function>(function).template operator()<float>();
}

}  // namespace quantscope
