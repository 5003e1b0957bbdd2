#pragma once

#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "analysis/cost/cost_table.h"
#include "calibration/observers/observations.h"
#include "precision/edits/type_choices.h"

namespace quantscope {

/// One precision that a layer can have.
struct LayerOption {
  QuantType type = QuantType::Float32;  ///< of the weights, else of the activations
  NodePrecision precision;
  ConfigEdit edit;                          ///< of the configuration that the search starts from
  double bits = 0;                          ///< of all codes of its weights
  double bytes = 0;                         ///< of its weights with scales and zero points
  QuantType computes = QuantType::Float32;  ///< see computedType()
  /// Microseconds by the cost table, with conversions from and to what is not searched for.
  double time = 0;
  /// Multiply-accumulates and elements of its output, times the bits of its activations.
  double work = 0;
  /// Share, 0 … 1, of the network's multiply-accumulates, where they run above 8 bits.
  double macsAbove8Bits = 0;
};

/// Layers on one grid are of one kind; below 0 is in float, which goes with all.
int kindOf(const LayerOption& option);

/// A layer that a search decides on.
struct SearchLayer {
  std::size_t layer = 0;  ///< in QuantizedModel::layers of the start
  std::string node;       ///< leads it
  std::vector<std::string> followers = {};
  std::vector<LayerOption> options = {};  ///< the first one is as configured
  /// Number of layers of the space, this one included, that share its weights: they are of one
  /// type, and each bears its part of what the weights take.
  std::size_t readers = 1;
};

/// Two layers, by their places, of which one reads what the other computes.
struct LayerBorder {
  std::size_t first = 0;
  std::size_t second = 0;
  double time = 0;  ///< microseconds of a conversion between them, the slower way
};

/// The options of a search.
struct SearchSpace {
  std::vector<SearchLayer> layers;
  /// Layers, by their places in `layers`, whose values stand on one grid because the backend's
  /// operators or the configuration's groups ask for it: all that are quantized are of one type.
  std::vector<std::vector<std::size_t>> together;
  /// Likewise those whose weights come from the same constants, which are stored once for all.
  std::vector<std::vector<std::size_t>> alike;
  std::vector<LayerBorder> borders;  ///< empty without a cost table
  std::vector<QuantType> untaken;    ///< of the types asked for: those that no layer takes
  /// The leading nodes of layers where everything is quantized: no other layer takes these in.
  std::set<NodeId> leads;
};

/// Finds for each layer its precision as configured, and those of `types` that the backend runs it
/// in. Layers that have one option only are left out. `costs` (may be null) prices them
/// in time. Throws what quantizeModel() throws, and UnsupportedType where there is nothing to
/// choose, which names a type that no layer takes.
SearchSpace findSearchSpace(const std::shared_ptr<const Engine>& engine, const Configuration& start,
                            const std::shared_ptr<const QuantizedModel>& model,
                            const Observations& observations, const std::vector<QuantType>& types,
                            ParameterCache& parameters, const JobContext& job,
                            const CostTable* costs = nullptr);

/// layerAlone() of one in an option, with the encodings and factors that the option leaves.
Configuration withLayerAlone(const Configuration& start, const SearchLayer& layer,
                             const LayerOption& option);

/// Throws UnsupportedType where no layer takes a type, which it names.
void requireTakers(const SearchSpace& space, const std::string& backend);

/// The times of layers, by their nodes, and types that decide in a search: those of all options and
/// of layers without a choice. `start`: the model that it starts from.
std::set<std::pair<std::string, QuantType>> usedTimes(const SearchSpace& space, const Graph& graph,
                                                      const QuantizedModel& start);

/// The configuration with an option for each layer; `sentence`: of the edit.
ConfigEdit editOf(const SearchSpace& space, const std::vector<std::size_t>& options,
                  std::string sentence);

}  // namespace quantscope
