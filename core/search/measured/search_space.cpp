#include "search/measured/search_space.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

#include "analysis/cost/model_time.h"
#include "analysis/cost/weight_cost.h"
#include "base/error.h"
#include "precision/config/layer_alone.h"
#include "search/measured/border_prices.h"

namespace quantscope {
namespace {

class SpaceFinder {
 public:
  SpaceFinder(const std::shared_ptr<const Engine>& engine, const Configuration& start,
              const std::shared_ptr<const QuantizedModel>& model, const Observations& observations,
              ParameterCache& parameters, const JobContext& job, const CostTable* costs)
      : m_engine(*engine),
        m_start(start),
        m_model(*model),
        m_observations(observations),
        m_parameters(parameters),
        m_job(job),
        m_costs(costs),
        m_choices(engine, start, model),
        m_allProducts(
            std::accumulate(observations.products().begin(), observations.products().end(), 0.0)) {}

  SearchSpace find(const std::vector<QuantType>& types) {
    SearchSpace space;
    std::set<QuantType> taken;
    for (std::size_t i = 0; i < m_model.layers.size(); ++i) {
      m_job.throwIfCancelled();
      SearchLayer layer{.layer = i, .node = m_choices.name(i), .followers = followersIn(i)};
      if (layer.node.empty() || !m_choices.typeOf(i)) continue;
      addOption(layer, *m_choices.typeOf(i), true);
      for (const QuantType type : types) {
        const bool startKnown = !layer.options.empty();
        if (startKnown && m_choices.refusal(i, type).empty()) addOption(layer, type, false);
      }
      for (const LayerOption& option : layer.options) taken.insert(signedType(option.type));
      if (layer.options.size() > 1) space.layers.push_back(std::move(layer));
    }
    for (const QuantType type : types) {
      if (!taken.empty() && !taken.contains(signedType(type))) space.untaken.push_back(type);
    }
    if (space.layers.empty()) return space;
    const std::shared_ptr<const QuantizedModel> everywhere = quantizedEverywhere();
    for (const LayerQuantization& layer : everywhere->layers) {
      space.leads.insert(layer.layer.lead());
    }
    space.together = findTogether(space, *everywhere);
    uniteReaders(space);
    if (m_costs != nullptr) priceBorders(*m_costs, m_engine.graph(), m_model, space);
    return space;
  }

 private:
  std::vector<std::string> followersIn(std::size_t layer) const {
    std::vector<std::string> names;
    for (const NodeId member : m_model.layers[layer].layer.members) {
      if (member != m_model.layers[layer].layer.lead()) {
        names.push_back(m_engine.graph()[member].name);
      }
    }
    return names;
  }

  void addOption(SearchLayer& layer, QuantType type, bool asConfigured) const {
    LayerOption option;
    option.type = type;
    option.precision = asConfigured ? m_choices.precisionOf(layer.layer)
                                    : m_choices.precisionAt(layer.layer, type);
    const bool known = std::ranges::any_of(layer.options, [&](const LayerOption& each) {
      return each.precision == option.precision ||
             (each.precision.float32 && option.precision.float32);
    });
    if (known) return;
    if (!asConfigured) option.edit = m_choices.setType({layer.layer}, type);
    if (!priceIsKnown(layer, option)) return;
    layer.options.push_back(std::move(option));
  }

  // Prices the layer from a model with this layer alone; a contradiction shows there, too.
  bool priceIsKnown(const SearchLayer& layer, LayerOption& option) const {
    const Configuration alone = withLayerAlone(m_start, layer, option);
    try {
      const std::shared_ptr<const QuantizedModel> model =
          quantizeModel(m_engine, alone, m_observations, m_parameters, &m_job);
      const NodeId lead = m_model.layers[layer.layer].layer.lead();
      for (const LayerQuantization& each : model->layers) {
        if (each.layer.lead() != lead) continue;
        const WeightCost cost = weightCost(m_engine, each);
        option.bits = cost.bits;
        option.bytes = cost.bytes;
        option.computes = computedType(each);
      }
    } catch (const Error& error) {
      if (error.code() != ErrorCode::InvalidConfiguration) throw;
      return false;
    }
    if (m_costs != nullptr) option.time = layerTime(*m_costs, layer.node, option.computes);
    const TensorPrecision& activation = option.precision.activation;
    const QuantType type = option.precision.float32 ? QuantType::Float32 : activation.type;
    option.work = workOf(layer.layer) * bitWidth(type);
    if (bitWidth(type) > 8 || bitWidth(option.precision.weight.type) > 8) {
      option.macsAbove8Bits = shareOfProducts(layer.layer);
    }
    return true;
  }

  double shareOfProducts(std::size_t layer) const {
    const double own = m_observations.productsOf(m_model.layers[layer].layer.lead());
    return m_allProducts > 0 ? own / m_allProducts : 0;
  }

  double workOf(std::size_t layer) const {
    const FusedLayer& fused = m_model.layers[layer].layer;
    double work = m_observations.productsOf(fused.lead());
    const ValueId output = m_engine.graph()[fused.last()].outputs.at(0);
    const Observation* seen = output.valid() ? m_observations.find(output) : nullptr;
    if (seen != nullptr) work += static_cast<double>(seen->count);
    return work;
  }

