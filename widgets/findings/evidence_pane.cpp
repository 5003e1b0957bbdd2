#include "widgets/findings/evidence_pane.h"

#include <QLabel>
#include <QScrollArea>
#include <QStackedLayout>
#include <QVBoxLayout>
#include <algorithm>

#include "detectors/model_index.h"
#include "widgets/charts/batch_chart.h"
#include "widgets/charts/channel_chart.h"
#include "widgets/charts/histogram_chart.h"
#include "widgets/charts/histogram_panel.h"
#include "widgets/charts/ratio_chart.h"
#include "widgets/charts/weight_statistics.h"
#include "widgets/look/text.h"
#include "widgets/view/layer_index.h"

namespace quantscope {
namespace {

constexpr std::size_t kObservedBins = 128;
// Its axes stay in sight in a panel of a usual height.
constexpr int kLeastHistogram = 80;

template <class Of>
const Of* statisticsOf(const DetectorStatistics::ByNode<Of>& all, const std::string& node) {
  const auto found = std::ranges::find(all, node, &std::pair<std::string, Of>::first);
  return found == all.end() ? nullptr : &found->second;
}

std::optional<RangeRow> rowOf(const AnalysisSnapshot& snapshot, ValueId value) {
  for (RangeRow& row : rangeRows(snapshot)) {
    if (row.value == value) return std::move(row);
  }
  return std::nullopt;
}

/// The grid that the value of a finding is rounded to on its edge to the node, else at its
/// producer.
const QuantParams* gridOf(const AnalysisSnapshot& snapshot, const Finding& finding) {
  const QuantizedModel& model = *snapshot.quantized;
  const QuantizationPoint* point =
      ModelIndex(snapshot.graph(), model).pointMetBy(finding.node, finding.value);
  if (point == nullptr || !model.groupParams[point->group]) return nullptr;
  return &*model.groupParams[point->group];
}

}  // namespace

EvidencePane::EvidencePane(const ViewContext& context, QWidget* parent)
    : QWidget(parent),
      m_context(context),
      m_caption(new QLabel),
      m_pages(new QStackedLayout),
      m_nothing(new QWidget),
      m_histogram(new HistogramPanel),
      m_histogramPage(new QScrollArea),
      m_channels(new ChannelChart(QStringLiteral("finding-channels"))),
      m_batches(new BatchChart(QStringLiteral("finding-batches"))),
      m_ratios(new RatioChart(QStringLiteral("finding-ratios"))) {
  m_caption->setForegroundRole(QPalette::PlaceholderText);
  m_caption->setWordWrap(true);
  // It may be taller than a low panel, which must not grow for it.
  m_histogram->chart().setMinimumHeight(kLeastHistogram);
  m_histogram->chart().setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Ignored);
  m_histogramPage->setWidget(m_histogram);
  m_histogramPage->setWidgetResizable(true);
  m_histogramPage->setFrameShape(QFrame::NoFrame);
  m_histogramPage->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  for (QWidget* page :
       std::initializer_list<QWidget*>{m_nothing, m_histogramPage, m_channels, m_batches, m_ratios})
    m_pages->addWidget(page);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(8, 8, 8, 0);
  layout->setSpacing(4);
  layout->addWidget(m_caption);
  layout->addLayout(m_pages, 1);
  m_channels->setAccessibleName(tr("Ranges of the channels"));
  m_batches->setAccessibleName(tr("Ranges of the batches"));
  m_ratios->setAccessibleName(tr("Ratios of the channels"));
  const auto pick = [this](int channel) { m_context.selection->selectChannel(channel); };
  connect(m_channels, &ChannelChart::picked, this, pick);
  connect(m_ratios, &RatioChart::picked, this, pick);
  hide();
}

QWidget* EvidencePane::shown() const {
  return m_pages->currentWidget();
}

void EvidencePane::show(const SnapshotPtr& snapshot, const Finding* finding) {
  const std::shared_ptr<const AnalysisResult> result = snapshot ? snapshot->result : nullptr;
  const std::string id = finding == nullptr ? std::string() : finding->id;
  const DetectorThresholds thresholds =
      snapshot ? *snapshot->request.config.detectors : DetectorThresholds();
  // Only what its suggestion gains may be new.
  const bool same = result == m_result && id == m_finding && thresholds == m_thresholds;
  m_result = result;
  m_finding = id;
  m_node = finding == nullptr ? NodeId() : finding->node;
  m_thresholds = thresholds;
  if (same) return showChannel();
  m_reading.cancel();
  bool drawn = false;
  if (snapshot && finding != nullptr) {
    switch (finding->evidence) {
      case Evidence::None:
        break;
      case Evidence::Histogram:
      case Evidence::LayerError:
        drawn = showWeights(snapshot, *finding) || showHistogram(*snapshot, *finding);
        break;
      case Evidence::ChannelRanges:
        drawn = showChannels(*snapshot, *finding);
        break;
      case Evidence::BatchRanges:
        drawn = showBatches(*snapshot, *finding);
        break;
      case Evidence::EqualizationRatios:
        drawn = showEqualization(*snapshot, *finding);
        break;
      case Evidence::OutlierRatios:
        drawn = showOutliers(*snapshot, *finding);
        break;
    }
  }
  if (!drawn) m_pages->setCurrentWidget(m_nothing);
  setVisible(drawn);
  showChannel();
}

