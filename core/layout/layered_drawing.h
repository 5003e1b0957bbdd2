#pragma once

#include <cstddef>
#include <vector>

namespace quantscope {

/// Where an edge passes through a layer that holds neither of its ends.
struct Bend {
  std::size_t layer = 0;
  double x = 0;
};

/// A drawing in units: neighbours of one layer are at least 1 apart, whatever their size.
struct LayeredDrawing {
  std::vector<double> x;                 ///< per box
  std::vector<std::vector<Bend>> bends;  ///< per edge, by layer; empty between adjacent layers
};

}  // namespace quantscope
