#include "widgets/repair/repair_detail.h"

#include <QGridLayout>
#include <QLabel>
#include <algorithm>
#include <cmath>

#include "analysis/worst_output.h"
#include "widgets/charts/channel_chart.h"
#include "widgets/charts/histogram_panel.h"
#include "widgets/charts/scatter_chart.h"
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

RepairDetail::RepairDetail(const ViewContext& context, QWidget* parent)
    : QTabWidget(parent),
      m_context(context),
      m_before(makeSide(QStringLiteral("before"))),
      m_after(makeSide(QStringLiteral("after"))),
      m_samples(new ScatterChart(QStringLiteral("repaired-samples"))) {
  setDocumentMode(true);
  addTab(makePage(m_before.weightWords, m_before.weights, m_after.weightWords, m_after.weights),
         tr("Weights"));
  addTab(makePage(m_before.outputWords, m_before.output, m_after.outputWords, m_after.output),
         tr("Output"));
  addTab(m_samples, tr("Samples"));
  setTabToolTip(0, tr("The ranges of the weights by channel, beside their grid"));
  setTabToolTip(1, tr("The distribution of the layer's output"));
  setTabToolTip(2, tr("The SQNR of each sample at the worst output; a click selects the sample"));
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
    words->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    words->setTextInteractionFlags(Qt::TextSelectableByMouse);
  }
  return side;
}

QWidget* RepairDetail::makePage(QLabel* words, QWidget* first, QLabel* otherWords,
                                QWidget* second) {
  auto* page = new QWidget;
  auto* layout = new QGridLayout(page);
  layout->setContentsMargins(8, 8, 8, 8);
  layout->setHorizontalSpacing(16);
  layout->setVerticalSpacing(4);
  layout->addWidget(words, 0, 0);
  layout->addWidget(first, 1, 0);
  layout->addWidget(otherWords, 0, 1);
  layout->addWidget(second, 1, 1);
  layout->setRowStretch(1, 1);
  layout->setColumnStretch(0, 1);
  layout->setColumnStretch(1, 1);
  return page;
}

void RepairDetail::show(const SnapshotPtr& before, const SnapshotPtr& after) {
  m_layer.clear();
  setVisible(before && after);
  if (!before || !after) return;
  showSamples(*before, *after);
  const LayerIndex layers(*before->result);
  std::optional<std::size_t> layer = layers.find(m_context.selection->current().node);
  if (!layer) layer = mostChanged(*before->result, *after->result);
  if (!layer) layer = 0;
  const LayerResult& shown = before->result->layers[*layer];
  m_layer = text(shown.name);
  showSide(m_before, tr("before"), *before, *layer);
  const std::optional<std::size_t> other = LayerIndex(*after->result).find(shown.node);
  if (other) showSide(m_after, tr("after"), *after, *other);
}

void RepairDetail::showSide(const Side& side, const QString& name, const AnalysisSnapshot& snapshot,
                            std::size_t layer) {
  const LayerResult& shown = snapshot.result->layers[layer];
  const QString figure = withUnit(ownError(shown), QStringLiteral("dB"));
  const QString words = tr("%1 %2: %3 by itself").arg(text(shown.name), name, figure);
  ChannelSeries series = weightSeries(snapshot, layer);
  side.weightWords->setText(series.channels.empty() ? text(series.missing) : words);
  side.weightWords->setToolTip(side.weightWords->text());
  side.weights->setVisible(!series.channels.empty());
  side.weights->setSeries(std::move(series));
  const HistogramData histogram = outputHistogram(shown);
  side.outputWords->setText(histogram.empty() ? tr("%1: its output has no histogram").arg(words)
                                              : words);
  side.outputWords->setToolTip(side.outputWords->text());
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
