#include "widgets/inspector/network/outputs_section.h"

#include <QVBoxLayout>

#include "export/number_text.h"
#include "widgets/inspector/parts/cell_table.h"
#include "widgets/inspector/parts/facts.h"
#include "widgets/look/text.h"

namespace quantscope {
namespace {

QString shareText(const std::optional<double>& share) {
  return share ? text(percent(*share)) : QStringLiteral("–");
}

void addScores(const OutputResult& output, Facts& facts) {
  if (output.kl) {
    facts.add(OutputsSection::tr("KL divergence"),
              shortText(output.kl) + OutputsSection::tr(" nats"),
              OutputsSection::tr("How far the quantized class probabilities are from the float "
                                 "ones, mean over the samples. 0 is best."));
  }
  if (output.top1Agreement) {
    facts.add(OutputsSection::tr("agreement"), shareText(output.top1Agreement),
              OutputsSection::tr("Share of the samples for which both networks choose the same "
                                 "class. 100 % is best."));
  }
  if (output.accuracyFloat || output.accuracyQuantized) {
    facts.add(OutputsSection::tr("accuracy, float → quantized"),
              shareText(output.accuracyFloat) + QStringLiteral(" → ") +
                  shareText(output.accuracyQuantized),
              OutputsSection::tr("Share of the labelled samples whose class is right. Higher is "
                                 "better."));
  }
}

}  // namespace

OutputsSection::OutputsSection(QWidget* parent)
    : InspectorSection(QStringLiteral("outputs"), tr("Outputs"), parent),
      m_errors(new CellTable(tr("Outputs"), this)),
      m_scores(new CellTable(tr("Classes"), this)),
      m_ladder(new CellTable(tr("Weights and activations apart"), this)) {
  m_scores->setHeaderShown(false);
  body()->addWidget(m_errors);
  body()->addWidget(m_scores);
  body()->addWidget(m_ladder);
}

bool OutputsSection::appliesTo(const InspectorSubject& subject) const {
  return subject.kind == InspectorSubject::Kind::Model && subject.sampled() &&
         !subject.result().outputs.empty();
}

void OutputsSection::refresh() {
  const MetricDescription* cosine = &metricCatalogue().front();
  for (const MetricDescription& metric : metricCatalogue()) {
    if (metric.figure == &ErrorMetrics::cosine) cosine = &metric;
  }
  CellTableContent table;
  table.headers = {tr("Output"), tr("SQNR dB"), text(cosine->title)};
  table.headerTips = {{}, text(metricCatalogue().front().definition), text(cosine->definition)};
  Facts facts;
  for (const OutputResult& output : subject().result().outputs) {
    table.rows.push_back({textCell(text(output.value), text(output.value)),
                          sqnrCell(output.error.sqnrDb, subject().sqnrScale),
                          numberCell(output.error.cosine)});
    addScores(output, facts);
  }
  m_errors->setContent(std::move(table));
  m_scores->setContent(facts.take(), 0);
  showLadder();
}

// Shows which half of the quantization costs more.
void OutputsSection::showLadder() {
  CellTableContent table;
  table.headers = {tr("Quantized"), tr("SQNR dB")};
  table.headerTips = {tr("Which part of the network is quantized; the rest is float."),
                      tr("Signal to quantization noise at the output. Higher is better.")};
  const std::vector<LadderStep> ladder = subject().ladder();
  for (const LadderStep& step : ladder) {
    const auto add = [&](const QString& what, const QString& tip,
                         const std::optional<double>& sqnr) {
      const QString output =
          ladder.size() > 1 ? text(step.value) + QStringLiteral(": ") : QString();
      table.rows.push_back(
          {textCell(output + what, output + tip), sqnrCell(sqnr, subject().sqnrScale)});
    };
    add(tr("weights only"),
        tr("Weights and biases are quantized, all values in between are float."),
        step.weightsOnlyDb);
    add(tr("activations only"),
        tr("All values in between are quantized, weights and biases are float."),
        step.activationsOnlyDb);
    add(tr("both"), tr("As the network runs."), step.bothDb);
  }
  m_ladder->setVisible(!table.rows.empty());
  m_ladder->setContent(std::move(table));
}

QString OutputsSection::asText() const {
  return m_errors->asText() + (m_ladder->content().rows.empty() ? QString() : m_ladder->asText()) +
         (m_scores->content().rows.empty() ? QString() : m_scores->asText());
}

}  // namespace quantscope
