#include "repair/scales/scaled_layers.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "repair/biases/bias_correction.h"

namespace quantscope {
namespace {

Tensor tensorOf(const std::vector<double>& values, const Shape& shape) {
  Tensor tensor(ElementType::Float32, shape);
  const std::span<float> elements = tensor.mutableValues<float>();
  for (std::size_t i = 0; i < values.size(); ++i) elements[i] = static_cast<float>(values[i]);
  return tensor;
}

}  // namespace

ScaledLayers::ScaledLayers(const Engine& engine, const std::vector<LinearLayer>& layers)
    : m_engine(engine),
      m_layers(layers),
      m_changed(layers.size(), false),
      m_outputs(layers.size()) {
  for (const LinearLayer& layer : layers) {
    const Tensor weight = weightOf(engine, layer);
    m_weights.emplace_back(weight.values<float>().begin(), weight.values<float>().end());
    m_biases.push_back(biasOf(engine, layer));
  }
}

void ScaledLayers::scale(const ScaleRegion& region, const std::vector<double>& factors) {
  for (const ScaleRegion::Maker& maker : region.makers) {
    std::vector<double>& weight = m_weights[maker.layer];
    ScaledOutputs& outputs = outputsOf(maker.layer);
    for (std::size_t o = 0; o < maker.channels.size(); ++o) {
      const double factor = factors[maker.channels[o]];
      outputs.factors[o] *= factor;
      outputs.shifts[o] /= factor;
      forMaking(m_layers[maker.layer], o, [&](std::size_t element) { weight[element] /= factor; });
      m_biases[maker.layer][o] /= factor;
    }
    m_changed[maker.layer] = true;
  }
  for (const ScaleRegion::Reader& reader : region.readers) {
    std::vector<double>& weight = m_weights[reader.layer];
    const std::size_t channels = reader.channels.size();
    for (std::size_t i = 0; i < channels; ++i) {
      const double factor = factors[reader.channels[i]];
      forReading(m_layers[reader.layer], channels, i,
                 [&](std::size_t, std::size_t element) { weight[element] *= factor; });
    }
    m_changed[reader.layer] = true;
  }
  for (const ScaleRegion::Factor& factor : region.making) scale(factor, factors, true);
  for (const ScaleRegion::Factor& factor : region.reading) scale(factor, factors, false);
}

void ScaledLayers::scale(const ScaleRegion::Factor& factor, const std::vector<double>& by,
                         bool divides) {
  const Tensor& before = *m_engine.constant(m_engine.graph()[factor.node].inputs[factor.slot]);
  const auto [found, isNew] = m_constants.try_emplace({factor.node, factor.slot});
  std::vector<double>& values = found->second;
  if (isNew) values.assign(before.values<float>().begin(), before.values<float>().end());
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double s = by[factor.channels[i]];
    values[i] = divides ? values[i] / s : values[i] * s;
  }
}

std::vector<double> ScaledLayers::largestMaking(const ScaleRegion& region) const {
  std::vector<double> largest(region.channels, 0.0);
  for (const ScaleRegion::Maker& maker : region.makers) {
    for (std::size_t o = 0; o < maker.channels.size(); ++o) {
      double& most = largest[maker.channels[o]];
      forMaking(m_layers[maker.layer], o, [&](std::size_t element) {
        most = std::max(most, std::abs(m_weights[maker.layer][element]));
      });
    }
  }
  return largest;
}

std::vector<double> ScaledLayers::largestReading(const ScaleRegion& region) const {
  std::vector<double> largest(region.channels, 0.0);
  for (const ScaleRegion::Reader& reader : region.readers) {
    const std::size_t channels = reader.channels.size();
    for (std::size_t i = 0; i < channels; ++i) {
      double& most = largest[reader.channels[i]];
      forReading(m_layers[reader.layer], channels, i, [&](std::size_t, std::size_t element) {
        most = std::max(most, std::abs(m_weights[reader.layer][element]));
      });
    }
  }
  return largest;
}

std::vector<double>& ScaledLayers::changedWeight(std::size_t layer) {
  m_changed[layer] = true;
  return m_weights[layer];
}

std::vector<double>& ScaledLayers::changedBias(std::size_t layer) {
  m_changed[layer] = true;
  return m_biases[layer];
}

void ScaledLayers::shiftOutputs(std::size_t layer, const std::vector<double>& shifts) {
  std::vector<double>& bias = changedBias(layer);
  ScaledOutputs& outputs = outputsOf(layer);
  for (std::size_t o = 0; o < shifts.size(); ++o) {
    bias[o] -= shifts[o];
    outputs.shifts[o] += shifts[o];
  }
}

ScaledOutputs& ScaledLayers::outputsOf(std::size_t layer) {
  ScaledOutputs& outputs = m_outputs[layer];
  if (!outputs.factors.empty()) return outputs;
  outputs.lead = m_layers[layer].lead;
  outputs.factors.assign(m_layers[layer].outputs, 1.0);
  outputs.shifts.assign(m_layers[layer].outputs, 0.0);
  return outputs;
}

Overlay ScaledLayers::overlay() const {
  Overlay overlay;
  for (const ScaledOutputs& each : m_outputs) {
    if (!each.factors.empty()) overlay.scaled.push_back(each);
  }
  for (std::size_t i = 0; i < m_layers.size(); ++i) {
    if (!m_changed[i]) continue;
    const LinearLayer& layer = m_layers[i];
    overlay.constants.push_back({layer.lead, layer.weightSlot,
                                 tensorOf(m_weights[i], weightOf(m_engine, layer).shape()),
                                 "weight"});
    if (!layer.bias) continue;
    overlay.constants.push_back(
        {layer.bias->node, layer.bias->slot, biasTensor(m_engine, layer, m_biases[i]), "bias"});
  }
  for (const auto& [place, values] : m_constants) {
    const ValueId value = m_engine.graph()[place.first].inputs[place.second];
    overlay.constants.push_back(
        {place.first, place.second, tensorOf(values, m_engine.constant(value)->shape()), "factor"});
  }
  return overlay;
}

std::vector<double> observedBehindClips(const Observations& observations,
                                        const ScaleRegion& region) {
  std::vector<double> largest(region.channels, 0.0);
  for (const ScaleRegion::Clipped& clipped : region.clipped) {
    const Observation* seen = observations.find(clipped.value);
    const bool known = seen != nullptr && seen->channels.size() == clipped.channels.size();
    for (std::size_t i = 0; i < clipped.channels.size(); ++i) {
      double& most = largest[clipped.channels[i]];
      if (!known) {
        most = std::numeric_limits<double>::infinity();
      } else if (!seen->channels[i].empty) {
        most = std::max<double>(most, seen->channels[i].high);
      }
    }
  }
  return largest;
}

std::vector<double> observedAbsmax(const Observations& observations,
                                   const std::vector<LinearLayer>& layers,
                                   const ScaleRegion& region) {
  std::vector<double> absmax(region.channels, 0.0);
  for (const ScaleRegion::Reader& reader : region.readers) {
    const Observation* seen = observations.find(layers[reader.layer].data);
    const std::size_t channels = reader.channels.size();
    if (seen == nullptr || seen->channels.size() != channels) continue;
    for (std::size_t i = 0; i < channels; ++i) {
      const Range& range = seen->channels[i];
      if (range.empty) continue;
      double& most = absmax[reader.channels[i]];
      most = std::max<double>({most, std::abs(range.low), std::abs(range.high)});
    }
  }
  return absmax;
}

}  // namespace quantscope
