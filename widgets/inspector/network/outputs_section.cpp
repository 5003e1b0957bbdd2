#include "widgets/inspector/network/outputs_section.h"

#include <QVBoxLayout>
#include <algorithm>

#include "base/number_text.h"
#include "export/output_text.h"
#include "widgets/inspector/parts/cell_table.h"
#include "widgets/inspector/parts/changes.h"
#include "widgets/inspector/parts/facts.h"
#include "widgets/look/text.h"

namespace quantscope {
namespace {

QString shareText(const std::optional<double>& share) {
  return share ? text(percent(*share)) : QStringLiteral("–");
}

// The same output under B; nullptr where there is none.
const OutputResult* comparedOf(const InspectorSubject& subject, const OutputResult& output) {
  if (!subject.compared) return nullptr;
  const auto found =
      std::ranges::find(subject.compared->outputs, output.value, &OutputResult::value);
  return found == subject.compared->outputs.end() ? nullptr : &*found;
}

// One column of changes leaves room for the names of outputs.
Cell cosineCell(const std::optional<double>& cosine, const std::optional<double>& compared) {
  Cell cell = numberCell(cosine);
  const Cell change = changeCell(cosine, compared);
  if (change.exact.isValid()) {
    cell.toolTip += u'\n' + OutputsSection::tr("Against B: %1").arg(change.text);
  }
  return cell;
}

// In percentage points.
QString agreementChange(const OutputResult& output, const OutputResult* compared) {
  if (compared == nullptr || !compared->top1Agreement) return {};
  return changeWords(100 * *output.top1Agreement, 100 * *compared->top1Agreement);
}

// In samples where the accuracy is told so, else in percentage points.
QString accuracyChange(const OutputResult& output, const OutputResult* compared) {
  const std::string change = compared == nullptr ? "" : accuracyChangeText(output, *compared);
  return change.empty() ? QString() : QStringLiteral(" (%1)").arg(text(change));
}

void addScores(const OutputResult& output, const OutputResult* compared, Facts& facts) {
  if (output.kl) {
    facts.add(OutputsSection::tr("KL divergence"),
              shortText(output.kl) + OutputsSection::tr(" nats") +
                  changeWords(output.kl, compared == nullptr ? std::nullopt : compared->kl),
              OutputsSection::tr("How far the quantized class probabilities are from the float "
                                 "ones, mean over the samples. 0 is best."));
  }
  if (output.top1Agreement) {
    facts.add(OutputsSection::tr("agreement"),
              shareText(output.top1Agreement) + agreementChange(output, compared),
              OutputsSection::tr("Share of the samples for which both networks choose the same "
                                 "class. 100 % is best."));
  }
  if (output.accuracyFloat && output.accuracyQuantized) {
    facts.add(OutputsSection::tr("accuracy"),
              text(accuracyText(output)) + accuracyChange(output, compared),
              OutputsSection::tr("Share of the labelled samples whose class is right, of the float "
                                 "→ of the quantized network. Higher is better."));
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
  const bool compares = subject().compared != nullptr;
  table.headers = {tr("Output"), tr("SQNR dB")};
  table.headerTips = {{}, text(metricCatalogue().front().definition)};
  if (compares) addChangeHeader(table, tr("SQNR"));
  table.headers << text(cosine->title);
  table.headerTips << text(cosine->definition);
  Facts facts;
  for (const OutputResult& output : subject().result().outputs) {
    const OutputResult* compared = comparedOf(subject(), output);
    const ErrorMetrics before = compared == nullptr ? ErrorMetrics() : compared->error;
    std::vector<Cell> row{textCell(text(output.value), text(output.value)),
                          sqnrCell(output.error.sqnrDb, subject().sqnrScale)};
    if (compares) row.push_back(mutedChange(output.error.sqnrDb, before.sqnrDb, tr("dB")));
    row.push_back(cosineCell(output.error.cosine, before.cosine));
    table.rows.push_back(std::move(row));
    addScores(output, compared, facts);
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
