#include "repair/rounding/adaround.h"

#include <algorithm>
#include <cmath>

#include "engine/fake_quantize_tensor.h"
#include "graph/operator_traits.h"
#include "repair/biases/bias_correction.h"
#include "repair/rounding/soft_rounding.h"

namespace quantscope {
namespace {

constexpr int kMostBits = 4;
// Multiply-accumulates of all layers: about a minute on two cores.
constexpr double kMostProducts = 4e11;
// Elements of a layer's columns.
constexpr std::size_t kMostElements = std::size_t{1} << 24;
constexpr std::size_t kMostColumns = 8192;

std::size_t columnsOf(const LinearLayer& layer) {
  return std::clamp(kMostElements / (layer.inputs * layer.groups), std::size_t{256}, kMostColumns);
}

double productsOf(const LinearLayer& layer, const SoftRoundingSettings& settings) {
  return 2.0 * static_cast<double>(settings.steps * settings.batch) *
         static_cast<double>(layer.outputs) * static_cast<double>(layer.inputs);
}

// Σ(ŵ − w)²/Σw².
double lossOf(const RepairState& state, const LinearLayer& layer) {
  const Tensor weight = weightOf(*state.twin, layer);
  const Tensor rounded =
      fakeQuantize(weightOf(*state.engine, layer), weightParamsOf(*state.model, layer));
  double error = 0;
  double power = 0;
  for (std::size_t i = 0; i < weight.elementCount(); ++i) {
    const double difference = double{rounded.values<float>()[i]} - weight.values<float>()[i];
    error += difference * difference;
    power += double{weight.values<float>()[i]} * weight.values<float>()[i];
  }
  return power > 0 ? error / power : 0;
}

// Why each layer is left as it is; empty for those that are rounded.
std::vector<std::string> refusals(const RepairState& state, const std::vector<LinearLayer>& layers,
                                  const SoftRoundingSettings& settings) {
  std::vector<std::size_t> order;
  std::vector<double> losses(layers.size(), 0.0);
  std::vector<std::string> reasons(layers.size());
  for (std::size_t i = 0; i < layers.size(); ++i) {
    const QuantParams& params = weightParamsOf(*state.model, layers[i]);
    if (!isInteger(params.type) || bitWidth(params.type) > kMostBits) {
      reasons[i] = "its weights are no integers of at most 4 bits";
      continue;
    }
    losses[i] = lossOf(state, layers[i]);
    order.push_back(i);
  }
  std::ranges::stable_sort(order,
                           [&](std::size_t a, std::size_t b) { return losses[a] > losses[b]; });
  double products = 0;
  for (const std::size_t i : order) {
    const double own = productsOf(layers[i], settings);
    if (products + own > kMostProducts) {
      reasons[i] = "it would take too long after those that lose more";
      continue;
    }
    products += own;
  }
  return reasons;
}

bool isRectified(const RepairState& state, const LinearLayer& layer) {
  const std::vector<NodeId>& members = state.model->layers[layer.index].layer.members;
  return std::ranges::any_of(members, [&](NodeId member) {
    return operatorTraits(state.engine->graph()[member]).rectifies;
  });
}

/// One layer, group by group.
class LayerRounder {
 public:
  LayerRounder(const RepairState& state, const LinearLayer& layer, const LayerSample& sample)
      : m_layer(layer),
        m_params(weightParamsOf(*state.model, layer)),
        m_sample(sample),
        m_twin(weightOf(*state.twin, layer)),
        m_rounded(ElementType::Float32, m_twin.shape()),
        m_grids(gridOfElements(m_params, m_twin.shape())),
        m_bias(biasOf(*state.twin, layer)),
        m_rectified(isRectified(state, layer)) {
    std::ranges::copy(fakeQuantize(weightOf(*state.engine, layer), m_params).values<float>(),
                      m_rounded.mutableValues<float>().begin());
  }

  void run(const SoftRoundingSettings& settings, const JobContext& job) {
    for (std::size_t group = 0; group < m_layer.groups; ++group) {
      RoundingProblem problem = problemOf(group);
      take(problem, group, roundSoftly(problem, settings, job));
      if (m_layer.bias) solveBias(problem, group);
    }
  }

  const Tensor& weight() const { return m_rounded; }
  const std::vector<double>& bias() const { return m_bias; }

 private:
  std::size_t element(std::size_t group, std::size_t i) const {
    return m_layer.element(group * m_layer.outputsPerGroup() + i / m_layer.inputs,
                           i % m_layer.inputs);
  }

