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

/// How much of a grid's ends is left: indices of factors.
struct Ends {
  std::size_t low = 0;
  std::size_t high = 0;

  bool isUnclipped() const { return low == 0 && high == 0; }
};

enum class Moved : std::uint8_t { Both, High, Low };

/// The losses of all grids of one layer for one scale after the other.
class ClippingSearch {
 public:
  ClippingSearch(const RepairState& state, const Tensor& weight, const QuantParams& params,
                 const LinearLayer& layer)
      : m_state(state),
        m_weight(weight),
        m_params(params),
        m_layer(layer),
        m_gridOf(gridOfElements(params, weight.shape())),
        m_best(params.grids.size()) {}

  /// The grids with the least loss. `moments` may be empty. Both ends move together, then those of
  /// grids that are not symmetric by themselves.
  QuantParams run(const std::vector<GroupMoments>& moments, const JobContext& job) {
    move(Moved::Both, moments, job);
    if (!m_params.symmetric) {
      move(Moved::High, moments, job);
      move(Moved::Low, moments, job);
    }
    return clipped(m_best);
  }

 private:
  static double factorOf(std::size_t i) { return 1 - kScaleStep * static_cast<double>(i); }

  static Ends moved(Ends ends, Moved which, std::size_t to) {
    if (which != Moved::High) ends.low = to;
    if (which != Moved::Low) ends.high = to;
    return ends;
  }

  void move(Moved which, const std::vector<GroupMoments>& moments, const JobContext& job) {
    std::vector<std::vector<double>> losses(kScales);
    job.workers().forEach(kScales, [&](std::size_t i) {
      job.throwIfCancelled();
      std::vector<Ends> ends = m_best;
      for (Ends& each : ends) each = moved(each, which, i);
      const QuantParams params = clipped(ends);
      losses[i] = lossesOf(params, moments);
      ruleOutOverflows(params, ends, losses[i]);
    });
    for (std::size_t grid = 0; grid < m_best.size(); ++grid) {
      std::size_t least = which == Moved::Low ? m_best[grid].low : m_best[grid].high;
      for (std::size_t i = 0; i < kScales; ++i) {
        if (losses[i][grid] < losses[least][grid]) least = i;
      }
      m_best[grid] = moved(m_best[grid], which, least);
    }
  }

  QuantParams clipped(const std::vector<Ends>& ends) const {
    QuantParams params = m_params;
    for (std::size_t grid = 0; grid < ends.size(); ++grid) {
      params.grids[grid] = clipped(params.grids[grid], ends[grid]);
    }
    return params;
  }

  // 0 keeps a code of its own.
  Grid clipped(Grid grid, const Ends& ends) const {
    double factor = factorOf(ends.low);
    if (ends.low != ends.high) {
      const double lowest = m_params.qmin;
      const double highest = m_params.qmax;
      const double low = factorOf(ends.low) * (lowest - grid.zeroPoint);
      const double high = factorOf(ends.high) * (highest - grid.zeroPoint);
      factor = (high - low) / (highest - lowest);
      const double zero = std::nearbyint(lowest - low / factor);
      grid.zeroPoint = static_cast<std::int32_t>(std::clamp(zero, lowest, highest));
    }
    // Weights that are all 0 have the smallest scale that there is.
    grid.scale =
        std::max(static_cast<float>(grid.scale * factor), std::numeric_limits<float>::min());
    return grid;
  }

  // Scales for which an integer bias would be too large.
  void ruleOutOverflows(const QuantParams& params, const std::vector<Ends>& ends,
                        std::vector<double>& losses) const {
    const QuantParams needed = fittedToBias(m_state, m_layer, params);
    for (std::size_t grid = 0; grid < losses.size(); ++grid) {
      if (ends[grid].isUnclipped()) continue;
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
  std::vector<Ends> m_best;  // by grid
};

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
    if (!isInteger(params.type)) {
      proposal.refused.push_back(
          {state.engine->graph()[layer.lead].name, "its weights are no integers"});
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
                          ? "no layer's weights are integers"
                          : "no smaller scale of any weight has a lower loss";
  }
  return proposal;
}

}  // namespace quantscope