  std::shared_ptr<const QuantizedModel> quantizedEverywhere() const {
    Configuration everywhere = inFloat(m_start);
    everywhere.precision.edit([&](PrecisionConfig& precision) {
      precision.defaults = defaultPrecision();
      precision.groups = m_start.precision->groups;
    });
    return quantizeModel(m_engine, everywhere, m_observations, m_parameters, &m_job);
  }

  // Where everything is quantized, it shows what the backend's operators and `groups` unite.
  std::vector<std::vector<std::size_t>> findTogether(const SearchSpace& space,
                                                     const QuantizedModel& everywhere) const {
    std::map<NodeId, std::size_t> placeOfMember;
    for (std::size_t place = 0; place < space.layers.size(); ++place) {
      for (const NodeId member : m_model.layers[space.layers[place].layer].layer.members) {
        placeOfMember[member] = place;
      }
    }
    std::vector<std::set<std::size_t>> united;
    for (const std::vector<std::size_t>& points : forcedGroups(everywhere.groups)) {
      std::set<std::size_t> places;
      for (const std::size_t index : points) {
        const QuantizationPoint& point = everywhere.groups.points[index];
        const NodeId node =
            point.isOutput() ? m_engine.graph()[point.value].producer : point.consumer;
        const auto place = placeOfMember.find(node);
        if (place != placeOfMember.end()) places.insert(place->second);
      }
      if (places.size() > 1) united.push_back(std::move(places));
    }
    std::vector<std::vector<std::size_t>> together;
    for (const std::set<std::size_t>& places : united) {
      together.emplace_back(places.begin(), places.end());
    }
    return together;
  }

  void uniteReaders(SearchSpace& space) const {
    std::map<std::size_t, std::size_t> places;  // by layer
    for (std::size_t i = 0; i < space.layers.size(); ++i) places[space.layers[i].layer] = i;
    for (const std::vector<std::size_t>& layers : layersOfCommonWeights(m_engine, m_model)) {
      std::vector<std::size_t> readers;
      for (const std::size_t layer : layers) {
        const auto place = places.find(layer);
        if (place != places.end()) readers.push_back(place->second);
      }
      if (readers.size() < 2) continue;
      for (const std::size_t place : readers) space.layers[place].readers = readers.size();
      space.alike.push_back(std::move(readers));
    }
  }

  static std::vector<std::vector<std::size_t>> forcedGroups(const ObserverGroups& groups) {
    std::set<std::size_t> forced;
    for (const SharingLink& link : groups.links) {
      const bool forces = link.cause == SharingCause::Backend || link.cause == SharingCause::ByHand;
      if (!forces) continue;
      forced.insert(groups.points[link.first].group);
    }
    std::vector<std::vector<std::size_t>> found;
    for (const std::size_t group : forced) found.push_back(groups.members[group]);
    return found;
  }

  const Engine& m_engine;
  const Configuration& m_start;
  const QuantizedModel& m_model;
  const Observations& m_observations;
  ParameterCache& m_parameters;
  const JobContext& m_job;
  const CostTable* m_costs;
  TypeChoices m_choices;
  double m_allProducts;
};

}  // namespace

int kindOf(const LayerOption& option) {
  return option.precision.float32 ? -1 : static_cast<int>(option.precision.activation.type);
}

SearchSpace findSearchSpace(const std::shared_ptr<const Engine>& engine, const Configuration& start,
                            const std::shared_ptr<const QuantizedModel>& model,
                            const Observations& observations, const std::vector<QuantType>& types,
                            ParameterCache& parameters, const JobContext& job,
                            const CostTable* costs) {
  SearchSpace space =
      SpaceFinder(engine, start, model, observations, parameters, job, costs).find(types);
  if (space.layers.empty()) {
    requireTakers(space, start.precision->backend);
    throw Error(ErrorCode::UnsupportedType,
                "no layer has a choice of types with " + start.precision->backend, {},
                "name other types or choose another backend");
  }
  return space;
}

Configuration withLayerAlone(const Configuration& start, const SearchLayer& layer,
                             const LayerOption& option) {
  return layerAlone(option.edit.apply(start), layer.node, option.precision);
}

void requireTakers(const SearchSpace& space, const std::string& backend) {
  if (space.untaken.empty()) return;
  throw Error(
      ErrorCode::UnsupportedType,
      "no layer can be set to " + std::string(name(space.untaken.front())) + " with " + backend, {},
      "leave the type out or choose another backend");
}

std::set<std::pair<std::string, QuantType>> usedTimes(const SearchSpace& space, const Graph& graph,
                                                      const QuantizedModel& start) {
  std::set<std::pair<std::string, QuantType>> used;
  for (const SearchLayer& layer : space.layers) {
    for (const LayerOption& option : layer.options) used.emplace(layer.node, option.computes);
  }
  for (const LayerQuantization& layer : start.layers) {
    used.emplace(graph[layer.layer.lead()].name, computedType(layer));
  }
  return used;
}

ConfigEdit editOf(const SearchSpace& space, const std::vector<std::size_t>& options,
                  std::string sentence) {
  std::vector<ConfigEdit> edits;
  for (std::size_t i = 0; i < space.layers.size(); ++i) {
    edits.push_back(space.layers[i].options[options[i]].edit);
  }
  return together(std::move(edits), std::move(sentence));
}

}  // namespace quantscope
