#include "export/pictures/histogram_svg.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/number_text.h"

namespace quantscope {
namespace {

constexpr double kPlotWidth = 400;
constexpr double kPlotHeight = 112;  // of the plot; the axis is below
constexpr double kAxis = 20;
// More bins than this are merged: they would be narrower than a line.
constexpr std::size_t kMaxBins = 100;

std::vector<double> merged(const std::vector<std::uint64_t>& counts) {
  const std::size_t perBin = (counts.size() + kMaxBins - 1) / kMaxBins;
  std::vector<double> bins((counts.size() + perBin - 1) / perBin, 0.0);
  for (std::size_t i = 0; i < counts.size(); ++i) {
    bins[i / perBin] += static_cast<double>(counts[i]);
  }
  return bins;
}

double logCount(double count) {
  return std::log10(1 + count);
}

std::string coordinate(double value) {
  return fixedNumber(value, 1);
}

std::string point(double x, double y) {
  return coordinate(x) + "," + coordinate(y);
}

// Horizontal pieces at the height of each bin, from the ground to the ground.
std::string steps(const std::vector<double>& bins, double highest) {
  std::string path = "M" + point(0, kPlotHeight);
  for (std::size_t i = 0; i < bins.size(); ++i) {
    const double share = highest > 0 ? logCount(bins[i]) / highest : 0;
    const double y = kPlotHeight * (1 - 0.94 * share);
    path += "V" + coordinate(y);
    path += "H" +
            coordinate(kPlotWidth * static_cast<double>(i + 1) / static_cast<double>(bins.size()));
  }
  return path + "V" + coordinate(kPlotHeight);
}

double position(double value, const OutputHistogram& histogram) {
  const double span = static_cast<double>(histogram.high) - static_cast<double>(histogram.low);
  if (!(span > 0)) return 0;
  return std::clamp((value - static_cast<double>(histogram.low)) / span, 0.0, 1.0) * kPlotWidth;
}

std::string band(const LayerResult& layer) {
  if (!layer.representableMin || !layer.representableMax) return {};
  const double left = position(*layer.representableMin, *layer.histogram);
  const double right = position(*layer.representableMax, *layer.histogram);
  std::string svg = "<rect class=\"band\" x=\"" + coordinate(left);
  svg += "\" y=\"0\" width=\"" + coordinate(std::max(right - left, 0.0));
  svg += "\" height=\"" + coordinate(kPlotHeight) + "\"/>";
  for (const double edge : {left, right}) {
    svg += "<path class=\"edge\" d=\"M" + point(edge, 0) + "V" + coordinate(kPlotHeight) + "\"/>";
  }
  return svg;
}

std::string label(double x, const char* anchor, double value) {
  std::string svg = "<text x=\"" + coordinate(x);
  svg += "\" y=\"" + coordinate(kPlotHeight + 14);
  svg += std::string("\" text-anchor=\"") + anchor + "\">" + shortNumber(value) + "</text>";
  return svg;
}

// The ends, and zero where it is clear of them.
std::string axis(const OutputHistogram& histogram) {
  std::string svg =
      "<path class=\"axis\" d=\"M" + point(0, kPlotHeight) + "H" + coordinate(kPlotWidth);
  svg += "\"/>" + label(0, "start", static_cast<double>(histogram.low));
  svg += label(kPlotWidth, "end", static_cast<double>(histogram.high));
  const double zero = position(0, histogram);
  if (zero > 0.15 * kPlotWidth && zero < 0.85 * kPlotWidth) svg += label(zero, "middle", 0);
  return svg;
}

}  // namespace

std::string histogramSvg(const LayerResult& layer) {
  if (!layer.histogram || layer.histogram->reference.empty()) return {};
  const std::vector<double> reference = merged(layer.histogram->reference);
  const std::vector<double> quantized = merged(layer.histogram->quantized);
  double highest = 0;
  for (const std::vector<double>* bins : {&reference, &quantized}) {
    for (const double count : *bins) highest = std::max(highest, logCount(count));
  }
  std::string svg =
      "<svg class=\"histogram\" role=\"img\" aria-label=\"Distribution of the output, "
      "float against quantized\" viewBox=\"-1 -1 " +
      coordinate(kPlotWidth + 2) + " " + coordinate(kPlotHeight + kAxis) + "\">";
  svg += band(layer);
  svg += "<path class=\"float\" d=\"" + steps(reference, highest) + "\"/>";
  svg += "<path class=\"quantized\" d=\"" + steps(quantized, highest) + "\"/>";
  return svg + axis(*layer.histogram) + "</svg>";
}

}  // namespace quantscope
