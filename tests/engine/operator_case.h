#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tensor/tensor.h"

namespace quantscope::test {

/// One application of an operator as a row of a table.
struct OperatorCase {
  const char* name;
  /// The node in the notation of OperatorRunner.
  const char* node;
  /// Tensors in the notation of text_literals.h, with ";" between them; "" = omitted.
  const char* inputs;
  /// What the outputs are, in the same notation ("" = of no interest), or "error: PART OF ITS
  /// TEXT".
  const char* expected;
  int opset = 17;
};

/// Tensors from text as in OperatorCase.
std::vector<Tensor> tensorsFromText(std::string_view text);

/// Empty where type, shape and every element agree (NaN equals NaN, 0 is not −0), else the first
/// difference.
std::string exactDifference(const Tensor& actual, const Tensor& expected);

/// Runs the case. Empty where everything is as expected, else what differs.
std::string runCase(const OperatorCase& row);

/// Adds a data column "row" with one row per case, whose value is its index.
void addCases(std::span<const OperatorCase> cases);

}  // namespace quantscope::test
