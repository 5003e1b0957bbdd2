#pragma once

#include <QStyledItemDelegate>
#include <vector>

#include "widgets/look/error_scale.h"

namespace quantscope {

/// How the cells of the table of layers look.
class LayerDelegate : public QStyledItemDelegate {
  Q_OBJECT

 public:
  using QStyledItemDelegate::QStyledItemDelegate;

  /// By column; nullopt = figures without a colour that means the same for every layer.
  void setScales(std::vector<std::optional<ErrorScale>> scales) { m_scales = std::move(scales); }

  QString displayText(const QVariant& value, const QLocale& locale) const override;
  void paint(QPainter* painter, const QStyleOptionViewItem& option,
             const QModelIndex& index) const override;
  QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;

 private:
  std::vector<std::optional<ErrorScale>> m_scales;
};

}  // namespace quantscope
