#include "widgets/ranges/range_detail.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QToolButton>

#include "widgets/charts/batch_chart.h"
#include "widgets/charts/channel_chart.h"
#include "widgets/look/text.h"

namespace quantscope {
namespace {

QString outputDefinition() {
  return RangeDetail::tr(
      "Smallest to largest element of each channel over the calibration data. Lines: the "
      "quantization grid. A channel that reaches far beyond the others makes the steps coarse for "
      "all of them.");
}

constexpr int kLeastForWords = 240;

QString weightsDefinition() {
  return RangeDetail::tr(
      "Smallest to largest weight of each channel as it is quantized, batch normalization folded "
      "in. With one grid for the whole tensor, the widest channel decides how coarse all others "
      "become; a grid per channel mends that.");
}

}  // namespace

RangeDetail::RangeDetail(const ViewContext& context, QWidget* parent)
    : QWidget(parent),
      m_context(context),
      m_title(new QLabel),
      m_bySize(new QToolButton),
      m_output(new ChannelChart(QStringLiteral("channel-ranges"))),
      m_weights(new ChannelChart(QStringLiteral("weight-ranges"))),
      m_batches(new BatchChart(QStringLiteral("batch-ranges"))),
      m_outputCard(makeCard(tr("Channels of the output"), outputDefinition(), m_output)),
      m_weightsCard(makeCard(tr("Channels of the weights"), weightsDefinition(), m_weights)),
      m_batchesCard(makeCard(tr("Batches"), batchToEpochDefinition(), m_batches)) {
  m_title->setTextInteractionFlags(Qt::TextSelectableByMouse);
  m_title->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
  m_bySize->setText(tr("Largest first"));
  m_bySize->setToolTip(tr("Channels from the farthest reaching to the least, or by index"));
  m_bySize->setCheckable(true);
  m_bySize->setChecked(true);
  auto* bar = new QHBoxLayout;
  bar->setContentsMargins(8, 8, 8, 4);
  bar->addWidget(m_title, 1);
  bar->addWidget(m_bySize);
  auto* cards = new QHBoxLayout;
  cards->setContentsMargins(8, 0, 8, 8);
  cards->setSpacing(16);
  for (const Card& card : {m_weightsCard, m_outputCard, m_batchesCard})
    cards->addWidget(card.widget, 1);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addLayout(bar);
  layout->addLayout(cards, 1);

  for (ChannelChart* chart : {m_output, m_weights}) {
    connect(m_bySize, &QToolButton::toggled, chart, &ChannelChart::sortBySize);
    connect(chart, &ChannelChart::picked, this,
            [this](int channel) { m_context.selection->selectChannel(channel); });
  }
  m_output->setAccessibleName(tr("Channels of the output"));
  m_weights->setAccessibleName(tr("Channels of the weights"));
  m_batches->setAccessibleName(tr("Ranges of the batches"));
}

RangeDetail::Card RangeDetail::makeCard(const QString& title, const QString& definition,
                                        QWidget* chart) {
  auto* widget = new QWidget;
  auto* heading = new QLabel(title);
  QFont font = heading->font();
  font.setWeight(QFont::DemiBold);
  heading->setFont(font);
  heading->setToolTip(QStringLiteral("<p>%1</p>").arg(definition.toHtmlEscaped()));
  auto* words = new QLabel;
  words->setWordWrap(true);
  words->setForegroundRole(QPalette::PlaceholderText);
  words->setTextInteractionFlags(Qt::TextSelectableByMouse);
  words->setToolTip(heading->toolTip());
  words->setAlignment(Qt::AlignLeft | Qt::AlignTop);
  auto* layout = new QVBoxLayout(widget);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(4);
  layout->addWidget(heading);
  layout->addWidget(words);
  layout->addWidget(chart, 1);
  layout->addStretch(0);  // keeps the words at the top where there is no chart
  return {widget, words, chart};
}

void RangeDetail::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  showWords();
}

// Where sentences would be cut, the charts have their room; hovering tells what they show.
void RangeDetail::showWords() {
  for (const Card& card : {m_weightsCard, m_outputCard, m_batchesCard}) {
    card.words->setVisible(height() >= kLeastForWords || card.chart->isHidden());
  }
}

void RangeDetail::clear() {
  m_shown.reset();
}

void RangeDetail::show(const SnapshotPtr& snapshot, const RangeRow& row) {
  showChannel();
  if (m_shown == snapshot && m_value == row.value) return;
  m_shown = snapshot;
  m_value = row.value;
  m_title->setText(QStringLiteral("<b>%1</b>&nbsp; %2")
                       .arg(text(row.name).toHtmlEscaped(), text(row.op).toHtmlEscaped()));
  m_title->setToolTip(toolTipText(text(row.name)));
  m_output->setSeries(outputSeries(row));
  m_output->setVisible(!m_output->series().channels.empty());
  m_outputCard.words->setText(text(dominanceWords(m_output->series())));
  m_batches->setObservation(row.observation);
  m_batches->setVisible(row.observation->batchRanges.size() > 1);
  m_batchesCard.words->setText(batchWords(*row.observation));
  showWeights(*snapshot, row);
  showWords();
}

void RangeDetail::showWeights(const AnalysisSnapshot& snapshot, const RangeRow& row) {
  ChannelSeries series;
  if (row.layer) series = weightSeries(snapshot, *row.layer);
  m_weightsCard.words->setText(text(dominanceWords(series)));
  m_weightsCard.widget->setVisible(!series.channels.empty());
  m_weights->setSeries(std::move(series));
}

void RangeDetail::showChannel() {
  const int channel = m_context.selection->current().channel;
  m_output->setSelected(channel);
  m_weights->setSelected(channel);
}

}  // namespace quantscope
