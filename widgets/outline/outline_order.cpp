#include "widgets/outline/outline_order.h"

#include "widgets/outline/outline_model.h"

namespace quantscope {

OutlineOrder::OutlineOrder(QObject* parent) : QSortFilterProxyModel(parent) {
  setRecursiveFilteringEnabled(true);
}

void OutlineOrder::setFilter(LayerFilter filter) {
  m_filter = std::move(filter);
  invalidateFilter();
}

bool OutlineOrder::filterAcceptsRow(int row, const QModelIndex& parent) const {
  if (m_filter.acceptsAll()) return true;
  const auto* model = static_cast<const OutlineModel*>(sourceModel());
  const std::optional<std::size_t> layer = model->item(model->index(row, 0, parent)).layer;
  return layer && m_filter.accepts(model->result()->layers[*layer], *layer);
}

bool OutlineOrder::lessThan(const QModelIndex& left, const QModelIndex& right) const {
  const auto* model = static_cast<const OutlineModel*>(sourceModel());
  if (left.column() == OutlineModel::kName) return left.row() < right.row();
  const Figure& a = model->figure(left);
  const Figure& b = model->figure(right);
  const bool hasA = a.kind == Figure::Kind::Value;
  const bool hasB = b.kind == Figure::Kind::Value;
  // Rows without a value come last; a descending sort exchanges the sides.
  if (hasA != hasB) return hasA == (sortOrder() == Qt::AscendingOrder);
  return hasA && worse(a, b, model->metric());
}

}  // namespace quantscope
