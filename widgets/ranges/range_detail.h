#pragma once

#include <QWidget>

#include "widgets/view/snapshot_view.h"
#include "widgets/words/range_rows.h"

class QLabel;
class QToolButton;

namespace quantscope {

class BatchChart;
class ChannelChart;

/// Of one value: the ranges of its channels, those of its layer's weights, and those of the
/// calibration's batches.
class RangeDetail : public QWidget {
  Q_OBJECT

 public:
  explicit RangeDetail(const ViewContext& context, QWidget* parent = nullptr);

  void show(const SnapshotPtr& snapshot, const RangeRow& row);
  /// Lets go of what was shown.
  void clear();

 protected:
  void resizeEvent(QResizeEvent* event) override;

 private:
  struct Card {
    QWidget* widget;
    QLabel* words;
    QWidget* chart;
  };
  Card makeCard(const QString& title, const QString& definition, QWidget* chart);
  void showWeights(const AnalysisSnapshot& snapshot, const RangeRow& row);
  void showWords();
  void showChannel();

  ViewContext m_context;
  QLabel* m_title;
  QToolButton* m_bySize;
  ChannelChart* m_output;
  ChannelChart* m_weights;
  BatchChart* m_batches;
  Card m_outputCard;
  Card m_weightsCard;
  Card m_batchesCard;
  SnapshotPtr m_shown;  // what the charts were made of
  ValueId m_value;
};

}  // namespace quantscope
