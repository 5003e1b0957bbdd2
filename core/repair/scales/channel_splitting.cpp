#include "repair/scales/channel_splitting.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include "graph/operator_traits.h"
#include "repair/biases/bias_correction.h"
#include "repair/scales/scale_regions.h"
#include "repair/scales/scaled_layers.h"
#include "repair/scales/smoothing.h"

namespace quantscope {
namespace {

constexpr double kShare = 0.02;
constexpr std::size_t kLanes = 16;
// Up to here a scale per output channel leaves enough error to halve.
constexpr int kFewBits = 4;

std::vector<std::int64_t> extentsOf(const Shape& shape) {
  return {shape.dimensions().begin(), shape.dimensions().end()};
}

// How many channels are split; 0 where the kernels' width would cost too much.
std::size_t splitCount(std::size_t channels, bool inLanes) {
  auto count = static_cast<std::size_t>(std::ceil(kShare * static_cast<double>(channels)));
  if (!inLanes || channels % kLanes != 0) return count;
  count = (count + kLanes - 1) / kLanes * kLanes;
  return count * 4 <= channels ? count : 0;
}

/// One layer with some of its input channels doubled.
class SplitLayer {
 public:
  SplitLayer(const RepairState& state, const LinearLayer& layer)
      : m_layer(layer),
        m_params(weightParamsOf(*state.model, layer)),
        m_before(weightOf(*state.engine, layer)),
        m_channels(layer.inputs / layer.taps),
        m_taps(layer.taps),
        m_copies(m_channels, 1) {}

  // Chooses the channels: each time the one with the largest weight that is left.
  void choose(std::size_t count) {
    std::vector<double> largest(m_channels, 0.0);
    const std::span<const float> weights = m_before.values<float>();
    for (std::size_t c = 0; c < m_channels; ++c) {
      for (std::size_t o = 0; o < m_layer.outputs; ++o) {
        for (std::size_t tap = 0; tap < m_taps; ++tap) {
          const double weight = weights[m_layer.element(o, c * m_taps + tap)];
          largest[c] = std::max(largest[c], std::abs(weight));
        }
      }
    }
    std::vector<std::size_t> order(m_channels);
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order,
                             [&](std::size_t a, std::size_t b) { return largest[a] > largest[b]; });
    for (std::size_t i = 0; i < std::min(count, m_channels); ++i) m_copies[order[i]] = 2;
  }

  // By channel of the wider value: the original channel.
  std::vector<std::int64_t> sources() const {
    std::vector<std::int64_t> sources(m_channels);
    std::iota(sources.begin(), sources.end(), std::int64_t{0});
    for (std::size_t c = 0; c < m_channels; ++c) {
      if (m_copies[c] == 2) sources.push_back(static_cast<std::int64_t>(c));
    }
    return sources;
  }

  // The wide weight, on the grid that fits the halves.
  Tensor weight() const {
    const std::vector<std::int64_t> from = sources();
    std::vector<std::int64_t> extents = extentsOf(m_before.shape());
    extents[m_layer.inputsFirst ? 0 : 1] = static_cast<std::int64_t>(from.size());
    Tensor wide(ElementType::Float32, Shape(extents));
    LinearLayer layer = m_layer;
    layer.inputs = from.size() * m_taps;
    const auto fill = [&](const auto& scaleOf) {
      for (std::size_t c = 0; c < from.size(); ++c) {
        const auto source = static_cast<std::size_t>(from[c]);
        for (std::size_t o = 0; o < m_layer.outputs; ++o) {
          for (std::size_t tap = 0; tap < m_taps; ++tap) {
            const std::size_t place = layer.element(o, c * m_taps + tap);
            const double value =
                m_before.values<float>()[m_layer.element(o, source * m_taps + tap)];
            const SplitWeight halves = splitWeight(value, scaleOf(place));
            float& element = wide.mutableValues<float>()[place];
            element = m_copies[source] == 1 ? static_cast<float>(value)
                      : c < m_channels      ? halves.low
                                            : halves.high;
          }
        }
      }
    };
    fill([](std::size_t) { return 0.0; });
    const QuantParams fitted = fittedTo(m_params, wide);
    const std::vector<std::uint32_t> grids = gridOfElements(fitted, wide.shape());
    fill([&](std::size_t place) { return double{fitted.grids[grids[place]].scale}; });
    return wide;
  }

