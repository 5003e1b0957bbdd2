#pragma once

#include "jobs/analysis/config_gains.h"
#include "widgets/inspector/parts/inspector_section.h"
#include "widgets/view/precision_editor.h"

namespace quantscope {

class CellTable;
class HistogramPanel;
class RangeFields;
struct HistogramData;

/// The distribution of a layer's output or of a value: float against quantized, the range of the
/// grid and the clipped part.
class DistributionSection : public InspectorSection {
  Q_OBJECT

 public:
  /// Without an editor the ends of the grid cannot be dragged.
  explicit DistributionSection(PrecisionEditor* editor, QWidget* parent = nullptr);
  QString asText() const override;
  HistogramPanel& panel() { return *m_panel; }
  /// Sets the gain of the network's outputs by the range that is being dragged.
  void setForeseen(const ConfigGain& gain);

 Q_SIGNALS:
  /// While an end is dragged: the configuration that it would be.
  void foreseeRequested(const quantscope::Configuration& config);

 protected:
  bool appliesTo(const InspectorSubject& subject) const override;
  void refresh() override;
  QList<QAction*> furtherActions() override;

 private:
  bool canSetRange() const;
  PrecisionFields fieldsOf(double low, double high) const;
  void foresee(double low, double high);
  void setRange(double low, double high);
  void clearRange();
  void showRange(const HistogramData& histogram);

  PrecisionEditor* m_editor;
  QLabel* m_words;
  HistogramPanel* m_panel;
  QWidget* m_rangeRow;
  RangeFields* m_range;
  CellTable* m_facts;
  QString m_foreseen;  // of the layer alone, while an end is dragged
  std::shared_ptr<const AnalysisResult> m_foreseenOf;
  std::size_t m_foreseenLayer = 0;
};

}  // namespace quantscope
