#include "training/learned_parameters.h"

#include <algorithm>
#include <cmath>

#include "engine/fake_quantize_tensor.h"
#include "engine/gradients/straight_through.h"
#include "precision/parameters/encoded_names.h"
#include "repair/biases/bias_correction.h"

namespace quantscope {
namespace {

using Kind = LearnedArray::Kind;

constexpr double kFirstDecay = 0.9;
constexpr double kSecondDecay = 0.999;
// Losses are relative to the outputs' power, so that gradients may be tiny.
constexpr double kEpsilon = 1e-15;

Tensor tensorOf(const std::vector<float>& values, const Shape& shape) {
  return Tensor::of<float>(shape, std::span(values));
}

std::vector<float> unitsOf(const QuantParams& params, const Shape& shape) {
  const std::vector<std::uint32_t> grids = gridOfElements(params, shape);
  std::vector<float> units;
  for (const std::uint32_t grid : grids) units.push_back(params.grids[grid].scale);
  return units;
}

// The root of a value's mean square, as observed.
double strengthOf(const Observations& observations, ValueId value) {
  const Observation* observation = observations.find(value);
  if (observation == nullptr || observation->count == 0) return 1;
  const double mean = observation->mean;
  const double deviation = observation->standardDeviation;
  return std::sqrt(mean * mean + deviation * deviation);
}

bool movesGrid(Kind kind) {
  return kind == Kind::WeightScale || kind == Kind::ActivationScale || kind == Kind::ZeroPoint;
}

}  // namespace

LearnedParameters::LearnedParameters(const RepairState& state, const LinearLayers& layers,
                                     Settings settings)
    : m_state(state), m_layers(layers), m_settings(std::move(settings)) {
  for (std::size_t i = 0; i < layers.layers.size(); ++i) addLayer(i);
  const std::vector<char> learnable = learnableGroups(*state.model);
  for (std::size_t group = 0; group < learnable.size(); ++group) {
    if (learnable[group] != 0) addRange(group);
  }
  for (LearnedArray& array : m_arrays) {
    array.free = array.free && array.rate > 0;
    if (!array.free) continue;
    array.first.resize(array.values.size());
    array.second.resize(array.values.size());
  }
  m_start = values();
}

void LearnedParameters::addLayer(std::size_t index) {
  const LinearLayer& layer = m_layers.layers[index];
  const std::string& name = m_state.engine->graph()[layer.lead].name;
  // Weights with equalization factors are rounded as a product, so they are not learned.
  const bool free =
      !m_settings.frozen.contains(name) && !m_state.model->layers[layer.index].equalized;
  const QuantParams& params = weightParamsOf(*m_state.model, layer);
  const Tensor weight = weightOf(*m_state.engine, layer);
  const LearningRates& rates = m_settings.rates;
  const auto elements = weight.values<float>();
  m_arrays.push_back({Kind::Weight,
                      index,
                      free,
                      false,
                      rates.weight,
                      std::vector<float>(elements.begin(), elements.end()),
                      unitsOf(params, weight.shape()),
                      {},
                      {}});
  const bool learnsScale = free && isInteger(params.type) &&
                           !m_settings.unquantized.contains(name) &&
                           !m_settings.unobserved.contains(name);
  LearnedArray scales{
      Kind::WeightScale, index, learnsScale, false, rates.weightScale, {}, {}, {}, {}};
  double mean = 0;
  for (const Grid& grid : params.grids) {
    scales.values.push_back(static_cast<float>(learnedFrom(m_settings.scales, grid.scale)));
    scales.units.push_back(static_cast<float>(learnedUnit(m_settings.scales, grid.scale)));
    mean += double{grid.scale} / static_cast<double>(params.grids.size());
  }
  m_arrays.push_back(std::move(scales));
  if (!layer.bias) return;
  const std::vector<double> bias = biasOf(*m_state.engine, layer);
  // The most that all weights of a sum can move it in one step, if their moves are independent.
  const double unit = mean * strengthOf(*m_state.observations, layer.data) *
                      std::sqrt(static_cast<double>(layer.inputs));
  m_arrays.push_back({Kind::Bias,
                      index,
                      free,
                      false,
                      rates.bias,
                      std::vector<float>(bias.begin(), bias.end()),
                      {static_cast<float>(unit)},
                      {},
                      {}});
}

void LearnedParameters::addRange(std::size_t group) {
  const QuantParams& params = *m_state.model->groupParams[group];
  // A grid of network inputs only is not learned: it would need the first layer's data gradient,
  // the most expensive of all.
  const bool free = mayMove(group) && !onInputsOnly(group);
  LearnedArray scales{
      Kind::ActivationScale, group, free, false, m_settings.rates.activationScale, {}, {}, {}, {}};
  LearnedArray zeros{Kind::ZeroPoint,
                     group,
                     free && !params.symmetric,
                     false,
                     m_settings.rates.zeroPoint,
                     {},
                     {1.0F},
                     {},
                     {}};
  for (const Grid& grid : params.grids) {
    scales.values.push_back(static_cast<float>(learnedFrom(m_settings.scales, grid.scale)));
    scales.units.push_back(static_cast<float>(learnedUnit(m_settings.scales, grid.scale)));
    zeros.values.push_back(static_cast<float>(grid.zeroPoint));
  }
  m_arrays.push_back(std::move(scales));
  m_arrays.push_back(std::move(zeros));
}

// False for a grid at a layer that stays, or whose grids do.
bool LearnedParameters::mayMove(std::size_t group) const {
  const ObserverGroups& groups = m_state.model->groups;
  const Graph& graph = m_state.engine->graph();
  const auto stays = [&](NodeId node) {
    return node.valid() && (m_settings.frozen.contains(graph[node].name) ||
                            m_settings.unobserved.contains(graph[node].name));
  };
  return std::ranges::none_of(groups.members[group], [&](std::size_t member) {
    const QuantizationPoint& point = groups.points[member];
    if (!point.isOutput()) return stays(point.consumer);
    return std::ranges::any_of(m_state.model->layers, [&](const LayerQuantization& layer) {
      return layer.outputPoint == member && stays(layer.layer.lead());
    });
  });
}

bool LearnedParameters::onInputsOnly(std::size_t group) const {
  const ObserverGroups& groups = m_state.model->groups;
  const Graph& graph = m_state.engine->graph();
  return std::ranges::all_of(groups.members[group], [&](std::size_t member) {
    return !graph[groups.points[member].value].producer.valid();
  });
}

std::size_t LearnedParameters::indexOf(Kind kind, std::size_t owner) const {
  const auto found = std::ranges::find_if(m_arrays, [&](const LearnedArray& array) {
    return array.kind == kind && array.owner == owner;
  });
  return static_cast<std::size_t>(found - m_arrays.begin());
}

const LearnedArray* LearnedParameters::find(Kind kind, std::size_t owner) const {
  const std::size_t index = indexOf(kind, owner);
  return index < m_arrays.size() ? &m_arrays[index] : nullptr;
}

bool LearnedParameters::anyFree() const {
  return std::ranges::any_of(m_arrays, &LearnedArray::free);
}

void LearnedParameters::hold(const std::set<std::size_t>& groups) {
  for (LearnedArray& array : m_arrays) {
    const bool ofGroup = array.kind == Kind::ActivationScale || array.kind == Kind::ZeroPoint;
    array.held = ofGroup && groups.contains(array.owner);
  }
}

LearnedParameters::Values LearnedParameters::values() const {
  Values values;
  for (const LearnedArray& array : m_arrays) values.push_back(array.values);
  return values;
}

void LearnedParameters::setValues(const Values& values) {
  for (std::size_t i = 0; i < m_arrays.size(); ++i) m_arrays[i].values = values[i];
}

bool LearnedParameters::fits(const Values& values) const {
  return std::ranges::equal(values, m_arrays, {}, &std::vector<float>::size,
                            [](const LearnedArray& array) { return array.values.size(); });
}

bool LearnedParameters::fitMoments(const Values& moments) const {
  return std::ranges::equal(moments, m_arrays, {}, &std::vector<float>::size,
                            [](const LearnedArray& array) { return array.first.size(); });
}

QuantParams LearnedParameters::weightParams(std::size_t layer) const {
  QuantParams params = weightParamsOf(*m_state.model, m_layers.layers[layer]);
  const std::size_t index = indexOf(Kind::WeightScale, layer);
  if (!m_arrays[index].free) return params;
  for (std::size_t i = 0; i < params.grids.size(); ++i) {
    // Where nothing has moved, the scale's own bits: the exponential of a logarithm has others.
    if (m_arrays[index].values[i] == m_start[index][i] && m_settings.scales != ScaleForm::Tqt) {
      continue;
    }
    params.grids[i].scale = scaleOf(m_settings.scales, double{m_arrays[index].values[i]});
  }
  return params;
}

QuantParams LearnedParameters::rangeParams(std::size_t group) const {
  QuantParams params = *m_state.model->groupParams[group];
  const std::size_t scales = indexOf(Kind::ActivationScale, group);
  const std::size_t zeros = indexOf(Kind::ZeroPoint, group);
  if (!m_arrays[scales].free && !m_arrays[zeros].free) return params;
  for (std::size_t i = 0; i < params.grids.size(); ++i) {
    const bool moved = m_arrays[scales].free && (m_settings.scales == ScaleForm::Tqt ||
                                                 m_arrays[scales].values[i] != m_start[scales][i]);
    if (moved) {
      params.grids[i].scale = scaleOf(m_settings.scales, double{m_arrays[scales].values[i]});
    }
    params.grids[i].zeroPoint = roundedZeroPoint(m_arrays[zeros].values[i], params);
  }
  return params;
}

Tensor LearnedParameters::weightTensor(std::size_t layer, const RoundingNoise* noise) const {
  const LinearLayer& linear = m_layers.layers[layer];
  const Tensor weight =
      tensorOf(find(Kind::Weight, layer)->values, weightOf(*m_state.engine, linear).shape());
  if (m_settings.unquantized.contains(m_state.engine->graph()[linear.lead].name)) return weight;
  const QuantParams params = weightParams(layer);
  if (noise != nullptr && isInteger(params.type)) return stochasticQuantize(weight, params, *noise);
  return fakeQuantize(weight, params);
}

std::vector<std::pair<ValueId, Tensor>> LearnedParameters::inputsOf(
    const TrainingGraph& graph, const RoundingNoise* noise) const {
  std::vector<std::pair<ValueId, Tensor>> inputs;
  for (const TrainingGraph::Layer& layer : graph.layers) {
    if (layer.weight.valid()) inputs.emplace_back(layer.weight, weightTensor(layer.index, noise));
    if (!layer.bias.valid()) continue;
    const std::vector<float>& bias = find(Kind::Bias, layer.index)->values;
    const std::vector<double> wide(bias.begin(), bias.end());
    inputs.emplace_back(layer.bias,
                        biasTensor(*m_state.engine, m_layers.layers[layer.index], wide));
  }
  for (const TrainingGraph::Range& range : graph.ranges) {
    const QuantParams params = rangeParams(range.group);
    const Shape shape{static_cast<std::int64_t>(params.grids.size())};
    std::vector<float> scales;
    for (const Grid& grid : params.grids) scales.push_back(grid.scale);
    inputs.emplace_back(range.scale, tensorOf(scales, shape));
    inputs.emplace_back(range.zeroPoint,
                        tensorOf(find(Kind::ZeroPoint, range.group)->values, shape));
  }
  return inputs;
}

bool LearnedParameters::isFree(const TrainingGraph& graph, ValueId input) const {
  for (const TrainingGraph::Layer& layer : graph.layers) {
    if (layer.weight == input) {
      return find(Kind::Weight, layer.index)->steps() ||
             find(Kind::WeightScale, layer.index)->steps();
    }
    if (layer.bias == input) return find(Kind::Bias, layer.index)->steps();
  }
  for (const TrainingGraph::Range& range : graph.ranges) {
    if (range.scale == input) return find(Kind::ActivationScale, range.group)->steps();
    if (range.zeroPoint == input) return find(Kind::ZeroPoint, range.group)->steps();
  }
  return false;
}

void LearnedParameters::scaleGradients(const LearnedArray& array, const QuantParams& params,
                                       std::span<const double> sums, std::size_t elements,
                                       std::vector<double>& gradient) const {
  gradient.resize(array.values.size());
  for (std::size_t i = 0; i < gradient.size(); ++i) {
    gradient[i] +=
        learnedGradient(m_settings.scales, sums[i], params.grids[i].scale,
                        std::max<std::size_t>(1, elements / params.grids.size()), params.qmax);
  }
}

void LearnedParameters::weightGradients(std::size_t layer, const Tensor& cotangent,
                                        const RoundingNoise* noise,
                                        std::vector<std::vector<double>>& gradients) const {
  const std::size_t weights = indexOf(Kind::Weight, layer);
  const std::size_t scales = indexOf(Kind::WeightScale, layer);
  const QuantParams params = weightParams(layer);
  const Tensor dy = toLayout(cotangent, Layout::Plain);
  const Tensor weight = tensorOf(m_arrays[weights].values, dy.shape());
  Tensor dw = dy;
  const std::string& name = m_state.engine->graph()[m_layers.layers[layer].lead].name;
  if (!m_settings.unquantized.contains(name)) {
    if (isInteger(params.type)) {
      StraightThrough back = straightThrough(weight, dy, params, noise, m_arrays[weights].free);
      dw = back.x;
      if (m_arrays[scales].free) {
        scaleGradients(m_arrays[scales], params, back.scales, weight.elementCount(),
                       gradients[scales]);
      }
    } else {
      dw = straightThroughFixed(weight, dy, params);
    }
  }
  if (!m_arrays[weights].free) return;
  const auto elements = toLayout(dw, Layout::Plain).values<float>();
  gradients[weights].assign(elements.begin(), elements.end());
}

std::vector<std::vector<double>> LearnedParameters::gradients(
    const TrainingGraph& graph, std::span<const std::pair<ValueId, Tensor>> cotangents,
    const RoundingNoise* noise) const {
  std::vector<std::vector<double>> gradients(m_arrays.size());
  const auto of = [&](ValueId input) -> const Tensor* {
    const auto found = std::ranges::find(cotangents, input, &std::pair<ValueId, Tensor>::first);
    return found == cotangents.end() || !found->second.defined() ? nullptr : &found->second;
  };
  for (const TrainingGraph::Layer& layer : graph.layers) {
    if (const Tensor* dw = of(layer.weight)) weightGradients(layer.index, *dw, noise, gradients);
    if (const Tensor* db = of(layer.bias)) {
      const auto elements = db->values<float>();
      gradients[indexOf(Kind::Bias, layer.index)].assign(elements.begin(), elements.end());
    }
  }
  for (const TrainingGraph::Range& range : graph.ranges) {
    const QuantParams params = rangeParams(range.group);
    const std::size_t scales = indexOf(Kind::ActivationScale, range.group);
    if (const Tensor* ds = of(range.scale); ds != nullptr && m_arrays[scales].free) {
      const auto sums = ds->values<float>();
      const QuantizationPoint& point =
          m_state.model->groups.points[m_state.model->groups.members[range.group].front()];
      const Observation* observed = m_state.observations->find(point.value);
      const std::size_t elements =
          observed == nullptr
              ? 1
              : observed->count / std::max<std::size_t>(1, m_state.observations->samples());
      scaleGradients(m_arrays[scales], params, std::vector<double>(sums.begin(), sums.end()),
                     elements, gradients[scales]);
    }
    const std::size_t zeros = indexOf(Kind::ZeroPoint, range.group);
    if (const Tensor* dz = of(range.zeroPoint); dz != nullptr && m_arrays[zeros].free) {
      const auto sums = dz->values<float>();
      gradients[zeros].assign(sums.begin(), sums.end());
    }
  }
  return gradients;
}

std::string LearnedParameters::whatHasNoNumber(
    const std::vector<std::vector<double>>& gradients) const {
  const auto isNumber = [](double number) { return std::isfinite(number); };
  const Graph& graph = m_state.engine->graph();
  for (std::size_t i = 0; i < gradients.size(); ++i) {
    if (std::ranges::all_of(gradients[i], isNumber)) continue;
    const LearnedArray& array = m_arrays[i];
    if (array.kind != Kind::ActivationScale && array.kind != Kind::ZeroPoint) {
      return "'" + graph[m_layers.layers[array.owner].lead].name + "'";
    }
    const ObserverGroups& groups = m_state.model->groups;
    return describe(graph, groups.points[groups.members[array.owner].front()]);
  }
  return {};
}

void LearnedParameters::step(const std::vector<std::vector<double>>& gradients, std::size_t count,
                             double share, bool movesScales) {
  const double firstBias = 1 - std::pow(kFirstDecay, static_cast<double>(count));
  const double secondBias = 1 - std::pow(kSecondDecay, static_cast<double>(count));
  for (std::size_t a = 0; a < m_arrays.size(); ++a) {
    LearnedArray& array = m_arrays[a];
    if (!array.steps() || gradients[a].empty() || (movesGrid(array.kind) && !movesScales)) continue;
    for (std::size_t i = 0; i < array.values.size(); ++i) {
      const double g = gradients[a][i];
      const double first = kFirstDecay * array.first[i] + (1 - kFirstDecay) * g;
      const double second = kSecondDecay * array.second[i] + (1 - kSecondDecay) * g * g;
      array.first[i] = static_cast<float>(first);
      array.second[i] = static_cast<float>(second);
      const double direction = first / firstBias / (std::sqrt(second / secondBias) + kEpsilon);
      array.values[i] = static_cast<float>(double{array.values[i]} -
                                           array.rate * share * array.unit(i) * direction);
    }
    if (array.kind != Kind::ZeroPoint) continue;
    const QuantParams& params = *m_state.model->groupParams[array.owner];
    for (float& zero : array.values) {
      zero = std::clamp(zero, static_cast<float>(params.qmin), static_cast<float>(params.qmax));
    }
  }
}

void LearnedParameters::restartMoments() {
  for (LearnedArray& array : m_arrays) {
    std::ranges::fill(array.first, 0.0F);
    std::ranges::fill(array.second, 0.0F);
  }
}

Overlay LearnedParameters::overlay() const {
  Overlay overlay;
  for (std::size_t i = 0; i < m_layers.layers.size(); ++i) {
    const LinearLayer& layer = m_layers.layers[i];
    const std::size_t weights = indexOf(Kind::Weight, i);
    const QuantParams params = weightParams(i);
    const bool moved = m_arrays[weights].values != m_start[weights] ||
                       params != weightParamsOf(*m_state.model, layer);
    if (moved) {
      const Shape shape = weightOf(*m_state.engine, layer).shape();
      const Tensor weight = tensorOf(m_arrays[weights].values, shape);
      const bool rounds = isInteger(params.type);
      overlay.constants.push_back(
          {layer.lead, layer.weightSlot, rounds ? fakeQuantize(weight, params) : weight, "weight"});
      if (rounds) overlay.grids.push_back({layer.lead, layer.weightSlot, params});
    }
    const std::size_t bias = indexOf(Kind::Bias, i);
    if (bias == m_arrays.size() || m_arrays[bias].values == m_start[bias]) continue;
    const std::vector<float>& values = m_arrays[bias].values;
    overlay.constants.push_back(
        {layer.bias->node, layer.bias->slot,
         biasTensor(*m_state.engine, layer, std::vector<double>(values.begin(), values.end())),
         "bias"});
  }
  std::set<std::size_t> moved;
  for (const LearnedArray& array : m_arrays) {
    if (array.kind != Kind::ActivationScale) continue;
    const QuantParams params = rangeParams(array.owner);
    if (params == *m_state.model->groupParams[array.owner]) continue;
    moved.insert(array.owner);
    addPoints(array.owner, params, nullptr, overlay);
  }
  replaceEncodings(std::move(moved), overlay);
  return overlay;
}

// Without those of the name `but`, if there is one: outputs of one node have one name.
void LearnedParameters::addPoints(std::size_t group, const QuantParams& params,
                                  const PointName* but, Overlay& overlay) const {
  const ObserverGroups& groups = m_state.model->groups;
  for (const std::size_t point : groups.members[group]) {
    const PointName name = pointName(m_state.engine->graph(), groups.points[point]);
    if (but == nullptr || name != *but) overlay.points.push_back({name, params});
  }
}

// An encoding may name points otherwise, by a node inside of a fused layer or by an input of the
// network: it goes, and what else it stood for keeps its grid under its own name.
void LearnedParameters::replaceEncodings(std::set<std::size_t> moved, Overlay& overlay) const {
  const Encodings& encodings = *m_state.config.encodings;
  if (moved.empty() || encodings.empty()) return;
  const QuantizedModel& model = *m_state.model;
  std::vector<FusedLayer> layers;
  for (const LayerQuantization& layer : model.layers) layers.push_back(layer.layer);
  const EncodedNames names(m_state.engine->graph(), layers, model.groups, {});
  for (const auto& [name, encoding] : encodings.entries) {
    const std::set<std::size_t> groups = names.groupsOf(name);
    const auto hasMoved = [&](std::size_t group) { return moved.contains(group); };
    if (std::ranges::none_of(groups, hasMoved)) continue;
    overlay.forgotten.push_back(name);
    for (const std::size_t group : groups) {
      const std::optional<QuantParams>& params = model.groupParams[group];
      if (params && moved.insert(group).second) addPoints(group, *params, &name, overlay);
    }
  }
}

}  // namespace quantscope
