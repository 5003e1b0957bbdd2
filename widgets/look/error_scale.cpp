#include "widgets/look/error_scale.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string_view>

#include "export/pictures/colour_map.h"
#include "widgets/look/text.h"

namespace quantscope {
namespace {

using namespace std::string_view_literals;

constexpr int kMarks = 5;
constexpr double kMostDifferenceDb = 20;
constexpr double kIdealRounding = 0.28867513459481287;  // 1/√12

bool is(const MetricDescription& metric, std::string_view key) {
  return metric.key == key;
}

// 10·log10 of a ratio; −∞ for 0.
double decibels(double ratio) {
  return 10 * std::log10(ratio);
}

bool hasFixedAnchors(const MetricDescription& metric) {
  return is(metric, "sqnr_db") || is(metric, "nmse") || is(metric, "cosine") ||
         is(metric, "rmse_over_scale");
}

QColor toQt(Colour colour) {
  return {colour.red, colour.green, colour.blue};
}

// Of differences.
constexpr QColor kUnchanged(0xD3, 0xD5, 0xD8);
constexpr QColor kBetter(0x3A, 0x86, 0xC0);

QColor between(const QColor& from, const QColor& to, double share) {
  const auto mixed = [share](int a, int b) { return static_cast<int>(a + (b - a) * share + 0.5); };
  return {mixed(from.red(), to.red()), mixed(from.green(), to.green()),
          mixed(from.blue(), to.blue())};
}

}  // namespace

ErrorScale::ErrorScale(const MetricDescription& metric, const std::vector<Figure>& figures,
                       bool stretch)
    : m_metric(&metric), m_stretched(stretch || !hasFixedAnchors(metric)) {
  if (is(metric, "rmse_over_scale")) {
    m_calm = 2 * decibels(kIdealRounding);
    m_hot = m_calm + 24;
  }
  if (m_stretched) {
    double calm = std::numeric_limits<double>::infinity();
    double hot = -calm;
    for (const Figure& figure : figures) {
      if (figure.kind != Figure::Kind::Value) continue;
      const double worse = severity(figure.value);
      if (!std::isfinite(worse)) continue;
      calm = std::min(calm, worse);
      hot = std::max(hot, worse);
    }
    if (calm <= hot) {
      m_calm = calm;
      m_hot = std::max(hot, calm + 1);
    }
  }
  addMarks();
}

ErrorScale ErrorScale::ofDifferences(const MetricDescription& metric,
                                     const std::vector<Figure>& figures) {
  ErrorScale scale(metric, {}, false);
  scale.m_differences = true;
  double most = is(metric, "sqnr_db") ? kMostDifferenceDb : 0;
  if (most == 0) {
    for (const Figure& figure : figures) {
      if (figure.kind == Figure::Kind::Value && std::isfinite(figure.value)) {
        most = std::max(most, std::abs(figure.value));
      }
    }
  }
  scale.m_stretched = !is(metric, "sqnr_db");
  scale.m_hot = most > 0 ? most : 1;
  scale.m_calm = -scale.m_hot;
  scale.m_marks.clear();
  scale.addMarks();
  return scale;
}

Figure differenceOf(const Figure& figure, const Figure& other) {
  if (figure.kind != Figure::Kind::Value) return figure;
  if (other.kind != Figure::Kind::Value) return other;
  const double difference = figure.value - other.value;
  return {Figure::Kind::Value, std::isnan(difference) ? 0 : difference};
}

void ErrorScale::addMarks() {
  for (int i = 0; i < kMarks; ++i) {
    const double position = static_cast<double>(i) / (kMarks - 1);
    m_marks.push_back({position, markText(m_calm + position * (m_hot - m_calm))});
  }
}

double ErrorScale::severity(double figure) const {
  const bool highIsGood = is(*m_metric, "sqnr_db") || is(*m_metric, "cosine");
  if (m_differences) return highIsGood ? -figure : figure;
  if (is(*m_metric, "sqnr_db")) return -figure;
  if (is(*m_metric, "nmse") || is(*m_metric, "mse")) return decibels(figure);
  // With equal energies the squared distance is 2·(1 − cos) of the energy.
  if (is(*m_metric, "cosine")) return decibels(std::max(0.0, 2 * (1 - figure)));
  return 2 * decibels(std::abs(figure));
}

QString ErrorScale::markText(double severity) const {
  if (m_differences) {
    const double figure = this->severity(severity);  // its own reverse
    return (figure > 0 ? QStringLiteral("+") : QString()) + shortText(figure);
  }
  if (is(*m_metric, "sqnr_db")) return shortText(-severity);
  if (is(*m_metric, "nmse") || is(*m_metric, "mse")) {
    return QString::number(std::pow(10, severity / 10), 'g', 2);
  }
  if (is(*m_metric, "cosine")) {
    // Enough nines to tell the mark from 1.
    return QString::number(1 - std::pow(10, severity / 10) / 2, 'g', 7);
  }
  return QString::number(std::pow(10, severity / 20), 'g', 2);
}

double ErrorScale::heat(double figure) const {
  const double worse = severity(figure);
  return std::isnan(worse) ? 1 : (worse - m_calm) / (m_hot - m_calm);
}

double ErrorScale::position(double figure) const {
  return std::clamp(heat(figure), 0.0, 1.0);
}

QString ErrorScale::textAt(double position) const {
  const QString number = markText(m_calm + position * (m_hot - m_calm));
  const QString unit = text(m_metric->unit);
  return unit.isEmpty() ? number : number + u' ' + unit;
}

QColor ErrorScale::colour(double figure) const {
  return colourAt(position(figure));
}

// Faint for small differences, and away from grey at once.
QColor ErrorScale::colourAt(double position) const {
  if (!m_differences) return ramp(position);
  const double worse = std::clamp(2 * position - 1, -1.0, 1.0);
  const QColor end = worse < 0 ? kBetter : ramp(0.5 + worse / 2);
  return between(kUnchanged, end, std::sqrt(std::abs(worse)));
}

QColor ErrorScale::ramp(double position) {
  const double calm = kErrorAnchorsDb.front();
  return toQt(errorColour(calm + position * (kErrorAnchorsDb.back() - calm)));
}

QColor ErrorScale::textOn(const QColor& background) {
  const Colour colour{static_cast<std::uint8_t>(background.red()),
                      static_cast<std::uint8_t>(background.green()),
                      static_cast<std::uint8_t>(background.blue())};
  return toQt(textColourOn(colour));
}

QBrush absenceBrush(Figure::Kind kind, const Theme& theme) {
  return {theme.hatch, kind == Figure::Kind::NotQuantized ? Qt::BDiagPattern : Qt::Dense6Pattern};
}

QString absenceText(Figure::Kind kind) {
  return kind == Figure::Kind::NotQuantized ? QStringLiteral("not quantized")
                                            : QStringLiteral("not computed");
}

}  // namespace quantscope
