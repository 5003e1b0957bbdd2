#pragma once

#include "widgets/heatmap/build_heatmap.h"
#include "widgets/view/layer_index.h"
#include "widgets/view/layer_maps.h"
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
class LayerMapPane;
class Segments;
struct ViewPicture;

/// Layers against metrics, samples or channels, or the channels of one layer against samples,
/// coloured by error.
class HeatmapView : public SnapshotView {
  Q_OBJECT

 public:
  explicit HeatmapView(const ViewContext& context, QWidget* parent = nullptr);

  HeatmapMode mode() const { return m_mode; }
  void setMode(HeatmapMode mode);
  HeatmapCanvas& canvas() const { return *m_canvas; }
  LayerMapPane& mapPane() const { return *m_mapPane; }

  /// The maps that are shown and still missing.
  std::optional<LayerMapRequest> mapsAsked() const;
  /// Sets the maps of a result; maps of a result that is not shown are dropped.
  void setMaps(const LayerMapsPtr& maps);

  /// The columns, the shown rows, and the order of channels.
  QByteArray saveState() const override;
  bool restoreState(const QByteArray& state) override;

 Q_SIGNALS:
  /// mapsAsked() has changed.
  void mapsWanted();

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
  std::optional<LayerMapRequest> mapRequest() const;
  /// The maps of the selected layer, maybe at another place; null where they are not known.
  const LayerMaps* layerMaps() const;
  HeatmapData table() const;
  void showChannelCursor();
  void showMaps();
  void select(int row, int column);
  void readOut(int row, int column, int cells);
  void showStrip();
  void showThreshold();
  const HeatmapMeasure* legendMeasure() const;
  QString message() const;
  QString layerMessage() const;
  ViewPicture picture() const;

  HeatmapMode m_mode = HeatmapMode::Metrics;
  LayerIndex m_index;
  QActionGroup* m_modes;
  QCheckBox* m_dataMovers;
  QCheckBox* m_withoutFigures;
  ElidedLabel* m_words;
  HeatmapCanvas* m_canvas;
  LayerMapsPtr m_maps;
  NodeId m_mapped;  // the layer that the table shows in mode Layer
  LayerMapPane* m_mapPane;
  QWidget* m_stripBox;
  QLabel* m_stripTitle;
  QCheckBox* m_stripSorted;
  ChannelStrip* m_strip;
  HeatmapReadout* m_readout;
  QWidget* m_bottom;
  HeatmapLegend* m_legend;
};

}  // namespace quantscope
