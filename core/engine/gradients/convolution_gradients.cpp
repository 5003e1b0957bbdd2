#include "engine/gradients/convolution_adjoint.h"
#include "engine/gradients/cotangents.h"
#include "engine/gradients/gradient_registry.h"
#include "engine/operators/constant_inputs.h"

namespace quantscope {
namespace {

class ConvolutionGradient final : public Gradient {
 public:
  ConvolutionGradient(const Node& node, const Graph& graph, bool transposed)
      : m_attributes(node),
        m_groups(readGroups(node)),
        m_transposed(transposed),
        m_adjoint(inputIsConstant(node, graph, 1)) {
    if (!transposed) return;
    m_outputPadding = node.integers("output_padding");
    m_outputShape = node.integers("output_shape");
  }

  // Each factor for the other one's cotangent alone.
  bool readsInput(std::size_t index, Wanted wanted) const override {
    return index < 2 && wanted[1 - index] != 0;
  }

  void run(const GradientCall& call, std::span<Tensor> results) const override {
    const Tensor& dy = call.cotangents[0];
    const Shape& x = call.inputShapes[0];
    const Tensor weights = call.plainInput(1);
    const ConvolutionShapes shapes = mapOf(x, call.inputShapes[1]);
    if (m_transposed) {
      if (call.wanted[0] != 0) results[0] = m_adjoint.forward(shapes, dy.shape(), dy, weights);
      if (call.wanted[1] != 0) results[1] = m_adjoint.weights(shapes, dy, call.inputs[0]);
    } else {
      if (call.wanted[0] != 0) results[0] = m_adjoint.data(shapes, x, dy, weights);
      if (call.wanted[1] != 0) results[1] = m_adjoint.weights(shapes, call.inputs[0], dy);
    }
    if (call.wanted.size() > 2 && call.wanted[2] != 0) {
      results[2] = sumOfChannels(dy);
    }
  }

  bool addToSum(const GradientCall& call, std::size_t index, CotangentSum& sum) const override {
    if (index != 1) return false;
    const Tensor& dy = call.cotangents[0];
    const ConvolutionShapes shapes = mapOf(call.inputShapes[0], call.inputShapes[1]);
    return m_transposed ? m_adjoint.addWeights(shapes, dy, call.inputs[0], sum)
                        : m_adjoint.addWeights(shapes, call.inputs[0], dy, sum);
  }

 private:
  // The shapes of the operator's convolution, or of the one whose data gradient the operator is.
  ConvolutionShapes mapOf(const Shape& x, const Shape& weights) const {
    if (!m_transposed) return convolutionShapes(m_attributes, m_groups, x, weights, Tensor());
    ConvolutionShapes shapes = transposedConvolutionShapes(m_attributes, m_groups, m_outputPadding,
                                                           m_outputShape, x, weights, Tensor());
    std::swap(shapes.channelsPerGroup, shapes.filtersPerGroup);
    shapes.output = x;
    return shapes;
  }

  WindowAttributes m_attributes;
  std::int64_t m_groups;
  bool m_transposed;
  std::vector<std::int64_t> m_outputPadding;
  std::vector<std::int64_t> m_outputShape;
  ConvolutionAdjoint m_adjoint;
};

std::unique_ptr<Gradient> makeConvolutionGradient(const Node& node, const Graph& graph) {
  return std::make_unique<ConvolutionGradient>(node, graph, false);
}

std::unique_ptr<Gradient> makeTransposedConvolutionGradient(const Node& node, const Graph& graph) {
  return std::make_unique<ConvolutionGradient>(node, graph, true);
}

}  // namespace

void registerConvolutionGradients(GradientRegistry& registry) {
  registry.add("Conv", makeConvolutionGradient);
  registry.add("ConvTranspose", makeTransposedConvolutionGradient);
}

}  // namespace quantscope
