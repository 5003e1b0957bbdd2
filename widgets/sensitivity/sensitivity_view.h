#pragma once

#include "jobs/sensitivity/sensitivity_in_steps.h"
#include "widgets/view/snapshot_view.h"

class QJsonObject;
class QLabel;
class QStackedWidget;
class QTabWidget;

namespace quantscope {

class FrontPane;
class SensitivityBar;
class SensitivityTable;
class WideningPane;

/// Which layers matter: what each does to the outputs in some types, what widening the worst of
/// them brings, and the configurations that a search finds. It measures nothing itself.
class SensitivityView : public SnapshotView {
  Q_OBJECT

 public:
  explicit SensitivityView(const ViewContext& context, QWidget* parent = nullptr);

  SensitivityRequest request() const;
  /// Null = nothing was measured yet.
  void setState(const SensitivityStatePtr& state);
  const SensitivityStatePtr& state() const { return m_state; }
  SensitivityBar& bar() { return *m_bar; }
  WideningPane& widening() { return *m_widening; }
  FrontPane& front() { return *m_front; }
  /// Brings the search in front of the curve.
  void raiseFront();

  /// The types and what is looked at.
  QByteArray saveState() const override;
  bool restoreState(const QByteArray& state) override;

 protected:
  void showSnapshot() override;
  void showSelection() override;

 private:
  void showState();
  QString emptyWords() const;
  void restoreProfiles(const QJsonObject& from);

  SensitivityStatePtr m_state;
  SensitivityBar* m_bar;
  SensitivityTable* m_table;
  QLabel* m_empty;
  QStackedWidget* m_rows;
  WideningPane* m_widening;
  FrontPane* m_front;
  QTabWidget* m_beside;
};

}  // namespace quantscope