void EvidencePane::showChannel() {
  // Another layer of the finding has channels of its own.
  const Selected& selected = m_context.selection->current();
  const int channel = selected.node.valid() && selected.node != m_node ? -1 : selected.channel;
  m_channels->setSelected(channel);
  m_ratios->setSelected(channel);
}

bool EvidencePane::showHistogram(const AnalysisSnapshot& snapshot, const Finding& finding) {
  const auto layer = LayerIndex(*snapshot.result).find(finding.node);
  HistogramData bins;
  const bool ofOutput =
      layer && (!finding.value.valid() || text(snapshot.result->layers[*layer].outputValue) ==
                                              text(snapshot.graph()[finding.value].name));
  if (ofOutput && snapshot.result->layers[*layer].histogram)
    bins = outputHistogram(snapshot.result->layers[*layer]);
  const Observation* observed =
      finding.value.valid() ? snapshot.observations->find(finding.value) : nullptr;
  if (bins.empty() && observed != nullptr) {
    bins = observedHistogram(observed->linearBins(), kObservedBins);
    if (const QuantParams* params = gridOf(snapshot, finding)) markGrid(bins, *params);
  }
  if (bins.empty()) return false;
  const ValueId value = finding.value;
  showBins(
      ofOutput || !value.valid()
          ? tr("How the elements of the output are distributed")
          : tr("How the elements of '%1' are distributed").arg(text(snapshot.graph()[value].name)),
      bins);
  return true;
}

bool EvidencePane::showWeights(const SnapshotPtr& snapshot, const Finding& finding) {
  const auto layer = LayerIndex(*snapshot->result).find(finding.node);
  const Tensor* weights = finding.aboutWeights && layer ? weightOf(*snapshot, *layer) : nullptr;
  if (weights == nullptr) return false;
  const QString caption = tr("How the weights are distributed");
  if (weights->elementCount() <= kMostWeightsAtOnce) {
    const HistogramData bins = measureWeights(*snapshot, *layer).histogram;
    if (bins.empty()) return false;
    showBins(caption, bins);
    return true;
  }
  showBins(tr("Reading the weights…"), {});
  m_reading.start([this, snapshot, caption, layer = *layer](const NewestWork::Turn& /*turn*/) {
    return [this, caption, bins = measureWeights(*snapshot, layer).histogram] {
      showBins(caption, bins);
    };
  });
  return true;
}

void EvidencePane::showBins(const QString& caption, const HistogramData& bins) {
  m_caption->setText(caption);
  m_histogram->setData(bins);
  m_pages->setCurrentWidget(m_histogramPage);
}

bool EvidencePane::showChannels(const AnalysisSnapshot& snapshot, const Finding& finding) {
  ChannelSeries series;
  const auto layer = LayerIndex(*snapshot.result).find(finding.node);
  const bool ofWeights =
      finding.aboutWeights ||
      (finding.value.valid() && snapshot.graph().constant(finding.value) != nullptr);
  if (ofWeights && layer) {
    series = weightSeries(snapshot, *layer);
  } else if (const std::optional<RangeRow> row = rowOf(snapshot, finding.value)) {
    series = outputSeries(*row);
  }
  if (series.channels.empty()) return false;
  m_caption->setText(ofWeights ? tr("Channels of the weights") : tr("Channels of the value"));
  m_channels->setSeries(std::move(series));
  m_pages->setCurrentWidget(m_channels);
  return true;
}

bool EvidencePane::showBatches(const AnalysisSnapshot& snapshot, const Finding& finding) {
  const Observation* observed =
      finding.value.valid() ? snapshot.observations->find(finding.value) : nullptr;
  if (observed == nullptr || observed->batchRanges.size() < 2) return false;
  m_caption->setText(batchWords(*observed));
  m_batches->setObservation(observed);
  m_pages->setCurrentWidget(m_batches);
  return true;
}

bool EvidencePane::showEqualization(const AnalysisSnapshot& snapshot, const Finding& finding) {
  const auto* statistics =
      statisticsOf(snapshot.detected->statistics.equalization, finding.nodeName);
  if (statistics == nullptr || statistics->s.empty()) return false;
  const double threshold = snapshot.request.config.detectors->equalizationRatio;
  m_caption->setText(tr("Equalization factor s of each input channel; between the lines it helps"));
  m_ratios->setContent(
      {QStringLiteral("s"), statistics->s, statistics->recommended, {threshold, 1 / threshold}});
  m_pages->setCurrentWidget(m_ratios);
  return true;
}

bool EvidencePane::showOutliers(const AnalysisSnapshot& snapshot, const Finding& finding) {
  const auto* statistics = statisticsOf(snapshot.detected->statistics.outlier, finding.nodeName);
  if (statistics == nullptr || statistics->ratio.empty()) return false;
  const DetectorThresholds& thresholds = *snapshot.request.config.detectors;
  const QString percentile = shortText(100 * thresholds.referencePercentile);
  m_caption->setText(tr("Largest element of each channel over its %1 % quantile").arg(percentile));
  m_ratios->setContent({tr("q100 / q%1").arg(percentile),
                        statistics->ratio,
                        statistics->outlier,
                        {thresholds.outlierRatio}});
  m_pages->setCurrentWidget(m_ratios);
  return true;
}

}  // namespace quantscope
