#pragma once

#include <QStyledItemDelegate>

namespace quantscope {

/// Rows of the findings: the sign of the severity before the sentence, figures with three digits,
/// what was put aside in grey; headings bold with their count.
class FindingDelegate : public QStyledItemDelegate {
  Q_OBJECT

 public:
  using QStyledItemDelegate::QStyledItemDelegate;

  void paint(QPainter* painter, const QStyleOptionViewItem& option,
             const QModelIndex& index) const override;
  QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;

 private:
  void paintHeading(QPainter& painter, const QStyleOptionViewItem& option,
                    const QModelIndex& index) const;
  void paintCell(QPainter& painter, const QStyleOptionViewItem& option,
                 const QModelIndex& index) const;
};

}  // namespace quantscope
