#include "widgets/inspector/quantized/weights_section.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>

#include "base/number_text.h"
#include "widgets/charts/histogram_panel.h"
#include "widgets/inspector/parts/cell_table.h"
#include "widgets/inspector/parts/facts.h"
#include "widgets/look/text.h"

namespace quantscope {
namespace {

CellTableContent factsOf(const WeightStatistics& weights) {
  Facts facts;
  facts.add(WeightsSection::tr("constant"), text(weights.name));
  facts.add(WeightsSection::tr("shape, type"),
            text(toString(weights.shape)) + u' ' + text(weights.type));
  facts.add(WeightsSection::tr("elements"), weights.count);
  facts.add(WeightsSection::tr("smallest"), numberCell(weights.min));
  facts.add(WeightsSection::tr("largest"), numberCell(weights.max));
  if (const auto found = dominatingChannel(weights)) {
    facts.add(WeightsSection::tr("reaches furthest"),
              linkCell(WeightsSection::tr("channel %1").arg(found->channel),
                       WeightsSection::tr("Selects the channel")));
  }
  return facts.take();
}

}  // namespace

WeightsSection::WeightsSection(Selection* selection, std::size_t mostAtOnce, QWidget* parent)
    : InspectorSection(QStringLiteral("weights"), tr("Weights"), parent),
      m_selection(selection),
      m_mostAtOnce(mostAtOnce),
      m_dominance(wordLabel(this)),
      m_panel(new HistogramPanel(this)),
      m_grid(wordLabel(this, true)),
      m_facts(new CellTable(tr("Weights"), this)),
      m_repair(new QPushButton(tr("Repair This Layer…"), this)) {
  m_repair->setToolTip(tr("Shows the steps that bring these weights closer, for this layer alone"));
  m_facts->setHeaderShown(false);
  for (QWidget* widget : {static_cast<QWidget*>(m_dominance), static_cast<QWidget*>(m_panel),
                          static_cast<QWidget*>(m_grid), static_cast<QWidget*>(m_facts)}) {
    body()->addWidget(widget);
  }
  auto* buttons = new QHBoxLayout;
  buttons->addStretch();
  buttons->addWidget(m_repair);
  body()->addLayout(buttons);
  connect(m_repair, &QPushButton::clicked, this, &WeightsSection::repairRequested);
  connect(m_facts, &CellTable::rowActivated, this, [this](int row) {
    const bool last = row + 1 == static_cast<int>(m_facts->content().rows.size());
    if (last && m_dominating >= 0) m_selection->selectChannel(m_dominating);
  });
}

bool WeightsSection::appliesTo(const InspectorSubject& subject) const {
  return subject.isLayer() && weightOf(*subject.snapshot, subject.layerIndex) != nullptr;
}

void WeightsSection::refresh() {
  const AnalysisSnapshot& snapshot = *subject().snapshot;
  const std::optional<AppliedType>& type = subject().layer().weight;
  m_repair->setVisible(type && type->type != QuantType::Float32 && subject().sampled());
  if (m_model == snapshot.quantized && m_layer == subject().layerIndex) return;
  m_model = snapshot.quantized;
  m_layer = subject().layerIndex;
  m_reading.cancel();
  const std::size_t count = weightOf(snapshot, m_layer)->elementCount();
  setNote(text(grouped(count)));
  if (count > m_mostAtOnce) return measureInBackground();
  show(measureWeights(snapshot, m_layer));
}

void WeightsSection::measureInBackground() {
  setWords(m_dominance, tr("Reading the weights…"));
  m_reading.start(
      [this, snapshot = subject().snapshot, layer = m_layer](const NewestWork::Turn& /*turn*/) {
        return [this, weights = measureWeights(*snapshot, layer)] { show(weights); };
      });
}

void WeightsSection::show(const WeightStatistics& weights) {
  const auto found = dominatingChannel(weights);
  m_dominating = found ? found->channel : -1;
  m_panel->setPictureName(text(weights.name).replace(u'/', u'-') + QStringLiteral("-weights"));
  m_panel->setData(weights.histogram);
  setWords(m_dominance, dominanceWords(weights));
  setWords(m_grid, gridWords(weights) +
                       (weights.folded ? tr(" Batch normalization is folded in.") : QString()));
  m_facts->setContent(factsOf(weights), 1);
}

QList<QAction*> WeightsSection::furtherActions() {
  return m_panel->pictureMenu();
}

QString WeightsSection::asText() const {
  return m_dominance->text() + u'\n' + m_grid->text() + u'\n' + m_facts->asText() +
         m_panel->asText();
}

}  // namespace quantscope
