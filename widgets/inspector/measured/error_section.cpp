#include "widgets/inspector/measured/error_section.h"

#include <QLabel>
#include <QVBoxLayout>

#include "export/layer_words.h"
#include "widgets/charts/budget_bar.h"
#include "widgets/charts/weight_statistics.h"
#include "widgets/inspector/measured/error_words.h"
#include "widgets/inspector/parts/cell_table.h"
#include "widgets/inspector/parts/changes.h"
#include "widgets/look/text.h"
#include "widgets/words/attribution.h"

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

Cell errorChange(const std::optional<LayerError>& error, const std::optional<LayerError>& other,
                 const MetricDescription& metric) {
  const auto figure = [&metric](const std::optional<LayerError>& of) {
    return of ? of->total.*metric.figure : std::nullopt;
  };
  return changeCell(figure(error), figure(other), text(metric.unit));
}

// "Against B: local +3.2 dB, accumulated +0.4 dB."
QString againstWords(const InspectorSubject& subject) {
  if (subject.other == nullptr) return {};
  const LayerResult& layer = subject.layer();
  const MetricDescription& sqnr = metricCatalogue().front();
  const Cell local = errorChange(layer.local, subject.other->local, sqnr);
  const Cell accumulated = errorChange(layer.accumulated, subject.other->accumulated, sqnr);
  QStringList words;
  if (local.exact.isValid()) words << ErrorSection::tr("local %1 dB").arg(local.text);
  if (accumulated.exact.isValid()) {
    words << ErrorSection::tr("accumulated %1 dB").arg(accumulated.text);
  }
  return words.isEmpty() ? QString()
                         : ErrorSection::tr("Against B: %1.").arg(words.join(QStringLiteral(", ")));
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
  if (subject.delta) {
    table.headers[2] = ErrorSection::tr("Local A − B");
    table.headers[3] = ErrorSection::tr("Accumulated A − B");
  } else if (layer.contribution) {
    table.headers << titleOf(ErrorKind::Contribution);
    table.headerTips << definitionOf(ErrorKind::Contribution);
  }
  for (const MetricDescription& metric : metricCatalogue()) {
    const QString definition = text(metric.definition);
    if (subject.delta) {
      table.rows.push_back({textCell(text(metric.title), definition),
                            mutedCell(text(metric.unit), definition),
                            errorChange(layer.local, subject.other->local, metric),
                            errorChange(layer.accumulated, subject.other->accumulated, metric)});
      continue;
    }
    table.rows.push_back(
        {textCell(text(metric.title), definition), mutedCell(text(metric.unit), definition),
         errorCell(subject, layer.local, metric, noLocal),
         errorCell(subject, layer.accumulated, metric, Figure::Kind::NotComputed)});
    if (layer.contribution) {
      table.rows.back().push_back(
          errorCell(subject, layer.contribution, metric, Figure::Kind::NotComputed));
    }
  }
  return table;
}

QString sentence(const QString& words) {
  return words.isEmpty() ? words : capitalized(words) + u'.';
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
      m_against(wordLabel(this, true)),
      m_attribution(wordLabel(this, true)),
      m_cause(wordLabel(this)),
      m_budget(new BudgetBar(this)),
      m_reason(wordLabel(this)),
      m_table(new CellTable(tr("Error metrics"), this)),
      m_clipping(wordLabel(this, true)) {
  body()->addWidget(m_sentence);
  body()->addWidget(m_against);
  body()->addWidget(m_attribution);
  body()->addWidget(m_cause);
  body()->addWidget(m_budget);
  body()->addWidget(m_reason);
  body()->addWidget(m_table);
  body()->addWidget(m_clipping);
}

bool ErrorSection::appliesTo(const InspectorSubject& subject) const {
  return subject.isLayer();
}

void ErrorSection::refresh() {
  setWords(m_sentence, errorSentence(subject()));
  setWords(m_against, againstWords(subject()));
  showCauses();
  const std::optional<LayerError>& local = subject().layer().local;
  const bool wrong = local && local->total.sqnrDb.value_or(kFineDb) < kFineDb;
  setWords(m_reason, wrong ? reasonInTheWeights() : QString());
  const bool known = local || subject().layer().accumulated;
  m_table->setContent(known ? errorTable(subject()) : CellTableContent());
  setWords(m_clipping,
           sentence(text(clippingWords(subject().layer()))) + nonFiniteWords(subject().layer()));
}

void ErrorSection::showCauses() {
  const auto error =
      attribute(subject().graph(), subject().result(), *subject().index, subject().layerIndex);
  setWords(m_attribution,
           error ? tr("Error at the output: %1").arg(attributionTitle(error->kind)) : QString());
  m_attribution->setToolTip(error ? attributionSentence(*error) : QString());
  const ErrorBudget* budget = subject().budget();
  setWords(m_cause, budget == nullptr ? QString() : budgetSentence(*budget));
  m_budget->setParts(budget == nullptr || m_cause->text().isEmpty() ? std::vector<BudgetPart>()
                                                                    : budgetParts(*budget));
}

// One channel that widens the scale of all others is the commonest reason, and cheap to detect.
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
  QString budget;
  for (const BudgetPart& part : m_budget->parts()) {
    budget += part.title + u'\t' + exactText(part.share) + u'\n';
  }
  return m_sentence->text() + u'\n' + m_attribution->text() + u'\n' + m_cause->text() + u'\n' +
         budget + m_reason->text() + u'\n' + m_table->asText() + m_clipping->text();
}

}  // namespace quantscope
