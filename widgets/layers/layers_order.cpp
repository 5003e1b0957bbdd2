#include "widgets/layers/layers_order.h"

#include "widgets/layers/layers_model.h"

namespace quantscope {

bool LayersOrder::filterAcceptsRow(int row, const QModelIndex&) const {
  const auto* model = static_cast<const LayersModel*>(sourceModel());
  return filter().acceptsAll() ||
         filter().accepts(model->layer(row), static_cast<std::size_t>(row));
}

}  // namespace quantscope
