#include "jobs/analysis/estimate_config_gains.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <span>

#include "analysis/errors/worst_output.h"
#include "analysis/sensitivity/gradient_estimate.h"
#include "calibration/sample_subset.h"
#include "calibration/spread_feeds.h"

namespace quantscope {
namespace {

// Few, because the user waits for estimates and measurements follow soon.
constexpr std::size_t kMostSamples = 4;

// Layers of `model` that run a changed node.
std::vector<const LayerQuantization*> changedLayersOf(const QuantizedModel& model,
                                                      const QuantizationChanges& changes) {
  std::vector<const LayerQuantization*> layers;
  for (const LayerQuantization& layer : model.layers) {
    const bool changed = std::ranges::any_of(changes, [&](const auto& change) {
      return std::ranges::find(layer.layer.members, change.first) != layer.layer.members.end();
    });
    if (changed) layers.push_back(&layer);
  }
  return layers;
}

double powerOf(double sqnrDb) {
  return std::pow(10.0, -sqnrDb / 10);
}

// The layers that one configuration or another changes, each once for the network as it is.
class LayersToAsk {
 public:
  /// Places of the layers' changes.
  std::vector<std::size_t> add(const QuantizedModel& model, const QuantizationChanges& changes) {
    std::vector<std::size_t> places;
    for (const LayerQuantization* layer : changedLayersOf(model, changes)) {
      const auto [found, isNew] = m_places.emplace(layer, m_changes.size());
      if (isNew) m_changes.push_back({&layer->layer, &model.applied, {}});
      places.push_back(found->second);
    }
    return places;
  }
  std::span<const LayerChange> changes() const { return m_changes; }

 private:
  std::vector<LayerChange> m_changes;
  std::map<const LayerQuantization*, std::size_t> m_places;
};

// None where one of them was not estimated.
std::optional<double> noiseOf(const std::vector<EstimatedError>& estimates,
                              const std::vector<std::size_t>& places) {
  double noise = 0;
  for (const std::size_t place : places) {
    const std::optional<double>& sqnrDb = estimates[place].sqnrDb.front();
    if (!sqnrDb) return std::nullopt;
    noise += powerOf(*sqnrDb);
  }
  return noise;
}

}  // namespace

std::vector<std::optional<double>> estimateConfigGains(
    const AnalysisSnapshot& base,
    const std::vector<std::shared_ptr<const QuantizedModel>>& configurations,
    const std::vector<QuantizationChanges>& changes, JobContext& job) {
  std::vector<std::optional<double>> gains(configurations.size());
  const std::vector<OutputResult>& outputs = base.result->outputs;
  const OutputResult* worst = worstOutput(outputs);
  if (worst == nullptr) return gains;
  const double now = powerOf(*worst->error.sqnrDb);
  const ValueId output = base.graph().outputs()[static_cast<std::size_t>(worst - outputs.data())];
  LayersToAsk layers;
  std::vector<std::vector<std::size_t>> before;
  std::vector<std::vector<std::size_t>> after;
  for (std::size_t i = 0; i < configurations.size(); ++i) {
    before.push_back(layers.add(*base.quantized, changes[i]));
    after.push_back(layers.add(*configurations[i], changes[i]));
  }
  SampleSubset part(*base.data, spreadFeeds(base.data->feedCount(), kMostSamples));
  const std::vector<EstimatedError> estimates =
      estimateErrors(*base.model.engine, std::span(&output, 1), layers.changes(), part, job);
  for (std::size_t i = 0; i < configurations.size(); ++i) {
    const std::optional<double> was = noiseOf(estimates, before[i]);
    const std::optional<double> becomes = noiseOf(estimates, after[i]);
    if (!was || !becomes) continue;
    const double gain = 10 * std::log10((now + *was) / (now + *becomes));
    if (!std::isnan(gain)) gains[i] = gain;
  }
  return gains;
}

}  // namespace quantscope
