#include "widgets/controls/command_delegate.h"

#include <QIcon>
#include <QPainter>

#include "widgets/look/theme.h"

namespace quantscope {
namespace {

constexpr int kRowHeight = 34;
constexpr int kCommandIcon = 18;
constexpr int kCommandMargin = 12;

QFont boldFont(QFont font) {
  font.setBold(true);
  return font;
}

// Letter by letter, so that those that were found can be bold.
int drawName(QPainter* painter, const QRect& rect, const QModelIndex& index, const QFont& font) {
  const QString name = index.data(Qt::DisplayRole).toString();
  const QVariantList found = index.data(CommandDelegate::PositionsRole).toList();
  int x = rect.left();
  for (int begin = 0; begin < name.size();) {
    const bool bold = found.contains(begin);
    int end = begin + 1;
    while (end < name.size() && found.contains(end) == bold) ++end;
    const QString part = name.mid(begin, end - begin);
    const QFont& partFont = bold ? boldFont(font) : font;
    painter->setFont(partFont);
    painter->drawText(QRect(x, rect.top(), rect.right() - x, rect.height()), Qt::AlignVCenter,
                      part);
    x += QFontMetrics(partFont).horizontalAdvance(part);
    begin = end;
  }
  painter->setFont(font);
  return x;
}

}  // namespace

void CommandDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option,
                            const QModelIndex& index) const {
  const Theme& theme = Theme::of(option.palette);
  const bool selected = option.state.testFlag(QStyle::State_Selected);
  painter->save();
  painter->setRenderHint(QPainter::Antialiasing);
  if (selected) {
    QColor tint = theme.accent;
    tint.setAlpha(theme.dark ? 60 : 36);
    painter->setPen(Qt::NoPen);
    painter->setBrush(tint);
    painter->drawRoundedRect(QRectF(option.rect).adjusted(6, 1, -6, -1), 5, 5);
  }
  QRect rest = option.rect.adjusted(kCommandMargin + 4, 0, -kCommandMargin - 4, 0);
  const bool checked = index.data(CheckedRole).toBool();
  index.data(Qt::DecorationRole)
      .value<QIcon>()
      .paint(painter,
             QRect(rest.left(), rest.center().y() - kCommandIcon / 2, kCommandIcon, kCommandIcon),
             Qt::AlignCenter, QIcon::Normal, checked ? QIcon::On : QIcon::Off);
  rest.setLeft(rest.left() + kCommandIcon + kCommandMargin);
  painter->setPen(theme.mutedText);
  const QString shortcut = index.data(ShortcutRole).toString();
  painter->drawText(rest, Qt::AlignVCenter | Qt::AlignRight, shortcut);
  rest.setRight(rest.right() - option.fontMetrics.horizontalAdvance(shortcut) - kCommandMargin);
  painter->setPen(theme.text);
  rest.setLeft(drawName(painter, rest, index, option.font) + kCommandMargin);
  painter->setPen(theme.mutedText);
  painter->drawText(rest, Qt::AlignVCenter,
                    option.fontMetrics.elidedText(index.data(PathRole).toString(), Qt::ElideRight,
                                                  std::max(0, rest.width())));
  painter->restore();
}

QSize CommandDelegate::sizeHint(const QStyleOptionViewItem& /*option*/,
                                const QModelIndex& /*index*/) const {
  return {200, kRowHeight};
}

}  // namespace quantscope
