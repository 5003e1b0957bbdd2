#include "repair/biases/bias_overflow.h"

#include <algorithm>
#include <cmath>

namespace quantscope {
namespace {

constexpr double kLargest = 2147483647;  // of int32
// Margin for the effect of rounding.
constexpr double kRoundingRoom = 1 + 1e-6;

bool roundsBias(const LayerQuantization& layer) {
  return layer.bias && layer.bias->bits == 32 && layer.activation &&
         layer.activation->grids.size() == 1 && !layer.weights.empty() &&
         layer.weights.front().params.groupSize == 0;
}

// The largest |q_x − z_x|.
double spanOf(const QuantParams& activation) {
  const std::int32_t zero = activation.grids.front().zeroPoint;
  return std::max(activation.qmax - zero, zero - activation.qmin);
}

}  // namespace

QuantParams fittedToBias(const RepairState& state, const LinearLayer& layer, QuantParams params) {
  const LayerQuantization& quantization = state.model->layers[layer.index];
  if (!layer.bias || !roundsBias(quantization)) return params;
  const Tensor weight = weightOf(*state.engine, layer);
  const std::vector<std::uint32_t> grids = gridOfElements(params, weight.shape());
  const std::vector<double> bias = biasOf(*state.engine, layer);
  const QuantParams& input = *quantization.activation;
  std::vector<double> scales;
  for (const Grid& grid : params.grids) scales.push_back(grid.scale);
  for (std::size_t output = 0; output < layer.outputs; ++output) {
    double codes = 0;
    for (std::size_t k = 0; k < layer.inputs; ++k) {
      const std::size_t element = layer.element(output, k);
      codes += std::abs(weight.values<float>()[element]) / params.grids[grids[element]].scale + 0.5;
    }
    const std::uint32_t grid = grids[layer.element(output, 0)];
    scales[grid] =
        std::max(scales[grid], scaleForBias(bias[output], input.grids.front().scale,
                                            params.grids[grid].scale, spanOf(input), codes));
  }
  for (std::size_t i = 0; i < scales.size(); ++i) {
    params.grids[i].scale = static_cast<float>(scales[i]);
  }
  return params;
}

double scaleForBias(double bias, double inputScale, double weightScale, double span, double codes) {
  const double room = kLargest - span * codes;
  if (!(room > 0) || std::abs(bias) <= room * inputScale * weightScale) return weightScale;
  return kRoundingRoom * std::abs(bias) / (room * inputScale);
}

RepairProposal proposeBiasOverflow(const RepairState& state, const LinearLayers& layers,
                                   RepairTools& /*tools*/, std::size_t /*way*/) {
  RepairProposal proposal;
  for (const LinearLayer& layer : layers.layers) {
    const LayerQuantization& quantization = state.model->layers[layer.index];
    if (!layer.bias || !roundsBias(quantization) || quantization.bias->overflows == 0) continue;
    proposal.overlay.grids.push_back(
        {layer.lead, layer.weightSlot,
         fittedToBias(state, layer, weightParamsOf(*state.model, layer))});
  }
  proposal.nodes = proposal.overlay.grids.size();
  if (proposal.nodes == 0) return notLegal(kEveryBiasFits);
  return proposal;
}

}  // namespace quantscope
