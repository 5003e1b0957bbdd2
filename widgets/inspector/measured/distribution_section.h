#pragma once

#include "widgets/inspector/parts/inspector_section.h"
#include "widgets/view/precision_editor.h"

namespace quantscope {

class CellTable;
class HistogramPanel;

/// The distribution of a layer's output or of a value: float against quantized, what the grid can
/// represent and what it clips.
class DistributionSection : public InspectorSection {
  Q_OBJECT

 public:
  /// Without an editor the ends of the grid cannot be dragged.
  explicit DistributionSection(PrecisionEditor* editor, QWidget* parent = nullptr);
  QString asText() const override;
  HistogramPanel& panel() { return *m_panel; }

 protected:
  bool appliesTo(const InspectorSubject& subject) const override;
  void refresh() override;
  QList<QAction*> furtherActions() override;

 private:
  bool canSetRange() const;
  void foresee(double low, double high);
  void setRange(double low, double high);

  PrecisionEditor* m_editor;
  QLabel* m_words;
  HistogramPanel* m_panel;
  CellTable* m_facts;
};

}  // namespace quantscope
