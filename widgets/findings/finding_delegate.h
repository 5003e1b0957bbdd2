#pragma once

#include <QStyledItemDelegate>

namespace quantscope {

struct Theme;

/// Rows of the findings: the sign of the severity before the sentence, figures with three digits,
/// dismissed findings in grey; headings bold with their count.
class FindingDelegate : public QStyledItemDelegate {
  Q_OBJECT

 public:
  using QStyledItemDelegate::QStyledItemDelegate;

  /// How many lines a sentence may take.
  void setLines(int lines) { m_lines = lines; }
  int lines() const { return m_lines; }

  void paint(QPainter* painter, const QStyleOptionViewItem& option,
             const QModelIndex& index) const override;
  QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;

 private:
  void paintHeading(QPainter& painter, const QStyleOptionViewItem& option,
                    const QModelIndex& index) const;
  void paintCell(QPainter& painter, const QStyleOptionViewItem& option,
                 const QModelIndex& index) const;
  int paintNew(QPainter& painter, const QRect& area, const Theme& theme) const;
  void paintSentence(QPainter& painter, const QRect& area, const QString& words) const;

  int m_lines = 1;
};

}  // namespace quantscope
