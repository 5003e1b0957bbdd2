#pragma once

#include <vector>

#include "widgets/view/layer_index.h"
#include "widgets/view/snapshot_view.h"

class QLabel;
class QStackedWidget;
class QTableWidget;

namespace quantscope {

class SampleReader;
class ScatterChart;

/// Two configurations side by side: the SQNR of each layer under both, and of each sample the SQNR
/// at the output and the class that it is taken for. Samples that change class come first.
class CompareView : public SnapshotView {
  Q_OBJECT

 public:
  explicit CompareView(const ViewContext& context, QWidget* parent = nullptr);

 protected:
  void showSnapshot() override;
  void showOptions() override;
  void showSelection() override;
  bool showsOther() const override { return true; }

 private:
  void clear();
  void showLayers();
  void showSamples();
  void showPictures();
  void markSample();
  QString samplesWords(const OutputResult& output, bool classes, std::size_t changed,
                       std::size_t all) const;

  LayerIndex m_layers;
  std::vector<std::size_t> m_layerOf;  // by point
  QLabel* m_words;
  ScatterChart* m_chart;
  QLabel* m_changed;
  QTableWidget* m_samples;
  SampleReader* m_reader;
  QLabel* m_empty;
  QStackedWidget* m_pages;
};

}  // namespace quantscope
