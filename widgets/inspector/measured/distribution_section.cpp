#include "widgets/inspector/measured/distribution_section.h"

#include <QFormLayout>
#include <QLabel>
#include <QVBoxLayout>

#include "base/number_text.h"
#include "widgets/charts/histogram_chart.h"
#include "widgets/charts/histogram_panel.h"
#include "widgets/controls/form_fields.h"
#include "widgets/controls/range_fields.h"
#include "widgets/inspector/parts/cell_table.h"
#include "widgets/look/text.h"
#include "widgets/words/gain_words.h"

namespace quantscope {
namespace {

constexpr std::size_t kObservedBins = 128;

// "0.02 % clipped, largest 41.3"
QString clippedWords(const LayerResult& layer) {
  if (!layer.clippedShare) return {};
  if (!(*layer.clippedShare > 0)) return DistributionSection::tr("Nothing is clipped.");
  const QString share = text(percent(*layer.clippedShare));
  if (!layer.observedMin || !layer.observedMax || !layer.representableMin ||
      !layer.representableMax) {
    return DistributionSection::tr("%1 clipped.").arg(share);
  }
  const bool above =
      *layer.observedMax - *layer.representableMax > *layer.representableMin - *layer.observedMin;
  return above ? DistributionSection::tr("%1 clipped, largest %2.")
                     .arg(share, shortText(layer.observedMax))
               : DistributionSection::tr("%1 clipped, smallest %2.")
                     .arg(share, shortText(layer.observedMin));
}

void addRange(CellTableContent& table, const QString& what, const QString& definition,
              const std::optional<double>& low, const std::optional<double>& high) {
  if (!low || !high) return;
  table.rows.push_back({mutedCell(what, definition), numberCell(low), numberCell(high)});
}

CellTableContent factsOf(const InspectorSubject& subject) {
  CellTableContent table;
  table.headers = {QString(), DistributionSection::tr("from"), DistributionSection::tr("to")};
  if (const Observation* observed = subject.observation()) {
    addRange(table, DistributionSection::tr("observed"),
             DistributionSection::tr("Smallest and largest number over the calibration data"),
             static_cast<double>(observed->range.low), static_cast<double>(observed->range.high));
    addRange(table, DistributionSection::tr("mean ± deviation"),
             DistributionSection::tr("Mean less and plus one standard deviation"),
             observed->mean - observed->standardDeviation,
             observed->mean + observed->standardDeviation);
  }
  if (!subject.isLayer()) return table;
  const LayerResult& layer = subject.layer();
  addRange(table, DistributionSection::tr("representable"),
           DistributionSection::tr("Smallest and largest number of the output's grid"),
           layer.representableMin, layer.representableMax);
  return table;
}

QString stepWords(const InspectorSubject& subject) {
  if (!subject.isLayer() || !subject.layer().outputScale) return {};
  return DistributionSection::tr(" One step is %1.").arg(shortText(subject.layer().outputScale));
}

HistogramData dataOf(const InspectorSubject& subject) {
  if (subject.isLayer() && subject.layer().histogram) return outputHistogram(subject.layer());
  const Observation* observed = subject.observation();
  return observed != nullptr ? observedHistogram(observed->linearBins(), kObservedBins)
                             : HistogramData();
}

}  // namespace

DistributionSection::DistributionSection(PrecisionEditor* editor, QWidget* parent)
    : InspectorSection(QStringLiteral("distribution"), tr("Distribution"), parent),
      m_editor(editor),
      m_words(wordLabel(this)),
      m_panel(new HistogramPanel(this)),
      m_rangeRow(new QWidget(this)),
      m_range(new RangeFields(tr("output"), m_rangeRow)),
      m_facts(new CellTable(tr("Ranges"), this)) {
  auto* row = new QFormLayout(m_rangeRow);
  dressForm(row);
  addField(row, tr("output"), tr("Range"), m_range,
           tr("The numbers that the codes of the output cover."));
  connect(m_range, &RangeFields::chosen, this, &DistributionSection::setRange);
  connect(m_range, &RangeFields::cleared, this, &DistributionSection::clearRange);
  connect(&m_panel->chart(), &HistogramChart::rangeDragged, this, &DistributionSection::foresee);
  connect(&m_panel->chart(), &HistogramChart::rangeChosen, this, &DistributionSection::setRange);
  connect(&m_panel->chart(), &HistogramChart::rangeLeft, this, [this] {
    m_foreseen.clear();
    refresh();
  });
  body()->addWidget(m_words);
  body()->addWidget(m_panel);
  body()->addWidget(m_rangeRow);
  body()->addWidget(m_facts);
}

bool DistributionSection::appliesTo(const InspectorSubject& subject) const {
  return subject.observation() != nullptr || (subject.isLayer() && subject.layer().histogram);
}

void DistributionSection::refresh() {
  // Other news of the same result must not replace the predicted figures.
  if (!m_foreseen.isEmpty() && m_foreseenOf == subject().snapshot->result &&
      m_foreseenLayer == subject().layerIndex) {
    return;
  }
  m_foreseen.clear();
  const ValueId value = subject().value();
  const QString name = value.valid() ? text(subject().graph()[value].name) : QString();
  m_panel->setPictureName(QString(name).replace(u'/', u'-') + QStringLiteral("-distribution"));
  HistogramData histogram = dataOf(subject());
  histogram.movable = canSetRange() && histogram.gridLow && histogram.gridHigh;
  m_panel->setData(histogram);
  showRange(histogram);
  const QString clipped = subject().isLayer() ? clippedWords(subject().layer()) : QString();
  setWords(m_words, (clipped + stepWords(subject())).trimmed());
  m_facts->setContent(factsOf(subject()));
}

void DistributionSection::showRange(const HistogramData& histogram) {
  m_rangeRow->setVisible(histogram.movable);
  if (!histogram.movable) return;
  const NodePrecision& precision = m_editor->choices()->precisionOf(subject().layerIndex);
  m_range->setRange(*histogram.gridLow, *histogram.gridHigh);
  m_range->setByHand(precision.output.range.has_value());
}

// Of one grid of integers that calibration has found.
bool DistributionSection::canSetRange() const {
  if (m_editor == nullptr || !subject().isLayer() || !subject().layer().outputScale) return false;
  const SelectedPrecision& selected = m_editor->selected();
  return selected.layers.size() == 1 && selected.layers.front() == subject().layerIndex &&
         m_editor->choices()->typeOf(subject().layerIndex).has_value();
}

// Shows the clipping and rounding by the bins while an end is dragged.
void DistributionSection::foresee(double low, double high) {
  const HistogramData& shown = m_panel->chart().data();
  const std::optional<double> sqnr = expectedSqnr(shown, low, high, levelCount(shown.type));
  QString words =
      tr("%1 … %2: %3 clipped")
          .arg(shortText(low), shortText(high), text(percent(clippedShare(shown, low, high))));
  if (sqnr) words += tr(", about %1 dB at this output").arg(fixedText(*sqnr, 1));
  m_foreseen = words;
  m_foreseenOf = subject().snapshot->result;
  m_foreseenLayer = subject().layerIndex;
  setWords(m_words, words + u'.');
  m_range->setRange(low, high);
  if (!canSetRange()) return;
  const ConfigEdit edit = m_editor->choices()->setFields(m_editor->selected().layers,
                                                         fieldsOf(low, high), std::string());
  Q_EMIT foreseeRequested(edit.apply(m_editor->config()));
}

void DistributionSection::setForeseen(const ConfigGain& gain) {
  if (m_foreseen.isEmpty() || gainWords(gain).isEmpty()) return;
  setWords(m_words, m_foreseen + tr("; outputs %1.").arg(gainWords(gain)));
}

PrecisionFields DistributionSection::fieldsOf(double low, double high) const {
  PrecisionFields fields;
  fields.output.range = Range{static_cast<float>(low), static_cast<float>(high), false};
  return fields;
}

void DistributionSection::setRange(double low, double high) {
  if (!canSetRange()) return;
  m_foreseen.clear();
  m_editor->setFields(
      fieldsOf(low, high),
      tr("set the output range to %1 … %2 for").arg(shortText(low), shortText(high)));
}

void DistributionSection::clearRange() {
  if (!canSetRange()) return;
  PrecisionFields fields;
  fields.output.range = std::optional<Range>();
  m_editor->setFields(fields, tr("take the output range from the observer for"));
}

QList<QAction*> DistributionSection::furtherActions() {
  return m_panel->pictureMenu();
}

QString DistributionSection::asText() const {
  return m_words->text() + u'\n' + m_facts->asText() + m_panel->asText();
}

}  // namespace quantscope
