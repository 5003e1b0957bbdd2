#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "graph/graph.h"

namespace quantscope {

/// A tensor that a QDQ model rounds: the input of a QuantizeLinear, or the constant behind a
/// DequantizeLinear.
struct RoundedTensor {
  std::string name;                    ///< the rounded value; of a constant the codes' name
  std::vector<std::string> consumers;  ///< "NODE" that reads the dequantized value, each once …
  std::vector<std::size_t> inputs;     ///< … and as which of its inputs
  bool isConstant = false;
  int onnxType = 0;  ///< of the codes
  std::vector<float> scales;
  std::vector<std::int32_t> zeroPoints;
  int axis = 1;  ///< of several scales
  int blockSize = 0;
  std::int32_t lowest = 0;  ///< codes that a Clip between the two leaves; none where both are 0
  std::int32_t highest = 0;
};

/// The pairs of a QDQ model in a file. Pairs without a constant scale, such as dynamic ones, and
/// int32 constants, which are biases, are left out. Throws what importModel() throws.
std::vector<RoundedTensor> readQuantizedTensors(const std::filesystem::path& file);

}  // namespace quantscope
