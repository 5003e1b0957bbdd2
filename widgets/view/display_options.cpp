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

void DisplayOptions::setDelta(bool delta) {
  if (delta == m_delta) return;
  m_delta = delta;
  Q_EMIT changed();
}

void DisplayOptions::setDataFailed(bool failed) {
  if (failed == m_dataFailed) return;
  m_dataFailed = failed;
  Q_EMIT changed();
}

void DisplayOptions::setOther(const std::shared_ptr<const AnalysisResult>& result) {
  if (result == m_other) return;
  const bool shown = delta();
  m_other = result;
  m_otherLayers = result ? LayerIndex(*result) : LayerIndex();
  shown || delta() ? Q_EMIT changed() : Q_EMIT otherChanged();
}

const LayerError* DisplayOptions::errorOf(const LayerResult& layer) const {
  const std::optional<LayerError>& error = quantscope::errorOf(layer, m_kind);
  return error ? &*error : nullptr;
}

// A layer that is float on one side makes no error there: there is no difference to be told.
Figure DisplayOptions::figureOf(const LayerResult& layer) const {
  const Figure own = plainFigureOf(layer);
  return delta() ? differenceOf(own, otherFigureOf(layer)) : own;
}

Figure DisplayOptions::otherFigureOf(const LayerResult& layer) const {
  const LayerResult* other = otherOf(layer);
  return other != nullptr ? plainFigureOf(*other) : Figure{Figure::Kind::NotComputed, 0};
}

const LayerResult* DisplayOptions::otherOf(const LayerResult& layer) const {
  const auto found = m_other ? m_otherLayers.find(layer.node) : std::nullopt;
  return found ? &m_other->layers[*found] : nullptr;
}

Figure DisplayOptions::plainFigureOf(const LayerResult& layer) const {
  const LayerError* error = errorOf(layer);
  if (error != nullptr) {
    const std::optional<double>& value = error->total.*(metric().figure);
    if (value) return {Figure::Kind::Value, *value};
  }
  return {absenceOf(layer, m_kind), 0};
}

std::vector<Figure> DisplayOptions::figures(const AnalysisResult& result) const {
  std::vector<Figure> figures;
  figures.reserve(result.layers.size());
  for (const LayerResult& layer : result.layers) figures.push_back(figureOf(layer));
  return figures;
}

ErrorScale DisplayOptions::scale(const AnalysisResult& result) const {
  if (delta()) return ErrorScale::ofDifferences(metric(), figures(result));
  return {metric(), figures(result), m_stretch};
}

}  // namespace quantscope
