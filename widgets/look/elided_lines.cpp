#include "widgets/look/elided_lines.h"

#include <QFontMetrics>
#include <QTextLayout>

namespace quantscope {

QStringList elidedLines(const QString& text, const QFont& font, int width, int most) {
  const QFontMetrics metrics(font);
  QStringList lines;
  QTextLayout layout(text, font);
  layout.beginLayout();
  while (lines.size() < most) {
    QTextLine line = layout.createLine();
    if (!line.isValid()) break;
    line.setLineWidth(width);
    const bool last = lines.size() + 1 == most;
    lines << (last ? metrics.elidedText(text.mid(line.textStart()), Qt::ElideRight, width)
                   : text.mid(line.textStart(), line.textLength()));
  }
  layout.endLayout();
  return lines;
}

}  // namespace quantscope
