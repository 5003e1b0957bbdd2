#include "widgets/ranges/range_axis.h"

#include <algorithm>
#include <cmath>

#include "widgets/charts/chart_ticks.h"
#include "widgets/look/text.h"

namespace quantscope {
namespace {

struct Extent {
  double low = 0;
  double high = 0;

  void include(const Range& range) {
    low = std::min<double>(low, range.low);
    high = std::max<double>(high, range.high);
  }
  void include(const RangeRow& row) {
    include(row.observed());
    if (row.grid) include(*row.grid);
  }
};

double medianSize(const std::vector<RangeRow>& rows) {
  std::vector<double> sizes;
  for (const RangeRow& row : rows) {
    if (row.observation->absmax() > 0) sizes.push_back(row.observation->absmax());
  }
  if (sizes.empty()) return 1;
  const auto middle = sizes.begin() + static_cast<std::ptrdiff_t>(sizes.size() / 2);
  std::nth_element(sizes.begin(), middle, sizes.end());
  return *middle;
}

QString tickText(double number) {
  if (std::abs(number) >= 1000) return shortText(number);  // "1,000"
  QString text = QString::number(number, 'g', 3);
  if (text.startsWith(u'-')) text[0] = QChar(0x2212);
  return text;
}

}  // namespace

RangeAxis RangeAxis::shared(const std::vector<RangeRow>& rows) {
  Extent extent;
  for (const RangeRow& row : rows) extent.include(row);
  if (extent.low == extent.high) return linear(extent.low - 1, extent.high + 1);
  RangeAxis axis;
  axis.m_linearBelow = std::pow(10, std::floor(std::log10(medianSize(rows))) - 1);
  axis.m_low = axis.scaled(extent.low);
  axis.m_high = axis.scaled(extent.high);
  const auto add = [&](double number) {
    if (number < extent.low || number > extent.high) return;
    axis.m_ticks.push_back({number, axis.position(number), tickText(number)});
  };
  const double largest = std::max(-extent.low, extent.high);
  for (double number = axis.m_linearBelow; number <= largest; number *= 10) add(-number);
  std::ranges::reverse(axis.m_ticks);
  add(0);
  for (double number = axis.m_linearBelow; number <= largest; number *= 10) add(number);
  return axis;
}

RangeAxis RangeAxis::linear(double low, double high) {
  RangeAxis axis;
  axis.m_low = low;
  axis.m_high = high > low ? high : low + 1;
  for (const double number : roundNumbers(axis.m_low, axis.m_high, 4))
    axis.m_ticks.push_back({number, axis.position(number), tickText(number)});
  return axis;
}

RangeAxis RangeAxis::of(const RangeRow& row) {
  Extent extent;
  extent.include(row);
  return linear(extent.low, extent.high);
}

std::vector<RangeAxis::Tick> RangeAxis::ticksOn(double width, const QFontMetricsF& metrics) const {
  std::vector<Tick> wanted = m_ticks;
  std::ranges::stable_sort(wanted, [](const Tick& a, const Tick& b) {
    if ((a.number == 0) != (b.number == 0)) return a.number == 0;
    return std::abs(a.number) > std::abs(b.number);
  });
  std::vector<Tick> placed;
  for (const Tick& tick : wanted) {
    const bool fits = std::ranges::all_of(placed, [&](const Tick& other) {
      const double room =
          (metrics.horizontalAdvance(tick.text) + metrics.horizontalAdvance(other.text)) / 2 +
          metrics.averageCharWidth();
      return std::abs(tick.position - other.position) * width >= room;
    });
    if (fits) placed.push_back(tick);
  }
  return placed;
}

double RangeAxis::scaled(double number) const {
  if (m_linearBelow <= 0) return number;
  return std::copysign(std::log10(1 + std::abs(number) / m_linearBelow), number);
}

double RangeAxis::position(double number) const {
  return std::clamp((scaled(number) - m_low) / (m_high - m_low), 0.0, 1.0);
}

}  // namespace quantscope
