#pragma once

#include <QWidget>
#include <map>

#include "analysis/sensitivity/sensitivity.h"
#include "widgets/sensitivity/run_status.h"
#include "widgets/sensitivity/types_button.h"

class QLabel;
class QPushButton;

namespace quantscope {

/// What a sensitivity analysis is to try, and the button that starts, pauses and resumes it.
class SensitivityBar : public QWidget {
  Q_OBJECT

 public:
  explicit SensitivityBar(QWidget* parent = nullptr);

  void setChoices(const TypeChoices* choices) { m_types->setChoices(choices); }
  SensitivityRequest request() const;
  /// Also those of them that no layer of this model can take.
  std::vector<QuantType> chosenTypes() const { return m_types->chosenTypes(); }
  void setRequest(const SensitivityRequest& request);
  /// `begun`: some rows are known; `complete`: all of them.
  void setStatus(const RunStatus& status, bool begun, bool complete);

 Q_SIGNALS:
  void requestChanged();
  /// By the user.
  void startRequested();
  void pauseRequested();

 private:
  TypesButton* m_types;
  QAction* m_aroundFloat;
  QAction* m_aroundConfiguration;
  std::map<PrecisionPart, QAction*> m_parts;
  QPushButton* m_run;
  QLabel* m_status;
  bool m_running = false;
};

}  // namespace quantscope
