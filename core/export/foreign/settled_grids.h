#pragma once

#include <map>
#include <string>
#include <vector>

#include "export/foreign/placed_grids.h"

namespace quantscope {

/// True where both round alike, whatever their tensors are called.
bool isSameGrid(const ForeignGrid& a, const ForeignGrid& b);

/// Grids at the places where a configuration of the generic backend can put them: behind the
/// outputs of nodes, and on edges into nodes.
struct SettledGrids {
  std::map<ValueId, ForeignGrid> outputs;  ///< behind the node that makes the value
  std::map<EdgeId, ForeignGrid> edges;     ///< on top of that
  std::vector<bool> able;                  ///< by node: it can be quantized
  std::vector<std::string> notices;        ///< roundings without such a place

  /// The grid that a value is on behind its producer, through data movers; nullptr where none.
  const ForeignGrid* gridOf(const Engine& engine, ValueId value) const;
};

/// A rounding that all readers of a value share goes behind its producer, where that can be
/// quantized; data movers pass theirs on to their readers; what is on a grid already is not rounded
/// to it again.
SettledGrids settleGrids(const Engine& engine, const PlacedGrids& placed);

}  // namespace quantscope
