#include "repair/equalization.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "repair/bias_correction.h"

namespace quantscope {
namespace {

constexpr int kMostSweeps = 20;
constexpr double kStill = 0.01;
constexpr double kMostFactor = 64;
// How far beyond what was observed a value may come to be without a clip changing it.
constexpr double kHeadroom = 1.1;

constexpr double kThird = 1.0 / 3;
// One grid for a value rounds every channel alike: channel c costs s_c²·Σt_c²·max(a/s)², which is
// least for s = a. The more of that, the less is left for weights.
constexpr std::array<EqualizationRule, kEqualizationWays> kRules{{
    {"of weights", 0.5, 0, 0.5, false},
    {"of weights, Relu for Clip", 0.5, 0, 0.5, true},
    {"of weights and activations", kThird, kThird, kThird, false},
    {"of activations and half of the weights that read them", 0, 0.5, 0.5, false},
    {"of activations and a quarter of the weights that read them", 0, 0.75, 0.25, false},
    {"of activations", 0, 1, 0, false},
    {"of activations, Relu for Clip", 0, 1, 0, true},
}};

/// The weights and biases of all layers while they are scaled.
struct ScaledLayers {
  std::vector<std::vector<double>> weights;
  std::vector<std::vector<double>> biases;
  std::vector<bool> changed;
};

class Equalizer {
 public:
  Equalizer(const RepairState& state, const LinearLayers& layers, const ScaleRegions& regions,
            const EqualizationRule& rule, bool powersOfTwo)
      : m_state(state),
        m_layers(layers.layers),
        m_regions(regions.regions),
        m_rule(rule),
        m_powersOfTwo(powersOfTwo) {
    for (const LinearLayer& layer : m_layers) {
      const Tensor weight = weightOf(*state.engine, layer);
      m_scaled.weights.emplace_back(weight.values<float>().begin(), weight.values<float>().end());
      m_scaled.biases.push_back(biasOf(*state.engine, layer));
    }
    m_scaled.changed.resize(m_layers.size(), false);
    for (const ScaleRegion& region : m_regions) {
      m_total.emplace_back(region.channels, 1.0);
      m_absmax.push_back(observedAbsmax(region));
    }
  }

  Overlay run() {
    for (int sweep = 0; sweep < kMostSweeps; ++sweep) {
      double most = 0;
      for (std::size_t i = 0; i < m_regions.size(); ++i) most = std::max(most, equalizeRegion(i));
      if (most < kStill) break;
    }
    return overlay();
  }

 private:
  // Of the values that layers read.
  std::vector<double> observedAbsmax(const ScaleRegion& region) const {
    std::vector<double> absmax(region.channels, 0.0);
    for (const ScaleRegion::Reader& reader : region.readers) {
      const Observation* seen = m_state.observations->find(m_layers[reader.layer].data);
      if (seen == nullptr || seen->channels.size() != region.channels * reader.repeat) continue;
      for (std::size_t i = 0; i < seen->channels.size(); ++i) {
        if (seen->channels[i].empty) continue;
        const double largest =
            std::max(std::abs(seen->channels[i].low), std::abs(seen->channels[i].high));
        absmax[i / reader.repeat] = std::max(absmax[i / reader.repeat], largest);
      }
    }
    return absmax;
  }

  // Calls visit(element) for the weights that make channel c.
  template <class Visit>
  void forMaking(const LinearLayer& layer, std::size_t c, const Visit& visit) const {
    for (std::size_t k = 0; k < layer.inputs; ++k) visit(layer.element(c, k));
  }

  // Likewise those that read it.
  template <class Visit>
  void forReading(const LinearLayer& layer, const ScaleRegion& region, std::size_t c,
                  const Visit& visit) const {
    const std::size_t perChannel = layer.inputs * layer.groups / region.channels;
    const std::size_t group = c * perChannel / layer.inputs;
    const std::size_t first = c * perChannel % layer.inputs;
    for (std::size_t o = group * layer.outputsPerGroup(); o < (group + 1) * layer.outputsPerGroup();
         ++o) {
      for (std::size_t k = first; k < first + perChannel; ++k) visit(layer.element(o, k));
    }
  }

  double largestMaking(const ScaleRegion& region, std::size_t c) const {
    double largest = 0;
    for (const std::size_t maker : region.makers) {
      forMaking(m_layers[maker], c, [&](std::size_t element) {
        largest = std::max(largest, std::abs(m_scaled.weights[maker][element]));
      });
    }
    return largest;
  }

  double largestReading(const ScaleRegion& region, std::size_t c) const {
    double largest = 0;
    for (const ScaleRegion::Reader& reader : region.readers) {
      forReading(m_layers[reader.layer], region, c, [&](std::size_t element) {
        largest = std::max(largest, std::abs(m_scaled.weights[reader.layer][element]));
      });
    }
    return largest;
  }

  // One factor for all channels changes no code: a geometric mean of 1 keeps them near 1.
  static void centre(std::vector<double>& factors) {
    double sum = 0;
    std::size_t count = 0;
    for (const double factor : factors) {
      if (!(factor > 0)) continue;
      sum += std::log(factor);
      ++count;
    }
    const double mean = count > 0 ? std::exp(sum / static_cast<double>(count)) : 1;
    for (double& factor : factors) factor = factor > 0 ? factor / mean : 1;
  }

