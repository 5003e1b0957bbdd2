#pragma once

#include <QString>
#include <optional>
#include <vector>

#include "jobs/analysis_snapshot.h"
#include "widgets/charts/histogram_data.h"

namespace quantscope {

/// Statistics of a layer's weights, batch normalization folded in.
struct WeightStatistics {
  std::string name;  ///< of the constant
  std::string type;  ///< as it is stored
  Shape shape;
  std::size_t count = 0;
  double min = 0;
  double max = 0;
  bool folded = false;               ///< scaled by a batch normalization behind it
  int channelAxis = 0;               ///< of the output channels
  std::vector<double> channelReach;  ///< largest |w| of each output channel
  std::optional<QuantParams> params;
  HistogramData histogram;
};

/// The weights that a layer has; nullptr = none.
const Tensor* weightOf(const AnalysisSnapshot& snapshot, std::size_t layer);

/// More weights are read in the background: to read these several times takes a frame or two.
inline constexpr std::size_t kMostWeightsAtOnce = 1'000'000;

/// Reads all weights of the layer, several times: for large ones not on the window's thread.
WeightStatistics measureWeights(const AnalysisSnapshot& snapshot, std::size_t layer);

/// The same without its histogram, extremes and count, which takes a fraction of the time.
WeightStatistics measureReach(const AnalysisSnapshot& snapshot, std::size_t layer);

/// The output channel that sets the range of the whole tensor.
struct DominatingChannel {
  int channel = 0;
  double reach = 0;        ///< its largest |w|
  double medianReach = 0;  ///< reach of the median channel
  double ratio = 1;        ///< reach / medianReach
};
std::optional<DominatingChannel> dominatingChannel(const WeightStatistics& weights);

/// True where the range of all channels is that of one which goes far beyond the others.
bool perTensorDominated(const WeightStatistics& weights);

/// "one scale 0.0123 for the whole tensor, zero point 0"
QString gridWords(const WeightStatistics& weights);
/// "Channel 17 reaches 3.20 while the median channel reaches 0.110: …"; empty where there are no
/// channels to compare.
QString dominanceWords(const WeightStatistics& weights);

}  // namespace quantscope
