#include <memory>

#include "base/error.h"
#include "engine/onednn/primitive_call.h"
#include "engine/onednn/weight_packer.h"
#include "engine/operator_registry.h"
#include "engine/operators/constant_inputs.h"
#include "engine/operators/convolution_shapes.h"
#include "engine/operators/direct_convolution.h"
#include "engine/operators/filter_bank.h"
#include "engine/operators/operands.h"

namespace quantscope {
namespace {

using dnnl::memory;

// Input shapes that one node meets: models with dynamic extents change them from sample to sample.
constexpr std::size_t kPreparedShapes = 8;

struct Geometry {
  memory::dims strides, gaps, padsBegin, padsEnd;

  explicit Geometry(const Window& window) {
    for (const WindowAxis& axis : window.axes) {
      strides.push_back(axis.stride);
      gaps.push_back(axis.dilation - 1);
      padsBegin.push_back(axis.padBegin);
      padsEnd.push_back(axis.padEnd);
    }
  }
};

struct Prepared {
  Shape x;
  Shape weights;
  bool biased = false;
  Shape bias;
  ConvolutionShapes shapes;
  memory::desc plainWeights;
  memory::desc packedWeights;
  std::unique_ptr<onednn::PrimitiveCall> call;  ///< none where nothing is to do or oneDNN cannot
};

struct Descriptors {
  memory::desc x, weights, bias, y;
};

template <class Operation>
void createCall(Prepared& prepared, const typename Operation::desc& description,
                const Descriptors& wanted) {
  const typename Operation::primitive_desc chosen(description, onednn::userScratchpad(),
                                                  onednn::cpuEngine());
  prepared.packedWeights = chosen.weights_desc();
  std::vector<onednn::PrimitiveCall::Argument> arguments{
      {DNNL_ARG_SRC, wanted.x},
      {DNNL_ARG_WEIGHTS, prepared.packedWeights},
      {DNNL_ARG_DST, wanted.y},
  };
  if (prepared.biased) arguments.push_back({DNNL_ARG_BIAS, wanted.bias});
  prepared.call = std::make_unique<onednn::PrimitiveCall>(Operation(chosen), std::move(arguments),
                                                          chosen.scratchpad_desc());
}

// oneDNN names the weights of both directions [groups, outputs, inputs, k1, …].
memory::desc describeWeights(const Prepared& prepared, bool transposed) {
  const ConvolutionShapes& shapes = prepared.shapes;
  const std::int64_t taps = shapes.window.taps();
  const std::int64_t outer = transposed ? shapes.filtersPerGroup : shapes.channelsPerGroup;
  const std::int64_t perGroup = shapes.filtersPerGroup * shapes.channelsPerGroup * taps;
  memory::dims extents{shapes.groups, shapes.filtersPerGroup, shapes.channelsPerGroup};
  memory::dims strides{perGroup, transposed ? taps : outer * taps,
                       transposed ? outer * taps : taps};
  const Shape rowMajor = rowMajorStrides(prepared.weights);
  for (std::size_t axis = 2; axis < prepared.weights.rank(); ++axis) {
    extents.push_back(prepared.weights[axis]);
    strides.push_back(rowMajor[axis]);
  }
  if (shapes.groups == 1) {
    extents.erase(extents.begin());
    strides.erase(strides.begin());
  }
  return onednn::descriptor(extents, strides);
}

void preparePrimitive(Prepared& prepared, bool transposed) {
  const ConvolutionShapes& shapes = prepared.shapes;
  prepared.plainWeights = describeWeights(prepared, transposed);
  Descriptors wanted;
  wanted.x = onednn::descriptor(prepared.x, Layout::ChannelsLast);
  wanted.y = onednn::descriptor(shapes.output, Layout::ChannelsLast);
  wanted.weights = onednn::anyOrder(prepared.plainWeights.dims());
  if (prepared.biased) wanted.bias = onednn::descriptor(Shape{shapes.output[1]}, Layout::Plain);
  const Geometry geometry(shapes.window);
  const auto inference = dnnl::prop_kind::forward_inference;
  if (transposed) {
    createCall<dnnl::deconvolution_forward>(
        prepared,
        {inference, dnnl::algorithm::deconvolution_direct, wanted.x, wanted.weights, wanted.bias,
         wanted.y, geometry.strides, geometry.gaps, geometry.padsBegin, geometry.padsEnd},
        wanted);
  } else {
    createCall<dnnl::convolution_forward>(
        prepared,
        {inference, dnnl::algorithm::convolution_direct, wanted.x, wanted.weights, wanted.bias,
         wanted.y, geometry.strides, geometry.gaps, geometry.padsBegin, geometry.padsEnd},
        wanted);
  }
}

// oneDNN lacks more than three spatial axes and padding that reaches further than a stride beyond
// the last window; then there is no call.
void tryPrimitive(Prepared& prepared, bool transposed) {
  try {
    preparePrimitive(prepared, transposed);
  } catch (const dnnl::error& error) {
    if (error.status == dnnl_out_of_memory) onednn::throwTranslated(error);
  }
}

class ConvolutionKernel final : public Kernel {
 public:
  ConvolutionKernel(const Node& node, const Graph& graph, bool transposed)
      : m_attributes(node),
        m_groups(readGroups(node)),
        m_transposed(transposed),
        m_prepared(kPreparedShapes),
        m_packer(inputIsConstant(node, graph, 1)) {
    if (!transposed) return;
    m_outputPadding = node.integers("output_padding");
    m_outputShape = node.integers("output_shape");
  }

