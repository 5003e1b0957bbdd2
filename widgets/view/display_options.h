#pragma once

#include <QObject>
#include <memory>
#include <vector>

#include "widgets/look/error_scale.h"
#include "widgets/view/error_kind.h"
#include "widgets/view/layer_index.h"

namespace quantscope {

/// The display options of all views of a window: the metric, the kind of error and the scale.
class DisplayOptions : public QObject {
  Q_OBJECT

 public:
  using QObject::QObject;

  /// Index into metricCatalogue().
  std::size_t metricIndex() const { return m_metric; }
  const MetricDescription& metric() const { return metricCatalogue()[m_metric]; }
  ErrorKind kind() const { return m_kind; }
  /// Colours span this model's figures instead of the fixed anchors.
  bool stretch() const { return m_stretch; }

  /// Figures are differences: those of the configuration that is compared with, taken from these.
  bool delta() const { return m_delta && m_other != nullptr; }
  bool deltaChosen() const { return m_delta; }
  /// The result that is compared with; null = none.
  const std::shared_ptr<const AnalysisResult>& other() const { return m_other; }

  /// The data that is asked for could not be used: no sample of it will run.
  bool dataFailed() const { return m_dataFailed; }

  void setMetricIndex(std::size_t index);
  void setKind(ErrorKind kind);
  void setStretch(bool stretch);
  void setDelta(bool delta);
  void setDataFailed(bool failed);
  void setOther(const std::shared_ptr<const AnalysisResult>& result);

  /// The chosen kind of error of a layer; nullptr where there is none.
  const LayerError* errorOf(const LayerResult& layer) const;
  Figure figureOf(const LayerResult& layer) const;
  /// The layer in other(); nullptr where there is none.
  const LayerResult* otherOf(const LayerResult& layer) const;
  /// The same of the layer in other(), no difference.
  Figure otherFigureOf(const LayerResult& layer) const;
  /// The figures of all layers of a result, in their order, and the scale of their colours.
  std::vector<Figure> figures(const AnalysisResult& result) const;
  ErrorScale scale(const AnalysisResult& result) const;

 Q_SIGNALS:
  void changed();
  /// Another result is compared with, and figures are no differences.
  void otherChanged();

 private:
  Figure plainFigureOf(const LayerResult& layer) const;

  std::size_t m_metric = 0;
  ErrorKind m_kind = ErrorKind::Local;
  bool m_stretch = false;
  bool m_delta = false;
  bool m_dataFailed = false;
  std::shared_ptr<const AnalysisResult> m_other;
  LayerIndex m_otherLayers;
};

}  // namespace quantscope
