#pragma once

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "repair/linear_layers.h"
#include "repair/repair_state.h"
#include "training/network_blocks.h"

namespace quantscope {

/// The parts that a training graph leaves out or adds.
struct TrainingGraphOptions {
  std::set<std::string> unquantized;  ///< layers that are not fake-quantized
  bool stochastic = false;            ///< round activations at random; see RoundingNoise
  float temperature = 1;
  std::size_t batch = 1;  ///< samples of a feed
};

/// A quantized network as a graph of its own, in which whatever training steps is an input: rounded
/// weights, biases, and scales and zero points of activations. Values of the network keep their
/// ids and have the bits of its quantized evaluation. A block begins at its input instead of the
/// network's.
struct TrainingGraph {
  struct Layer {
    std::size_t index = 0;  ///< in the LinearLayers
    ValueId weight;         ///< an input that takes the rounded weight
    ValueId bias;           ///< none where the layer has none
  };
  /// A group of points that share a grid.
  struct Range {
    std::size_t group = 0;  ///< in QuantizedModel::groups
    ValueId scale;          ///< float32, one element per grid
    ValueId zeroPoint;
  };

  std::shared_ptr<const Engine> engine;
  std::vector<ValueId> inputs;  ///< fed from outside: the network's inputs, or the block's
  std::vector<Layer> layers;
  std::vector<Range> ranges;
  ValueId noise;  ///< int64 [1], where activations are rounded at random
};

/// Points that are learned: static, of integers, not set by the backend. By group.
std::vector<char> learnableGroups(const QuantizedModel& model);

/// `state` with normalizations folded. `block`: what is wanted; null = the whole network.
TrainingGraph makeTrainingGraph(const RepairState& state, const LinearLayers& layers,
                                const NetworkBlock* block, const TrainingGraphOptions& options,
                                const Workers& workers);

}  // namespace quantscope
