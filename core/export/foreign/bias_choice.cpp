#include "export/foreign/bias_choice.h"

#include <algorithm>
#include <cmath>

#include "engine/applied_quantization.h"
#include "precision/parameters/quantized_model.h"

namespace quantscope {
namespace {

/// The constants of a quantized model that are not the other model's.
struct Differences {
  std::vector<std::string> biases;
  std::vector<std::string> weights;
};

// Shapes may differ by extents of 1, as a folded bias's do, and numbers by the rounding of a scale
// that another tool has multiplied in another precision.
bool haveSameNumbers(const Tensor& a, const Tensor& b) {
  constexpr double kRounding = 1e-6;
  const Tensor x = toFloat32(a);
  const Tensor y = toFloat32(b);
  return std::ranges::equal(x.values<float>(), y.values<float>(), [](float p, float q) {
    return p == q || std::abs(double{p} - q) <= kRounding * std::abs(double{q});
  });
}

const Tensor* numbersOf(const Engine& engine, const QuantizedModel& model, const EdgeId& edge) {
  for (const auto& [input, tensor] : model.applied[edge.first].constants) {
    if (input == edge.second) return &tensor;
  }
  const std::vector<ValueId>& inputs = engine.graph()[edge.first].inputs;
  return edge.second < inputs.size() && inputs[edge.second].valid()
             ? engine.constant(inputs[edge.second])
             : nullptr;
}

Differences differencesOf(const Engine& engine, const PlacedGrids& placed,
                          const QuantizedModel& model) {
  Differences found;
  const auto differs = [&](const EdgeId& edge) {
    const auto theirs = placed.constants.find(edge);
    if (theirs == placed.constants.end() || !theirs->second.numbers.defined()) return false;
    if (!isFloat(theirs->second.numbers.type())) return false;
    const Tensor* ours = numbersOf(engine, model, edge);
    return ours == nullptr || !isFloat(ours->type()) ||
           !haveSameNumbers(*ours, theirs->second.numbers);
  };
  for (const LayerQuantization& layer : model.layers) {
    const std::string& name = engine.graph()[layer.layer.lead()].name;
    if (layer.bias && differs({layer.bias->holder, layer.bias->input})) {
      found.biases.push_back(name);
    }
    for (const WeightParams& weight : layer.weights) {
      if (differs({layer.layer.lead(), weight.input})) found.weights.push_back(name);
    }
  }
  return found;
}

bool knowsBiases(const PlacedGrids& placed, const QuantizedModel& model) {
  return std::ranges::any_of(model.layers, [&](const LayerQuantization& layer) {
    if (!layer.bias) return false;
    const auto found = placed.constants.find({layer.bias->holder, layer.bias->input});
    return found != placed.constants.end() && found->second.numbers.defined();
  });
}

void setBiasRule(Configuration& config, BiasRule rule) {
  config.precision.edit([&](PrecisionConfig& precision) { precision.bias = rule; });
}

}  // namespace

void chooseBiasRule(const Engine& engine, const PlacedGrids& placed, Configuration& config,
                    std::vector<std::string>& notices) {
  Configuration tried = config;
  setBiasRule(tried, BiasRule::Float);
  // Contradictions are found without data.
  QuantizedModel model = quantizeModel(engine, tried, Observations());
  if (!knowsBiases(placed, model)) {
    // A file that says nothing of biases comes from where they stay in float.
    if (!placed.integerBiases) setBiasRule(config, BiasRule::Float);
    notices.insert(notices.end(), model.notices.begin(), model.notices.end());
    return;
  }
  BiasRule chosen = BiasRule::Float;
  Differences differences = differencesOf(engine, placed, model);
  if (!differences.biases.empty()) {
    // Encodings set the scales of weights, so that "int32-fit" raises none: it is as "int32".
    setBiasRule(tried, BiasRule::Int32);
    QuantizedModel inIntegers = quantizeModel(engine, tried, Observations());
    Differences others = differencesOf(engine, placed, inIntegers);
    if (others.biases.size() < differences.biases.size()) {
      differences = std::move(others);
      chosen = BiasRule::Int32;
      model = std::move(inIntegers);
    }
  }
  setBiasRule(config, chosen);
  notices.insert(notices.end(), model.notices.begin(), model.notices.end());
  if (!differences.biases.empty()) {
    notices.push_back("the biases of " + quotedNames(differences.biases) + " are others there" +
                      (chosen == BiasRule::Float ? "" : ", where here all are int32"));
  }
  if (!differences.weights.empty()) {
    notices.push_back("the weights of " + quotedNames(differences.weights) +
                      " are others than this model's rounded to their grid");
  }
}

}  // namespace quantscope