  InputLayout inputLayout() const override { return InputLayout::ChannelsLast; }

  void run(std::span<Tensor> inputs, std::span<Tensor> outputs) const override {
    const Tensor& x = requiredInput(inputs, 0);
    const Tensor& weights = requiredInput(inputs, 1);
    const Tensor bias = inputOrUndefined(inputs, 2);
    setOutput(outputs, 0,
              x.type() == ElementType::Float64
                  ? runDouble(x, weights, bias)
                  : runFloat(toLayout(x, Layout::ChannelsLast), weights, bias));
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
    const ConvolutionShapes shapes = shapesOf(x, weights, bias);
    return m_transposed ? convolveTransposedDouble(shapes, plain, weights, bias)
                        : convolveDouble(shapes, plain, weights, bias);
  }

  Tensor runWidened(const Tensor& x, const Tensor& weights, const Tensor& bias) const {
    const auto widened = [](const Tensor& tensor) {
      return tensor.defined() ? fromFloat32(tensor, ElementType::Float64) : tensor;
    };
    return toFloat32(runDouble(widened(x), widened(weights), widened(bias)));
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
      if (prepared->shapes.output.elementCount() > 0) tryPrimitive(*prepared, m_transposed);
      return prepared;
    });
  }

  Tensor runFloat(const Tensor& x, const Tensor& weights, const Tensor& bias) const {
    const auto prepared = prepare(x, weights, bias);
    if (!m_transposed && isFilterBank(prepared->shapes)) {
      return convolveFilterBank(prepared->shapes, x, weights, bias);
    }
    Tensor y(ElementType::Float32, prepared->shapes.output, Layout::ChannelsLast);
    if (y.elementCount() == 0) return y;
    if (prepared->call == nullptr) return runWidened(x, weights, bias);
    const auto packed = m_packer.pack(weights, prepared->plainWeights, prepared->packedWeights);
    const float* source = x.values<float>().data();
    float* target = y.mutableValues<float>().data();
    if (prepared->biased) {
      prepared->call->run({source, packed->data(), target, bias.values<float>().data()});
    } else {
      prepared->call->run({source, packed->data(), target});
    }
    return y;
  }

  WindowAttributes m_attributes;
  std::int64_t m_groups;
  bool m_transposed;
  std::vector<std::int64_t> m_outputPadding;
  std::vector<std::int64_t> m_outputShape;
  RecentCache<Prepared> m_prepared;
  onednn::WeightPacker m_packer;
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
