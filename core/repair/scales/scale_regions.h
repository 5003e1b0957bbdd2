#pragma once

#include <set>
#include <string>
#include <vector>

#include "repair/linear_layers.h"

namespace quantscope {

/// Values between layers whose channels may be divided by factors, because everything that makes
/// and reads them can absorb the factors. Every channel of such a value is one of the region's;
/// channel c is divided by s_c > 0 wherever it is: the weights and constants that make it are
/// divided, those that read it multiplied.
struct ScaleRegion {
  /// A layer whose output channel i is channel channels[i] of the region.
  struct Maker {
    std::size_t layer = 0;  ///< in LinearLayers::layers
    std::vector<std::uint32_t> channels;
  };
  /// A layer whose input channel i is channel channels[i] of the region.
  struct Reader {
    std::size_t layer = 0;
    std::vector<std::uint32_t> channels;
  };
  /// A constant whose element i belongs to channels[i] alone.
  struct Factor {
    NodeId node;
    std::size_t slot = 0;
    std::vector<std::uint32_t> channels;
  };

  /// A value with the region's channels[i] at index i of its channel axis.
  struct Clipped {
    ValueId value;
    std::vector<std::uint32_t> channels;
  };

  std::size_t channels = 0;
  std::vector<bool> fixed;  ///< by channel: its factor is 1, since something else reads it too
  std::vector<Maker> makers;
  std::vector<Reader> readers;
  std::vector<Factor> making;    ///< scale and shift of a normalization, factors, summands
  std::vector<Factor> reading;   ///< factors that a value of the region is multiplied by
  std::vector<NodeId> between;   ///< the operators inside, without layers
  std::vector<NodeId> clips;     ///< inside, with the bounds 0 and `ceiling`
  std::vector<Clipped> clipped;  ///< what they give
  std::vector<ValueId> values;   ///< values that change
  double ceiling = 0;            ///< the least of those of the clips
};

struct ScaleRegions {
  std::vector<ScaleRegion> regions;   ///< in the order of their first makers
  std::vector<RefusedLayer> refused;  ///< layers whose outputs cannot be scaled, and why
  /// Where there is no region: a layer whose channels a layer that was taken out makes or reads.
  std::string cut;
};

/// The regions of a model whose normalizations are folded. Between makers and readers stand only
/// operators with f(s·x) = s·f(x) for every channel by itself, such as Relu, pooling, Add, Concat,
/// Split, Transpose, Flatten, a linear Resize, a gate that multiplies, attention weights before
/// values; and Clips from 0 on, which only near enough to 0 are such operators. Makers are layers,
/// normalizations that are not folded and products with constant factors. Channels that an output
/// of the network, a sub-graph or any other operator reads are fixed; with no others there is no
/// region. Regions have no values in common. Layers come first, then regions that constants alone
/// make.
ScaleRegions findScaleRegions(const Engine& engine, const QuantizedModel& model,
                              const LinearLayers& layers);

/// The leads of all layers that make or read channels of a region with one of these layers: none of
/// them can be scaled without the others.
std::set<NodeId> otherEnds(const Engine& engine, const QuantizedModel& model,
                           const LinearLayers& layers, const std::set<NodeId>& leads);

}  // namespace quantscope
