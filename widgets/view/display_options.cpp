#include "widgets/view/display_options.h"

namespace quantscope {

void DisplayOptions::setMetricIndex(std::size_t index) {
  if (index == m_metric || index >= metricCatalogue().size()) return;
  m_metric = index;
  Q_EMIT changed();
}

void DisplayOptions::setKind(ErrorKind kind) {
  if (kind == m_kind) return;
  m_kind = kind;
  Q_EMIT changed();
}

void DisplayOptions::setStretch(bool stretch) {
  if (stretch == m_stretch) return;
  m_stretch = stretch;
  Q_EMIT changed();
}

const LayerError* DisplayOptions::errorOf(const LayerResult& layer) const {
  const std::optional<LayerError>& error =
      m_kind == ErrorKind::Local ? layer.local : layer.accumulated;
  return error ? &*error : nullptr;
}

Figure DisplayOptions::figureOf(const LayerResult& layer) const {
  const LayerError* error = errorOf(layer);
  if (error != nullptr) {
    const std::optional<double>& value = error->total.*(metric().figure);
    if (value) return {Figure::Kind::Value, *value};
  }
  // A local error exists only where something is quantized.
  if (m_kind == ErrorKind::Local && !layer.quantized) return {Figure::Kind::NotQuantized, 0};
  return {Figure::Kind::NotComputed, 0};
}

std::vector<Figure> DisplayOptions::figures(const AnalysisResult& result) const {
  std::vector<Figure> figures;
  figures.reserve(result.layers.size());
  for (const LayerResult& layer : result.layers) figures.push_back(figureOf(layer));
  return figures;
}

ErrorScale DisplayOptions::scale(const AnalysisResult& result) const {
  return {metric(), figures(result), m_stretch};
}

QString titleOf(ErrorKind kind) {
  return kind == ErrorKind::Local ? QStringLiteral("Local error")
                                  : QStringLiteral("Accumulated error");
}

QString definitionOf(ErrorKind kind) {
  return kind == ErrorKind::Local
             ? QStringLiteral(
                   "Only this layer is quantized and its inputs are float: the error "
                   "that it makes by itself. Small is good.")
             : QStringLiteral(
                   "The whole network is quantized: how far this value is from its "
                   "float twin, errors of all layers before it included. Small is good.");
}

}  // namespace quantscope
