#include "repair/rounding/data_free_rounding.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/workers.h"

namespace quantscope {
namespace {

/// The codes of one channel while errors are made to cancel.
class ErrorCanceller {
 public:
  ErrorCanceller(std::span<const double> weights, double lowest, double highest)
      : m_weights(weights), m_lowest(lowest), m_highest(highest) {
    for (const double weight : weights) {
      m_codes.push_back(std::clamp(std::nearbyint(weight), lowest, highest));
    }
  }

  void cancel(std::size_t first, std::size_t count) {
    double sum = 0;
    for (std::size_t i = first; i < first + count; ++i) sum += error(i);
    const double sign = sum > 0 ? 1 : -1;
    std::vector<std::size_t> order(count);
    std::iota(order.begin(), order.end(), first);
    std::ranges::stable_sort(
        order, [&](std::size_t a, std::size_t b) { return sign * error(a) > sign * error(b); });
    for (const std::size_t i : order) {
      if (std::abs(sum) <= 0.5) return;
      const double code = m_codes[i] - sign;
      // An error of the other sign would grow beyond a code.
      if (sign * error(i) <= 0 || code < m_lowest || code > m_highest) continue;
      m_codes[i] = code;
      sum -= sign;
    }
  }

  std::vector<double> codes() && { return std::move(m_codes); }

 private:
  double error(std::size_t i) const { return m_codes[i] - m_weights[i]; }

  std::span<const double> m_weights;
  double m_lowest;
  double m_highest;
  std::vector<double> m_codes;
};

}  // namespace

std::vector<double> cancelErrors(std::span<const double> weights, std::size_t taps, double lowest,
                                 double highest) {
  ErrorCanceller canceller(weights, lowest, highest);
  if (taps > 1) {
    for (std::size_t first = 0; first + taps <= weights.size(); first += taps) {
      canceller.cancel(first, taps);
    }
  }
  canceller.cancel(0, weights.size());
  return std::move(canceller).codes();
}

bool mayCancelErrors(const LinearLayer& layer, const QuantParams& params, const Shape& weight) {
  if (!isInteger(params.type)) return false;
  const std::vector<std::uint32_t> grids = gridOfElements(params, weight);
  for (std::size_t output = 0; output < layer.outputs; ++output) {
    for (std::size_t k = 1; k < layer.inputs; ++k) {
      if (grids[layer.element(output, k)] != grids[layer.element(output, 0)]) return false;
    }
  }
  return true;
}

void cancelErrors(const Tensor& weight, const LinearLayer& layer, const QuantParams& params,
                  std::size_t firstOutput, std::size_t count, Tensor& rounded,
                  const JobContext& job) {
  const std::vector<std::uint32_t> grids = gridOfElements(params, weight.shape());
  const std::span<float> target = rounded.mutableValues<float>();
  job.workers().forEach(count, [&](std::size_t i) {
    const std::size_t output = firstOutput + i;
    const Grid& grid = params.grids[grids[layer.element(output, 0)]];
    std::vector<double> scaled(layer.inputs);
    for (std::size_t k = 0; k < layer.inputs; ++k) {
      scaled[k] = double{weight.values<float>()[layer.element(output, k)]} / grid.scale;
    }
    const std::vector<double> codes = cancelErrors(scaled, layer.taps, params.qmin - grid.zeroPoint,
                                                   params.qmax - grid.zeroPoint);
    for (std::size_t k = 0; k < layer.inputs; ++k) {
      target[layer.element(output, k)] = static_cast<float>(codes[k] * grid.scale);
    }
  });
}

RepairProposal proposeDataFreeRounding(const RepairState& state, const LinearLayers& layers,
                                       RepairTools& tools, std::size_t /*way*/) {
  RepairProposal proposal;
  tools.job.beginStage("Rounding weights without samples", layers.layers.size());
  for (std::size_t i = 0; i < layers.layers.size(); ++i) {
    const LinearLayer& layer = layers.layers[i];
    const QuantParams& params = weightParamsOf(*state.model, layer);
    tools.job.throwIfCancelled();
    tools.job.advance(i + 1);
    const Tensor weight = weightOf(*state.twin, layer);
    if (!mayCancelErrors(layer, params, weight.shape())) {
      proposal.refused.push_back({state.engine->graph()[layer.lead].name,
                                  "its weights are no integers on one grid per channel"});
      continue;
    }
    Tensor rounded(ElementType::Float32, weight.shape());
    cancelErrors(weight, layer, params, 0, layer.outputs, rounded, tools.job);
    proposal.overlay.constants.push_back({layer.lead, layer.weightSlot, rounded, "weight"});
    proposal.overlay.grids.push_back({layer.lead, layer.weightSlot, params});
    ++proposal.nodes;
  }
  if (proposal.nodes == 0) proposal.reason = "no layer has integer weights on one grid per channel";
  return proposal;
}

}  // namespace quantscope
