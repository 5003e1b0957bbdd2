#include "widgets/tables/figure_order.h"

#include "widgets/copy/table_actions.h"

namespace quantscope {

void FigureOrder::setFilter(LayerFilter filter) {
  m_filter = std::move(filter);
  invalidateFilter();
}

bool FigureOrder::lessThan(const QModelIndex& left, const QModelIndex& right) const {
  const QVariant a = left.data(kExactRole);
  const QVariant b = right.data(kExactRole);
  if (!a.isValid() || !b.isValid()) {
    if (a.isValid() == b.isValid()) return false;
    // A descending sort asks with the sides exchanged.
    return b.isValid() == (sortOrder() == Qt::DescendingOrder);
  }
  if (a.typeId() == QMetaType::QString)
    return QString::compare(a.toString(), b.toString(), Qt::CaseInsensitive) < 0;
  return a.toDouble() < b.toDouble();
}

}  // namespace quantscope
