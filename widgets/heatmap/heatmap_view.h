#pragma once

#include "widgets/heatmap/build_heatmap.h"
#include "widgets/view/layer_index.h"
#include "widgets/view/snapshot_view.h"

class QActionGroup;
class QCheckBox;
class QLabel;

namespace quantscope {

class ChannelStrip;
class ElidedLabel;
class HeatmapCanvas;
class HeatmapLegend;
class HeatmapReadout;
class Segments;
struct Picture;

/// Layers against metrics, samples or channels, coloured by error.
class HeatmapView : public SnapshotView {
  Q_OBJECT

 public:
  explicit HeatmapView(const ViewContext& context, QWidget* parent = nullptr);

  HeatmapMode mode() const { return m_mode; }
  void setMode(HeatmapMode mode);
  HeatmapCanvas& canvas() const { return *m_canvas; }
  /// What the layers are set against, which rows are shown, and the order of channels.
  QByteArray saveState() const override;
  bool restoreState(const QByteArray& state) override;

 protected:
  void showSnapshot() override;
  void showOptions() override;
  void showSelection() override;
  void resizeEvent(QResizeEvent* event) override;

 private:
  Segments* buildModes();
  void buildControls();
  void buildStrip();
  void addCopyActions();
  /// The layer that is selected; −1 = none.
  int selectedLayer() const;
  void select(int row, int column);
  void readOut(int row, int column, int cells);
  void showStrip();
  void showThreshold();
  const HeatmapMeasure* legendMeasure() const;
  QString message() const;
  Picture picture() const;

  HeatmapMode m_mode = HeatmapMode::Metrics;
  LayerIndex m_index;
  QActionGroup* m_modes;
  QCheckBox* m_dataMovers;
  QCheckBox* m_withoutFigures;
  ElidedLabel* m_words;
  HeatmapCanvas* m_canvas;
  QWidget* m_stripBox;
  QLabel* m_stripTitle;
  QCheckBox* m_stripSorted;
  ChannelStrip* m_strip;
  HeatmapReadout* m_readout;
  QWidget* m_bottom;
  HeatmapLegend* m_legend;
};

}  // namespace quantscope
