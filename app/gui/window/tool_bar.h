#pragma once

#include <QToolBar>

#include "actions.h"
#include "widgets/view/display_options.h"

class QComboBox;
class QLineEdit;
class QToolButton;

namespace quantscope {

/// The tool bar: opening and running, the metric of the colours, and the search.
class ToolBar : public QToolBar {
  Q_OBJECT

 public:
  ToolBar(Actions& actions, DisplayOptions& options, QWidget* window);

  QLineEdit* search() const { return m_search; }
  QComboBox* metrics() const { return m_metrics; }
  /// Run gives its place to Cancel.
  void setRunning(bool running);

 Q_SIGNALS:
  /// The words in the search field have changed, or Enter was pressed in it.
  void searchChanged(const QString& words);
  void nextRequested(const QString& words, bool forward);

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  QToolButton* addButton(QAction* action, const QString& title);
  void addMetrics();
  void addKinds();
  void addSearch();
  void showRunTitle();

  Actions& m_actions;
  DisplayOptions& m_options;
  QComboBox* m_metrics;
  QLineEdit* m_search;
  QToolButton* m_run;
};

}  // namespace quantscope
