#pragma once

#include <QStyledItemDelegate>

namespace quantscope {

/// Paints names of nodes in a table on one line, elided at the left: their ends differ.
class NameDelegate : public QStyledItemDelegate {
 public:
  using QStyledItemDelegate::QStyledItemDelegate;

 protected:
  void initStyleOption(QStyleOptionViewItem* option, const QModelIndex& index) const override {
    QStyledItemDelegate::initStyleOption(option, index);
    option->textElideMode = Qt::ElideLeft;
    option->features.setFlag(QStyleOptionViewItem::WrapText, false);
  }
};

}  // namespace quantscope
