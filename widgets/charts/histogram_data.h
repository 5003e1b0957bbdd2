#pragma once

#include <optional>
#include <vector>

#include "analysis/analysis_result.h"
#include "calibration/histograms/linear_histogram.h"

namespace quantscope {

/// The data of a histogram chart: counts in equal bins from `low` to `high`, of the float and, if
/// known, of the quantized numbers, and the grid that they are rounded to.
struct HistogramData {
  double low = 0;
  double high = 0;
  std::vector<double> reference;
  std::vector<double> quantized;  ///< empty, or as many as `reference`
  std::optional<double> gridLow;  ///< smallest and largest number that can be represented
  std::optional<double> gridHigh;
  std::optional<double> step;  ///< between neighbouring levels of the grid
  QuantType type = QuantType::Float32;
  bool movable = false;  ///< the ends of the band can be dragged

  bool empty() const { return reference.empty() || !(low < high); }
  double binWidth() const { return (high - low) / static_cast<double>(reference.size()); }
  friend bool operator==(const HistogramData&, const HistogramData&) = default;
};

/// The distribution of a layer's output; empty where there is none.
HistogramData outputHistogram(const LayerResult& layer);

/// The bins of an observation, neighbours merged until there are at most `most`.
HistogramData observedHistogram(const LinearBins& bins, std::size_t most);

/// Marks the grid that the numbers are rounded to; nothing where there are several, or none yet.
void markGrid(HistogramData& data, const QuantParams& params);

/// The share of the float numbers beyond a range, from the bins alone: those that it cuts count in
/// part; 0 … 1.
double clippedShare(const HistogramData& data, double low, double high);
/// The SQNR of rounding to `levels` equal steps in a range, expected from the bins alone; none
/// where there is no signal.
std::optional<double> expectedSqnr(const HistogramData& data, double low, double high, int levels);

/// The levels of the grid from `low` to `high`; none where there are more than `most`.
std::vector<double> gridLevels(const HistogramData& data, double low, double high,
                               std::size_t most);

}  // namespace quantscope
