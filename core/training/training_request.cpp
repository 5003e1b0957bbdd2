#include "training/training_request.h"

#include <algorithm>

#include "base/error.h"
#include "precision/backend/backend_content.h"

namespace quantscope {
namespace {

// Small networks gain from more steps than large ones can be given.
constexpr std::size_t kFewestSteps = 600;
constexpr std::size_t kMostSteps = 3000;
// Multiply-accumulates of one sample, times steps.
constexpr double kWork = 4e10;

void require(const Graph& graph, const QuantizedModel& model, const std::set<std::string>& names,
             const char* what) {
  for (const std::string& name : names) {
    const bool known = std::ranges::any_of(model.layers, [&](const LayerQuantization& layer) {
      return graph[layer.layer.lead()].name == name;
    });
    if (known) continue;
    throw Error(ErrorCode::InvalidParameters,
                "'" + name + "', " + what + ", is no layer of the model", {},
                "use the name of a layer that `inspect` lists");
  }
}

}  // namespace

std::size_t trainingSteps(const TrainingSettings& settings, const Observations& observations) {
  if (settings.steps) return *settings.steps;
  return static_cast<std::size_t>(
      std::clamp(kWork / std::max(1.0, observations.productsPerSample()), double{kFewestSteps},
                 double{kMostSteps}));
}

bool trainsBlocks(const TrainingSettings& settings, std::size_t blocks) {
  return settings.trainsWeights && blocks > 1 && settings.blockShare > 0;
}

std::size_t blockSteps(const TrainingSettings& settings, std::size_t steps) {
  return static_cast<std::size_t>(static_cast<double>(steps) * settings.blockShare);
}

std::size_t plannedSteps(const TrainingSettings& settings, std::size_t steps, std::size_t blocks) {
  return trainsBlocks(settings, blocks) ? steps + blocks * blockSteps(settings, steps) : steps;
}

LearnedParameters::Settings learnedSettings(const TrainingSettings& settings) {
  LearnedParameters::Settings learned{settings.scales, settings.rates, settings.frozen,
                                      settings.unquantized, settings.unobserved};
  if (settings.trainsWeights) return learned;
  learned.rates.weight = learned.rates.weightScale = learned.rates.bias = 0;
  return learned;
}

ContentId trainingId(const RepairState& state, const LinearLayers& layers,
                     const TrainingSamples& samples, const TrainingSettings& settings,
                     std::size_t steps) {
  ContentHasher hasher;
  hasher.add("training").add(state.engine->content()).add(state.twin->content());
  hasher.add(namedByContent(state.config).id()).add(samples.content());
  for (const std::size_t number : {steps, settings.batch, static_cast<std::size_t>(settings.scales),
                                   static_cast<std::size_t>(settings.trainsWeights),
                                   static_cast<std::size_t>(settings.stochastic),
                                   settings.freezeObserversAfter.value_or(steps)}) {
    hasher.add(std::uint64_t{number});
  }
  hasher.add(settings.seed);
  const LearningRates& rates = settings.rates;
  for (const double number :
       {settings.blockShare, settings.networkShare, rates.weight, rates.weightScale,
        rates.activationScale, rates.zeroPoint, rates.bias, double{settings.temperature},
        settings.scoreTemperature, settings.outputWeight, settings.blockWeight,
        settings.labelWeight, settings.varied}) {
    hasher.add(std::as_bytes(std::span(&number, 1)));
  }
  for (const auto* names : {&settings.frozen, &settings.unquantized}) {
    hasher.add(std::uint64_t{names->size()});
    for (const std::string& name : *names) hasher.add(name);
  }
  // Trainings without any keep the identity that they had before there was this setting.
  if (!settings.unobserved.empty()) hasher.add("unobserved");
  for (const std::string& name : settings.unobserved) hasher.add(name);
  // Those of configurations with encodings learned none of their grids then.
  if (!state.fixed.weights.empty() || !state.fixed.points.empty()) hasher.add("from encodings");
  // Nor do those of models without transposed convolutions, which were not trained then.
  for (const LinearLayer& layer : layers.layers) {
    if (layer.transposed) hasher.add(state.engine->graph()[layer.lead].name);
  }
  return hasher.id();
}

const RepairState& trainable(const RepairState& state, const LinearLayers& layers,
                             const TrainingSettings& settings) {
  require(state.engine->graph(), *state.model, settings.frozen, "which is to be frozen");
  require(state.engine->graph(), *state.model, settings.unquantized,
          "which is not to be fake-quantized");
  require(state.engine->graph(), *state.model, settings.unobserved,
          "whose scales and zero points are to stay");
  if (settings.trainsWeights && settings.rates.weight > 0) requireLayers(layers);
  return state;
}

}  // namespace quantscope
