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

 Q_SIGNALS:
  void applyRequested();
  /// The user wants to win back errors without other types.
  void repairRequested();

 protected:
  bool appliesTo(const InspectorSubject& subject) const override;
  void refresh() override;

 private:
  void select();
  QString figuresOf(const NextChange& next) const;

  Selection* m_selection;
  QLabel* m_sentence;
  QLabel* m_figures;
  QPushButton* m_apply;
  QPushButton* m_show;
  QPushButton* m_repair;
};

}  // namespace quantscope
