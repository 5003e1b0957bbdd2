#pragma once

#include <QWidget>
#include <optional>

#include "search/widening.h"
#include "widgets/sensitivity/run_status.h"

class QComboBox;
class QLabel;
class QPushButton;
class QSpinBox;

namespace quantscope {

class CurveChart;

/// The cumulative curve: what the network is like with its k most sensitive layers in a wider type.
/// k is dragged, or any number of layers asked for; a button applies it.
class WideningPane : public QWidget {
  Q_OBJECT

 public:
  explicit WideningPane(QWidget* parent = nullptr);

  QuantType type() const;
  void setType(QuantType type);
  /// The first point is of the configuration as it is. `most`: layers that can be wider.
  void setCurve(const WideningCurve& curve, std::size_t most, const RunStatus& status);
  /// A curve that stays to be looked at until there is one of what is shown now; its points cannot
  /// be applied. `words`: what it is of.
  void setEarlierCurve(const WideningCurve& curve, std::size_t most, const QString& words);
  /// In the place of a curve.
  void setHint(const QString& sentence);
  /// The chosen point; nullptr = none.
  const WideningPoint* current() const;
  /// The number of layers that the user has chosen; none = the pane shows the knee of the curve.
  std::optional<std::size_t> chosenCount() const;
  CurveChart& chart() { return *m_chart; }
  /// The chosen number of layers, which may be shown for the knee of the curve.
  std::size_t count() const { return m_count; }
  /// That point is measured, and of what is shown now.
  bool canApply() const { return current() != nullptr && m_count > 0 && !m_earlier; }

 Q_SIGNALS:
  /// By the user.
  void typeChanged();
  void applyRequested(std::size_t count);
  /// A point that the curve does not have yet.
  void countRequested(std::size_t count);

 private:
  void draw(const WideningCurve& curve, std::size_t most, const QString& words);
  void chooseCount(std::size_t count);
  void showCurrent();

  WideningCurve m_curve;
  std::vector<std::size_t> m_drawn;  // by point of the chart: place in the curve
  std::size_t m_count = 0;           // that is chosen
  bool m_chosen = false;             // by the user
  bool m_earlier = false;            // the curve is no longer of what is shown
  QComboBox* m_type;
  QSpinBox* m_k;
  CurveChart* m_chart;
  QLabel* m_words;
  QLabel* m_status;
  QPushButton* m_apply;
};

}  // namespace quantscope
