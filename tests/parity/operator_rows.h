#pragma once

#include <span>
#include <string>
#include <vector>

namespace quantscope::test {

/// A small graph that needs no inputs, in the notation of graph_text.h.
struct OperatorRow {
  std::string text;
  int opset = 22;
};

// One table per family.
std::span<const OperatorRow> elementwiseRows();
std::span<const OperatorRow> reductionRows();
std::span<const OperatorRow> normalizationRows();
std::span<const OperatorRow> windowRows();
std::span<const OperatorRow> resamplingRows();
std::span<const OperatorRow> indexingRows();
std::span<const OperatorRow> recurrenceRows();
std::span<const OperatorRow> controlFlowRows();
/// Made of random codes: several shapes, scales and zero points of each operator.
std::vector<OperatorRow> quantizedRows();

}  // namespace quantscope::test
