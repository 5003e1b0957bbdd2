#pragma once

#include <QStyledItemDelegate>

#include "widgets/look/error_scale.h"

namespace quantscope {

/// How the rows of a sensitivity analysis look: figures in dB with a bar, those that are not
/// measured yet muted and marked as approximate.
class SensitivityDelegate : public QStyledItemDelegate {
  Q_OBJECT

 public:
  explicit SensitivityDelegate(QObject* parent = nullptr);

  QString displayText(const QVariant& value, const QLocale& locale) const override;
  void paint(QPainter* painter, const QStyleOptionViewItem& option,
             const QModelIndex& index) const override;

 private:
  ErrorScale m_scale;  // of SQNR, with fixed anchors
};

}  // namespace quantscope
