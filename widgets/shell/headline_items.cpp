#include "widgets/shell/headline_items.h"

#include <algorithm>
#include <cmath>

#include "analysis/errors/worst_output.h"
#include "base/number_text.h"
#include "export/output_text.h"
#include "widgets/look/text.h"
#include "widgets/look/translate.h"

namespace quantscope {
namespace {

using Stage = AnalysisSnapshot::Stage;
using Tone = HeadlineItem::Tone;

QString counted(std::size_t count, const QString& one, const QString& many) {
  return text(grouped(count)) + u' ' + (count == 1 ? one : many);
}

QString typeName(QuantType type) {
  return text(name(type)).toUpper();
}

// "INT8" where weights and activations have the same width, else "INT4 weights, UINT8 activations".
QString precisionName(const NodePrecision& precision) {
  if (precision.float32) return tr("FP32");
  const QuantType weight = precision.weight.type;
  const QuantType activation = precision.activation.type;
  if (bitWidth(weight) == bitWidth(activation)) return typeName(weight);
  return tr("%1 weights, %2 activations").arg(typeName(weight), typeName(activation));
}

HeadlineItem configurationItem(const AnalysisSnapshot& snapshot,
                               std::optional<std::size_t> overridden) {
  const AnalysisResult& result = *snapshot.result;
  HeadlineItem item;
  const PrecisionConfig& config = *snapshot.request.config.precision;
  const QString backend = text(config.backend);
  const std::size_t own =
      overridden.value_or(config.nodes.size() + config.patterns.size() + config.opTypes.size());
  const QString overrides = counted(own, tr("override"), tr("overrides"));
  // A float default with layers of their own is not a float network.
  item.value = config.defaults.float32 && own > 0
                   ? tr("FP32 but for %1 · %2").arg(overrides, backend)
                   : precisionName(config.defaults) + QStringLiteral(" · ") + backend;
  item.definition =
      tr("How the model is quantized: %1; backend %2.").arg(text(result.scheme), backend);
  if (own > 0) {
    if (!config.defaults.float32) item.value += QStringLiteral(" + ") + overrides;
    item.definition += u' ' + counted(own, tr("rule or layer has"), tr("rules and layers have")) +
                       tr(" a precision of their own.");
  }
  return item;
}

// The first figures after an edit.
HeadlineItem editedItem(const AnalysisSnapshot& snapshot) {
  const bool outputs = snapshot.edited == AnalysisSnapshot::Edited::FirstOutputs;
  return {.value = outputs ? tr("first of %1 samples").arg(text(grouped(snapshot.samplesWanted)))
                           : tr("measuring outputs…"),
          .definition = tr("The own errors of the edited layers are new; what is not measured yet "
                           "stays as it was before the change."),
          .tone = Tone::Notice};
}

HeadlineItem samplesItem(const AnalysisSnapshot& snapshot) {
  const AnalysisResult& result = *snapshot.result;
  if (snapshot.edited != AnalysisSnapshot::Edited::All) return editedItem(snapshot);
  HeadlineItem item;
  const QString samples = tr("samples");
  if (snapshot.stage == Stage::Partial) {
    item.value = tr("partial: %1 of %2 samples")
                     .arg(text(grouped(result.samples)), text(grouped(snapshot.samplesWanted)));
    item.tone = Tone::Notice;
    item.definition = tr("Only the first samples have run; all figures will sharpen.");
    return item;
  }
  item.value = counted(result.samples, tr("sample"), samples);
  if (result.synthetic) {
    item.value += tr(" · synthetic");
    item.tone = Tone::Warning;
  }
  item.definition = tr("Measured with %1, calibrated with %2.")
                        .arg(text(result.data), text(result.calibrationData));
  if (result.synthetic) item.definition += tr(" Made-up data says little about real inputs.");
  return item;
}

QString outputLines(const AnalysisResult& result) {
  constexpr std::size_t kMost = 12;
  QString lines;
  for (std::size_t i = 0; i < std::min(kMost, result.outputs.size()); ++i) {
    const OutputResult& output = result.outputs[i];
    lines += u'\n' + text(output.value) + QStringLiteral(": ") +
             (output.error.sqnrDb ? exactText(output.error.sqnrDb) + QStringLiteral(" dB")
                                  : QStringLiteral("–"));
  }
  if (result.outputs.size() > kMost) lines += QStringLiteral("\n…");
  return lines;
}

// The effects of weights and of activations alone, at the worst output.
void explainSqnr(HeadlineItem& item, const AnalysisResult& result,
                 const std::vector<LadderStep>& ladder) {
  const OutputResult* worst = worstOutput(result.outputs);
  const auto step = std::ranges::find_if(ladder, [worst](const LadderStep& one) {
    return worst != nullptr && one.value == worst->value;
  });
  if (step == ladder.end()) return;
  const auto decibels = [](const std::optional<double>& sqnr) {
    return withUnit(sqnr, QStringLiteral("dB"));
  };
  item.definition +=
      u'\n' + tr("With weights alone quantized %1, with activations alone %2.")
                  .arg(decibels(step->weightsOnlyDb), decibels(step->activationsOnlyDb));
}

// "+30.9"; a change that the figure beside it would not show is none.
void setChange(HeadlineItem& item, double change, bool highIsGood) {
  const QString size = QString::number(std::abs(change), 'f', 1);
  if (size == QStringLiteral("0.0")) return;
  item.change = (change > 0 ? QStringLiteral("+") : QStringLiteral("−")) + size;
  item.better = (change > 0) == highIsGood ? 1 : -1;
}

// The SQNR of the first sample alone, if the shown figure is also of that sample.
std::optional<double> comparableSqnr(const AnalysisSnapshot& shown, const OutputResult& before) {
  if (shown.edited != AnalysisSnapshot::Edited::FirstOutputs) return before.error.sqnrDb;
  if (before.sampleSqnrDb.empty()) return std::nullopt;
  return before.sampleSqnrDb.front();
}

std::optional<double> sqnrBefore(const AnalysisSnapshot& shown, const AnalysisResult& before) {
  std::optional<double> worst;
  for (const OutputResult& output : before.outputs) {
    const std::optional<double> sqnr = comparableSqnr(shown, output);
    if (sqnr && (!worst || *sqnr < *worst)) worst = sqnr;
  }
  return worst;
}

void compareSqnr(HeadlineItem& item, const AnalysisSnapshot& shown,
                 const HeadlineReference& reference) {
  if (!reference.snapshot || shown.edited == AnalysisSnapshot::Edited::OwnErrors) return;
  const std::optional<double> before = sqnrBefore(shown, *reference.snapshot->result);
  if (!before || !item.sqnrDb) return;
  item.definition += u'\n' + tr("%1: %2 dB.").arg(reference.name, exactText(before));
  const double change = *item.sqnrDb - *before;
  if (std::isfinite(change)) {
    setChange(item, change, true);
  } else if (!std::isnan(change)) {
    item.change = change > 0 ? QStringLiteral("+∞") : QStringLiteral("−∞");
    item.better = change > 0 ? 1 : -1;
  }
}

HeadlineItem sqnrItem(const AnalysisResult& result) {
  const OutputResult* worst = worstOutput(result.outputs);
  HeadlineItem item;
  item.caption = result.outputs.size() > 1 ? tr("worst output SQNR") : tr("output SQNR");
  item.sqnrDb = worst == nullptr ? std::nullopt : worst->error.sqnrDb;
  item.value = withUnit(item.sqnrDb, QStringLiteral("dB"));
  item.definition = tr("Signal to quantization noise at the network's output, all layers "
                       "quantized. Higher is better: 40 dB is an error of 1 %, 20 dB of 10 %.") +
                    outputLines(result);
  return item;
}

// The output of the same name; nullptr where there is none.
const OutputResult* sameOutput(const OutputResult& output, const AnalysisResult* before) {
  if (before == nullptr) return nullptr;
  const auto found = std::ranges::find(before->outputs, output.value, &OutputResult::value);
  return found == before->outputs.end() ? nullptr : &*found;
}

// In percentage points.
void compareAgreement(HeadlineItem& item, const OutputResult& output, const OutputResult* other) {
  if (other == nullptr || !other->top1Agreement) return;
  setChange(item, 100 * (*output.top1Agreement - *other->top1Agreement), true);
}

// In samples where the accuracy is told so, else in percentage points.
void compareAccuracy(HeadlineItem& item, const OutputResult& output, const OutputResult* other) {
  if (other == nullptr) return;
  item.change = text(accuracyChangeText(output, *other));
  if (!item.change.isEmpty()) item.better = item.change.startsWith(u'+') ? 1 : -1;
}

void addClassItems(const AnalysisResult& result, const AnalysisResult* before,
                   std::vector<HeadlineItem>& items) {
  for (const OutputResult& output : result.outputs) {
    const OutputResult* other = sameOutput(output, before);
    if (output.top1Agreement) {
      items.push_back({.caption = tr("agrees"),
                       .value = text(percent(*output.top1Agreement)),
                       .definition = tr("Share of samples whose largest output is the same class "
                                        "before and after quantization. Higher is better.")});
      compareAgreement(items.back(), output, other);
    }
    if (output.accuracyFloat && output.accuracyQuantized) {
      items.push_back(
          {.caption = tr("accuracy"),
           .value = text(accuracyText(output)),
           .definition = tr("Share of labelled samples whose largest output is the right class, "
                            "before and after quantization. Higher is better.")});
      compareAccuracy(items.back(), output, other);
    }
    if (output.top1Agreement || output.accuracyFloat) return;
  }
}

HeadlineItem sizeItem(const QuantizationSummary& summary) {
  return {.value = tr("%1, %2× smaller")
                       .arg(text(byteSize(static_cast<double>(summary.quantizedBytes))),
                            shortText(summary.trueCompression)),
          .definition =
              tr("Bytes of all constants once quantized, scales and zero points counted; in float "
                 "they take %1. %2 layers are quantized.")
                  .arg(text(byteSize(static_cast<double>(summary.floatBytes))),
                       text(grouped(summary.quantizedLayers)))};
}

void compareSize(HeadlineItem& item, const QuantizationSummary& now,
                 const QuantizationSummary& before) {
  const double change =
      static_cast<double>(now.quantizedBytes) - static_cast<double>(before.quantizedBytes);
  if (change == 0) return;
  const QString sign = change > 0 ? QStringLiteral("+") : QStringLiteral("−");
  item.change = sign + text(byteSize(std::abs(change)));
  item.better = change < 0 ? 1 : -1;
}

}  // namespace

QString HeadlineItem::changeText() const {
  if (change.isEmpty()) return {};
  const bool up = !change.startsWith(u'-') && !change.startsWith(u'−');
  return (up ? QStringLiteral("▲ ") : QStringLiteral("▼ ")) + change;
}

QString HeadlineItem::text() const {
  QString words = caption.isEmpty() ? value : caption + u' ' + value;
  if (!change.isEmpty()) words += u' ' + changeText();
  return words;
}

std::vector<HeadlineItem> headlineItems(const SnapshotPtr& snapshot, bool stale,
                                        const HeadlineReference& reference) {
  std::vector<HeadlineItem> items;
  if (!snapshot) return items;
  const AnalysisResult& result = *snapshot->result;
  items.push_back(configurationItem(*snapshot, reference.overrides));
  if (snapshot->stage == Stage::Structure) {
    items.push_back({.value = tr("structure only"),
                     .definition = tr("No sample has run, so there are no ranges and errors yet."),
                     .tone = Tone::Notice});
    items.push_back({.value = counted(result.layers.size(), tr("layer"), tr("layers")),
                     .definition = tr("Operators, fused patterns counted once.")});
    return items;
  }
  items.push_back(samplesItem(*snapshot));
  if (stale) {
    items.push_back({.value = tr("out of date"),
                     .definition = tr("These figures belong to earlier settings; the last good "
                                      "result stays until the new one is there."),
                     .tone = Tone::Warning});
  }
  items.push_back(sqnrItem(result));
  explainSqnr(items.back(), result, reference.ladder);
  compareSqnr(items.back(), *snapshot, reference);
  const AnalysisResult* before = reference.snapshot && snapshot->stage == Stage::Complete
                                     ? reference.snapshot->result.get()
                                     : nullptr;
  addClassItems(result, before, items);
  items.push_back(sizeItem(result.summary));
  if (reference.snapshot) {
    compareSize(items.back(), result.summary, reference.snapshot->result->summary);
  }
  if (!result.notComputed.empty()) {
    items.push_back({.caption = tr("not computed"),
                     .value = counted(result.notComputed.size(), tr("node"), tr("nodes")),
                     .definition = text(result.notComputed.front().node) + QStringLiteral(": ") +
                                   text(result.notComputed.front().reason),
                     .tone = Tone::Warning});
  }
  return items;
}

QString headlineText(const std::vector<HeadlineItem>& items) {
  QString lines;
  for (const HeadlineItem& item : items) lines += item.text() + u'\n';
  return lines;
}

}  // namespace quantscope
