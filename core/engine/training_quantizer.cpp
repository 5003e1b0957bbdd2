#include "engine/training_quantizer.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "base/counter_random.h"
#include "base/error.h"
#include "base/part_loop.h"
#include "engine/grid_runs.h"

namespace quantscope {

TrainingQuantizer TrainingQuantizer::of(const Node& node) {
  TrainingQuantizer quantizer;
  QuantParams& form = quantizer.form;
  form.type = quantTypeFromName(node.text("type", "int8")).value_or(QuantType::Int8);
  form.qmin = static_cast<std::int32_t>(node.integer("qmin", -128));
  form.qmax = static_cast<std::int32_t>(node.integer("qmax", 127));
  form.symmetric = node.integer("symmetric", 1) != 0;
  form.dynamic = node.integer("dynamic", 0) != 0;
  form.convention = node.integer("pytorch", 0) != 0 ? Convention::PyTorch : Convention::Onnx;
  form.axis = static_cast<int>(node.integer("axis", -1));
  form.groupSize = static_cast<int>(node.integer("group_size", 0));
  const std::vector<float> scales = node.reals("scales");
  const std::vector<std::int64_t> zeros = node.integers("zero_points");
  const std::vector<float> thresholds = node.reals("thresholds");
  for (std::size_t i = 0; i < scales.size(); ++i) {
    form.grids.push_back({scales[i], static_cast<std::int32_t>(zeros.at(i)), thresholds.at(i)});
  }
  quantizer.batch = static_cast<std::size_t>(node.integer("batch", 1));
  quantizer.temperature = node.real("temperature", 1);
  quantizer.tensor = static_cast<std::uint64_t>(node.integer("tensor", 0));
  return quantizer;
}

std::vector<Attribute> TrainingQuantizer::attributes() const {
  std::vector<float> scales;
  std::vector<std::int64_t> zeros;
  std::vector<float> thresholds;
  for (const Grid& grid : form.grids) {
    scales.push_back(grid.scale);
    zeros.push_back(grid.zeroPoint);
    thresholds.push_back(grid.threshold);
  }
  return {{"type", std::string(name(form.type))},
          {"qmin", std::int64_t{form.qmin}},
          {"qmax", std::int64_t{form.qmax}},
          {"symmetric", std::int64_t{form.symmetric}},
          {"dynamic", std::int64_t{form.dynamic}},
          {"pytorch", std::int64_t{form.convention == Convention::PyTorch}},
          {"axis", std::int64_t{form.axis}},
          {"group_size", std::int64_t{form.groupSize}},
          {"scales", std::move(scales)},
          {"zero_points", std::move(zeros)},
          {"thresholds", std::move(thresholds)},
          {"batch", static_cast<std::int64_t>(batch)},
          {"temperature", temperature},
          {"tensor", static_cast<std::int64_t>(tensor)}};
}

QuantParams TrainingQuantizer::params(const Tensor& scale, const Tensor& zeroPoint) const {
  QuantParams params = form;
  if (!takesGrids()) return params;
  const std::span<const float> scales = scale.values<float>();
  const std::span<const float> zeros = zeroPoint.values<float>();
  if (scales.size() != form.grids.size() || zeros.size() != scales.size()) {
    throw Error(ErrorCode::InvalidParameters, "there are " + std::to_string(scales.size()) +
                                                  " scales and " + std::to_string(zeros.size()) +
                                                  " zero points for " +
                                                  std::to_string(form.grids.size()) + " grids");
  }
  for (std::size_t i = 0; i < scales.size(); ++i) {
    params.grids[i] = {scales[i], roundedZeroPoint(zeros[i], form)};
  }
  return params;
}

std::int32_t roundedZeroPoint(float zeroPoint, const QuantParams& params) {
  const float clamped = std::clamp(std::nearbyint(zeroPoint), static_cast<float>(params.qmin),
                                   static_cast<float>(params.qmax));
  return static_cast<std::int32_t>(clamped);
}

RoundingNoise::RoundingNoise(std::uint64_t key, std::uint64_t tensor, float temperature)
    : m_key(CounterRandom(key).with(tensor).key()), m_power(1 / double{temperature}) {}

float RoundingNoise::rounded(float v, std::size_t element) const {
  const float lower = std::floor(v);
  const double fraction = double{v} - lower;
  if (!(fraction > 0)) return lower;  // a NaN stays one
  // Computed from the ratio: at low temperature the single powers underflow.
  const double chance = 1 / (1 + std::pow((1 - fraction) / fraction, m_power));
  const double draw = static_cast<double>(mixedBits(m_key + element) >> 11) * 0x1p-53;
  return draw < chance ? lower + 1 : lower;
}

Tensor stochasticQuantize(const Tensor& x, const QuantParams& params, const RoundingNoise& noise) {
  const Tensor plain = toLayout(toFloat32(x), Layout::Plain);
  Tensor result(ElementType::Float32, plain.shape());
  const float* const from = plain.values<float>().data();
  float* const to = result.mutableValues<float>().data();
  forEachGridRun(plain.shape(), params,
                 [&](const Grid& grid, std::size_t, std::size_t first, std::size_t end) {
                   const auto low = static_cast<float>(params.qmin - grid.zeroPoint);
                   const auto high = static_cast<float>(params.qmax - grid.zeroPoint);
                   for (std::size_t i = first; i < end; ++i) {
                     const float code = noise.rounded(from[i] / grid.scale, i);
                     to[i] = std::isnan(code) ? code : std::clamp(code, low, high) * grid.scale;
                   }
                 });
  return result;
}

}  // namespace quantscope
