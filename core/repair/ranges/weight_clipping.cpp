#include "repair/ranges/weight_clipping.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/workers.h"
#include "engine/fake_quantize_tensor.h"
#include "repair/biases/bias_overflow.h"
#include "repair/biases/layer_moments.h"

namespace quantscope {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;

constexpr int kScales = 40;
constexpr double kScaleStep = 0.015;
constexpr double kNorm = 2.4;
// Up to here errors that cancel count, beyond it each weight by itself: a product of matrices for
// every scale takes too long.
constexpr std::size_t kMostCorrelated = 1200;

/// The losses of all grids of one layer for one scale after the other.
class ClippingSearch {
 public:
  ClippingSearch(const RepairState& state, const Tensor& weight, const QuantParams& params,
                 const LinearLayer& layer)
      : m_state(state),
        m_weight(weight),
        m_params(params),
        m_layer(layer),
        m_gridOf(gridOfElements(params, weight.shape())) {}

  /// The grids with the least loss. `moments` may be empty.
  QuantParams run(const std::vector<GroupMoments>& moments, const JobContext& job) const {
    std::vector<std::vector<double>> losses(kScales);
    job.workers().forEach(kScales, [&](std::size_t i) {
      job.throwIfCancelled();
      const QuantParams params = scaledBy(factorOf(i));
      losses[i] = lossesOf(params, moments);
      if (i > 0) ruleOutOverflows(params, losses[i]);
    });
    QuantParams best = m_params;
    for (std::size_t grid = 0; grid < best.grids.size(); ++grid) {
      std::size_t least = 0;
      for (std::size_t i = 1; i < kScales; ++i) {
        if (losses[i][grid] < losses[least][grid]) least = i;
      }
      best.grids[grid].scale = scaled(best.grids[grid].scale, factorOf(least));
    }
    return best;
  }

 private:
  static double factorOf(std::size_t i) { return 1 - kScaleStep * static_cast<double>(i); }

  // Weights that are all 0 have the smallest scale that there is.
  static float scaled(float scale, double factor) {
    return std::max(static_cast<float>(scale * factor), std::numeric_limits<float>::min());
  }

  QuantParams scaledBy(double factor) const {
    QuantParams params = m_params;
    for (Grid& grid : params.grids) grid.scale = scaled(grid.scale, factor);
    return params;
  }

  // Scales for which an integer bias would be too large.
  void ruleOutOverflows(const QuantParams& params, std::vector<double>& losses) const {
    const QuantParams needed = fittedToBias(m_state, m_layer, params);
    for (std::size_t grid = 0; grid < losses.size(); ++grid) {
      if (needed.grids[grid].scale > params.grids[grid].scale) {
        losses[grid] = std::numeric_limits<double>::infinity();
      }
    }
  }

  std::vector<double> lossesOf(const QuantParams& params,
                               const std::vector<GroupMoments>& moments) const {
    std::vector<double> losses(params.grids.size(), 0.0);
    const Tensor rounded = fakeQuantize(m_weight, params);
    const std::span<const float> before = m_weight.values<float>();
    const std::span<const float> after = rounded.values<float>();
    if (moments.empty()) {
      for (std::size_t i = 0; i < before.size(); ++i) {
        losses[m_gridOf[i]] += std::pow(std::abs(double{after[i]} - before[i]), kNorm);
      }
      return losses;
    }
    const std::size_t outputs = m_layer.outputsPerGroup();
    for (std::size_t group = 0; group < m_layer.groups; ++group) {
      MatrixXd error(static_cast<Index>(m_layer.inputs), static_cast<Index>(outputs));
      forEachElement(group, [&](Index input, Index output, std::size_t element) {
        error(input, output) = double{after[element]} - before[element];
      });
      const MatrixXd weighted = weigh(error, moments[group].gram);
      forEachElement(group, [&](Index input, Index output, std::size_t element) {
        losses[m_gridOf[element]] += error(input, output) * weighted(input, output);
      });
    }
    return losses;
  }

  // Blocks along the inputs have each a scale of their own, so that they are judged one by one.
  MatrixXd weigh(const MatrixXd& error, const MatrixXd& gram) const {
    if (m_params.groupSize == 0 && m_layer.inputs <= kMostCorrelated) return gram * error;
    return gram.diagonal().asDiagonal() * error;
  }

  template <class Visit>
  void forEachElement(std::size_t group, const Visit& visit) const {
    const std::size_t outputs = m_layer.outputsPerGroup();
    for (std::size_t output = 0; output < outputs; ++output) {
      for (std::size_t input = 0; input < m_layer.inputs; ++input) {
        visit(static_cast<Index>(input), static_cast<Index>(output),
              m_layer.element(group * outputs + output, input));
      }
    }
  }

  const RepairState& m_state;
  const Tensor& m_weight;
  const QuantParams& m_params;
  const LinearLayer& m_layer;
  std::vector<std::uint32_t> m_gridOf;
};

bool mayClip(const QuantParams& params) {
  return isInteger(params.type) && params.symmetric;
}

}  // namespace

RepairProposal proposeClipping(const RepairState& state, const LinearLayers& layers,
                               RepairTools& tools, std::size_t way) {
  const bool fits = way == 0;
  if (fits && tools.fit.feedCount() == 0) return notLegal("there are no samples to fit to");
  std::optional<LayerPass> pass;
  if (fits) pass.emplace(state, layers.layers, tools);
  RepairProposal proposal;
  proposal.what = fits ? "by the layers' outputs" : "by the weights";
  tools.job.beginStage("Clipping weights", layers.layers.size());
  for (std::size_t i = 0; i < layers.layers.size(); ++i) {
    const LinearLayer& layer = layers.layers[pass ? pass->order()[i] : i];
    const QuantParams& params = weightParamsOf(*state.model, layer);
    if (!mayClip(params)) {
      proposal.refused.push_back({state.engine->graph()[layer.lead].name,
                                  "its weights are no integers on symmetric grids"});
      continue;
    }
    std::vector<GroupMoments> moments;
    if (pass) {
      pass->advanceTo(layer);
      if (layer.inputs <= kMostProductInputs) {
        moments = measureMoments(*pass, *state.engine, layer, Moments::Products, tools.job);
      }
    }
    const Tensor weight = weightOf(*state.engine, layer);
    const QuantParams clipped =
        ClippingSearch(state, weight, params, layer).run(moments, tools.job);
    if (pass) pass->replace(layer, fakeQuantize(weight, clipped), nullptr);
    tools.job.advance(i + 1);
    if (clipped == params) continue;
    proposal.overlay.grids.push_back({layer.lead, layer.weightSlot, clipped});
  }
  proposal.nodes = proposal.overlay.grids.size();
  if (proposal.nodes == 0) {
    proposal.reason = proposal.refused.size() == layers.layers.size()
                          ? "no layer's weights are integers on symmetric grids"
                          : "no smaller scale of any weight has a lower loss";
  }
  return proposal;
}

}  // namespace quantscope
