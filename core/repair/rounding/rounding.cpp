#include "repair/rounding/rounding.h"

#include <Eigen/Cholesky>
#include <array>
#include <map>

#include "base/number_text.h"
#include "engine/fake_quantize_tensor.h"
#include "repair/biases/bias_correction.h"
#include "repair/biases/inserted_biases.h"
#include "repair/biases/layer_moments.h"
#include "repair/rounding/data_free_rounding.h"
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

  /// By the moments of its inputs, of those of all layers that read its weight; without them where
  /// they are of too few columns.
  void round(const std::vector<GroupMoments>& moments) {
    if (!(m_trust.damping > 0)) return;
    for (std::size_t group = 0; group < m_layer.groups; ++group) {
      if (moments[group].gram.size() > 0 &&
          moments[group].columns > 2 * static_cast<double>(m_layer.inputs)) {
        roundGroup(group, moments[group]);
      } else {
        cancelErrorsOf(group);
      }
    }
  }

  /// Takes what another layer with the same weight has found.
  void take(const LayerRounding& other) {
    m_rounded = other.m_rounded;
    m_changed = other.m_changed;
    m_withoutSamples = other.m_withoutSamples;
    m_refusal = other.m_refusal;
  }

  /// Behind the weight as it is then.
  void fitBias(const std::vector<GroupMoments>& moments) {
    if (!m_layer.bias) return;
    for (std::size_t group = 0; group < m_layer.groups; ++group) {
      const VectorXd shift = groupOf(m_weight, group).transpose() * moments[group].twinMean -
                             groupOf(m_rounded, group).transpose() * moments[group].quantizedMean;
      const std::size_t outputs = m_layer.outputsPerGroup();
      for (std::size_t i = 0; i < outputs; ++i) m_bias[group * outputs + i] += shift(index(i));
    }
  }

  const Tensor& weight() const { return m_rounded; }
  const std::vector<double>& bias() const { return m_bias; }
  bool changed() const { return m_changed; }
  /// Some of it is rounded without samples, since its sums have too many inputs for them.
  bool withoutSamples() const { return m_withoutSamples; }
  /// Why not all of it is rounded; empty where it is.
  const std::string& refusal() const { return m_refusal; }

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

  void roundGroup(std::size_t group, const GroupMoments& moments) {
    const MatrixXd weights = groupOf(m_weight, group);
    MatrixXd gram = moments.gram;
    const MatrixXd& cross = moments.cross;
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

  void cancelErrorsOf(std::size_t group) {
    if (!isInteger(m_params.type)) {
      m_refusal = "its weights are no integers";
      return;
    }
    if (!mayCancelErrors(m_layer, m_params, m_weight.shape())) {
      m_refusal = "its sums have too many inputs for the samples";
      return;
    }
    m_withoutSamples = true;
    const std::size_t outputs = m_layer.outputsPerGroup();
    cancelErrors(m_weight, m_layer, m_params, group * outputs, outputs, m_rounded, m_job);
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
  bool m_withoutSamples = false;
  std::string m_refusal;
};

bool roundsWeights(const Trust& trust) {
  return trust.damping > 0;
}

Moments momentsFor(const LinearLayer& layer, const QuantParams& params, const Trust& trust) {
  const bool rounds =
      roundsWeights(trust) && isInteger(params.type) && layer.inputs <= kMostProductInputs;
  return rounds ? Moments::Products : Moments::Means;
}

// A bias takes the means, so that only what varies about them counts.
void centre(const LinearLayer& layer, std::vector<GroupMoments>& moments) {
  if (!layer.bias) return;
  for (GroupMoments& each : moments) {
    if (each.gram.size() == 0) continue;
    each.gram -= each.quantizedMean * each.quantizedMean.transpose();
    each.cross -= each.twinMean * each.quantizedMean.transpose();
  }
}

void addShares(const std::vector<GroupMoments>& part, std::vector<GroupMoments>& sum) {
  for (std::size_t group = 0; group < part.size(); ++group) {
    if (sum.size() <= group) {
      sum.push_back(part[group]);
      continue;
    }
    GroupMoments& into = sum[group];
    const double positions = into.positions + part[group].positions;
    const double share = positions > 0 ? part[group].positions / positions : 0;
    into.positions = positions;
    into.columns += part[group].columns;
    if (into.gram.size() == 0) continue;
    into.gram += share * (part[group].gram - into.gram);
    into.cross += share * (part[group].cross - into.cross);
  }
}

/// Rounds all layers, in execution order.
class ModelRounding {
 public:
  ModelRounding(const RepairState& state, const LinearLayers& layers, RepairTools& tools,
                const Trust& trust)
      : m_places(state, layers, tools),
        m_state(m_places.state()),
        m_tools(tools),
        m_trust(trust),
        m_layers(m_places.layers()),
        m_own(layers.layers.size()) {}

  RepairProposal run() {
    if (m_layers.size() > m_own && roundsWeights(m_trust)) measureShared();
    LayerPass pass(m_state, m_layers, m_tools);
    m_tools.job.beginStage("Rounding weights", pass.order().size());
    std::size_t done = 0;
    for (const std::size_t index : pass.order()) {
      round(pass, index);
      m_tools.job.advance(++done);
    }
    m_places.moveInto(m_proposal);
    const Overlay& overlay = m_proposal.overlay;
    if (!roundsWeights(m_trust)) {
      m_proposal.nodes = overlay.constants.size() + overlay.biases.size();
    }
    m_proposal.what = m_trust.what;
    tellWithoutSamples();
    if (m_proposal.nodes == 0) {
      m_proposal.overlay = {};
      m_proposal.inserted = 0;
      m_proposal.reason =
          "no layer has integer weights and enough samples for the inputs of its sums";
    }
    return std::move(m_proposal);
  }

 private:
  ValueId weightValue(const LinearLayer& layer) const {
    return m_state.engine->graph()[layer.lead].inputs[layer.weightSlot];
  }

  void tellWithoutSamples() {
    if (m_withoutSamples.empty()) return;
    m_proposal.remarks.push_back(counted(m_withoutSamples.size(), "layer") +
                                 " rounded without samples, such as " + m_withoutSamples.front() +
                                 ": its sums have too many inputs for them");
  }

  // The moments of all layers that read a weight, behind layers that are not rounded anew yet.
  void measureShared() {
    std::map<ValueId, std::size_t> readers;
    for (std::size_t i = m_own; i < m_layers.size(); ++i) ++readers[weightValue(m_layers[i])];
    const std::vector<LinearLayer> shared(m_layers.begin() + static_cast<std::ptrdiff_t>(m_own),
                                          m_layers.end());
    LayerPass pass(m_state, shared, m_tools);
    m_tools.job.beginStage("Reading what layers see", pass.order().size());
    std::size_t done = 0;
    for (const std::size_t index : pass.order()) {
      const LinearLayer& layer = shared[index];
      pass.advanceTo(layer);
      m_tools.job.advance(++done);
      const ValueId weight = weightValue(layer);
      // Where only some of its readers may change, the weight stays.
      if (readers[weight] != m_state.engine->graph()[weight].consumers.size()) continue;
      std::vector<GroupMoments> moments = measure(pass, layer);
      centre(layer, moments);
      addShares(moments, m_sharedMoments[weight]);
    }
  }

  std::vector<GroupMoments> measure(LayerPass& pass, const LinearLayer& layer) const {
    const QuantParams& params = weightParamsOf(*m_state.model, layer);
    return measureMoments(pass, *m_state.engine, layer, momentsFor(layer, params, m_trust),
                          m_tools.job);
  }

  void round(LayerPass& pass, std::size_t index) {
    const LinearLayer& layer = m_layers[index];
    pass.advanceTo(layer);
    LayerRounding rounding(m_state, layer, m_trust, m_tools.job);
    if (index < m_own) {
      std::vector<GroupMoments> moments = measure(pass, layer);
      centre(layer, moments);
      rounding.round(moments);
      rounding.fitBias(moments);
    } else {
      roundShared(layer, rounding);
      rounding.fitBias(measureMoments(pass, *m_state.engine, layer, Moments::Means, m_tools.job));
    }
    keep(layer, rounding, pass);
  }

  void roundShared(const LinearLayer& layer, LayerRounding& rounding) {
    const ValueId weight = weightValue(layer);
    const auto known = m_rounded.find(weight);
    if (known != m_rounded.end()) return rounding.take(known->second);
    const auto found = m_sharedMoments.find(weight);
    if (found == m_sharedMoments.end()) return;
    rounding.round(found->second);
    m_sharedMoments.erase(found);  // products of many inputs are large
    m_rounded.emplace(weight, rounding);
  }

  void keep(const LinearLayer& layer, const LayerRounding& rounding, LayerPass& pass) {
    Overlay& overlay = m_proposal.overlay;
    const std::string& name = m_state.engine->graph()[layer.lead].name;
    if (rounding.withoutSamples()) m_withoutSamples.push_back(name);
    if (!rounding.refusal().empty()) m_proposal.refused.push_back({name, rounding.refusal()});
    if (!roundsWeights(m_trust) && !layer.bias) {
      m_proposal.refused.push_back({name, m_places.whyNot(layer)});
    }
    if (rounding.changed()) {
      overlay.constants.push_back({layer.lead, layer.weightSlot, rounding.weight(), "weight"});
      overlay.grids.push_back(
          {layer.lead, layer.weightSlot, weightParamsOf(*m_state.model, layer)});
      ++m_proposal.nodes;
    }
    if (!layer.bias) return pass.replace(layer, rounding.weight(), nullptr);
    const Tensor bias = biasTensor(*m_state.engine, layer, rounding.bias());
    pass.replace(layer, rounding.weight(), &bias);
    overlay.constants.push_back({layer.bias->node, layer.bias->slot, bias, "bias"});
  }

  InsertedBiases m_places;
  const RepairState& m_state;  // with them
  RepairTools& m_tools;
  const Trust& m_trust;
  const std::vector<LinearLayer>& m_layers;
  std::size_t m_own;  // so many of them, the first, have a weight of their own
  std::map<ValueId, std::vector<GroupMoments>> m_sharedMoments;
  std::map<ValueId, LayerRounding> m_rounded;
  std::vector<std::string> m_withoutSamples;  // layers, some of which are rounded so
  RepairProposal m_proposal;
};

}  // namespace

RepairProposal proposeRounding(const RepairState& state, const LinearLayers& layers,
                               RepairTools& tools, std::size_t way) {
  return ModelRounding(state, layers, tools, kTrust.at(way)).run();
}

}  // namespace quantscope
