#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "tensor/tensor.h"

namespace quantscope {
class Workers;
}

namespace quantscope::test {

/// One of ONNX's backend tests: a folder with a model and sets of inputs and expected outputs.
struct NodeCase {
  std::string name;  ///< "node/test_abs"
  std::filesystem::path folder;
};

/// All cases that are installed, sorted by name; none where the data is not there.
std::vector<NodeCase> installedNodeCases();

/// True where the case casts float32 to bfloat16 and asks for the upper halves of the inputs, cut
/// off, although the standard rounds to the nearest and an input shows the difference: the case is
/// wrong in itself.
bool expectsTruncatedBits(const NodeCase& nodeCase);

/// Runs all sets of the case. Empty where every output is as expected, else what differs.
std::string runNodeCase(const NodeCase& nodeCase, const Workers& workers);

/// Empty where type and shape agree and every element is the same (integers, booleans) or within
/// the tolerances of ONNX's own runner, |a − e| ≤ 1e−7 + 1e−3·|e| (floats; NaN equals NaN).
std::string nodeCaseDifference(const Tensor& actual, const Tensor& expected);

}  // namespace quantscope::test
