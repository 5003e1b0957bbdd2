#include "repair/scales/dead_channels.h"

#include <optional>

#include "base/number_text.h"
#include "repair/scales/constant_shifts.h"

namespace quantscope {
namespace {

/// The channels of one region.
class DeadChannels {
 public:
  DeadChannels(const RepairState& state, const std::vector<LinearLayer>& layers,
               const ScaleRegion& region, ScaledLayers& scaled)
      : m_state(state), m_layers(layers), m_region(region), m_scaled(scaled) {}

  /// How many there are.
  std::size_t remove() {
    if (m_region.makers.empty() || !m_region.making.empty() ||
        !readersTakeShifts(*m_state.engine, m_layers, m_region)) {
      return 0;
    }
    const std::vector<double> made = m_scaled.largestMaking(m_region);
    const std::vector<double> read = m_scaled.largestReading(m_region);
    std::vector<double> constants(m_region.channels, 0.0);
    std::vector<bool> dead(m_region.channels, false);
    std::size_t count = 0;
    for (std::size_t c = 0; c < m_region.channels; ++c) {
      // Nothing reads it: there is nothing left to move.
      if (m_region.fixed[c] || made[c] > 0 || !(read[c] > 0)) continue;
      const std::optional<double> constant = constantOf(c);
      if (!constant) continue;
      constants[c] = *constant;
      dead[c] = true;
      ++count;
    }
    if (count == 0) return 0;
    addToReaders(m_scaled, m_layers, m_region, constants);
    clear(dead);
    return count;
  }

 private:
  // f(b), as every reader has seen it at every place.
  std::optional<double> constantOf(std::size_t c) const {
    std::optional<double> constant;
    for (const ScaleRegion::Reader& reader : m_region.readers) {
      const Observation* seen = m_state.observations->find(m_layers[reader.layer].data);
      const std::size_t channels = reader.channels.size();
      if (seen == nullptr || seen->channels.size() != channels) return std::nullopt;
      for (std::size_t i = 0; i < channels; ++i) {
        if (reader.channels[i] != c) continue;
        const Range& range = seen->channels[i];
        if (range.empty || range.low != range.high || constant.value_or(range.low) != range.low) {
          return std::nullopt;
        }
        constant = range.low;
      }
    }
    return constant;
  }

  void clear(const std::vector<bool>& dead) {
    for (const ScaleRegion::Maker& maker : m_region.makers) {
      for (std::size_t o = 0; o < maker.channels.size(); ++o) {
        if (dead[maker.channels[o]]) m_scaled.changedBias(maker.layer)[o] = 0;
      }
    }
    for (const ScaleRegion::Reader& reader : m_region.readers) {
      std::vector<double>& weight = m_scaled.changedWeight(reader.layer);
      const std::size_t channels = reader.channels.size();
      for (std::size_t i = 0; i < channels; ++i) {
        if (!dead[reader.channels[i]]) continue;
        forReading(m_layers[reader.layer], channels, i,
                   [&](std::size_t, std::size_t element) { weight[element] = 0; });
      }
    }
  }

  const RepairState& m_state;
  const std::vector<LinearLayer>& m_layers;
  const ScaleRegion& m_region;
  ScaledLayers& m_scaled;
};

}  // namespace

RepairProposal proposeDeadChannels(const RepairState& state, const LinearLayers& layers,
                                   RepairTools& /*tools*/, std::size_t /*way*/) {
  ScaledLayers scaled(*state.engine, layers.layers);
  std::size_t channels = 0;
  for (const ScaleRegion& region : findScaleRegions(*state.engine, *state.model, layers).regions) {
    channels += DeadChannels(state, layers.layers, region, scaled).remove();
  }
  if (channels == 0) {
    return notLegal("no channel has weights of 0 alone before layers that can add what it gives");
  }
  RepairProposal proposal;
  proposal.effect = OverlayEffect::SameOutputs;
  proposal.what = counted(channels, "channel");
  proposal.overlay = scaled.overlay();
  proposal.nodes = changedNodes(proposal.overlay);
  return proposal;
}

}  // namespace quantscope
