#pragma once

#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "engine/engine.h"
#include "export/foreign/foreign_grid.h"

namespace quantscope {

/// An input of a node.
using EdgeId = std::pair<NodeId, std::size_t>;

/// A constant of another tool's model.
struct ForeignConstant {
  std::vector<ForeignGrid> grid;  ///< none or one
  Tensor numbers;                 ///< dequantized; undefined where they are not known
};

/// Grids of another tool at the places of a model.
struct PlacedGrids {
  /// By computed input: the roundings on the way there, in their order; none where the list is
  /// empty. An input that is not in the map is not known.
  std::map<EdgeId, std::vector<ForeignGrid>> edges;
  std::map<ValueId, std::vector<ForeignGrid>> outputs;  ///< likewise, by output of the model
  std::map<EdgeId, ForeignConstant> constants;          ///< by constant input
  /// Nodes that the other model lacks: it has them folded into others.
  std::vector<bool> absent;
  bool integerBiases = false;        ///< there are such, beside `constants`
  std::size_t encodings = 0;         ///< that have a place
  std::vector<std::string> notices;  ///< what has none
};

/// Grids by the names of tensors: each value is on its grid for all that read it. Throws
/// InvalidConfiguration where none of the names is the model's.
PlacedGrids placeByName(const Engine& engine, std::span<const ForeignGrid> grids);

/// The pairs of a QDQ model. Throws InvalidData where it rounds nothing.
PlacedGrids readQdqModel(const std::filesystem::path& file, const Engine& engine);

/// "'a', 'b', 'c' and 12 more"
std::string quotedNames(const std::vector<std::string>& names);

}  // namespace quantscope