 private:
  const LinearLayer& m_layer;
  const QuantParams& m_params;
  Tensor m_before;
  std::size_t m_channels;
  std::size_t m_taps;
  std::vector<int> m_copies;
};

// Output channels along axis 0, or along the last one of a matrix that has inputs first.
Tensor pickOutputs(const Tensor& tensor, bool last, const std::vector<std::int64_t>& from) {
  std::vector<std::int64_t> extents = extentsOf(tensor.shape());
  const std::size_t axis = last ? extents.size() - 1 : 0;
  const auto before = static_cast<std::size_t>(extents[axis]);
  extents[axis] = static_cast<std::int64_t>(from.size());
  Tensor picked(ElementType::Float32, Shape(extents));
  const std::size_t inner = last ? 1 : tensor.elementCount() / before;
  const std::size_t outer = tensor.elementCount() / before / inner;
  for (std::size_t row = 0; row < outer; ++row) {
    for (std::size_t i = 0; i < from.size(); ++i) {
      const auto source = static_cast<std::size_t>(from[i]);
      std::copy_n(tensor.values<float>().data() + (row * before + source) * inner, inner,
                  picked.mutableValues<float>().data() + (row * from.size() + i) * inner);
    }
  }
  return picked;
}

class Splitter {
 public:
  Splitter(const RepairState& state, const LinearLayers& layers)
      : m_state(state),
        m_graph(state.engine->graph()),
        m_layers(layers.layers),
        m_regions(findScaleRegions(*state.engine, *state.model, layers).regions),
        m_inLanes(state.config.precision->backend == "x86") {}

  RepairProposal run(bool gathers) {
    for (std::size_t i = 0; i < m_layers.size(); ++i) {
      if (!mayBeSplit(m_layers[i])) continue;
      const ScaleRegion* region = widenable(i);
      if (region == nullptr && !gathers) continue;
      split(m_layers[i], region);
    }
    m_proposal.nodes = m_splits;
    m_proposal.inserted = m_proposal.overlay.inserted.size();
    m_proposal.effect = OverlayEffect::SameOutputs;
    m_proposal.what = gathers ? "with a Gather where needed" : "by the layers before";
    if (m_splits == 0) {
      return notLegal(gathers
                          ? "no layer in one group with one scale for all weights, or at most 4 "
                            "bits, reads values of others"
                          : "no layer alone reads what another one alone makes");
    }
    return std::move(m_proposal);
  }

 private:
  bool mayBeSplit(const LinearLayer& layer) const {
    const QuantParams& params = weightParamsOf(*m_state.model, layer);
    const bool given = std::ranges::find(m_graph.inputs(), layer.data) != m_graph.inputs().end();
    return layer.groups == 1 && !layer.transposed && !given && isInteger(params.type) &&
           params.symmetric && params.groupSize == 0 &&
           (!params.perChannel() || bitWidth(params.type) <= kFewBits) &&
           splitCount(layer.inputs / layer.taps, m_inLanes) > 0;
  }

  // The region before the layer where the layer that makes it can make more channels.
  const ScaleRegion* widenable(std::size_t index) const {
    for (const ScaleRegion& region : m_regions) {
      if (region.readers.size() != 1 || region.readers[0].layer != index) continue;
      if (region.makers.size() != 1) return nullptr;
      const bool simple = region.readers[0].channels.size() == region.channels &&
                          region.makers[0].channels == region.readers[0].channels &&
                          region.making.empty() && region.reading.empty() &&
                          std::ranges::none_of(region.fixed, std::identity());
      const LinearLayer& maker = m_layers[region.makers[0].layer];
      if (!simple || maker.groups != 1 || maker.transposed) return nullptr;
      const bool mind = std::ranges::any_of(region.between, [&](NodeId id) {
        const Node& node = m_graph[id];
        if (operatorTraits(node).foldsIntoWeights) return false;
        const bool bias = m_layers[region.makers[0].layer].bias &&
                          m_layers[region.makers[0].layer].bias->node == id;
        const ChannelFlow flow = operatorTraits(node).channels;
        return (node.inputs.size() > 1 && !operatorTraits(node).clips && !bias) ||
               node.outputs.size() > 1 ||
               (flow != ChannelFlow::Carried && flow != ChannelFlow::SecondAxis);
      });
      return mind ? nullptr : &region;
    }
    return nullptr;
  }

