#pragma once

#include <QBrush>
#include <QColor>
#include <QString>
#include <vector>

#include "analysis/analysis_result.h"
#include "export/metric_catalogue.h"
#include "widgets/look/theme.h"

namespace quantscope {

/// The figure of a layer under one metric and one kind of error.
struct Figure {
  enum class Kind { Value, NotQuantized, NotComputed };
  Kind kind = Kind::NotComputed;
  double value = 0;  ///< of Kind::Value; never NaN

  friend bool operator==(const Figure&, const Figure&) = default;
};

/// The first less the second; both infinite = no difference. Figures without a value stay.
Figure differenceOf(const Figure& figure, const Figure& other);

/// Maps figures of one metric to colours, from calm to hot.
///
/// Metrics that mean the same in every model have fixed anchors, equal to each other where one
/// follows from the other: SQNR 50 … 10 dB, NMSE 10⁻⁵ … 10⁻¹, cosine 1 − NMSE/2 (equal energies),
/// RMSE/scale 0.289 (ideal rounding) … 4.6 (24 dB above). Those in the unit of the value have none;
/// they, and all others when `stretch` is asked for, run from the best to the worst layer of the
/// model, on a logarithmic scale.
class ErrorScale {
 public:
  /// A mark of the legend.
  struct Mark {
    double position = 0;
    QString text;
  };

  ErrorScale() = default;
  ErrorScale(const MetricDescription& metric, const std::vector<Figure>& figures, bool stretch);

  /// A scale for differences: unchanged is the middle and has no colour, better is blue, worse as
  /// hot as errors are. SQNR spans −20 … 20 dB, other metrics the largest difference both ways.
  static ErrorScale ofDifferences(const MetricDescription& metric,
                                  const std::vector<Figure>& figures);

  /// 0 = calm … 1 = hot.
  double position(double figure) const;
  QColor colour(double figure) const;
  /// The position not held between calm and hot, to tell the worst of several: ±∞ for a figure
  /// beyond all others.
  double heat(double figure) const;
  /// The figure at a position, as the legend writes it, with its unit: "20.0 dB".
  QString textAt(double position) const;
  /// The colour of a position.
  QColor colourAt(double position) const;
  /// The same of a scale of errors.
  static QColor ramp(double position);
  /// Black or white, whichever reads better on `background`.
  static QColor textOn(const QColor& background);

  const std::vector<Mark>& marks() const { return m_marks; }
  /// True where colours compare only layers of this model; the legend says so.
  bool stretched() const { return m_stretched; }
  const MetricDescription& metric() const { return *m_metric; }
  bool showsDifferences() const { return m_differences; }

 private:
  /// A figure as a number that is higher for worse, spaced as the eye should see it.
  double severity(double figure) const;
  QString markText(double severity) const;
  void addMarks();

  const MetricDescription* m_metric = &metricCatalogue().front();
  bool m_stretched = false;
  bool m_differences = false;
  double m_calm = -50;
  double m_hot = -10;
  std::vector<Mark> m_marks;
};

/// Hatched = not quantized, dotted = not computed, on the given background.
QBrush absenceBrush(Figure::Kind kind, const Theme& theme);
/// "not quantized", "not computed"
QString absenceText(Figure::Kind kind);

}  // namespace quantscope
