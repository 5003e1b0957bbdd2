#pragma once

#include <QSortFilterProxyModel>

#include "widgets/layers/layer_filter.h"

namespace quantscope {

/// LayersModel filtered and sorted: numbers as numbers, rows without a value last in both orders.
class LayersOrder : public QSortFilterProxyModel {
  Q_OBJECT

 public:
  using QSortFilterProxyModel::QSortFilterProxyModel;

  void setFilter(LayerFilter filter);
  const LayerFilter& filter() const { return m_filter; }

 protected:
  bool filterAcceptsRow(int row, const QModelIndex& parent) const override;
  bool lessThan(const QModelIndex& left, const QModelIndex& right) const override;

 private:
  LayerFilter m_filter;
};

}  // namespace quantscope
