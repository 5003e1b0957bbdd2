#pragma once

#include "widgets/background/newest_work.h"
#include "widgets/charts/weight_statistics.h"
#include "widgets/inspector/parts/inspector_section.h"

class QPushButton;

namespace quantscope {

class CellTable;
class HistogramPanel;

/// The weights of a layer: their distribution, their grid, and the channel that sets their range.
/// Large ones are read in the background.
class WeightsSection : public InspectorSection {
  Q_OBJECT

 public:
  /// More than `mostAtOnce` weights are read in the background.
  explicit WeightsSection(Selection* selection, std::size_t mostAtOnce = kMostWeightsAtOnce,
                          QWidget* parent = nullptr);
  QString asText() const override;

 Q_SIGNALS:
  /// The user wants to repair this layer.
  void repairRequested();

 protected:
  bool appliesTo(const InspectorSubject& subject) const override;
  void refresh() override;
  QList<QAction*> furtherActions() override;

 private:
  void measureInBackground();
  void show(const WeightStatistics& weights);

  Selection* m_selection;
  std::size_t m_mostAtOnce;
  QLabel* m_dominance;
  HistogramPanel* m_panel;
  QLabel* m_grid;
  CellTable* m_facts;
  QPushButton* m_repair;
  // The subject of the last measurement, or of the running one.
  std::shared_ptr<const QuantizedModel> m_model;
  std::size_t m_layer = 0;
  int m_dominating = -1;
  NewestWork m_reading;
};

}  // namespace quantscope
