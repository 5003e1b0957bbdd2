#pragma once

#include <QStyledItemDelegate>

#include "widgets/look/error_scale.h"

namespace quantscope {

/// How rows of the outline look: a name with its operators or the number of its layers, and an
/// error bar with its figure.
class OutlineDelegate : public QStyledItemDelegate {
  Q_OBJECT

 public:
  using QStyledItemDelegate::QStyledItemDelegate;

  const ErrorScale& scale() const { return m_scale; }
  void setScale(const ErrorScale& scale) { m_scale = scale; }

  void paint(QPainter* painter, const QStyleOptionViewItem& option,
             const QModelIndex& index) const override;
  QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;

 private:
  void paintName(QPainter& painter, const QStyleOptionViewItem& option,
                 const QModelIndex& index) const;
  void paintFigure(QPainter& painter, const QStyleOptionViewItem& option,
                   const QModelIndex& index) const;

  ErrorScale m_scale;
};

}  // namespace quantscope
