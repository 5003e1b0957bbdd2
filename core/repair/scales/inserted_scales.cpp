#include "repair/scales/inserted_scales.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

#include "precision/layers/input_channels.h"
#include "repair/fixed_grids.h"

namespace quantscope {
namespace {

class MulPlaces {
 public:
  MulPlaces(const RepairState& state, const LinearLayers& layers)
      : m_state(state), m_graph(state.engine->graph()), m_layers(layers) {}

  InsertedScales find(const std::vector<bool>& scaled) {
    for (std::size_t i = 0; i < m_layers.layers.size(); ++i) {
      if (!scaled[i]) add(i);
    }
    return std::move(m_found);
  }

 private:
  void add(std::size_t index) {
    const LinearLayer& layer = m_layers.layers[index];
    const auto& shape = m_graph[layer.data].type.shape;
    const int axis = layer.window || !shape ? 1 : static_cast<int>(shape->size()) - 1;
    const std::size_t channels = layer.inputs * layer.groups / layer.taps;
    std::string reason = whyNot(layer, axis, shape.has_value(), channels);
    if (!reason.empty()) {
      m_found.refused.push_back({m_graph[layer.lead].name, std::move(reason)});
      return;
    }
    const auto [site, isNew] = m_siteOf.try_emplace({layer.data, axis}, m_found.sites.size());
    if (isNew) {
      ScaleRegion region;
      region.channels = channels;
      region.fixed.assign(channels, false);
      region.values = {layer.data};
      m_found.sites.push_back(std::move(region));
    }
    std::vector<std::uint32_t> all(channels);
    std::iota(all.begin(), all.end(), 0U);
    m_found.sites[site->second].readers.push_back({index, std::move(all)});
  }

  std::string whyNot(const LinearLayer& layer, int axis, bool ranked, std::size_t channels) const {
    const Node& lead = m_graph[layer.lead];
    const bool meets = ranked && std::ranges::count(lead.inputs, layer.data) == 1 &&
                       meetsInputChannels(m_graph, lead, layer.weightSlot, layer.data, axis);
    if (!meets) return "'" + lead.name + "' does not read its channels as such";
    if (channels < 2) return "all its channels would have one factor";
    if (m_layers.fixedValues.contains(layer.data)) {
      return fixedGridOf(m_graph[layer.data].name);
    }
    const LayerQuantization& quantized = m_state.model->layers[layer.index];
    if (quantized.equalized) return "the configuration scales its input already";
    if (isNamed({producerName(m_graph, layer.data), lead.name})) {
      return "the configuration's groups name the edge to it";
    }
    if (isRoundedWhereMade(layer.data)) {
      return "'" + producerName(m_graph, layer.data) +
             "' rounds its output, in front of any Mul; at \"fp32\" it would not";
    }
    return {};
  }

  bool isRoundedWhereMade(ValueId value) const {
    const std::vector<QuantizationPoint>& points = m_state.model->groups.points;
    for (std::size_t i = 0; i < points.size(); ++i) {
      const bool own = points[i].isOutput() && points[i].value == value;
      if (own && paramsOf(*m_state.model, i)) return true;
    }
    return false;
  }

  bool isNamed(const PointName& edge) const {
    const HandSharing& groups = m_state.config.precision->groups;
    const auto holds = [&](const std::vector<PointName>& points) {
      return std::ranges::find(points, edge) != points.end();
    };
    return holds(groups.part) || std::ranges::any_of(groups.join, holds);
  }

  const RepairState& m_state;
  const Graph& m_graph;
  const LinearLayers& m_layers;
  std::map<std::pair<ValueId, int>, std::size_t> m_siteOf;  // by value and axis
  InsertedScales m_found;
};

}  // namespace

InsertedScales findInsertedScales(const RepairState& state, const LinearLayers& layers,
                                  const std::vector<bool>& scaled) {
  return MulPlaces(state, layers).find(scaled);
}

void insertMul(const RepairState& state, const std::vector<LinearLayer>& layers,
               const ScaleRegion& site, const std::vector<double>& factors, Overlay& overlay) {
  const Graph& graph = state.engine->graph();
  const LinearLayer& first = layers[site.readers.front().layer];
  // Behind the channel axis the factors have axes of one element.
  std::vector<std::int64_t> extents{static_cast<std::int64_t>(factors.size())};
  if (first.window) extents.resize(graph[first.data].type.shape->size() - 1, 1);
  Tensor inverse(ElementType::Float32, Shape(extents));
  for (std::size_t c = 0; c < factors.size(); ++c) {
    inverse.mutableValues<float>()[c] = static_cast<float>(1 / factors[c]);
  }
  const std::string& producer = producerName(graph, first.data);
  InsertedOperator mul{"Mul", producer + ".scaled", {}, std::move(inverse), {}, true};
  for (const ScaleRegion::Reader& reader : site.readers) {
    const LinearLayer& layer = layers[reader.layer];
    mul.readers.push_back({layer.lead, layer.dataSlot});
    overlay.forgotten.push_back({producer, graph[layer.lead].name});
  }
  overlay.inserted.push_back(std::move(mul));
}

}  // namespace quantscope
