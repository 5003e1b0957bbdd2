#include <memory>

#include "base/error.h"
#include "engine/fusion/follow_up.h"
#include "engine/onednn/weight_packer.h"
#include "engine/operator_registry.h"
#include "engine/operators/constant_inputs.h"
#include "engine/operators/convolutions/direct_convolution.h"
#include "engine/operators/convolutions/few_filters.h"
#include "engine/operators/convolutions/filter_bank.h"
#include "engine/operators/convolutions/panel_convolution.h"
#include "engine/operators/convolutions/tiled_convolution.h"
#include "engine/operators/convolutions/transposed_product.h"
#include "engine/operators/operands.h"

namespace quantscope {
namespace {

// Input shapes that one node meets: models with dynamic extents change them from sample to sample.
constexpr std::size_t kPreparedShapes = 8;

struct Prepared {
  Shape x;
  Shape weights;
  bool biased = false;
  Shape bias;
  ConvolutionShapes shapes;
  std::optional<TiledConvolution> tiles;  ///< none where oneDNN cannot
};

class ConvolutionKernel final : public Kernel {
 public:
  ConvolutionKernel(const Node& node, const Graph& graph, bool transposed)
      : m_attributes(node),
        m_groups(readGroups(node)),
        m_transposed(transposed),
        m_prepared(kPreparedShapes),
        m_packer(inputIsConstant(node, graph, 1)),
        m_product(inputIsConstant(node, graph, 1)),
        m_filterBank(inputIsConstant(node, graph, 1)),
        m_panels(inputIsConstant(node, graph, 1)) {
    if (!transposed) return;
    m_outputPadding = node.integers("output_padding");
    m_outputShape = node.integers("output_shape");
  }

  InputLayout inputLayout() const override { return InputLayout::Any; }

  void run(std::span<Tensor> inputs, std::span<Tensor> outputs) const override {
    FollowUp nothing;
    runWith(inputs, outputs, nothing);
  }

  void runWith(std::span<Tensor> inputs, std::span<Tensor> outputs, FollowUp& next) const override {
    const Tensor& x = requiredInput(inputs, 0);
    const Tensor weights = toLayout(requiredInput(inputs, 1), Layout::Plain);
    const Tensor bias = inputOrUndefined(inputs, 2);
    setOutput(outputs, 0,
              x.type() == ElementType::Float64 ? runDouble(x, weights, bias)
                                               : runFloat(x, weights, bias, next));
  }

 private:
  ConvolutionShapes shapesOf(const Tensor& x, const Tensor& weights, const Tensor& bias) const {
    return m_transposed
               ? transposedConvolutionShapes(m_attributes, m_groups, m_outputPadding, m_outputShape,
                                             x.shape(), weights.shape(), bias)
               : convolutionShapes(m_attributes, m_groups, x.shape(), weights.shape(), bias);
  }

  Tensor runDouble(const Tensor& x, const Tensor& weights, const Tensor& bias) const {
    const Tensor plain = toLayout(x, Layout::Plain);
    return convolveDouble(shapesOf(x, weights, bias), m_transposed, plain, weights, bias);
  }

  Tensor runWidened(const Tensor& x, const Tensor& weights, const Tensor& bias) const {
    const auto widened = [](const Tensor& tensor) {
      return tensor.defined() ? fromFloat32(tensor, ElementType::Float64) : tensor;
    };
    return toFloat32(runDouble(widened(x), widened(weights), widened(bias)));
  }

  bool hasOwnKernel(const ConvolutionShapes& shapes) const {
    return m_transposed ? TransposedProduct::suits(shapes)
                        : FilterBank::suits(shapes) || hasFewFilters(shapes) ||
                              PanelConvolution::suits(shapes);
  }

  Tensor runOwn(const ConvolutionShapes& shapes, const Tensor& x, const Tensor& weights,
                const Tensor& bias, FollowUp& next) const {
    if (m_transposed) {
      return m_product.run(shapes, toLayout(x, Layout::ChannelsLast), weights, bias);
    }
    if (FilterBank::suits(shapes)) return m_filterBank.run(shapes, x, weights, bias);
    if (hasFewFilters(shapes)) return convolveFewFilters(shapes, x, weights, bias);
    return m_panels.run(shapes, x, weights, bias, next.take(shapes.output, Layout::ChannelsLast));
  }

  std::shared_ptr<const Prepared> prepare(const Tensor& x, const Tensor& weights,
                                          const Tensor& bias) const {
    const auto matches = [&](const Prepared& prepared) {
      return prepared.x == x.shape() && prepared.weights == weights.shape() &&
             prepared.biased == bias.defined() && prepared.bias == bias.shape();
    };
    return m_prepared.findOrMake(matches, [&] {
      auto prepared = std::make_shared<Prepared>();
      prepared->x = x.shape();
      prepared->weights = weights.shape();
      prepared->biased = bias.defined();
      prepared->bias = bias.shape();
      prepared->shapes = shapesOf(x, weights, bias);
      if (prepared->shapes.output.elementCount() > 0 && !hasOwnKernel(prepared->shapes)) {
        prepared->tiles =
            TiledConvolution::make(prepared->shapes, x.shape(), bias.defined(), m_transposed);
      }
      return prepared;
    });
  }

  Tensor runFloat(const Tensor& given, const Tensor& weights, const Tensor& bias,
                  FollowUp& next) const {
    const auto prepared = prepare(given, weights, bias);
    if (hasOwnKernel(prepared->shapes)) return runOwn(prepared->shapes, given, weights, bias, next);
    const Tensor x = toLayout(given, Layout::ChannelsLast);
    Tensor y(ElementType::Float32, prepared->shapes.output, Layout::ChannelsLast);
    if (y.elementCount() == 0) return y;
    if (!prepared->tiles) return runWidened(x, weights, bias);
    prepared->tiles->run(x, weights, bias, m_packer, y, next.take(y.shape(), y.layout()));
    return y;
  }

  WindowAttributes m_attributes;
  std::int64_t m_groups;
  bool m_transposed;
  std::vector<std::int64_t> m_outputPadding;
  std::vector<std::int64_t> m_outputShape;
  RecentCache<Prepared> m_prepared;
  onednn::WeightPacker m_packer;
  TransposedProduct m_product;
  FilterBank m_filterBank;
  PanelConvolution m_panels;
};

std::unique_ptr<Kernel> makeConvolution(const Node& node, const Graph& graph) {
  return std::make_unique<ConvolutionKernel>(node, graph, false);
}

std::unique_ptr<Kernel> makeTransposedConvolution(const Node& node, const Graph& graph) {
  return std::make_unique<ConvolutionKernel>(node, graph, true);
}

}  // namespace

void registerConvolutions(OperatorRegistry& registry) {
  registry.add("Conv", {1, 11, 22}, makeConvolution);
  registry.add("ConvTranspose", {1, 11, 22}, makeTransposedConvolution);
}

}  // namespace quantscope
