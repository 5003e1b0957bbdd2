#include "compare/layer_weight.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "compare/matching/axis_order.h"
#include "engine/channels_along.h"
#include "engine/fake_quantize_tensor.h"
#include "engine/operators/data_movers/transpose.h"
#include "engine/operators/quantized/quantization_grid.h"
#include "graph/operator_traits.h"
#include "kernels/statistics/min_max.h"
#include "precision/layers/node_tensors.h"
#include "precision/parameters/weight_quantization.h"

namespace quantscope {
namespace {

// Below it, gains would be made of noise.
constexpr double kRelated = 0.5;
// A fold of a batch normalization has other gains; rounding alone moves them less than this.
constexpr double kUnfolded = 0.05;
constexpr int kMaxSteps = 4;  // from codes over reshapes and transpositions to a weight

int bitsOf(const Tensor& codes) {
  if (byteSize(codes.type()) > 1) return 8 * static_cast<int>(byteSize(codes.type()));
  // Narrow codes are stored in bytes here.
  const MinMax range = minMax(toFloat32(codes).values<float>());
  return !range.empty() && range.max - range.min < 16 && range.max < 16 && range.min >= -8 ? 4 : 8;
}

bool isSymmetric(const CodeGrids& grids) {
  if (!grids.zeroPoint.defined()) return true;
  const ElementType codes = grids.zeroPoint.type();
  const std::int32_t middle = isSigned(codes) ? 0 : (codes == ElementType::UInt8 ? 128 : 32768);
  return std::ranges::all_of(zeroPointValues(grids.zeroPoint),
                             [&](std::int32_t zero) { return zero == middle; });
}

void describeCodes(const Tensor& codes, const CodeGrids& grids, LayerWeight& weight) {
  weight.bits = bitsOf(codes);
  weight.isSigned = isSigned(codes.type());
  weight.grids = grids;
  weight.symmetric = isSymmetric(grids);
}

// Where the weight comes from a DequantizeLinear, how it is stored.
void findCodes(const Engine& engine, ValueId value, LayerWeight& weight) {
  const Graph& graph = engine.graph();
  for (int step = 0; step < kMaxSteps && graph[value].producer.valid(); ++step) {
    const Node& node = graph[graph[value].producer];
    if (node.inputs.empty() || !node.inputs[0].valid()) return;
    const Tensor* const from = engine.constant(node.inputs[0]);
    if (from == nullptr) return;
    if (operatorTraits(node).codes.use == CodeUse::Dequantizes) {
      if (isFloat(from->type())) return;
      if (const CodeGrids grids = constantGrids(engine, node, 1, 2); grids.scale.defined()) {
        describeCodes(*from, grids, weight);
      }
      return;
    }
    value = node.inputs[0];
  }
}

// The constant codes that an operator on codes has as its weight, or null.
const Tensor* storedCodes(const Engine& engine, const Node& node) {
  const CodeTraits& codes = operatorTraits(node).codes;
  if (!codes.weightSlot || *codes.weightSlot >= node.inputs.size()) return nullptr;
  const ValueId input = node.inputs[*codes.weightSlot];
  const Tensor* const stored = input.valid() ? engine.constant(input) : nullptr;
  return stored == nullptr || isFloat(stored->type()) ? nullptr : stored;
}

std::optional<LayerWeight> codedWeight(const Engine& engine, NodeId id) {
  const Node& node = engine.graph()[id];
  const CodeTraits& codes = operatorTraits(node).codes;
  const Tensor* const stored = storedCodes(engine, node);
  if (stored == nullptr) return std::nullopt;
  LayerWeight weight{id, *codes.weightSlot, {}, codes.weightScale.has_value(), 0, true, {}};
  CodeGrids grids;
  if (codes.weightScale) {
    grids = constantGrids(engine, node, *codes.weightScale, codes.weightZeroPoint.value_or(0));
  }
  if (!grids.scale.defined()) {
    weight.scaled = false;
    grids.scale = Tensor::of<float>({1}, {1.0F});
    if (codes.weightZeroPoint && *codes.weightZeroPoint < node.inputs.size()) {
      const ValueId zero = node.inputs[*codes.weightZeroPoint];
      const Tensor* const given = zero.valid() ? engine.constant(zero) : nullptr;
      if (given != nullptr && given->elementCount() == 1) grids.zeroPoint = *given;
    }
  }
  // Scales of a convolution lie along its filters, those of a matrix product along its columns.
  const bool isMatrix = stored->shape().rank() == 2;
  grids.axis = isMatrix ? 1 : 0;
  describeCodes(*stored, grids, weight);
  weight.numbers = dequantized(*stored, grids);
  return weight;
}

std::optional<LayerWeight> weightOf(const Engine& engine, NodeId id) {
  const Node& node = engine.graph()[id];
  if (operatorTraits(node).codes.use == CodeUse::Computes) return codedWeight(engine, id);
  if (!hasWeight(engine, id)) return std::nullopt;
  const std::optional<std::size_t> slot = weightInput(engine, node);
  LayerWeight weight{id, *slot, toFloat32(*engine.constant(node.inputs[*slot])), true, 0, true, {}};
  weight.numbers = toLayout(weight.numbers, Layout::Plain);
  findCodes(engine, node.inputs[*slot], weight);
  return weight;
}

// A weight of the other orientation lies transposed, and one of a matrix product may stand for a
// convolution's of one element. Of a square one the elements tell, unless the operators are the
// same: then it lies alike, or is wrong.
bool bringToShape(const Tensor& like, bool sameOperator, LayerWeight& weight) {
  const Shape& shape = like.shape();
  if (weight.numbers.shape() == shape && shape.rank() > 2) return true;
  const Shape wanted = withoutUnits(shape);
  const Shape own = withoutUnits(weight.numbers.shape());
  const bool same = own == wanted;
  const bool turned =
      own.rank() == 2 && wanted.rank() == 2 && own[0] == wanted[1] && own[1] == wanted[0];
  if (!same && !turned) return false;
  const Tensor kept = same ? weight.numbers.reshaped(shape) : weight.numbers;
  weight.numbers = kept;
  if (!turned || (same && sameOperator)) return true;
  constexpr std::array<std::size_t, 2> kTurned{1, 0};
  const Tensor other = toLayout(transposed(kept.reshaped(own), kTurned), Layout::Plain);
  if (!same || std::abs(cosineOf(like, other)) > std::abs(cosineOf(like, kept))) {
    weight.numbers = other.reshaped(shape);
  }
  return true;
}

bool useWeightsAlike(const Node& first, const Node& second) {
  return floatOperator(first) == floatOperator(second) &&
         first.integer("transB", 0) == second.integer("transB", 0);
}

// Calls visit(channel, x, y) for each pair of elements.
template <class Visit>
void forEachElement(const WeightPair& pair, const Visit& visit) {
  const std::span<const float> x = pair.first.numbers.values<float>();
  const std::span<const float> y = pair.second.numbers.values<float>();
  const ChannelLayout layout =
      channelsAlong(pair.first.numbers.shape(), static_cast<std::size_t>(pair.channelAxis));
  std::size_t i = 0;
  for (std::size_t outer = 0; outer < layout.outer; ++outer) {
    for (std::size_t channel = 0; channel < layout.channels; ++channel) {
      for (std::size_t inner = 0; inner < layout.inner; ++inner, ++i) visit(channel, x[i], y[i]);
    }
  }
}

void findGains(WeightPair& pair) {
  const auto channels = static_cast<std::size_t>(
      pair.first.numbers.shape()[static_cast<std::size_t>(pair.channelAxis)]);
  std::vector<double> xx(channels);
  std::vector<double> xy(channels);
  std::vector<double> yy(channels);
  forEachElement(pair, [&](std::size_t channel, double x, double y) {
    xx[channel] += x * x;
    xy[channel] += x * y;
    yy[channel] += y * y;
  });
  pair.gains.assign(channels, 1);
  double product = 0;
  double firstPower = 0;
  double secondPower = 0;
  bool folded = !pair.second.scaled;
  for (std::size_t c = 0; c < channels; ++c) {
    const double power = std::sqrt(xx[c] * yy[c]);
    if (power > 0 && std::abs(xy[c]) > kRelated * power) pair.gains[c] = xy[c] / xx[c];
    folded = folded || std::abs(pair.gains[c] - 1) > kUnfolded;
    product += pair.gains[c] * xy[c];
    firstPower += pair.gains[c] * pair.gains[c] * xx[c];
    secondPower += yy[c];
  }
  // Without a fold the gains are 1, and what rounding does to them belongs to rounding.
  if (!folded) pair.gains.assign(channels, 1);
  const double power = std::sqrt(firstPower * secondPower);
  pair.cosine = power > 0 ? product / power : 0;
}

}  // namespace

bool hasWeight(const Engine& engine, NodeId id) {
  const Node& node = engine.graph()[id];
  if (operatorTraits(node).codes.use == CodeUse::Computes) {
    return storedCodes(engine, node) != nullptr;
  }
  return operatorTraits(node).weightUse != WeightUse::None && weightInput(engine, node).has_value();
}

std::vector<LayerWeight> weightsOf(const Engine& engine, const std::vector<NodeId>& nodes) {
  std::vector<LayerWeight> weights;
  for (const NodeId node : nodes) {
    if (std::optional<LayerWeight> weight = weightOf(engine, node)) {
      weights.push_back(std::move(*weight));
    }
  }
  return weights;
}

std::vector<WeightPair> pairWeights(const ComparedModel& first, const ComparedModel& second,
                                    const std::vector<NodeId>& firstNodes,
                                    const std::vector<NodeId>& secondNodes) {
  const std::vector<LayerWeight> ours = weightsOf(first.engine(), firstNodes);
  std::vector<LayerWeight> theirs = weightsOf(second.engine(), secondNodes);
  if (ours.size() != theirs.size()) return {};
  std::vector<WeightPair> pairs;
  for (std::size_t i = 0; i < ours.size(); ++i) {
    const Shape& shape = ours[i].numbers.shape();
    const Node& node = first.graph()[ours[i].node];
    const bool sameOperator = useWeightsAlike(node, second.graph()[theirs[i].node]);
    if (shape.empty() || !bringToShape(ours[i].numbers, sameOperator, theirs[i])) continue;
    WeightPair pair{ours[i], std::move(theirs[i]), 0, {}, 0};
    pair.channelAxis =
        static_cast<int>(normalizeAxis(outputChannelAxis(node, ours[i].slot, shape), shape.rank()));
    findGains(pair);
    pairs.push_back(std::move(pair));
  }
  return pairs;
}

PlacedInputs wellRounded(const std::vector<WeightPair>& weights) {
  PlacedInputs placed;
  for (const WeightPair& pair : weights) {
    if (pair.second.bits == 0) continue;
    TensorPrecision precision;
    precision.type = pair.second.bits <= 4   ? QuantType::Int4
                     : pair.second.bits <= 8 ? QuantType::Int8
                                             : QuantType::Int16;
    precision.symmetric = pair.second.symmetric;
    if (pair.second.perChannel()) {
      precision.granularity = {Granularity::Kind::PerChannel, pair.channelAxis, 0};
    }
    // What is rounded are the weights as the other model has them, folded.
    const Tensor& weight = pair.first.numbers;
    const ChannelLayout layout =
        channelsAlong(weight.shape(), static_cast<std::size_t>(pair.channelAxis));
    const auto scaled = [&](const Tensor& tensor, bool back) {
      Tensor result(ElementType::Float32, tensor.shape());
      const std::span<const float> from = tensor.values<float>();
      const std::span<float> to = result.mutableValues<float>();
      for (std::size_t i = 0; i < to.size(); ++i) {
        const double gain = pair.gains[i / layout.inner % layout.channels];
        to[i] = static_cast<float>(gain == 0 ? 0 : (back ? from[i] / gain : from[i] * gain));
      }
      return result;
    };
    const Tensor folded = scaled(weight, /*back=*/false);
    const QuantParams params = weightParams(folded, precision, pair.channelAxis, Convention::Onnx);
    placed[{pair.first.node, pair.first.slot}] =
        scaled(fakeQuantize(folded, params), /*back=*/true);
  }
  return placed;
}

std::optional<WeightRounding> roundingOf(const WeightPair& pair) {
  if (pair.second.bits == 0 || !pair.second.scaled || pair.second.grids.blockSize > 0) {
    return std::nullopt;
  }
  const std::span<const float> scales = pair.second.grids.scale.values<float>();
  if (scales.size() > 1 && scales.size() != pair.gains.size()) return std::nullopt;
  double offset = 0;
  double inwards = 0;
  double count = 0;
  forEachElement(pair, [&](std::size_t channel, double x, double y) {
    const double step = scales[scales.size() > 1 ? channel : 0];
    const double error = (y - pair.gains[channel] * x) / step;
    // What is farther off is no matter of rounding.
    if (!(std::abs(error) < 1.5) || x == 0) return;
    offset += error;
    inwards += pair.gains[channel] * x < 0 ? -error : error;
    ++count;
  });
  if (count * 2 < static_cast<double>(pair.first.numbers.elementCount())) return std::nullopt;
  return WeightRounding{offset / count, inwards / count};
}

double cosineOf(const Tensor& a, const Tensor& b) {
  const std::span<const float> x = a.values<float>();
  const std::span<const float> y = b.values<float>();
  double xx = 0;
  double xy = 0;
  double yy = 0;
  for (std::size_t i = 0; i < std::min(x.size(), y.size()); ++i) {
    xx += static_cast<double>(x[i]) * x[i];
    xy += static_cast<double>(x[i]) * y[i];
    yy += static_cast<double>(y[i]) * y[i];
  }
  return xx > 0 && yy > 0 ? xy / std::sqrt(xx * yy) : 0;
}

}  // namespace quantscope
