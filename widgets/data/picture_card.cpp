#include "widgets/data/picture_card.h"

#include <QPainter>
#include <algorithm>
#include <cmath>

#include "widgets/look/theme.h"

namespace quantscope {
namespace {

constexpr int kGap = 4;
// Below it a picture has pixels enough to be scaled smoothly to the room there is.
constexpr qreal kLeastWholeFactor = 3;
constexpr QSize kUsualSize{260, 240};
constexpr QSize kLeastSize{120, 120};

}  // namespace

PictureCard::PictureCard(const QImage& picture, const QString& caption, QWidget* parent)
    : QWidget(parent), m_picture(picture), m_caption(caption) {
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Expanding);
  setAccessibleName(caption);
  setToolTip(caption);
}

QSize PictureCard::sizeHint() const {
  return kUsualSize;
}

QSize PictureCard::minimumSizeHint() const {
  return kLeastSize;
}

void PictureCard::paintEvent(QPaintEvent* /*event*/) {
  const Theme& theme = Theme::of(palette());
  QPainter painter(this);
  const int line = fontMetrics().height();
  const QRect room = rect().adjusted(0, 0, 0, -line - kGap);
  QSizeF size = QSizeF(m_picture.size()).scaled(room.size(), Qt::KeepAspectRatio);
  const qreal factor = size.width() / m_picture.width();
  const bool magnified = factor >= kLeastWholeFactor;
  if (magnified) size = QSizeF(m_picture.size()) * std::floor(factor);
  QRectF target(room.topLeft(), size);
  target.moveCenter(QPointF(target.center().x(), room.center().y()));
  target.moveTop(std::max<qreal>(0, room.bottom() - size.height()));
  painter.setRenderHint(QPainter::SmoothPixmapTransform, !magnified);
  painter.drawImage(target, m_picture);
  painter.setPen(theme.border);
  painter.drawRect(target.adjusted(0, 0, -1, -1));
  painter.setPen(theme.mutedText);
  const QRect caption(0, height() - line, width(), line);
  painter.drawText(caption, Qt::AlignLeft | Qt::AlignVCenter,
                   fontMetrics().elidedText(m_caption, Qt::ElideRight, width()));
}

}  // namespace quantscope
