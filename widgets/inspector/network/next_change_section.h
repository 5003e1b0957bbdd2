#pragma once

#include "search/advice/next_change.h"
#include "widgets/inspector/parts/inspector_section.h"

class QLabel;
class QPushButton;

namespace quantscope {

/// The one change of the configuration that helps most, with its gain and cost.
class NextChangeSection : public InspectorSection {
  Q_OBJECT

 public:
  explicit NextChangeSection(Selection* selection, QWidget* parent = nullptr);
  QString asText() const override;
  /// What the search for the change is doing, in words; empty = nothing to tell yet.
  void setProgress(const QString& words);
  /// The search was stopped by the user, or goes on again.
  void setStopped(bool stopped);

 Q_SIGNALS:
  void applyRequested();
  /// The user wants the search for the change to end, or to begin again.
  void stopRequested();
  void startRequested();
  /// The user wants to win back errors without other types.
  void repairRequested();

 protected:
  bool appliesTo(const InspectorSubject& subject) const override;
  void refresh() override;

 private:
  void select();
  void showSearch();
  QString figuresOf(const NextChange& next) const;

  Selection* m_selection;
  QLabel* m_sentence;
  QLabel* m_figures;
  QLabel* m_progress;
  QPushButton* m_search;  // stops the search, or starts it again
  QPushButton* m_apply;
  QPushButton* m_show;
  QPushButton* m_repair;
  QString m_doing;
  bool m_stopped = false;
};

}  // namespace quantscope
