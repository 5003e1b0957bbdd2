#include "widgets/heatmap/heatmap_readout.h"

#include <QPainter>

#include "widgets/look/theme.h"

namespace quantscope {
namespace {

constexpr int kBetween = 12;

}  // namespace

HeatmapReadout::HeatmapReadout(QWidget* parent) : QWidget(parent) {
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
}

void HeatmapReadout::setLines(const Line& first, const Line& second) {
  if (first == m_first && second == m_second) return;
  m_first = first;
  m_second = second;
  setAccessibleName(QStringList{first.strong, first.quiet, second.strong, second.quiet}.join(u' '));
  update();
}

QSize HeatmapReadout::sizeHint() const {
  return {320, 2 * fontMetrics().height() + 12};
}

void HeatmapReadout::paintEvent(QPaintEvent* event) {
  Q_UNUSED(event)
  QPainter painter(this);
  const Theme& theme = Theme::of(palette());
  QFont bold(font());
  bold.setWeight(QFont::DemiBold);
  const auto paint = [&](const Line& line, const QRect& rect) {
    const QFontMetrics strongMetrics(bold);
    const QString strong = strongMetrics.elidedText(line.strong, Qt::ElideMiddle, rect.width());
    painter.setFont(bold);
    painter.setPen(theme.text);
    painter.drawText(rect, Qt::AlignLeft | Qt::AlignVCenter, strong);
    const QRect rest = rect.adjusted(
        strong.isEmpty() ? 0 : strongMetrics.horizontalAdvance(strong) + kBetween, 0, 0, 0);
    painter.setFont(font());
    painter.setPen(theme.mutedText);
    painter.drawText(rest, Qt::AlignLeft | Qt::AlignVCenter,
                     fontMetrics().elidedText(line.quiet, Qt::ElideRight, rest.width()));
  };
  const int height = fontMetrics().height() + 2;
  paint(m_first, QRect(8, 4, width() - 16, height));
  paint(m_second, QRect(8, 4 + height, width() - 16, height));
}

}  // namespace quantscope
