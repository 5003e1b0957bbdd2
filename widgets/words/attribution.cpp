#include "widgets/words/attribution.h"

#include <QCoreApplication>
#include <cmath>

#include "widgets/look/text.h"

namespace quantscope {
namespace {

constexpr double kCalmOutputDb = 40;  // an error of 1 %
constexpr double kMostlyOwn = 0.5;
constexpr double kMuchMore = 2;

QString attributionText(const char* source) {
  return QCoreApplication::translate("Attribution", source);
}

std::optional<double> sqnrOfError(const std::optional<LayerError>& error) {
  return error ? error->total.sqnrDb : std::nullopt;
}

double noiseOf(const std::optional<double>& sqnrDb) {
  return sqnrDb ? std::pow(10, -*sqnrDb / 10) : 0;
}

// The worst SQNR among the layers whose output this layer reads.
std::optional<double> worstInput(const Graph& graph, const AnalysisResult& result,
                                 const LayerIndex& layers, std::size_t layer) {
  std::optional<double> worst;
  for (const NodeId member : result.layers[layer].members) {
    for (const ValueId input : graph[member].inputs) {
      if (!input.valid()) continue;
      const NodeId producer = graph[input].producer;
      const auto before = producer.valid() ? layers.find(producer) : std::nullopt;
      if (!before || *before == layer) continue;
      const std::optional<double> sqnr = sqnrOfError(result.layers[*before].accumulated);
      if (sqnr && (!worst || *sqnr < *worst)) worst = sqnr;
    }
  }
  return worst;
}

QString decibelsOf(const std::optional<double>& sqnrDb) {
  return withUnit(sqnrDb, QStringLiteral("dB"));
}

}  // namespace

std::optional<AttributedError> attribute(const Graph& graph, const AnalysisResult& result,
                                         const LayerIndex& layers, std::size_t layer) {
  const std::optional<double> output = sqnrOfError(result.layers[layer].accumulated);
  if (!output || !(*output < kCalmOutputDb)) return std::nullopt;
  AttributedError error;
  error.outputDb = *output;
  error.localDb = sqnrOfError(result.layers[layer].local);
  error.inputDb = worstInput(graph, result, layers, layer);
  const double own = noiseOf(error.localDb);
  const double whole = noiseOf(output);
  if (own >= kMostlyOwn * whole) {
    error.kind = Attribution::Local;
  } else if (error.inputDb && whole > kMuchMore * (noiseOf(error.inputDb) + own)) {
    error.kind = Attribution::Amplified;
  } else {
    error.kind = Attribution::Inherited;
  }
  return error;
}

QString attributionTitle(Attribution kind) {
  switch (kind) {
    case Attribution::Local:
      return attributionText("local");
    case Attribution::Inherited:
      return attributionText("inherited");
    default:
      return attributionText("amplified");
  }
}

QString attributionSentence(const AttributedError& error) {
  switch (error.kind) {
    case Attribution::Local:
      return attributionText(
                 "The layer makes most of the error at its output by itself: %1 alone, "
                 "%2 with what comes in.")
          .arg(decibelsOf(error.localDb), decibelsOf(error.outputDb));
    case Attribution::Inherited:
      return error.inputDb
                 ? attributionText(
                       "The error comes in with the inputs, the worst of which has %1; "
                       "the layer leaves %2.")
                       .arg(decibelsOf(error.inputDb), decibelsOf(error.outputDb))
                 : attributionText("The error comes in with the inputs; the layer leaves %1.")
                       .arg(decibelsOf(error.outputDb));
    default:
      return attributionText(
                 "The inputs still have %1 and the layer adds little by itself, but it "
                 "makes small errors large: %2 come out.")
          .arg(decibelsOf(error.inputDb), decibelsOf(error.outputDb));
  }
}

}  // namespace quantscope
