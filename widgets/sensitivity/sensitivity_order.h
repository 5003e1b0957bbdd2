#pragma once

#include "widgets/tables/figure_order.h"

namespace quantscope {

/// SensitivityModel filtered by its layers and sorted.
class SensitivityOrder : public FigureOrder {
  Q_OBJECT

 public:
  using FigureOrder::FigureOrder;

 protected:
  bool filterAcceptsRow(int row, const QModelIndex& parent) const override;
};

}  // namespace quantscope
