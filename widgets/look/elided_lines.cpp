#include "widgets/look/elided_lines.h"

#include <QFontMetrics>
#include <QTextLayout>

namespace quantscope {

QString elidedLines(const QString& text, const QFont& font, int width, int lines) {
  QTextLayout layout(text, font);
  layout.beginLayout();
  int begin = 0;
  int end = 0;
  for (int i = 0; i < lines; ++i) {
    QTextLine line = layout.createLine();
    if (!line.isValid()) break;
    line.setLineWidth(width);
    begin = line.textStart();
    end = begin + line.textLength();
  }
  layout.endLayout();
  if (end >= text.size()) return text;
  return text.left(begin) + QFontMetrics(font).elidedText(text.mid(begin), Qt::ElideRight, width);
}

}  // namespace quantscope
