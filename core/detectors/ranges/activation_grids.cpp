#include "detectors/ranges/activation_grids.h"

#include "base/number_text.h"
#include "detectors/detector_layers.h"

namespace quantscope {
namespace {

void addGrid(const DetectorInput& input, ValueId value, NodeId consumer, const QuantParams& params,
             std::vector<ActivationGrid>& grids) {
  if (!isInteger(params.type) || params.dynamic || params.grids.size() != 1) return;
  const Observation* observation = observationOf(input, value);
  const QuantizationPoint* point = input.index.point(value, consumer);
  if (observation == nullptr || point == nullptr) return;
  grids.push_back({point, &params, observation});
}

}  // namespace

std::vector<ActivationGrid> activationGrids(const DetectorInput& input, std::size_t index) {
  const LayerQuantization& layer = input.model.layers[index];
  std::vector<ActivationGrid> grids;
  if (!layer.quantized || layer.dataMover) return grids;
  if (layer.output) {
    addGrid(input, outputOf(input.graph(), layer.layer), {}, *layer.output, grids);
  }
  const NodeId lead = layer.layer.lead();
  for (const auto& [slot, params] : input.model.applied[lead].inputs) {
    addGrid(input, input.graph()[lead].inputs[slot], lead, params, grids);
  }
  return grids;
}

std::vector<Finding> worstOfEachLayer(
    const DetectorInput& input,
    const std::function<std::optional<Finding>(std::size_t, const ActivationGrid&)>& judge) {
  std::vector<Finding> findings;
  for (std::size_t i = 0; i < input.model.layers.size(); ++i) {
    std::optional<Finding> worst;
    for (const ActivationGrid& grid : activationGrids(input, i)) {
      std::optional<Finding> finding = judge(i, grid);
      if (finding && !(worst && worst->statistic >= finding->statistic)) worst = std::move(finding);
    }
    if (worst) findings.push_back(*std::move(worst));
  }
  return findings;
}

const Observation* observationOf(const DetectorInput& input, ValueId value) {
  if (!value.valid() || !input.observations.observed(value)) return nullptr;
  return input.observations.find(value);
}

std::string placeOf(const DetectorInput& input, const ActivationGrid& grid) {
  const QuantizationPoint& point = *grid.point;
  if (!point.isOutput()) return "what goes into '" + input.graph()[point.consumer].name + "'";
  const LayerQuantization& layer = *input.index.layerComputing(point.value);
  return "what '" + input.graph()[layer.layer.lead()].name + "' computes";
}

std::string spanText(const Range& range) {
  return briefNumber(range.low) + " to " + briefNumber(range.high);
}

}  // namespace quantscope
