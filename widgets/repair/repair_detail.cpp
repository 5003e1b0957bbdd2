#include "widgets/repair/repair_detail.h"

#include <QGridLayout>
#include <QLabel>
#include <algorithm>
#include <cmath>

#include "analysis/errors/worst_output.h"
#include "widgets/charts/channel_chart.h"
#include "widgets/charts/curve_chart.h"
#include "widgets/charts/histogram_chart.h"
#include "widgets/charts/histogram_panel.h"
#include "widgets/charts/scatter_chart.h"
#include "widgets/controls/elided_label.h"
#include "widgets/look/text.h"
#include "widgets/view/layer_index.h"

namespace quantscope {
namespace {

std::optional<double> ownError(const LayerResult& layer) {
  return layer.local ? layer.local->total.sqnrDb : std::nullopt;
}

// The layer whose own error has changed the most, of those that both know.
std::optional<std::size_t> mostChanged(const AnalysisResult& before, const AnalysisResult& after) {
  const LayerIndex others(after);
  std::optional<std::size_t> most;
  double largest = 0;
  for (std::size_t i = 0; i < before.layers.size(); ++i) {
    const std::optional<std::size_t> other = others.find(before.layers[i].node);
    if (!other) continue;
    const std::optional<double> a = ownError(before.layers[i]);
    const std::optional<double> b = ownError(after.layers[*other]);
    if (!a || !b || !(std::abs(*b - *a) > largest)) continue;
    largest = std::abs(*b - *a);
    most = i;
  }
  return most;
}

}  // namespace

RepairDetail::RepairDetail(const ViewContext& context, QWidget* steps, CurveChart* loss,
                           QWidget* parent)
    : QTabWidget(parent),
      m_context(context),
      m_weightsOf(new ElidedLabel),
      m_outputOf(new ElidedLabel),
      m_before(makeSide(QStringLiteral("before"))),
      m_after(makeSide(QStringLiteral("after"))),
      m_samples(new ScatterChart(QStringLiteral("repaired-samples"))),
      m_loss(loss) {
  setDocumentMode(true);
  addTab(steps, tr("Steps"));
  addPage(m_weightsOf, m_before.weightWords, m_before.weights, m_after.weightWords, m_after.weights,
          tr("Weights"),
          tr("The ranges of the weights by channel, before and after, beside their grid"));
  addPage(m_outputOf, m_before.outputWords, m_before.output, m_after.outputWords, m_after.output,
          tr("Output"), tr("The distribution of the layer's output before and after"));
  addTab(m_samples, tr("Samples"));
  setTabToolTip(indexOf(m_samples), tr("The SQNR of each sample at the worst output, before and "
                                       "after; a click selects the sample"));
  addTab(m_loss, tr("Loss"));
  setTabToolTip(indexOf(m_loss), tr("How the loss falls in the last training"));
  m_loss->setAccessibleName(tr("Loss"));
  hideLoss();
  m_before.weights->setAccessibleName(tr("Channels of the weights before"));
  m_after.weights->setAccessibleName(tr("Channels of the weights after"));
  m_samples->setAccessibleName(tr("Samples before and after"));
  m_samples->setAxes(tr("Before (dB)"), tr("After (dB)"));
  for (ChannelChart* chart : {m_before.weights, m_after.weights}) {
    connect(chart, &ChannelChart::picked, this,
            [this](int channel) { m_context.selection->selectChannel(channel); });
  }
  connect(m_samples, &ScatterChart::picked, this, [this](int point) {
    m_context.selection->selectSample(m_sampleOf[static_cast<std::size_t>(point)]);
  });
}

RepairDetail::Side RepairDetail::makeSide(const QString& name) {
  Side side{new QLabel, new ChannelChart(QStringLiteral("weights-") + name), new QLabel,
            new HistogramPanel};
  side.weights->sortBySize(false);  // the same channel at the same place
  side.output->setPictureName(QStringLiteral("output-") + name);
  for (QLabel* words : {side.weightWords, side.outputWords}) {
    words->setWordWrap(true);
    words->setTextInteractionFlags(Qt::TextSelectableByMouse);
  }
  return side;
}

void RepairDetail::addPage(ElidedLabel* name, QLabel* words, QWidget* first, QLabel* otherWords,
                           QWidget* second, const QString& title, const QString& tip) {
  auto* page = new QWidget;
  auto* layout = new QGridLayout(page);
  layout->setContentsMargins(8, 8, 8, 8);
  layout->setHorizontalSpacing(16);
  layout->setVerticalSpacing(4);
  layout->addWidget(name, 0, 0, 1, 2);
  layout->addWidget(words, 1, 0);
  layout->addWidget(first, 2, 0);
  layout->addWidget(otherWords, 1, 1);
  layout->addWidget(second, 2, 1);
  layout->setRowStretch(2, 1);
  layout->setRowStretch(3, 0);
  layout->setColumnStretch(0, 1);
  layout->setColumnStretch(1, 1);
  setTabToolTip(addTab(page, title), tip);
}

void RepairDetail::show(const SnapshotPtr& before, const SnapshotPtr& after) {
  m_layer.clear();
  const bool both = before && after;
  for (int page = 1; page < indexOf(m_loss); ++page) setTabEnabled(page, both);
  if (!both) {
    if (currentWidget() != m_loss) setCurrentIndex(0);
    return;
  }
  showSamples(*before, *after);
  const LayerIndex layers(*before->result);
  std::optional<std::size_t> layer = layers.find(m_context.selection->current().node);
  if (!layer) layer = mostChanged(*before->result, *after->result);
  if (!layer) layer = 0;
  const LayerResult& shown = before->result->layers[*layer];
  m_layer = text(shown.name);
  for (ElidedLabel* name : {m_weightsOf, m_outputOf}) name->setText(m_layer);
  showSide(m_before, tr("Before"), *before, *layer);
  const std::optional<std::size_t> other = LayerIndex(*after->result).find(shown.node);
  if (!other) return;
  showSide(m_after, tr("After"), *after, *other);
  ChannelChart::shareAxis(*m_before.weights, *m_after.weights);
  HistogramChart::shareAxis(m_before.output->chart(), m_after.output->chart());
}

void RepairDetail::showLoss() {
  setTabVisible(indexOf(m_loss), true);
}

void RepairDetail::hideLoss() {
  if (currentWidget() == m_loss) setCurrentIndex(0);
  setTabVisible(indexOf(m_loss), false);
}

void RepairDetail::showSide(const Side& side, const QString& name, const AnalysisSnapshot& snapshot,
                            std::size_t layer) {
  const LayerResult& shown = snapshot.result->layers[layer];
  const QString words =
      tr("%1: %2 by itself").arg(name, withUnit(ownError(shown), QStringLiteral("dB")));
  ChannelSeries series = weightSeries(snapshot, layer);
  side.weightWords->setText(series.channels.empty() ? text(series.missing) : words);
  side.weights->setVisible(!series.channels.empty());
  side.weights->setSeries(std::move(series));
  const HistogramData histogram = outputHistogram(shown);
  side.outputWords->setText(histogram.empty() ? tr("The output has no histogram.") : words);
  side.output->setVisible(!histogram.empty());
  side.output->setData(histogram);
}

void RepairDetail::showSamples(const AnalysisSnapshot& before, const AnalysisSnapshot& after) {
  std::vector<QPointF> points;
  m_sampleOf.clear();
  const OutputResult* worst = worstOutput(before.result->outputs);
  if (worst != nullptr) {
    const auto index = static_cast<std::size_t>(worst - before.result->outputs.data());
    const std::vector<float>& now = after.result->outputs[index].sampleSqnrDb;
    for (std::size_t i = 0; i < std::min(worst->sampleSqnrDb.size(), now.size()); ++i) {
      const QPointF point(static_cast<double>(worst->sampleSqnrDb[i]), static_cast<double>(now[i]));
      if (!std::isfinite(point.x()) || !std::isfinite(point.y())) continue;
      points.push_back(point);
      m_sampleOf.push_back(static_cast<int>(i));
    }
  }
  m_samples->setPoints(points);
}

}  // namespace quantscope
