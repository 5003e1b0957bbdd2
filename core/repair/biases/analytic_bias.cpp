#include "repair/biases/analytic_bias.h"

#include <cmath>
#include <numbers>

#include "engine/fake_quantize_tensor.h"
#include "graph/operator_traits.h"
#include "repair/biases/bias_correction.h"
#include "repair/biases/inserted_biases.h"
#include "repair/ranges/clip_bounds.h"
#include "repair/scales/scaled_layers.h"

namespace quantscope {
namespace {

double density(double x) {
  return std::exp(-x * x / 2) / std::sqrt(2 * std::numbers::pi);
}

double probability(double x) {
  return std::erfc(-x / std::numbers::sqrt2) / 2;
}

/// Goes back from a layer's input to a normalization.
class MeansBefore {
 public:
  explicit MeansBefore(const RepairState& state) : m_state(state), m_graph(state.engine->graph()) {}

  /// E[x] of every channel of a value; empty where nothing says it.
  std::vector<double> of(ValueId value) const {
    std::optional<double> ceiling;
    bool rectified = false;
    for (;;) {
      const NodeId producer = m_graph[value].producer;
      if (!producer.valid()) return {};
      const Node& node = m_graph[producer];
      const OperatorTraits& traits = operatorTraits(node);
      if (const auto found = m_state.statistics.find(producer); found != m_state.statistics.end()) {
        return meansOf(found->second, rectified, ceiling);
      }
      const bool keeps = traits.keepsShifts &&
                         (traits.keepsValues || traits.reshapes || traits.movesData == nullptr);
      const std::optional<double> most = clipFromZero(*m_state.engine, node);
      if (!keeps && !traits.foldsIntoWeights && !traits.rectifies && !most) return {};
      // Behind a mean over places a rectifier would cut means off, not values.
      if (traits.rectifies || most) rectified = true;
      if (most) ceiling = *most;
      value = node.inputs.at(0);
    }
  }

 private:
  static std::vector<double> meansOf(const NormalStatistics& statistics, bool rectified,
                                     std::optional<double> ceiling) {
    std::vector<double> means = statistics.mean;
    if (!rectified) return means;
    for (std::size_t c = 0; c < means.size(); ++c) {
      means[c] = rectifiedMean(means[c], statistics.deviation[c],
                               ceiling.value_or(std::numeric_limits<double>::infinity()));
    }
    return means;
  }

  const RepairState& m_state;
  const Graph& m_graph;
};

}  // namespace

double rectifiedMean(double mean, double deviation, double ceiling) {
  const double gamma = std::abs(deviation);
  if (gamma == 0) return std::min(std::max(mean, 0.0), ceiling);
  const double low = -mean / gamma;
  if (std::isinf(ceiling)) return mean * (1 - probability(low)) + gamma * density(low);
  const double high = (ceiling - mean) / gamma;
  return gamma * (density(low) - density(high)) + mean * (probability(high) - probability(low)) +
         ceiling * (1 - probability(high));
}

RepairProposal proposeAnalyticBias(const RepairState& state, const LinearLayers& layers,
                                   RepairTools& tools, std::size_t /*way*/) {
  if (tools.fit.feedCount() > 0) return notLegal("there are samples to fit biases to");
  const MeansBefore means(state);
  RepairProposal proposal;
  for (const LinearLayer& layer : layers.layers) {
    const std::string& name = state.engine->graph()[layer.lead].name;
    if (!layer.bias) {
      proposal.refused.push_back({name, kNoBiasPlace});
      continue;
    }
    const std::vector<double> mean = means.of(layer.data);
    const std::size_t channels = layer.inputs / layer.taps * layer.groups;
    // A transposed convolution has taps that do not meet each output.
    if (layer.transposed || mean.empty() || channels % mean.size() != 0) {
      proposal.refused.push_back({name, "no batch normalization says the mean of what it reads"});
      continue;
    }
    const Tensor weight = weightOf(*state.engine, layer);
    const Tensor rounded = fakeQuantize(weight, weightParamsOf(*state.model, layer));
    std::vector<double> bias = biasOf(*state.engine, layer);
    const std::size_t repeat = channels / mean.size();
    for (std::size_t i = 0; i < channels; ++i) {
      forReading(layer, channels, i, [&](std::size_t o, std::size_t element) {
        const double error =
            double{rounded.values<float>()[element]} - weight.values<float>()[element];
        bias[o] -= error * mean[i / repeat];
      });
    }
    proposal.overlay.constants.push_back(
        {layer.bias->node, layer.bias->slot, biasTensor(*state.engine, layer, bias), "bias"});
  }
  proposal.nodes = proposal.overlay.constants.size();
  if (proposal.nodes == 0) {
    proposal.reason = "no layer reads what a batch normalization gives, whose β and γ say its mean";
  }
  return proposal;
}

}  // namespace quantscope
