#pragma once

#include <QStyledItemDelegate>

namespace quantscope {

/// Paints one command: icon, name with the found letters in bold, menu, shortcut.
class CommandDelegate : public QStyledItemDelegate {
  Q_OBJECT

 public:
  /// Beside the display role (name) and decoration role (icon).
  enum Role { PathRole = Qt::UserRole + 1, ShortcutRole, PositionsRole, CommandRole, CheckedRole };

  using QStyledItemDelegate::QStyledItemDelegate;

  void paint(QPainter* painter, const QStyleOptionViewItem& option,
             const QModelIndex& index) const override;
  QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;
};

}  // namespace quantscope
