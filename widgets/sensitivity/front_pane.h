#pragma once

#include <QWidget>

#include "search/optimized_config.h"
#include "widgets/sensitivity/run_status.h"
#include "widgets/sensitivity/types_button.h"

class QLabel;
class QPushButton;
class QScrollArea;
class QSlider;
class QTableWidget;

namespace quantscope {

class BudgetField;
class CostsButton;
class CurveChart;
class SearchWays;

/// The configurations that a search has found none better than: error against bytes, or against
/// time. A budget or a click chooses one, which tells why its layers are what they are. What the
/// search has to keep is set beforehand. Beside it is the choice by profiles.
class FrontPane : public QWidget {
  Q_OBJECT

 public:
  explicit FrontPane(QWidget* parent = nullptr);

  void setChoices(const TypeChoices* choices) { m_types->setChoices(choices); }
  std::vector<QuantType> types() const { return m_types->types(); }
  std::vector<QuantType> chosenTypes() const { return m_types->chosenTypes(); }
  void setTypes(const std::vector<QuantType>& types) { m_types->setTypes(types); }
  BudgetField& budget() { return *m_goal; }
  SearchWays& ways() { return *m_ways; }
  /// Shown where the budget is one of time.
  CostsButton& costs() { return *m_costs; }
  /// `cost`: what the front spans; its points ascend by it.
  void setFront(const std::vector<FrontPoint>& front, FrontCost cost);
  /// Marks what the search has chosen, unless the user has marked something; the point is not shown
  /// as B by that.
  void markChosen();
  void setStatus(const RunStatus& status, bool canSearch);
  /// The configuration of the window: a point of it has nothing that could be adopted.
  void setConfiguration(const Configuration& config);
  bool canAdopt() const;
  /// Index into the front; −1 = none.
  int current() const { return m_current; }
  const std::vector<FrontPoint>& front() const { return m_front; }
  CurveChart& chart() { return *m_chart; }

 Q_SIGNALS:
  /// By the user.
  void typesChanged();
  void budgetChanged();
  void searchRequested();
  void stopRequested();
  void previewRequested(int point);
  void adoptRequested(int point);
  void nodeChosen(const QString& name);

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void layOut();
  QScrollArea* makeFound();
  void fitFound();
  void choose(int point);
  void chooseWithin(int percent);
  void showCosts();
  void showFront();
  void showCurrent();
  void showAdoption();
  double costOf(int point) const;
  double sqnrOf(int point) const;
  int unbeatenCount() const;
  double budgetAt(int percent) const;

  std::vector<FrontPoint> m_front;
  FrontCost m_cost = FrontCost::Bytes;
  int m_current = -1;
  int m_previewed = -1;
  bool m_running = false;
  bool m_failed = false;
  std::optional<Configuration> m_config;  // of the window
  TypesButton* m_types;
  BudgetField* m_goal;
  CostsButton* m_costs;
  QPushButton* m_search;
  QPushButton* m_adopt;
  CurveChart* m_chart;
  QSlider* m_budget;
  QLabel* m_budgetWords;
  QLabel* m_words;
  QLabel* m_status;
  QTableWidget* m_reasons;
  QScrollArea* m_found;  // all of what a search has found
  SearchWays* m_ways;
};

}  // namespace quantscope
