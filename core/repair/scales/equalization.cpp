#include "repair/scales/equalization.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "repair/scales/constant_shifts.h"

namespace quantscope {
namespace {

constexpr int kMostSweeps = 20;
constexpr double kStill = 0.01;
constexpr double kMostFactor = 64;
// The factor by which a value may exceed the observed range before a clip changes it.
constexpr double kHeadroom = 1.1;

constexpr double kThird = 1.0 / 3;
// One grid for a value rounds every channel alike: channel c costs s_c²·Σt_c²·max(a/s)², which is
// least for s = a. The more of that, the less is left for weights.
constexpr std::array<EqualizationRule, kEqualizationWays> kRules{{
    {"of weights", 0.5, 0, 0.5, false, true},
    {"of weights, Relu for Clip", 0.5, 0, 0.5, true, true},
    {"of weights and activations", kThird, kThird, kThird, false, true},
    {"of activations and half of the weights that read them", 0, 0.5, 0.5, false, true},
    {"of activations and a quarter of the weights that read them", 0, 0.75, 0.25, false, true},
    {"of activations", 0, 1, 0, false, true},
    {"of activations, Relu for Clip", 0, 1, 0, true, true},
    {"of weights, with ranges by squared error", 0.5, 0, 0.5, false, true, "mse"},
    {"of activations, with ranges by percentiles", 0, 1, 0, false, true, "percentile:0.01:99.99"},
    {"of weights, Relu for Clip, with ranges by squared error", 0.5, 0, 0.5, true, true, "mse"},
    {"of activations, Relu for Clip, with ranges by percentiles", 0, 1, 0, true, true,
     "percentile:0.01:99.99"},
}};

class Equalizer {
 public:
  Equalizer(const RepairState& state, const LinearLayers& layers, const ScaleRegions& regions,
            const EqualizationRule& rule, bool powersOfTwo)
      : m_state(state),
        m_layers(layers.layers),
        m_regions(regions.regions),
        m_rule(rule),
        m_powersOfTwo(powersOfTwo),
        m_scaled(*state.engine, layers.layers) {
    for (const ScaleRegion& region : m_regions) {
      m_total.emplace_back(region.channels, 1.0);
      m_absmax.push_back(observedAbsmax(*state.observations, m_layers, region));
      m_clipped.push_back(observedBehindClips(*state.observations, region));
    }
  }

  Overlay run() {
    for (int sweep = 0; sweep < kMostSweeps; ++sweep) {
      double most = 0;
      for (std::size_t i = 0; i < m_regions.size(); ++i) most = std::max(most, equalizeRegion(i));
      if (most < kStill) break;
    }
    if (m_rule.absorb) absorbShifts();
    return overlay();
  }

 private:
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
    if (m_regions[region].fixed[c]) return 1;
    double total = std::clamp(m_total[region][c] * factor, 1 / kMostFactor, kMostFactor);
    if (!m_regions[region].clips.empty() && !m_rule.rectify) {
      const double most = m_clipped[region][c];
      // The observed maximum stands at the ceiling where something was cut off.
      if (most >= m_regions[region].ceiling * (1 - 1e-6)) return 1;
      const double least = kHeadroom * most / m_regions[region].ceiling;
      total = std::max(total, least);
    }
    if (m_powersOfTwo) total = std::exp2(std::round(std::log2(total)));
    return total / m_total[region][c];
  }

  double equalizeRegion(std::size_t index) {
    const ScaleRegion& region = m_regions[index];
    // If only constants make the values, there is nothing to equalize but the readers.
    if (region.makers.empty()) return 0;
    std::vector<double> factors(region.channels, 0.0);
    const std::vector<double> largestMaking = m_scaled.largestMaking(region);
    const std::vector<double> largestReading = m_scaled.largestReading(region);
    for (std::size_t c = 0; c < region.channels; ++c) {
      if (region.fixed[c]) continue;
      const double made = largestMaking[c];
      const double read = largestReading[c];
      const double seen = m_absmax[index][c] / m_total[index][c];
      if (!(made > 0) || !(read > 0) || (m_rule.activations > 0 && !(seen > 0))) continue;
      factors[c] = std::pow(made, m_rule.makers) / std::pow(read, m_rule.readers);
      if (m_rule.activations > 0) factors[c] *= std::pow(seen, m_rule.activations);
    }
    if (m_rule.makers != m_rule.readers || m_rule.activations > 0) centre(factors);
    double most = 0;
    for (std::size_t c = 0; c < region.channels; ++c) {
      factors[c] = limited(index, c, factors[c] > 0 ? factors[c] : 1);
      most = std::max(most, std::abs(1 - factors[c]));
      m_total[index][c] *= factors[c];
    }
    if (most > 0) m_scaled.scale(region, factors);
    return most;
  }

  // Every region compensates its own shifts, so the others keep their observed values.
  void absorbShifts() {
    for (std::size_t i = 0; i < m_regions.size(); ++i) {
      std::vector<double> shifts = absorbableShifts(m_state, m_layers, m_regions[i]);
      for (std::size_t c = 0; c < shifts.size(); ++c) shifts[c] /= m_total[i][c];
      absorb(m_scaled, m_layers, m_regions[i], shifts);
    }
  }

  Overlay overlay() const {
    Overlay overlay = m_scaled.overlay();
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
  std::vector<std::vector<double>> m_total;    // by region and channel: all factors together
  std::vector<std::vector<double>> m_absmax;   // likewise, as observed
  std::vector<std::vector<double>> m_clipped;  // likewise, behind clips
};

std::string whyNoRegion(const ScaleRegions& regions) {
  constexpr const char* kBetween = "only operators proportional to their input between them";
  if (!regions.cut.empty()) {
    return std::string("no two layers that may change have ") + kBetween + ": " + regions.cut;
  }
  const std::string reason = std::string("no two layers have ") + kBetween;
  if (regions.refused.empty()) return reason;
  return reason + ": of '" + regions.refused[0].node + "' " + regions.refused[0].reason;
}

}  // namespace

Overlay equalize(const RepairState& state, const LinearLayers& layers, const ScaleRegions& regions,
                 const EqualizationRule& rule, bool powersOfTwo) {
  return Equalizer(state, layers, regions, rule, powersOfTwo).run();
}

RepairProposal proposeEqualization(const RepairState& state, const LinearLayers& layers,
                                   RepairTools& tools, std::size_t way) {
  const ScaleRegions regions = findScaleRegions(*state.engine, *state.model, layers);
  RepairProposal proposal;
  proposal.refused = regions.refused;
  if (regions.regions.empty()) {
    proposal.reason = whyNoRegion(regions);
    return proposal;
  }
  const EqualizationRule& rule = kRules.at(way);
  if (tools.fit.feedCount() == 0 && (rule.activations > 0 || rule.ranges != nullptr)) {
    proposal.reason = "there are no samples to fit to";
    return proposal;
  }
  const bool clips = std::ranges::any_of(
      regions.regions, [](const ScaleRegion& each) { return !each.clips.empty(); });
  proposal.effect = OverlayEffect::SameOutputs;
  proposal.what = rule.what;
  if (rule.rectify && !clips) {
    proposal.reason = "there is no Clip between layers";
    return proposal;
  }
  proposal.overlay = equalize(state, layers, regions, rule);
  if (rule.ranges != nullptr && !proposal.overlay.empty()) {
    proposal.overlay.observer = parseObserver(rule.ranges);
  }
  proposal.nodes = changedNodes(proposal.overlay);
  return proposal;
}

}  // namespace quantscope
