#include "widgets/charts/chart_ticks.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "widgets/look/text.h"

namespace quantscope {
namespace {

constexpr int kMostCountTicks = 5;

// 1, 2 or 5 times a power of ten.
double roundStep(double wanted) {
  const double power = std::pow(10, std::floor(std::log10(wanted)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (factor * power >= wanted * 0.999) return factor * power;
  }
  return 10 * power;
}

}  // namespace

std::vector<double> roundNumbers(double low, double high, int count) {
  std::vector<double> numbers;
  if (!(high > low)) return numbers;
  const double step = roundStep((high - low) / std::max(count, 1));
  // Computed from the index, so that rounding errors do not add up; + 0.0 turns −0 into 0.
  const double first = std::ceil(low / step - 1e-9);
  for (double i = first; i * step <= high + 1e-9 * step; ++i) numbers.push_back(i * step + 0.0);
  return numbers;
}

std::vector<ChartTick> valueTicks(double low, double high, int count) {
  std::vector<ChartTick> ticks;
  for (const double number : roundNumbers(low, high, count)) {
    const QString label = shortText(number);
    if (ticks.empty() || ticks.back().text != label) ticks.push_back({number, label});
  }
  return ticks;
}

double countHeight(double count, bool logarithmic) {
  if (!logarithmic) return count;
  return count < 1 ? 0 : 1 + std::log10(count);
}

std::vector<ChartTick> countTicks(double most, bool logarithmic) {
  std::vector<ChartTick> ticks{{0, QStringLiteral("0")}};
  if (!(most > 0)) return ticks;
  if (!logarithmic) {
    const double step = std::max(1.0, roundStep(most / (kMostCountTicks - 1)));
    for (double i = 1; i * step <= most; ++i) ticks.push_back({i * step, countText(i * step)});
    return ticks;
  }
  const int powers = static_cast<int>(std::floor(std::log10(std::max(most, 1.0))));
  const int step = powers / kMostCountTicks + 1;
  for (int power = 0; power <= powers; power += step) {
    ticks.push_back({1.0 + power, countText(std::pow(10, power))});
  }
  return ticks;
}

QString countText(double count) {
  static constexpr std::array<const char*, 5> kSuffixes{"", "k", "M", "G", "T"};
  std::size_t suffix = 0;
  while (count >= 999.5 && suffix + 1 < kSuffixes.size()) {
    count /= 1000;
    ++suffix;
  }
  return QString::number(count, 'g', 3) + QLatin1String(kSuffixes[suffix]);
}

}  // namespace quantscope
