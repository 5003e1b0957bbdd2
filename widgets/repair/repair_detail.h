#pragma once

#include <QTabWidget>

#include "widgets/view/snapshot_view.h"

class QLabel;

namespace quantscope {

class ChannelChart;
class CurveChart;
class ElidedLabel;
class HistogramPanel;
class ScatterChart;

/// A layer before and after a repair: the ranges of its weights by channel, the distribution of its
/// output, and how the samples fare at the network's worst output. The steps of the repair are the
/// page before these.
class RepairDetail : public QTabWidget {
  Q_OBJECT

 public:
  RepairDetail(const ViewContext& context, QWidget* steps, CurveChart* loss,
               QWidget* parent = nullptr);

  /// `after` may be null: nothing was repaired yet. Of the layer that is selected, or else of the
  /// one whose own error has changed the most.
  void show(const SnapshotPtr& before, const SnapshotPtr& after);
  /// The loss of a training has a page of its own while there is one.
  void showLoss();
  void hideLoss();
  /// Name of the layer that is shown; empty where there is none.
  const QString& layer() const { return m_layer; }

 private:
  /// One state of the layer.
  struct Side {
    QLabel* weightWords;
    ChannelChart* weights;
    QLabel* outputWords;
    HistogramPanel* output;
  };
  static Side makeSide(const QString& name);
  void addPage(ElidedLabel* name, QLabel* words, QWidget* first, QLabel* otherWords,
               QWidget* second, const QString& title, const QString& tip);
  static void showSide(const Side& side, const QString& name, const AnalysisSnapshot& snapshot,
                       std::size_t layer);
  void showSamples(const AnalysisSnapshot& before, const AnalysisSnapshot& after);

  ViewContext m_context;
  ElidedLabel* m_weightsOf;
  ElidedLabel* m_outputOf;
  Side m_before;
  Side m_after;
  ScatterChart* m_samples;
  CurveChart* m_loss;
  std::vector<int> m_sampleOf;  // by point
  QString m_layer;
};

}  // namespace quantscope
