#pragma once

#include <QSortFilterProxyModel>

#include "widgets/tables/layer_filter.h"

namespace quantscope {

/// OutlineModel in execution order or by how bad it is, and filtered; a scope is shown for the
/// layers inside.
class OutlineOrder : public QSortFilterProxyModel {
  Q_OBJECT

 public:
  explicit OutlineOrder(QObject* parent = nullptr);

  void setFilter(LayerFilter filter);

 protected:
  bool filterAcceptsRow(int row, const QModelIndex& parent) const override;
  bool lessThan(const QModelIndex& left, const QModelIndex& right) const override;

 private:
  LayerFilter m_filter;
};

}  // namespace quantscope
