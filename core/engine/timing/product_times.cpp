#include "engine/timing/product_times.h"

#include <algorithm>
#include <functional>
#include <unordered_map>
#include <vector>

#include "base/median.h"
#include "base/seconds_since.h"
#include "engine/onednn/onednn.h"
#include "engine/operators/convolutions/convolution_shapes.h"
#include "graph/operator_traits.h"

namespace quantscope {
namespace {

using dnnl::memory;
using DataType = memory::data_type;

constexpr int kLeastRuns = 5;
constexpr double kEnoughSeconds = 0.01;
// A layer that takes longer is as steady as it gets.
constexpr double kLongRun = 0.1;
constexpr double kFloatBytes = 4;

double medianSeconds(const std::function<void()>& run) {
  run();
  std::vector<double> times;
  double sum = 0;
  while (times.size() < kLeastRuns || sum < kEnoughSeconds) {
    const auto start = std::chrono::steady_clock::now();
    run();
    times.push_back(secondsSince(start));
    sum += times.back();
    if (times.size() >= 2 && times.back() > kLongRun) break;
  }
  return median(std::move(times));
}

struct Types {
  DataType data, weight, output;
};

Types typesOf(ProductType type) {
  switch (type) {
    case ProductType::BFloat16:
      return {DataType::bf16, DataType::bf16, DataType::bf16};
    case ProductType::Int8:
      return {DataType::u8, DataType::s8, DataType::u8};
    case ProductType::Float32:
      break;
  }
  return {DataType::f32, DataType::f32, DataType::f32};
}

memory::desc inAnyOrder(const memory::dims& extents, DataType type) {
  return {extents, type, memory::format_tag::any};
}

// A buffer with numbers that are neither denormal nor all alike in time.
memory filledMemory(const memory::desc& descriptor) {
  memory made(descriptor, onednn::cpuEngine());
  auto* bytes = static_cast<unsigned char*>(made.get_data_handle());
  std::fill(bytes, bytes + descriptor.get_size(), static_cast<unsigned char>(0x3f));
  return made;
}

dnnl::primitive_attr attributesFor(ProductType type) {
  dnnl::primitive_attr attributes = onednn::userScratchpad();
  if (type == ProductType::Int8) attributes.set_output_scales(0, {0.01F});
  return attributes;
}

template <class Chosen>
double secondsOf(const Chosen& chosen, const dnnl::primitive& primitive) {
  dnnl::stream stream(onednn::cpuEngine());
  const std::unordered_map<int, memory> arguments{
      {DNNL_ARG_SRC, filledMemory(chosen.src_desc())},
      {DNNL_ARG_WEIGHTS, filledMemory(chosen.weights_desc())},
      {DNNL_ARG_DST, filledMemory(chosen.dst_desc())},
      {DNNL_ARG_SCRATCHPAD, filledMemory(chosen.scratchpad_desc())}};
  return medianSeconds([&] {
    primitive.execute(stream, arguments);
    stream.wait();
  });
}

template <class Operation>
double secondsOfConvolution(const ConvolutionShapes& shapes, const ProductShape& shape,
                            ProductType type, dnnl::algorithm algorithm) {
  const Types types = typesOf(type);
  memory::dims weight{shapes.groups, shapes.filtersPerGroup, shapes.channelsPerGroup};
  if (shapes.groups == 1) weight.erase(weight.begin());
  memory::dims strides, gaps, begin, end;
  for (const WindowAxis& axis : shapes.window.axes) {
    weight.push_back(axis.kernel);
    strides.push_back(axis.stride);
    gaps.push_back(axis.dilation - 1);
    begin.push_back(axis.padBegin);
    end.push_back(axis.padEnd);
  }
  const typename Operation::desc description(
      dnnl::prop_kind::forward_inference, algorithm,
      inAnyOrder(onednn::dims(shape.data), types.data), inAnyOrder(weight, types.weight),
      inAnyOrder(onednn::dims(shapes.output), types.output), strides, gaps, begin, end);
  const typename Operation::primitive_desc chosen(description, attributesFor(type),
                                                  onednn::cpuEngine());
  return secondsOf(chosen, Operation(chosen));
}

double secondsOfConvolution(const Node& node, const ProductShape& shape, ProductType type) {
  const bool transposed = operatorTraits(node).groupedAxis == GroupedAxis::Output;
  const WindowAttributes attributes(node);
  const std::int64_t groups = readGroups(node);
  if (!transposed) {
    const ConvolutionShapes shapes =
        convolutionShapes(attributes, groups, shape.data, shape.weight, {});
    return secondsOfConvolution<dnnl::convolution_forward>(shapes, shape, type,
                                                           dnnl::algorithm::convolution_direct);
  }
  const ConvolutionShapes shapes =
      transposedConvolutionShapes(attributes, groups, node.integers("output_padding"),
                                  node.integers("output_shape"), shape.data, shape.weight, {});
  return secondsOfConvolution<dnnl::deconvolution_forward>(shapes, shape, type,
                                                           dnnl::algorithm::deconvolution_direct);
}

// Rows of all matrices as one where they share the weights.
double secondsOfMatrices(const Node& node, const ProductShape& shape, ProductType type) {
  const Types types = typesOf(type);
  const double products =
      operatorTraits(node).multiplyAccumulates(node, shape.data, shape.weight, shape.output);
  const std::int64_t elements = shape.output.elementCount();
  const std::int64_t n = shape.output.rank() > 0 ? shape.output[shape.output.rank() - 1] : 1;
  const auto k = static_cast<std::int64_t>(products / static_cast<double>(elements));
  const std::int64_t stack =
      shape.weight.rank() > 2 ? shape.weight.elementCount(0, shape.weight.rank() - 2) : 1;
  const std::int64_t m = std::max<std::int64_t>(1, elements / (n * stack));
  memory::dims a{m, k}, b{k, n}, y{m, n};
  if (stack > 1) {
    for (memory::dims* extents : {&a, &b, &y}) extents->insert(extents->begin(), stack);
  }
  const dnnl::matmul::desc description(inAnyOrder(a, types.data), inAnyOrder(b, types.weight),
                                       inAnyOrder(y, types.output));
  const dnnl::matmul::primitive_desc chosen(description, attributesFor(type), onednn::cpuEngine());
  return secondsOf(chosen, dnnl::matmul(chosen));
}

double secondsOfReorder(std::int64_t elements, DataType from, DataType to) {
  const memory::dims extents{std::max<std::int64_t>(1, elements)};
  const memory::desc source(extents, from, memory::format_tag::a);
  const memory::desc target(extents, to, memory::format_tag::a);
  dnnl::primitive_attr attributes;
  if (from != to) attributes.set_output_scales(0, {0.5F});
  const dnnl::reorder::primitive_desc chosen(onednn::cpuEngine(), source, onednn::cpuEngine(),
                                             target, attributes);
  const dnnl::reorder reorder(chosen);
  memory in = filledMemory(source);
  memory out = filledMemory(target);
  dnnl::stream stream(onednn::cpuEngine());
  return medianSeconds([&] {
    reorder.execute(stream, in, out);
    stream.wait();
  });
}

}  // namespace

std::optional<double> secondsOfProduct(const Node& node, const ProductShape& shape,
                                       ProductType type) {
  const OperatorTraits& traits = operatorTraits(node);
  const bool known =
      traits.weightUse == WeightUse::Product && traits.multiplyAccumulates != nullptr;
  if (!known || shape.output.elementCount() == 0) return std::nullopt;
  try {
    return traits.channels == ChannelFlow::SecondAxis ? secondsOfConvolution(node, shape, type)
                                                      : secondsOfMatrices(node, shape, type);
  } catch (const dnnl::error& error) {
    if (error.status == dnnl_out_of_memory) onednn::throwTranslated(error);
    return std::nullopt;
  }
}

double secondsToQuantize(std::int64_t elements) {
  return onednn::translated(
      [&] { return secondsOfReorder(elements, DataType::f32, DataType::u8); });
}

double secondsToDequantize(std::int64_t elements) {
  return onednn::translated(
      [&] { return secondsOfReorder(elements, DataType::u8, DataType::f32); });
}

double copiedBytesPerSecond(std::int64_t elements) {
  const double seconds =
      onednn::translated([&] { return secondsOfReorder(elements, DataType::f32, DataType::f32); });
  return 2.0 * kFloatBytes * static_cast<double>(elements) / seconds;
}

}  // namespace quantscope
