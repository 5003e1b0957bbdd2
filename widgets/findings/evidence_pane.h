#pragma once

#include <QWidget>

#include "widgets/background/newest_work.h"
#include "widgets/view/snapshot_view.h"

class QLabel;
class QScrollArea;
class QStackedLayout;

namespace quantscope {

class BatchChart;
class ChannelChart;
class HistogramPanel;
struct HistogramData;
class RatioChart;

/// The chart that shows that a finding is true.
class EvidencePane : public QWidget {
  Q_OBJECT

 public:
  explicit EvidencePane(const ViewContext& context, QWidget* parent = nullptr);

  /// nullptr = nothing.
  void show(const SnapshotPtr& snapshot, const Finding* finding);
  /// Marks the selected channel.
  void showChannel();
  /// The chart that is on top; the empty page where there is nothing to draw.
  QWidget* shown() const;

 private:
  bool showHistogram(const AnalysisSnapshot& snapshot, const Finding& finding);
  bool showWeights(const SnapshotPtr& snapshot, const Finding& finding);
  void showBins(const QString& caption, const HistogramData& bins);
  bool showChannels(const AnalysisSnapshot& snapshot, const Finding& finding);
  bool showBatches(const AnalysisSnapshot& snapshot, const Finding& finding);
  bool showEqualization(const AnalysisSnapshot& snapshot, const Finding& finding);
  bool showOutliers(const AnalysisSnapshot& snapshot, const Finding& finding);

  ViewContext m_context;
  std::shared_ptr<const AnalysisResult> m_result;  // of what is drawn
  std::string m_finding;
  NodeId m_node;  // its first layer
  DetectorThresholds m_thresholds;
  QLabel* m_caption;
  QStackedLayout* m_pages;
  QWidget* m_nothing;
  HistogramPanel* m_histogram;
  QScrollArea* m_histogramPage;
  ChannelChart* m_channels;
  BatchChart* m_batches;
  RatioChart* m_ratios;
  NewestWork m_reading;  // of many weights
};

}  // namespace quantscope
