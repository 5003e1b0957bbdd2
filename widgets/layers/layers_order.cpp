#include "widgets/layers/layers_order.h"

#include "widgets/layers/layers_model.h"

namespace quantscope {

void LayersOrder::setFilter(LayerFilter filter) {
  m_filter = std::move(filter);
  invalidateFilter();
}

bool LayersOrder::filterAcceptsRow(int row, const QModelIndex&) const {
  const auto* model = static_cast<const LayersModel*>(sourceModel());
  return m_filter.acceptsAll() ||
         m_filter.accepts(model->layer(row), static_cast<std::size_t>(row));
}

bool LayersOrder::lessThan(const QModelIndex& left, const QModelIndex& right) const {
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
