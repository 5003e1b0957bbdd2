#pragma once

#include <QWidget>
#include <map>
#include <vector>

#include "export/report/procedure.h"

class QScrollArea;
class QVBoxLayout;

namespace quantscope {

class GuideStep;

/// Walks the procedure with the model's own figures, a step below the other.
class GuidePanel : public QWidget {
  Q_OBJECT

 public:
  /// The action that a step offers.
  struct Action {
    QString text;  ///< of the button; empty = none
    QString toolTip;
    bool enabled = true;
  };
  using StepActions = std::map<ProcedureStage, Action>;

  explicit GuidePanel(QWidget* parent = nullptr);

  /// The steps as they stand; none while no model is open.
  void setSteps(const std::vector<ProcedureStep>& steps, const StepActions& actions);
  /// All steps with their sentences, for the clipboard.
  QString asText() const;
  QSize sizeHint() const override;

 Q_SIGNALS:
  /// It can be seen from now on.
  void shown();
  void actionRequested(quantscope::ProcedureStage stage);

 protected:
  void contextMenuEvent(QContextMenuEvent* event) override;
  void showEvent(QShowEvent* event) override;
  void changeEvent(QEvent* event) override;

 private:
  void scrollSoon();
  void scrollToNext();

  std::vector<ProcedureStep> m_shown;
  QWidget* m_empty;
  QWidget* m_list;
  QVBoxLayout* m_column;
  QScrollArea* m_scroll;
  std::size_t m_next = 0;  // the first step that is open
  std::vector<GuideStep*> m_steps;
};

}  // namespace quantscope
