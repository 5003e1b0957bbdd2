#pragma once

#include <optional>
#include <string>
#include <vector>

#include "jobs/analysis_snapshot.h"

namespace quantscope {

/// The observed range of one value, beside the grid that it is quantized to.
struct RangeRow {
  ValueId value;
  NodeId node;                       ///< leading node of its layer; none for an input of the model
  std::optional<std::size_t> layer;  ///< index of its layer
  std::size_t position = 0;          ///< in execution order, from 0
  bool inner = false;                ///< between the operators of a fused layer: never quantized
  std::string name;                  ///< of the node that makes it, or of the input
  std::string op;                    ///< "Conv + BN + ReLU"
  const Observation* observation = nullptr;
  std::optional<QuantParams> params;   ///< none = float, or not calibrated
  std::optional<Range> grid;           ///< smallest and largest representable number; static only
  std::optional<double> clippedShare;  ///< of the samples analysed, 0 … 1

  const Range& observed() const { return observation->range; }
  double width() const;
  /// 1 − common / union of the observed range and the grid: 0 = equal, near 1 = most of the grid
  /// is never used, or most of the values are clipped.
  std::optional<double> mismatch() const;
};

/// See RangeRow::mismatch().
double mismatchOf(const Range& observed, const Range& grid);

/// All observed values in execution order, the model's inputs first. Point into the snapshot.
std::vector<RangeRow> rangeRows(const AnalysisSnapshot& snapshot);

/// Where all but the smallest and the largest 0.1 % of the elements lie.
Range innerRange(const Observation& observation);

/// Share 0 … 1 of the observed elements outside of `grid`, to a 32nd of a power of two.
double shareOutside(const Observation& observation, const Range& grid);

/// "−4.79 … 6.10"
std::string rangeText(const Range& range);

/// The description of a row, in lines.
std::vector<std::string> rangeWords(const RangeRow& row);

}  // namespace quantscope
