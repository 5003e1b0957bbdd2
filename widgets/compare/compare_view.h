#pragma once

#include <vector>

#include "widgets/view/layer_index.h"
#include "widgets/view/snapshot_view.h"

class QLabel;
class QStackedWidget;
class QTableWidget;

namespace quantscope {

class ScatterChart;

/// Two configurations side by side: the SQNR of each layer under both, and that of each sample at
/// the output.
class CompareView : public SnapshotView {
  Q_OBJECT

 public:
  explicit CompareView(const ViewContext& context, QWidget* parent = nullptr);

 protected:
  void showSnapshot() override;
  void showOptions() override;
  void showSelection() override;

 private:
  void showLayers();
  void showSamples();

  LayerIndex m_layers;
  std::vector<std::size_t> m_layerOf;  // by point
  QLabel* m_words;
  ScatterChart* m_chart;
  QTableWidget* m_samples;
  QLabel* m_empty;
  QStackedWidget* m_pages;
};

}  // namespace quantscope