  double limited(std::size_t region, std::size_t c, double factor) const {
    double total = std::clamp(m_total[region][c] * factor, 1 / kMostFactor, kMostFactor);
    if (!m_regions[region].clips.empty() && !m_rule.rectify) {
      const double least = kHeadroom * m_absmax[region][c] / m_regions[region].ceiling;
      // The observed maximum stands at the ceiling where something was cut off.
      if (m_absmax[region][c] >= m_regions[region].ceiling * (1 - 1e-6)) return 1;
      total = std::max(total, least);
    }
    if (m_powersOfTwo) total = std::exp2(std::round(std::log2(total)));
    return total / m_total[region][c];
  }

  double equalizeRegion(std::size_t index) {
    const ScaleRegion& region = m_regions[index];
    std::vector<double> factors(region.channels, 0.0);
    for (std::size_t c = 0; c < region.channels; ++c) {
      const double made = largestMaking(region, c);
      const double read = largestReading(region, c);
      const double seen = m_absmax[index][c] / m_total[index][c];
      if (!(made > 0) || !(read > 0) || (m_rule.activations > 0 && !(seen > 0))) continue;
      factors[c] = std::pow(made, m_rule.makers) / std::pow(read, m_rule.readers);
      if (m_rule.activations > 0) factors[c] *= std::pow(seen, m_rule.activations);
    }
    if (m_rule.makers != m_rule.readers || m_rule.activations > 0) centre(factors);
    double most = 0;
    for (std::size_t c = 0; c < region.channels; ++c) {
      const double factor = limited(index, c, factors[c] > 0 ? factors[c] : 1);
      if (factor == 1) continue;
      most = std::max(most, std::abs(1 - factor));
      scale(region, c, factor);
      m_total[index][c] *= factor;
    }
    return most;
  }

  void scale(const ScaleRegion& region, std::size_t c, double factor) {
    for (const std::size_t maker : region.makers) {
      forMaking(m_layers[maker], c,
                [&](std::size_t element) { m_scaled.weights[maker][element] /= factor; });
      m_scaled.biases[maker][c] /= factor;
      m_scaled.changed[maker] = true;
    }
    for (const ScaleRegion::Reader& reader : region.readers) {
      forReading(m_layers[reader.layer], region, c,
                 [&](std::size_t element) { m_scaled.weights[reader.layer][element] *= factor; });
      m_scaled.changed[reader.layer] = true;
    }
  }

  Overlay overlay() const {
    Overlay overlay;
    for (std::size_t i = 0; i < m_layers.size(); ++i) {
      if (!m_scaled.changed[i]) continue;
      const LinearLayer& layer = m_layers[i];
      Tensor weight(ElementType::Float32, weightOf(*m_state.engine, layer).shape());
      for (std::size_t k = 0; k < weight.elementCount(); ++k) {
        weight.mutableValues<float>()[k] = static_cast<float>(m_scaled.weights[i][k]);
      }
      overlay.constants.push_back({layer.lead, layer.weightSlot, weight, "weight"});
      if (!layer.bias) continue;
      overlay.constants.push_back({layer.bias->node, layer.bias->slot,
                                   biasTensor(*m_state.engine, layer, m_scaled.biases[i]), "bias"});
    }
    if (!m_rule.rectify) return overlay;
    std::set<NodeId> clips;
    for (const ScaleRegion& region : m_regions)
      clips.insert(region.clips.begin(), region.clips.end());
    overlay.rectifiers.assign(clips.begin(), clips.end());
    return overlay;
  }

  const RepairState& m_state;
  const std::vector<LinearLayer>& m_layers;
  const std::vector<ScaleRegion>& m_regions;
  const EqualizationRule& m_rule;
  bool m_powersOfTwo;
  ScaledLayers m_scaled;
  std::vector<std::vector<double>> m_total;   // by region and channel: all factors together
  std::vector<std::vector<double>> m_absmax;  // likewise, as observed
};

}  // namespace

Overlay equalize(const RepairState& state, const LinearLayers& layers, const ScaleRegions& regions,
                 const EqualizationRule& rule, bool powersOfTwo) {
  return Equalizer(state, layers, regions, rule, powersOfTwo).run();
}

RepairProposal proposeEqualization(const RepairState& state, const LinearLayers& layers,
                                   RepairTools& /*tools*/, std::size_t way) {
  const ScaleRegions regions = findScaleRegions(*state.engine, *state.model, layers);
  if (regions.regions.empty()) {
    const std::string first = regions.refused.empty() ? ""
                                                      : ": of '" + regions.refused[0].node + "' " +
                                                            regions.refused[0].reason;
    return notLegal("no two layers have only operators proportional to their input between them" +
                    first);
  }
  const EqualizationRule& rule = kRules.at(way);
  const bool clips = std::ranges::any_of(
      regions.regions, [](const ScaleRegion& each) { return !each.clips.empty(); });
  RepairProposal proposal;
  proposal.effect = OverlayEffect::SameOutputs;
  proposal.what = rule.what;
  if (rule.rectify && !clips) return notLegal("there is no Clip between layers");
  proposal.overlay = equalize(state, layers, regions, rule);
  std::set<NodeId> changed;
  for (const ChangedConstant& change : proposal.overlay.constants) changed.insert(change.node);
  proposal.nodes = changed.size();
  return proposal;
}

}  // namespace quantscope
