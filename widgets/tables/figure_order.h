#pragma once

#include <QSortFilterProxyModel>

#include "widgets/tables/layer_filter.h"

namespace quantscope {

/// Rows of figures (kExactRole), sorted: numbers as numbers, text as text, and rows without a value
/// last in both orders. Subclasses say which rows a filter accepts.
class FigureOrder : public QSortFilterProxyModel {
  Q_OBJECT

 public:
  using QSortFilterProxyModel::QSortFilterProxyModel;

  void setFilter(LayerFilter filter);
  const LayerFilter& filter() const { return m_filter; }

 protected:
  bool lessThan(const QModelIndex& left, const QModelIndex& right) const override;

 private:
  LayerFilter m_filter;
};

}  // namespace quantscope
