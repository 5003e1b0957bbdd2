#pragma once

#include <QWidget>

#include "search/optimized_config.h"
#include "widgets/sensitivity/run_status.h"
#include "widgets/sensitivity/types_button.h"

class QLabel;
class QPushButton;
class QSlider;
class QTableWidget;

namespace quantscope {

class CurveChart;

/// The configurations that a search has found none better than: error against bytes. A budget or a
/// click chooses one, which tells why its layers are what they are.
class FrontPane : public QWidget {
  Q_OBJECT

 public:
  explicit FrontPane(QWidget* parent = nullptr);

  void setChoices(const TypeChoices* choices) { m_types->setChoices(choices); }
  std::vector<QuantType> types() const { return m_types->types(); }
  void setTypes(const std::vector<QuantType>& types) { m_types->setTypes(types); }
  void setFront(const std::vector<FrontPoint>& front);
  void setStatus(const RunStatus& status, bool canSearch);
  /// Index into the front; −1 = none.
  int current() const { return m_current; }
  const std::vector<FrontPoint>& front() const { return m_front; }
  CurveChart& chart() { return *m_chart; }

 Q_SIGNALS:
  /// By the user.
  void typesChanged();
  void searchRequested();
  void stopRequested();
  void previewRequested(int point);
  void adoptRequested(int point);
  void nodeChosen(const QString& name);

 private:
  void layOut();
  void choose(int point);
  void chooseWithin(int percent);
  void showFront();
  void showCurrent();
  double bytesAt(int percent) const;

  std::vector<FrontPoint> m_front;
  int m_current = -1;
  bool m_running = false;
  TypesButton* m_types;
  QPushButton* m_search;
  QPushButton* m_adopt;
  CurveChart* m_chart;
  QSlider* m_budget;
  QLabel* m_budgetWords;
  QLabel* m_words;
  QLabel* m_status;
  QTableWidget* m_reasons;
};

}  // namespace quantscope