  void split(const LinearLayer& layer, const ScaleRegion* region) {
    SplitLayer wide(m_state, layer);
    wide.choose(splitCount(layer.inputs / layer.taps, m_inLanes));
    const std::vector<std::int64_t> from = wide.sources();
    put({layer.lead, layer.weightSlot, wide.weight(), "weight"});
    ++m_splits;
    if (region == nullptr) {
      gather(layer, from);
    } else {
      widen(*region, from);
    }
  }

  void gather(const LinearLayer& layer, const std::vector<std::int64_t>& from) {
    Tensor indices(ElementType::Int64, Shape{static_cast<std::int64_t>(from.size())});
    std::ranges::copy(from, indices.mutableValues<std::int64_t>().begin());
    const auto& shape = m_graph[layer.data].type.shape;
    const int axis = layer.window || !shape ? 1 : static_cast<int>(shape->size()) - 1;
    m_proposal.overlay.inserted.push_back({"Gather",
                                           m_graph[layer.lead].name + ".split",
                                           {{layer.lead, layer.dataSlot}},
                                           indices,
                                           axis});
  }

  // The layer that makes the region, and what stands between.
  void widen(const ScaleRegion& region, const std::vector<std::int64_t>& from) {
    const LinearLayer& maker = m_layers[region.makers[0].layer];
    // It comes before the layer that reads it, so its own channels are split already.
    Tensor weight = weightOf(*m_state.engine, maker);
    for (ChangedConstant& change : m_proposal.overlay.constants) {
      if (change.node == maker.lead && change.input == maker.weightSlot) weight = change.tensor;
    }
    put({maker.lead, maker.weightSlot, pickOutputs(weight, maker.inputsFirst, from), "weight"});
    if (maker.bias) {
      const Tensor bias = biasTensor(*m_state.engine, maker, biasOf(*m_state.engine, maker));
      put({maker.bias->node, maker.bias->slot, pickOutputs(bias, true, from), "bias"});
    }
    // The statistics of its channels no longer fit, so they are reset.
    m_proposal.overlay.scaled.push_back({maker.lead, std::vector<double>(from.size(), 1.0),
                                         std::vector<double>(from.size(), 0.0), from});
    for (const NodeId id : region.between) {
      if (!operatorTraits(m_graph[id]).foldsIntoWeights) continue;
      for (std::size_t slot = 1; slot < m_graph[id].inputs.size(); ++slot) {
        const Tensor& constant = *m_state.engine->constant(m_graph[id].inputs[slot]);
        put({id, slot, pickOutputs(constant, false, from), "wide"});
      }
    }
    for (const ValueId value : region.values) {
      const auto& shape = m_graph[value].type.shape;
      const std::size_t axis = maker.window ? 1 : shape->size() - 1;
      m_proposal.overlay.extents.push_back({value, axis, static_cast<std::int64_t>(from.size())});
    }
  }

  void put(ChangedConstant change) {
    std::erase_if(m_proposal.overlay.constants, [&](const ChangedConstant& other) {
      return other.node == change.node && other.input == change.input;
    });
    m_proposal.overlay.constants.push_back(std::move(change));
  }

  const RepairState& m_state;
  const Graph& m_graph;
  const std::vector<LinearLayer>& m_layers;
  std::vector<ScaleRegion> m_regions;
  bool m_inLanes;
  std::size_t m_splits = 0;
  RepairProposal m_proposal;
};

}  // namespace

SplitWeight splitWeight(double weight, double scale) {
  return {static_cast<float>((weight - scale / 2) / 2),
          static_cast<float>((weight + scale / 2) / 2)};
}

RepairProposal proposeSplitting(const RepairState& state, const LinearLayers& layers,
                                RepairTools& /*tools*/, std::size_t way) {
  return Splitter(state, layers).run(way == 1);
}

}  // namespace quantscope
