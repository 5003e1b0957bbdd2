#pragma once

#include <memory>
#include <span>
#include <vector>

#include "graph/graph.h"
#include "tensor/tensor.h"

namespace quantscope {

class ElementChain;
class FollowUp;

/// The executable form of one node: its operator with the attributes read once.
///
/// Immutable from the outside and safe to run from several threads at once; it guards its caches
/// (primitives, reordered weights) itself.
class Kernel {
 public:
  /// The order of elements in which a kernel wants its inputs.
  enum class InputLayout {
    Plain,         ///< every input row-major
    ChannelsLast,  ///< input 0 channels-last where it has ≥ 3 axes; the rest row-major
    Any,           ///< takes inputs as they are and looks at Tensor::layout() itself
  };

  virtual ~Kernel() = default;

  /// Fills `outputs` from `inputs`. An omitted input is an undefined tensor; `inputs` may be longer
  /// than the node's own list by trailing undefined ones. A kernel may take an input's elements
  /// over and write to them only if `soleOwner()` is true for it. Throws Error (the caller adds the
  /// node's name) where shapes, types or values do not fit.
  virtual void run(std::span<Tensor> inputs, std::span<Tensor> outputs) const = 0;
  /// The same, with what follows on output 0 where the kernel takes it over.
  virtual void runWith(std::span<Tensor> inputs, std::span<Tensor> outputs,
                       FollowUp& /*next*/) const {
    run(inputs, outputs);
  }

  virtual InputLayout inputLayout() const { return InputLayout::Plain; }
  /// True where the kernel computes on float16, bfloat16 as they are (data movers, casts);
  /// otherwise the engine widens them to float32 before and narrows the results after.
  virtual bool takesHalf() const { return false; }

  /// True where output 0 can be computed element by element from one of the inputs, on float32 and
  /// for inputs of suitable shapes.
  virtual bool elementwise() const { return false; }
  /// Appends what run() would do to `inputs[chained]`, whose place the chain's carrier holds, and
  /// returns true; or false where these inputs need run(), and then leaves them usable for it.
  virtual bool appendTo(ElementChain& /*chain*/, std::span<Tensor> /*inputs*/,
                        std::size_t /*chained*/) const {
    return false;
  }
};

/// Makes the kernel of a node. Throws Error(UnsupportedOperation) with the reason where the node
/// uses something that the operator's implementation lacks.
using KernelFactory = std::unique_ptr<Kernel> (*)(const Node& node, const Graph& graph);

/// Wraps a function of (node) state into a kernel: for operators without caches.
template <class Function>
class FunctionKernel final : public Kernel {
 public:
  FunctionKernel(Function function, InputLayout layout, bool half)
      : m_function(std::move(function)), m_layout(layout), m_half(half) {}
  void run(std::span<Tensor> inputs, std::span<Tensor> outputs) const override {
    m_function(inputs, outputs);
  }
  InputLayout inputLayout() const override { return m_layout; }
  bool takesHalf() const override { return m_half; }

 private:
  Function m_function;
  InputLayout m_layout;
  bool m_half;
};

/// A kernel of any layout that is `function(inputs, outputs)`, and by itself `steps(chain, inputs,
/// chained)`, as Kernel::appendTo.
template <class Function, class Steps>
class ElementwiseKernel final : public Kernel {
 public:
  ElementwiseKernel(Function function, Steps steps)
      : m_function(std::move(function)), m_steps(std::move(steps)) {}
  void run(std::span<Tensor> inputs, std::span<Tensor> outputs) const override {
    m_function(inputs, outputs);
  }
  InputLayout inputLayout() const override { return InputLayout::Any; }
  bool elementwise() const override { return true; }
  bool appendTo(ElementChain& chain, std::span<Tensor> inputs, std::size_t chained) const override {
    return m_steps(chain, inputs, chained);
  }

 private:
  Function m_function;
  Steps m_steps;
};

/// `function(inputs, outputs)` as a kernel of any layout that `steps` can stand for in a chain.
template <class Function, class Steps>
std::unique_ptr<Kernel> makeElementwiseKernel(Function function, Steps steps) {
  return std::make_unique<ElementwiseKernel<Function, Steps>>(std::move(function),
                                                              std::move(steps));
}

/// `function(inputs, outputs)` as a kernel.
template <class Function>
std::unique_ptr<Kernel> makeKernel(Function function,
                                   Kernel::InputLayout layout = Kernel::InputLayout::Plain,
                                   bool takesHalf = false) {
  return std::make_unique<FunctionKernel<Function>>(std::move(function), layout, takesHalf);
}

}  // namespace quantscope
