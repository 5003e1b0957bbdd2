#include "widgets/words/estimate_words.h"

#include <algorithm>

#include "widgets/look/text.h"
#include "widgets/look/translate.h"

namespace quantscope {
namespace {

// Fewer say nothing of an order.
constexpr std::size_t kFewestToCompare = 3;
// What is asked of estimates of any network.
constexpr double kAgrees = 0.75;

bool hasNoGradient(const SensitivityRow& row) {
  return !row.outputs.empty() && row.outputs.front().error.count == 0;
}

QString counted(std::size_t count, const char* one, const char* several) {
  return count == 1 ? tr(one) : tr(several).arg(count);
}

QString agreement(const EstimateQuality& quality) {
  const bool agrees = *quality.spearman >= kAgrees;
  QString words = (agrees ? tr("Estimates agree with %1 measured rows: ρ %2")
                          : tr("Estimates disagree with %1 measured rows: ρ %2"))
                      .arg(quality.rows)
                      .arg(QString::number(*quality.spearman, 'f', 2).replace(u'-', u'−'));
  if (quality.medianErrorDb) {
    words += tr(", %1 dB off in the median").arg(*quality.medianErrorDb, 0, 'f', 1);
  }
  return words + u'.';
}

// One reason stands for all.
QString missing(const SensitivityState& state) {
  const auto rows = static_cast<std::size_t>(std::ranges::count_if(state.estimates, hasNoGradient));
  if (rows == 0) return {};
  const auto first = std::ranges::find_if(state.estimates, hasNoGradient);
  return counted(rows, "1 row has no estimate: %1.", "%1 rows have no estimate: %2.")
      .arg(text(first->refused));
}

}  // namespace

QString estimateSentence(std::size_t samples) {
  return counted(samples, "Estimated from gradients on 1 sample, not measured yet",
                 "Estimated from gradients on %1 samples, not measured yet") +
         tr(": what the layer's own error does to the worst output, as far as the network is "
            "linear.");
}

QString estimateNote(const SensitivityState& state) {
  if (!state.notEstimated.empty()) return tr("No estimates: %1.").arg(text(state.notEstimated));
  if (state.estimates.empty()) return {};
  QStringList sentences;
  if (state.quality.rows >= kFewestToCompare && state.quality.spearman) {
    sentences << agreement(state.quality);
  } else if (std::ranges::any_of(state.waiting, &RankedRow::estimated)) {
    sentences << counted(state.estimatedOn, "≈ is estimated from gradients on 1 sample.",
                         "≈ is estimated from gradients on %1 samples.");
  }
  const QString rest = missing(state);
  if (!rest.isEmpty()) sentences << rest;
  return sentences.join(u' ');
}

}  // namespace quantscope
