#include "widgets/inspector/network/cost_section.h"

#include <QVBoxLayout>
#include <algorithm>
#include <cmath>

#include "analysis/cost/model_cost.h"
#include "base/number_text.h"
#include "export/count_text.h"
#include "widgets/inspector/parts/cell_table.h"
#include "widgets/inspector/parts/facts.h"
#include "widgets/look/text.h"
#include "widgets/words/configuration_words.h"

namespace quantscope {
namespace {

QString typeWords(const std::string& type) {
  const std::optional<QuantType> known = quantTypeFromName(type);
  return known ? typeTitle(*known) : text(type);
}

QString signedText(double change, const QString& size) {
  return (change > 0 ? QStringLiteral(" (+") : QStringLiteral(" (−")) + size + u')';
}

// " (+12.5 kB)"
QString bytesChange(const QuantizationSummary& now, const AnalysisResult* before) {
  if (before == nullptr) return {};
  const double change =
      static_cast<double>(now.quantizedBytes) - static_cast<double>(before->summary.quantizedBytes);
  return change == 0 ? QString() : signedText(change, text(byteSize(std::abs(change))));
}

Cell figureCell(const QString& words, const QString& tip, double exact) {
  Cell cell = textCell(words, tip + QStringLiteral("\n") + exactText(exact));
  cell.exact = exact;
  return cell;
}

void addTypes(const QuantizationSummary& summary, Facts& facts) {
  auto counts = summary.nodesByType;
  std::ranges::stable_sort(counts, std::ranges::greater{},
                           [](const auto& entry) { return entry.second; });
  for (const auto& [type, count] : counts) {
    facts.add(CostSection::tr("layers in %1").arg(typeWords(type)), count,
              CostSection::tr("Layers by the type of their weights, or without weights of what "
                              "goes in; a fused pattern is one layer"));
  }
}

void addWeights(const QuantizationSummary& summary, const ModelCost& cost, Facts& facts) {
  if (cost.meanBits) {
    facts.add(CostSection::tr("mean bits of weights"),
              figureCell(CostSection::tr("%1 bits").arg(shortText(cost.meanBits)),
                         CostSection::tr("Mean over all elements of weights, without scales and "
                                         "zero points; float ones have 32 bits"),
                         *cost.meanBits));
  }
  facts.add(CostSection::tr("mean compression"),
            figureCell(CostSection::tr("%1 ×").arg(shortText(summary.meanCompression)),
                       CostSection::tr("Mean over the layers with quantized weights of 32 bits "
                                       "divided by the bits of the type, nothing else counted"),
                       summary.meanCompression));
}

void addBytes(const QuantizationSummary& summary, const AnalysisResult* before, Facts& facts) {
  facts.add(
      CostSection::tr("size"),
      CostSection::tr("%1 → %2").arg(text(byteSize(static_cast<double>(summary.floatBytes))),
                                     text(byteSize(static_cast<double>(summary.quantizedBytes)))) +
          bytesChange(summary, before),
      CostSection::tr("Bytes of all constants, float → quantized, with scales and zero "
                      "points"));
  facts.add(CostSection::tr("true compression"),
            figureCell(CostSection::tr("%1 ×").arg(shortText(summary.trueCompression)),
                       CostSection::tr("Bytes of all constants in float divided by those "
                                       "quantized, with scales, zero points and what stays in "
                                       "float"),
                       summary.trueCompression));
  facts.add(
      CostSection::tr("memory saved"),
      figureCell(CostSection::tr("%1, %2").arg(text(byteSize(summary.memorySavedBytes)),
                                               text(percent(summary.memorySavedPercent / 100))),
                 CostSection::tr("Bytes of all constants that quantization saves, and their "
                                 "share of the float bytes"),
                 summary.memorySavedBytes));
}

void addMacs(const QuantizationSummary& summary, const ModelCost& cost, Facts& facts) {
  if (!cost.macs || !summary.macsAbove8Bits) return;
  facts.add(CostSection::tr("MACs per sample"),
            figureCell(text(countInWords(*cost.macs)),
                       CostSection::tr("Multiply-accumulates of convolutions, matrix products and "
                                       "recurrences for one sample"),
                       *cost.macs));
  facts.add(CostSection::tr("MACs above 8 bits"),
            figureCell(text(percent(*summary.macsAbove8Bits)),
                       CostSection::tr("Share of the multiply-accumulates that run with weights or "
                                       "activations of more than 8 bits, or in float"),
                       *summary.macsAbove8Bits));
}

}  // namespace

CostSection::CostSection(QWidget* parent)
    : InspectorSection(QStringLiteral("cost"), tr("Cost"), parent),
      m_facts(new CellTable(tr("Cost"), this)) {
  m_facts->setHeaderShown(false);
  body()->addWidget(m_facts);
}

bool CostSection::appliesTo(const InspectorSubject& subject) const {
  return subject.kind == InspectorSubject::Kind::Model && subject.sampled();
}

void CostSection::refresh() {
  const QuantizationSummary& summary = subject().result().summary;
  const AnalysisSnapshot& snapshot = *subject().snapshot;
  const ModelCost cost =
      modelCost(*snapshot.model.engine, *snapshot.quantized, *snapshot.observations);
  const AnalysisResult* before = subject().compared.get();
  Facts facts;
  addBytes(summary, before, facts);
  addWeights(summary, cost, facts);
  addTypes(summary, facts);
  addMacs(summary, cost, facts);
  facts.add(tr("calibrated with"), tr("%1 samples").arg(text(grouped(summary.calibrationSamples))),
            tr("Samples that the ranges of activations come from"));
  m_facts->setContent(facts.take(), 1);
}

QString CostSection::asText() const {
  return m_facts->asText();
}

}  // namespace quantscope
