#include "widgets/inspector/measured/error_section.h"

#include <QLabel>
#include <QVBoxLayout>

#include "export/layer_words.h"
#include "widgets/inspector/measured/error_words.h"
#include "widgets/inspector/parts/cell_table.h"
#include "widgets/inspector/quantized/weight_statistics.h"
#include "widgets/look/text.h"

namespace quantscope {
namespace {

// An error of 1 %: better layers need no reason.
constexpr double kFineDb = 40;
// More would be felt on the way from layer to layer; the section of the weights takes its time.
constexpr std::size_t kMostWeights = 500'000;

Cell errorCell(const InspectorSubject& subject, const std::optional<LayerError>& error,
               const MetricDescription& metric, Figure::Kind absence) {
  const std::optional<double> figure = error ? error->total.*metric.figure : std::nullopt;
  if (!figure) return heatCell({absence, 0}, subject.sqnrScale);
  if (&metric == &metricCatalogue().front()) return sqnrCell(figure, subject.sqnrScale);
  return numberCell(figure, text(metric.unit));
}

CellTableContent errorTable(const InspectorSubject& subject) {
  const LayerResult& layer = subject.layer();
  CellTableContent table;
  table.headers = {ErrorSection::tr("Metric"), ErrorSection::tr("Unit"), ErrorSection::tr("Local"),
                   ErrorSection::tr("Accumulated")};
  table.headerTips = {{},
                      ErrorSection::tr("“value” is the unit of the layer's output"),
                      definitionOf(ErrorKind::Local),
                      definitionOf(ErrorKind::Accumulated)};
  const auto noLocal = layer.quantized ? Figure::Kind::NotComputed : Figure::Kind::NotQuantized;
  for (const MetricDescription& metric : metricCatalogue()) {
    const QString definition = text(metric.definition);
    table.rows.push_back(
        {textCell(text(metric.title), definition), mutedCell(text(metric.unit), definition),
         errorCell(subject, layer.local, metric, noLocal),
         errorCell(subject, layer.accumulated, metric, Figure::Kind::NotComputed)});
  }
  return table;
}

QString capitalized(QString words) {
  if (!words.isEmpty()) words[0] = words[0].toUpper();
  return words.isEmpty() ? words : words + u'.';
}

QString nonFiniteWords(const LayerResult& layer) {
  if (!layer.accumulated || layer.accumulated->total.nonFinite == 0) return {};
  return ErrorSection::tr(" %1 elements are NaN or infinite and left out.")
      .arg(layer.accumulated->total.nonFinite);
}

}  // namespace

ErrorSection::ErrorSection(QWidget* parent)
    : InspectorSection(QStringLiteral("error"), tr("Error"), parent),
      m_sentence(wordLabel(this)),
      m_reason(wordLabel(this)),
      m_table(new CellTable(tr("Error metrics"), this)),
      m_clipping(wordLabel(this, true)) {
  body()->addWidget(m_sentence);
  body()->addWidget(m_reason);
  body()->addWidget(m_table);
  body()->addWidget(m_clipping);
}

bool ErrorSection::appliesTo(const InspectorSubject& subject) const {
  return subject.isLayer();
}

void ErrorSection::refresh() {
  setWords(m_sentence, errorSentence(subject()));
  const std::optional<LayerError>& local = subject().layer().local;
  const bool wrong = local && local->total.sqnrDb.value_or(kFineDb) < kFineDb;
  setWords(m_reason, wrong ? reasonInTheWeights() : QString());
  const bool known = local || subject().layer().accumulated;
  m_table->setContent(known ? errorTable(subject()) : CellTableContent());
  setWords(m_clipping,
           capitalized(text(clippingWords(subject().layer()))) + nonFiniteWords(subject().layer()));
}

// One channel that spoils the weights of all others is the commonest reason, and cheap to see.
QString ErrorSection::reasonInTheWeights() {
  const AnalysisSnapshot& snapshot = *subject().snapshot;
  if (m_model == snapshot.quantized && m_layer == subject().layerIndex) return m_found;
  m_model = snapshot.quantized;
  m_layer = subject().layerIndex;
  m_found.clear();
  const Tensor* weight = weightOf(snapshot, m_layer);
  if (weight == nullptr || weight->elementCount() > kMostWeights) return {};
  const WeightStatistics weights = measureReach(snapshot, m_layer);
  if (perTensorDominated(weights)) m_found = dominanceWords(weights);
  return m_found;
}

QString ErrorSection::asText() const {
  return m_sentence->text() + u'\n' + m_reason->text() + u'\n' + m_table->asText() +
         m_clipping->text();
}

}  // namespace quantscope
