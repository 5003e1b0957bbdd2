#pragma once

#include <QStyledItemDelegate>

#include "widgets/ranges/range_axis.h"
#include "widgets/ranges/ranges_model.h"

namespace quantscope {

struct Theme;

/// How rows of ranges look.
class RangeDelegate : public QStyledItemDelegate {
  Q_OBJECT

 public:
  explicit RangeDelegate(const RangesModel* model, QObject* parent = nullptr);

  /// None = every row has its own.
  void setSharedAxis(std::optional<RangeAxis> axis) { m_shared = std::move(axis); }
  const std::optional<RangeAxis>& sharedAxis() const { return m_shared; }

  void paint(QPainter* painter, const QStyleOptionViewItem& option,
             const QModelIndex& index) const override;
  QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;
  /// The bars alone.
  void paintBars(QPainter& painter, const QRectF& area, int row, const Theme& theme) const;

  /// Free space beside the bars of a cell.
  static constexpr int kMargin = 12;

 private:
  void paintValue(QPainter& painter, const QStyleOptionViewItem& option, const RangeRow& row) const;

  const RangesModel* m_model;
  std::optional<RangeAxis> m_shared;
};

/// The three marks of a range chart, for its legend: the observed range, its inner part, the grid.
void drawObservedBar(QPainter& painter, const QRectF& bar, const Theme& theme);
void drawInnerBar(QPainter& painter, const QRectF& bar, const Theme& theme);
void drawClippedBar(QPainter& painter, const QRectF& bar, const Theme& theme);
void drawGridBracket(QPainter& painter, const QRectF& bar, const QColor& colour);

}  // namespace quantscope
