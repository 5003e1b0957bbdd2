#include "widgets/data/data_labels.h"

#include <QPainter>
#include <QPainterPath>

#include "widgets/look/theme.h"

namespace quantscope {
namespace {

constexpr int kMarkSide = 16;
constexpr qreal kStroke = 2;
constexpr qreal kHeadingSize = 1.1;

void setColour(QLabel* label, const QColor& colour) {
  QPalette palette = label->palette();
  palette.setColor(QPalette::WindowText, colour);
  label->setPalette(palette);
}

QColor markColour(Mark mark, const Theme& theme) {
  switch (mark) {
    case Mark::Good:
      return theme.accent;
    case Mark::Bad:
      return theme.critical;
    case Mark::Warning:
      return theme.warning;
    case Mark::Open:
      break;
  }
  return theme.mutedText;
}

QPainterPath markShape(Mark mark) {
  QPainterPath path;
  switch (mark) {
    case Mark::Good:
      path.moveTo(3, 8.5);
      path.lineTo(6.5, 12);
      path.lineTo(13, 4.5);
      break;
    case Mark::Bad:
      path.moveTo(4, 4);
      path.lineTo(12, 12);
      path.moveTo(12, 4);
      path.lineTo(4, 12);
      break;
    case Mark::Warning:
      path.moveTo(8, 2.5);
      path.lineTo(14, 13);
      path.lineTo(2, 13);
      path.closeSubpath();
      path.moveTo(8, 6.5);
      path.lineTo(8, 9);
      path.moveTo(8, 11);
      path.lineTo(8, 11.2);
      break;
    case Mark::Open:
      path.moveTo(4, 8);
      path.lineTo(12, 8);
      break;
  }
  return path;
}

}  // namespace

QLabel* mutedLabel(const QString& text, QWidget* parent) {
  auto* label = new QLabel(text, parent);
  label->setWordWrap(true);
  setColour(label, Theme::of(parent->palette()).mutedText);
  return label;
}

QLabel* headingLabel(const QString& text, QWidget* parent) {
  auto* label = new QLabel(text, parent);
  QFont font = label->font();
  font.setWeight(QFont::DemiBold);
  font.setPointSizeF(font.pointSizeF() * kHeadingSize);
  label->setFont(font);
  return label;
}

void setCritical(QLabel* label) {
  setColour(label, Theme::of(label->palette()).critical);
}

QPixmap markPixmap(Mark mark, const QPalette& palette, qreal pixelRatio) {
  QPixmap pixmap(QSizeF(kMarkSide * pixelRatio, kMarkSide * pixelRatio).toSize());
  pixmap.setDevicePixelRatio(pixelRatio);
  pixmap.fill(Qt::transparent);
  QPainter painter(&pixmap);
  painter.setRenderHint(QPainter::Antialiasing);
  const qreal width = mark == Mark::Warning ? kStroke * 0.75 : kStroke;
  painter.setPen(QPen(markColour(mark, Theme::of(palette)), width, Qt::SolidLine, Qt::RoundCap,
                      Qt::RoundJoin));
  painter.drawPath(markShape(mark));
  return pixmap;
}

}  // namespace quantscope
