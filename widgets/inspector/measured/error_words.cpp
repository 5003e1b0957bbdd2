#include "widgets/inspector/measured/error_words.h"

#include <algorithm>
#include <cmath>

#include "export/worst_layers.h"
#include "widgets/look/text.h"
#include "widgets/look/translate.h"

namespace quantscope {
namespace {

// An error of 1 % and below is nothing to look into.
constexpr double kCalmDb = 40;
// How many of the worst layers are called that: a tenth, at least three.
constexpr std::size_t kLeastWorst = 3;

QString decibels(double value) {
  if (std::isinf(value)) return value > 0 ? QStringLiteral("∞ dB") : QStringLiteral("−∞ dB");
  return withUnit(value, QStringLiteral("dB"));
}

std::optional<double> sqnrOf(const std::optional<LayerError>& error) {
  return error ? error->total.sqnrDb : std::nullopt;
}

double noisePower(double sqnrDb) {
  return std::pow(10, -sqnrDb / 10);
}

// "The worst of 27 layers"; empty where it is not among the worst.
QString rankWords(const InspectorSubject& subject) {
  const AnalysisResult& result = subject.result();
  const auto order = worstLayers(result, &LayerResult::local, result.layers.size());
  const auto place = std::ranges::find(order, subject.layerIndex);
  const auto rank = static_cast<std::size_t>(place - order.begin()) + 1;
  if (place == order.end() || rank > std::max(kLeastWorst, order.size() / 10)) return {};
  if (order.size() == 1) return {};
  if (rank == 1) return tr("The worst of %1 layers").arg(order.size());
  return tr("Number %1 of the worst among %2 layers").arg(rank).arg(order.size());
}

QString ownError(const InspectorSubject& subject, double local, double accumulated) {
  const double share = noisePower(local) / noisePower(accumulated);
  const QString rank = local < kCalmDb ? rankWords(subject) : QString();
  if (!rank.isEmpty()) {
    return tr("%1: its own error alone leaves %2, with the errors before it %3.")
        .arg(rank, decibels(local), decibels(accumulated));
  }
  if (local >= kCalmDb && accumulated >= kCalmDb) {
    return tr("All is well: %1 by itself, %2 with everything before it.")
        .arg(decibels(local), decibels(accumulated));
  }
  if (share < 0.25) {
    return tr("Loses little by itself (%1); the layers before it have brought it down to %2.")
        .arg(decibels(local), decibels(accumulated));
  }
  if (share < 0.75) {
    return tr("Its own error (%1) and that of the layers before it leave %2.")
        .arg(decibels(local), decibels(accumulated));
  }
  return tr("Most of the error here is its own: %1 by itself, %2 with everything before it.")
      .arg(decibels(local), decibels(accumulated));
}

QString floatLayer(const LayerResult& layer, const std::optional<double>& accumulated) {
  if (!accumulated) return tr("Not quantized.");
  if (std::isinf(*accumulated) && *accumulated > 0) {
    return layer.dataMover ? tr("Only moves data: its input has no error.")
                           : tr("Not quantized: no error comes in.");
  }
  if (layer.dataMover) {
    return tr("Only moves data: its input has come down to %1 already.")
        .arg(decibels(*accumulated));
  }
  return tr("Not quantized: the layers before it have brought it down to %1.")
      .arg(decibels(*accumulated));
}

}  // namespace

QString errorSentence(const InspectorSubject& subject) {
  if (!subject.isLayer()) return {};
  const LayerResult& layer = subject.layer();
  const std::optional<double> local = sqnrOf(layer.local);
  const std::optional<double> accumulated = sqnrOf(layer.accumulated);
  if (!local && !accumulated) {
    if (!notComputedWords(subject).isEmpty()) return {};
    if (!subject.sampled()) {
      return subject.dataFailed ? tr("No errors are known: the data could not be used.")
                                : tr("Errors appear with the first sample.");
    }
    if (subject.snapshot->edited != AnalysisSnapshot::Edited::All) {
      return tr("Its error is being measured.");
    }
    if (!layer.accumulated) return tr("Not computed: no sample reached this layer.");
    return layer.accumulated->total.nonFinite > 0
               ? tr("No error can be told: what arrives here is not finite.")
               : tr("There is no signal that an error could be related to.");
  }
  if (!local) return floatLayer(layer, accumulated);
  if (std::isinf(*local) && (!accumulated || std::isinf(*accumulated))) {
    return tr("Loses nothing: the output equals the float one.");
  }
  if (std::isinf(*local)) return floatLayer(layer, accumulated);
  if (!accumulated || std::isinf(*accumulated)) {
    return tr("By itself it leaves %1.").arg(decibels(*local));
  }
  return ownError(subject, *local, *accumulated);
}

QString notComputedWords(const InspectorSubject& subject) {
  // Before the first sample nothing is calibrated, which is no fault of the layer.
  if (!subject.isLayer() || !subject.sampled()) return {};
  const Graph& graph = subject.graph();
  for (const NotComputed& entry : subject.result().notComputed) {
    for (const NodeId member : subject.layer().members) {
      if (graph[member].name == entry.node) return tr("Not computed: %1.").arg(text(entry.reason));
    }
  }
  return {};
}

QString stageWords(const InspectorSubject& subject) {
  const AnalysisSnapshot& snapshot = *subject.snapshot;
  if (snapshot.stage == AnalysisSnapshot::Stage::Complete) return {};
  if (snapshot.edited != AnalysisSnapshot::Edited::All) {
    return tr("Its own error is new; the rest follows.");
  }
  if (snapshot.request.data.empty()) return tr("Choose data to see ranges and errors.");
  if (snapshot.stage == AnalysisSnapshot::Stage::Structure) {
    return subject.dataFailed ? tr("The data could not be used. Choose other data, or mend it and "
                                   "run again, to see ranges and errors.")
                              : tr("Ranges and errors appear with the first sample.");
  }
  const std::size_t samples = subject.result().samples;
  if (snapshot.samplesWanted == 0) {
    return tr("From %1 samples so far; more to come.").arg(samples);
  }
  return tr("From the first %1 of %2 samples; more to come.")
      .arg(samples)
      .arg(snapshot.samplesWanted);
}

}  // namespace quantscope
