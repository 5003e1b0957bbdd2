#pragma once

#include <QFont>
#include <QFontMetricsF>
#include <QHash>
#include <QSizeF>
#include <QString>

#include "widgets/graph/drawing/graph_drawing.h"

namespace quantscope {

/// Boxes as wide as their text, within limits and in steps, so that a drawing looks tidy.
class BoxSizes {
 public:
  explicit BoxSizes(const QFont& font);

  /// The size of a box whose kind and texts are known.
  QSizeF sizeOf(const DrawnBox& box);
  /// The least width of a frame that shows its title.
  double frameWidth(const QString& title);

 private:
  double width(const QString& words, const QFontMetricsF& metrics, QHash<QString, double>& known);

  QFontMetricsF m_title;
  QFontMetricsF m_name;
  QHash<QString, double> m_titles;
  QHash<QString, double> m_names;
};

}  // namespace quantscope
