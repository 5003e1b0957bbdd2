#pragma once

#include <QObject>
#include <optional>
#include <vector>

#include "widgets/look/error_scale.h"

namespace quantscope {

/// Which error the window shows.
enum class ErrorKind { Local, Accumulated };

/// What all views of a window agree on showing: the metric, the kind of error and the scale.
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

  void setMetricIndex(std::size_t index);
  void setKind(ErrorKind kind);
  void setStretch(bool stretch);

  /// The chosen kind of error of a layer; nullptr where there is none.
  const LayerError* errorOf(const LayerResult& layer) const;
  Figure figureOf(const LayerResult& layer) const;
  /// Of all layers of a result, in their order, and the scale that they are coloured by.
  std::vector<Figure> figures(const AnalysisResult& result) const;
  ErrorScale scale(const AnalysisResult& result) const;

 Q_SIGNALS:
  void changed();

 private:
  std::size_t m_metric = 0;
  ErrorKind m_kind = ErrorKind::Local;
  bool m_stretch = false;
};

/// "Local error", and one sentence that says what it is.
QString titleOf(ErrorKind kind);
QString definitionOf(ErrorKind kind);

}  // namespace quantscope
