#pragma once

#include <string>
#include <vector>

#include "repair/linear_layers.h"

namespace quantscope {

/// Values between linear layers whose channels may be divided by factors, because everything that
/// makes and reads them can take the factors in. Channel c of every value of a region is divided by
/// the same s_c > 0: the weights that make it are divided, those that read it multiplied.
struct ScaleRegion {
  struct Reader {
    std::size_t layer = 0;   ///< in LinearLayers::layers
    std::size_t repeat = 1;  ///< neighbouring inputs of its weight that are one channel
  };

  std::size_t channels = 0;
  std::vector<std::size_t> makers;  ///< in LinearLayers::layers
  std::vector<Reader> readers;
  std::vector<NodeId> clips;    ///< inside, with the bounds 0 and `ceiling`
  std::vector<ValueId> values;  ///< that change
  double ceiling = 0;           ///< the least of those of the clips
};

struct ScaleRegions {
  std::vector<ScaleRegion> regions;   ///< in the order of their first makers
  std::vector<RefusedLayer> refused;  ///< layers whose outputs cannot be scaled, and why
};

/// The regions of a model whose normalizations are folded. Between makers and readers stand only
/// operators with f(s·x) = s·f(x) for every channel by itself, such as Relu, pooling, Add (of
/// values of one region), Flatten; and Clips from 0 on, which only near enough to 0 are such
/// operators. An output of the network, a value that a sub-graph or any other operator reads, and
/// constants that are added forbid a region.
ScaleRegions findScaleRegions(const Engine& engine, const QuantizedModel& model,
                              const LinearLayers& layers);

}  // namespace quantscope
