#include "repair/rounding/rounding.h"

#include <Eigen/Cholesky>
#include <array>

#include "engine/fake_quantize_tensor.h"
#include "repair/biases/bias_correction.h"
#include "repair/biases/layer_moments.h"
#include "repair/rounding/gram_rounding.h"

namespace quantscope {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

/// How far a fit follows the samples.
struct Trust {
  const char* what;
  double towards;  ///< W*, as a share of the way from W
  double damping;  ///< of the mean diagonal
};
// The best of a grid of three by three on five networks with 12 to 150 samples; 1 % of damping, as
// in GPTQ's code, suits thousands of samples.
constexpr std::array<Trust, kRoundingWays> kTrust{{{"with half of the correction", 0.5, 0.1},
                                                   {"with the whole correction, damped", 1, 1},
                                                   {"of the float weights", 0, 0.1},
                                                   {"to the nearest, with fitted biases", 0, 0}}};
constexpr std::size_t kMostInputs = 5000;

/// One layer while it is rounded.
class LayerRounding {
 public:
  LayerRounding(const RepairState& state, const LinearLayer& layer, const Trust& trust,
                const JobContext& job)
      : m_layer(layer),
        m_trust(trust),
        m_job(job),
        m_params(weightParamsOf(*state.model, layer)),
        m_weight(weightOf(*state.twin, layer)),
        m_rounded(fakeQuantize(weightOf(*state.engine, layer), m_params)),
        m_grids(gridOfElements(m_params, m_weight.shape())),
        m_bias(biasOf(*state.twin, layer)) {
    Tensor own(ElementType::Float32, m_weight.shape());
    std::ranges::copy(m_rounded.values<float>(), own.mutableValues<float>().begin());
    m_rounded = own;
  }

  void fit(const std::vector<GroupMoments>& moments) {
    for (std::size_t group = 0; group < m_layer.groups; ++group) fitGroup(group, moments[group]);
  }

  const Tensor& weight() const { return m_rounded; }
  const std::vector<double>& bias() const { return m_bias; }
  bool changed() const { return m_changed; }

 private:
  MatrixXd groupOf(const Tensor& weight, std::size_t group) const {
    MatrixXd matrix(index(m_layer.inputs), index(m_layer.outputsPerGroup()));
    forEachElement(group, [&](Index input, Index output, std::size_t element) {
      matrix(input, output) = weight.values<float>()[element];
    });
    return matrix;
  }

  static Index index(std::size_t i) { return static_cast<Index>(i); }

  template <class Visit>
  void forEachElement(std::size_t group, const Visit& visit) const {
    const std::size_t outputs = m_layer.outputsPerGroup();
    for (std::size_t output = 0; output < outputs; ++output) {
      for (std::size_t input = 0; input < m_layer.inputs; ++input) {
        visit(index(input), index(output), m_layer.element(group * outputs + output, input));
      }
    }
  }

  WeightCodes gridOf(std::size_t group) const {
    WeightCodes grid;
    grid.scale.resize(index(m_layer.inputs), index(m_layer.outputsPerGroup()));
    grid.zero = grid.scale;
    grid.lowest = m_params.qmin;
    grid.highest = m_params.qmax;
    forEachElement(group, [&](Index input, Index output, std::size_t element) {
      const Grid& each = m_params.grids[m_grids[element]];
      grid.scale(input, output) = each.scale;
      grid.zero(input, output) = each.zeroPoint;
    });
    return grid;
  }

  void fitGroup(std::size_t group, const GroupMoments& moments) {
    const MatrixXd weights = groupOf(m_weight, group);
    if (moments.gram.size() > 0 && moments.columns > 2 * static_cast<double>(m_layer.inputs)) {
      roundGroup(group, weights, moments);
    }
    if (!m_layer.bias) return;
    const VectorXd shift = weights.transpose() * moments.twinMean -
                           groupOf(m_rounded, group).transpose() * moments.quantizedMean;
    const std::size_t outputs = m_layer.outputsPerGroup();
    for (std::size_t i = 0; i < outputs; ++i) m_bias[group * outputs + i] += shift(index(i));
  }

  void roundGroup(std::size_t group, const MatrixXd& weights, const GroupMoments& moments) {
    MatrixXd gram = moments.gram;
    MatrixXd cross = moments.cross;
    if (m_layer.bias) {
      gram -= moments.quantizedMean * moments.quantizedMean.transpose();
      cross -= moments.twinMean * moments.quantizedMean.transpose();
    }
    const double damping = m_trust.damping * gram.diagonal().mean();
    if (!(damping > 0)) return;
    const MatrixXd difference = (cross - gram).transpose();
    gram.diagonal().array() += damping;
    const MatrixXd wanted = weights + m_trust.towards * gram.llt().solve(difference * weights);
    if (!wanted.allFinite()) return;
    const WeightCodes grid = gridOf(group);
    const MatrixXd codes = roundInGram(wanted, weights, grid, gram, m_job);
    forEachElement(group, [&](Index input, Index output, std::size_t element) {
      m_rounded.mutableValues<float>()[element] =
          static_cast<float>(grid.real(codes(input, output), input, output));
    });
    m_changed = true;
  }

  const LinearLayer& m_layer;
  const Trust& m_trust;
  const JobContext& m_job;
  const QuantParams& m_params;
  Tensor m_weight;   // of the twin
  Tensor m_rounded;  // to the nearest, then as it is fitted
  std::vector<std::uint32_t> m_grids;
  std::vector<double> m_bias;
  bool m_changed = false;
};

bool roundsWeights(const Trust& trust) {
  return trust.damping > 0;
}

Moments momentsFor(const LinearLayer& layer, const QuantParams& params, const Trust& trust) {
  const bool rounds = roundsWeights(trust) && isInteger(params.type) && layer.inputs <= kMostInputs;
  return rounds ? Moments::Products : Moments::Means;
}

}  // namespace

RepairProposal proposeRounding(const RepairState& state, const LinearLayers& layers,
                               RepairTools& tools, std::size_t way) {
  LayerPass pass(state, layers.layers, tools);
  RepairProposal proposal;
  const Trust& trust = kTrust.at(way);
  proposal.what = trust.what;
  Overlay& overlay = proposal.overlay;
  tools.job.beginStage("Rounding weights", pass.order().size());
  std::size_t done = 0;
  for (const std::size_t index : pass.order()) {
    const LinearLayer& layer = layers.layers[index];
    const QuantParams& params = weightParamsOf(*state.model, layer);
    pass.advanceTo(layer);
    LayerRounding rounding(state, layer, trust, tools.job);
    rounding.fit(
        measureMoments(pass, *state.engine, layer, momentsFor(layer, params, trust), tools.job));
    tools.job.advance(++done);
    if (rounding.changed()) {
      overlay.constants.push_back({layer.lead, layer.weightSlot, rounding.weight(), "weight"});
      overlay.grids.push_back({layer.lead, layer.weightSlot, params});
      ++proposal.nodes;
    }
    if (!layer.bias) {
      pass.replace(layer, rounding.weight(), nullptr);
      continue;
    }
    const Tensor bias = biasTensor(*state.engine, layer, rounding.bias());
    pass.replace(layer, rounding.weight(), &bias);
    overlay.constants.push_back({layer.bias->node, layer.bias->slot, bias, "bias"});
  }
  if (!roundsWeights(trust)) proposal.nodes = overlay.constants.size();
  if (proposal.nodes > 0) return proposal;
  return notLegal("no layer has integer weights and enough samples for the inputs of its sums");
}

}  // namespace quantscope
