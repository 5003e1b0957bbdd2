#include "repair/biases/bias_correction.h"

#include "engine/fake_quantize_tensor.h"
#include "repair/biases/inserted_biases.h"
#include "repair/biases/layer_moments.h"

namespace quantscope {
namespace {

// W·x per output channel, of all groups.
std::vector<double> product(const LinearLayer& layer, const Tensor& weight,
                            const std::vector<GroupMoments>& moments,
                            Eigen::VectorXd GroupMoments::*mean) {
  const std::span<const float> elements = weight.values<float>();
  std::vector<double> sums(layer.outputs, 0.0);
  for (std::size_t output = 0; output < layer.outputs; ++output) {
    const Eigen::VectorXd& x = moments[output / layer.outputsPerGroup()].*mean;
    for (std::size_t k = 0; k < layer.inputs; ++k) {
      sums[output] += elements[layer.element(output, k)] * x[static_cast<Eigen::Index>(k)];
    }
  }
  return sums;
}

}  // namespace

Tensor biasTensor(const Engine& engine, const LinearLayer& layer, const std::vector<double>& bias) {
  const Node& holder = engine.graph()[layer.bias->node];
  Shape shape{static_cast<std::int64_t>(layer.outputs)};
  if (layer.bias->slot < holder.inputs.size() && holder.inputs[layer.bias->slot].valid()) {
    shape = engine.constant(holder.inputs[layer.bias->slot])->shape();
  }
  Tensor tensor(ElementType::Float32, shape);
  for (std::size_t i = 0; i < bias.size(); ++i) {
    tensor.mutableValues<float>()[i] = static_cast<float>(bias[i]);
  }
  return tensor;
}

RepairProposal proposeBiasCorrection(const RepairState& before, const LinearLayers& layers,
                                     RepairTools& tools, std::size_t /*way*/) {
  const InsertedBiases places(before, layers, tools);
  const RepairState& state = places.state();
  const std::vector<LinearLayer>& all = places.layers();
  LayerPass pass(state, all, tools);
  RepairProposal proposal;
  Overlay& overlay = proposal.overlay;
  tools.job.beginStage("Correcting biases", pass.order().size());
  std::size_t done = 0;
  for (const std::size_t index : pass.order()) {
    const LinearLayer& layer = all[index];
    tools.job.advance(++done);
    if (!layer.bias) {
      proposal.refused.push_back({state.engine->graph()[layer.lead].name, places.whyNot(layer)});
      continue;
    }
    pass.advanceTo(layer);
    const std::vector<GroupMoments> moments =
        measureMoments(pass, *state.engine, layer, Moments::Means, tools.job);
    const Tensor rounded =
        fakeQuantize(weightOf(*state.engine, layer), weightParamsOf(*state.model, layer));
    const std::vector<double> wanted =
        product(layer, weightOf(*state.twin, layer), moments, &GroupMoments::twinMean);
    const std::vector<double> found =
        product(layer, rounded, moments, &GroupMoments::quantizedMean);
    std::vector<double> bias = biasOf(*state.twin, layer);
    for (std::size_t i = 0; i < bias.size(); ++i) bias[i] += wanted[i] - found[i];
    const Tensor tensor = biasTensor(*state.engine, layer, bias);
    pass.replace(layer, rounded, &tensor);
    overlay.constants.push_back({layer.bias->node, layer.bias->slot, tensor, "bias"});
  }
  places.moveInto(proposal);
  proposal.nodes = overlay.constants.size() + overlay.biases.size();
  if (overlay.empty()) proposal.reason = "no layer has a place for a bias";
  return proposal;
}

}  // namespace quantscope
