#include "widgets/charts/histogram_data.h"

#include <algorithm>
#include <cmath>

namespace quantscope {

HistogramData outputHistogram(const LayerResult& layer) {
  HistogramData data;
  if (!layer.histogram) return data;
  const OutputHistogram& histogram = *layer.histogram;
  data.low = static_cast<double>(histogram.low);
  data.high = static_cast<double>(histogram.high);
  data.reference.assign(histogram.reference.begin(), histogram.reference.end());
  if (histogram.quantized.size() == histogram.reference.size()) {
    data.quantized.assign(histogram.quantized.begin(), histogram.quantized.end());
  }
  data.gridLow = layer.representableMin;
  data.gridHigh = layer.representableMax;
  data.step = layer.outputScale;
  if (layer.output) data.type = layer.output->type;
  return data;
}

HistogramData observedHistogram(const LinearBins& bins, std::size_t most) {
  HistogramData data;
  const std::size_t merged = (bins.counts.size() + most - 1) / std::max<std::size_t>(most, 1);
  if (merged == 0) return data;
  data.reference.resize((bins.counts.size() + merged - 1) / merged);
  for (std::size_t i = 0; i < bins.counts.size(); ++i) {
    data.reference[i / merged] += static_cast<double>(bins.counts[i]);
  }
  data.low = bins.low;
  data.high = bins.low + bins.width * static_cast<double>(merged * data.reference.size());
  return data;
}

void markGrid(HistogramData& data, const QuantParams& params) {
  if (params.grids.size() != 1 || !hasScale(params.type)) return;
  const Range range = params.representable(params.grids.front());
  data.gridLow = range.low;
  data.gridHigh = range.high;
  if (isInteger(params.type)) data.step = params.grids.front().scale;
  data.type = params.type;
}

double clippedShare(const HistogramData& data, double low, double high) {
  double all = 0;
  double beyond = 0;
  const double width = data.binWidth();
  for (std::size_t i = 0; i < data.reference.size(); ++i) {
    const double left = data.low + static_cast<double>(i) * width;
    const double inside = std::max(0.0, std::min(left + width, high) - std::max(left, low));
    all += data.reference[i];
    beyond += data.reference[i] * (1 - std::min(1.0, inside / width));
  }
  return all > 0 ? beyond / all : 0;
}

// Rounding leaves a twelfth of a squared step, clipping the squared distance to the end.
std::optional<double> expectedSqnr(const HistogramData& data, double low, double high, int levels) {
  const double step = (high - low) / std::max(1, levels - 1);
  double signal = 0;
  double noise = 0;
  for (std::size_t i = 0; i < data.reference.size(); ++i) {
    const double middle = data.low + (static_cast<double>(i) + 0.5) * data.binWidth();
    const double distance = std::max({0.0, low - middle, middle - high});
    signal += data.reference[i] * middle * middle;
    noise += data.reference[i] * (distance > 0 ? distance * distance : step * step / 12);
  }
  if (!(signal > 0) || !(noise > 0)) return std::nullopt;
  return 10 * std::log10(signal / noise);
}

std::vector<double> gridLevels(const HistogramData& data, double low, double high,
                               std::size_t most) {
  if (!data.step || !data.gridLow || !data.gridHigh || !(*data.step > 0)) return {};
  const double from = std::max(low, *data.gridLow);
  const double to = std::min(high, *data.gridHigh);
  // Half a step of tolerance: the ends themselves are levels.
  const double first = std::ceil((from - *data.gridLow) / *data.step - 0.5);
  const double last = std::floor((to - *data.gridLow) / *data.step + 0.5);
  if (!(last >= first) || last - first + 1 > static_cast<double>(most)) return {};
  std::vector<double> levels;
  for (double i = first; i <= last; ++i) levels.push_back(*data.gridLow + i * *data.step);
  return levels;
}

}  // namespace quantscope
