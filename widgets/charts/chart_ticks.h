#pragma once

#include <QString>
#include <vector>

namespace quantscope {

/// A labelled place on an axis.
struct ChartTick {
  double position = 0;
  QString text;
  friend bool operator==(const ChartTick&, const ChartTick&) = default;
};

/// Round numbers from `low` to `high`, about `count` of them: 1, 2 or 5 times a power of ten apart.
std::vector<double> roundNumbers(double low, double high, int count);

/// roundNumbers() with three digits each; no text twice.
std::vector<ChartTick> valueTicks(double low, double high, int count);

/// How high a count stands: the count itself, or 0 for 0 and 1 + log10 of it for others, so that
/// empty bins have a place on a logarithmic axis.
double countHeight(double count, bool logarithmic);

/// Ticks in that height for counts up to `most`.
std::vector<ChartTick> countTicks(double most, bool logarithmic);

/// "950", "12k", "3.4M"
QString countText(double count);

}  // namespace quantscope
