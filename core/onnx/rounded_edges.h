#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "graph/graph.h"

namespace quantscope {

/// A rounding of a value in a QDQ model: a QuantizeLinear with its DequantizeLinear, or a Cast to a
/// half type and back.
struct FileRounding {
  int onnxType = 0;                      ///< of the codes, or the half type
  std::vector<float> scales;             ///< none of half types, and where the scale is computed
  std::vector<std::int32_t> zeroPoints;  ///< as many
  int axis = 1;                          ///< of several scales
  int blockSize = 0;
  bool dynamic = false;                ///< the scale is computed from the value's extremes
  bool symmetric = false;              ///< of a dynamic one: the zero point is no computed one
  std::optional<std::int32_t> lowest;  ///< codes that a Clip leaves, where there is one
  std::optional<std::int32_t> highest;
};

/// What a QDQ model does to a value on its way to a node of the float model, or to one of that
/// model's outputs.
struct RoundedEdge {
  NodeId node;                      ///< of the float model; invalid for an output of the model
  std::size_t input = 0;            ///< of the node, or the place among the model's outputs
  std::vector<FileRounding> chain;  ///< in the order in which they happen; may be empty
  /// Of a constant with at most one rounding: its numbers, dequantized. Undefined otherwise.
  Tensor constant;
};

/// A QDQ model beside the float model that it was made of.
struct RoundedModel {
  std::vector<RoundedEdge> edges;    ///< of every node that both have, and all outputs
  std::vector<bool> present;         ///< by node of the float model: the file has it
  std::vector<std::string> foreign;  ///< nodes that only the file has and that round nothing
};

/// Reads a QDQ model. Nodes of both are those of one name and operator, or those that make a value
/// of one name. Throws what importModel() throws.
RoundedModel readRoundedModel(const std::filesystem::path& file, const Graph& model);

}  // namespace quantscope
