#pragma once

#include <QHash>
#include <QString>

#include "analysis/analysis_result.h"

namespace quantscope {

/// Short names of a model's layers: of each the last parts, as many as tell it from the others,
/// at least two, without those that only repeat its operator:
/// "/features/features.1/depthwise/conv/Conv" → "features.1/depthwise".
class LayerNames {
 public:
  LayerNames() = default;
  explicit LayerNames(const AnalysisResult& result);

  /// The whole name where it is none of a layer.
  QString shortOf(const QString& name) const { return m_short.value(name, name); }
  /// A sentence with the short names in place of those that it quotes.
  QString shortened(const QString& sentence) const;

 private:
  QHash<QString, QString> m_short;  // by whole name
};

}  // namespace quantscope