  RoundingProblem problemOf(std::size_t group) const {
    const std::size_t outputs = m_layer.outputsPerGroup();
    RoundingProblem problem;
    problem.outputs = outputs;
    problem.inputs = m_layer.inputs;
    problem.columns = m_sample.columns;
    problem.twin = m_sample.twin.data() + group * m_sample.columns * m_layer.inputs;
    problem.quantized = m_sample.quantized.data() + group * m_sample.columns * m_layer.inputs;
    problem.lowest = m_params.qmin;
    problem.highest = m_params.qmax;
    problem.freeBias = m_layer.bias.has_value();
    problem.rectified = m_rectified;
    const auto first = m_bias.begin() + static_cast<std::ptrdiff_t>(group * outputs);
    problem.bias.assign(first, first + static_cast<std::ptrdiff_t>(outputs));
    for (std::size_t i = 0; i < outputs * m_layer.inputs; ++i) {
      const std::size_t place = element(group, i);
      const Grid& grid = m_params.grids[m_grids[place]];
      problem.weights.push_back(m_twin.values<float>()[place]);
      problem.scales.push_back(grid.scale);
      problem.zeroPoints.push_back(grid.zeroPoint);
      problem.codes.push_back(std::nearbyint(m_rounded.values<float>()[place] / grid.scale) +
                              grid.zeroPoint);
    }
    return problem;
  }

  void take(const RoundingProblem& problem, std::size_t group, const std::vector<double>& codes) {
    for (std::size_t i = 0; i < codes.size(); ++i) {
      m_rounded.mutableValues<float>()[element(group, i)] =
          static_cast<float>((codes[i] - problem.zeroPoints[i]) * problem.scales[i]);
    }
  }

  // b + W·E[x] − Ŵ·E[x̂].
  void solveBias(const RoundingProblem& problem, std::size_t group) {
    std::vector<double> twin(problem.inputs, 0.0);
    std::vector<double> quantized(problem.inputs, 0.0);
    for (std::size_t i = 0; i < problem.columns * problem.inputs; ++i) {
      twin[i % problem.inputs] += problem.twin[i];
      quantized[i % problem.inputs] += problem.quantized[i];
    }
    const auto columns = static_cast<double>(std::max<std::size_t>(problem.columns, 1));
    for (std::size_t i = 0; i < problem.outputs * problem.inputs; ++i) {
      const std::size_t place = element(group, i);
      const std::size_t k = i % problem.inputs;
      m_bias[group * problem.outputs + i / problem.inputs] +=
          (m_twin.values<float>()[place] * twin[k] -
           m_rounded.values<float>()[place] * quantized[k]) /
          columns;
    }
  }

  const LinearLayer& m_layer;
  const QuantParams& m_params;
  const LayerSample& m_sample;
  Tensor m_twin;
  Tensor m_rounded;
  std::vector<std::uint32_t> m_grids;
  std::vector<double> m_bias;
  bool m_rectified;
};

}  // namespace

RepairProposal proposeAdaRound(const RepairState& state, const LinearLayers& layers,
                               RepairTools& tools, std::size_t /*way*/) {
  const SoftRoundingSettings settings;
  const std::vector<std::string> reasons = refusals(state, layers.layers, settings);
  RepairProposal proposal;
  for (std::size_t i = 0; i < reasons.size(); ++i) {
    if (reasons[i].empty()) continue;
    proposal.refused.push_back({state.engine->graph()[layers.layers[i].lead].name, reasons[i]});
  }
  if (proposal.refused.size() == reasons.size()) {
    proposal.reason = "no layer has integer weights of at most 4 bits that can be learned in time";
    return proposal;
  }
  LayerPass pass(state, layers.layers, tools);
  tools.job.beginStage("Learning to round", pass.order().size());
  std::size_t done = 0;
  for (const std::size_t index : pass.order()) {
    tools.job.advance(done++);
    if (!reasons[index].empty()) continue;
    const LinearLayer& layer = layers.layers[index];
    pass.advanceTo(layer);
    const LayerSample sample =
        sampleColumns(pass, *state.engine, layer, columnsOf(layer), tools.job);
    LayerRounder rounder(state, layer, sample);
    rounder.run(settings, tools.job);
    proposal.overlay.constants.push_back(
        {layer.lead, layer.weightSlot, rounder.weight(), "weight"});
    proposal.overlay.grids.push_back(
        {layer.lead, layer.weightSlot, weightParamsOf(*state.model, layer)});
    ++proposal.nodes;
    if (!layer.bias) {
      pass.replace(layer, rounder.weight(), nullptr);
      continue;
    }
    const Tensor bias = biasTensor(*state.engine, layer, rounder.bias());
    pass.replace(layer, rounder.weight(), &bias);
    proposal.overlay.constants.push_back({layer.bias->node, layer.bias->slot, bias, "bias"});
  }
  return proposal;
}

}  // namespace quantscope
