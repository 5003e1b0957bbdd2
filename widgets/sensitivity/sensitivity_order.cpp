#include "widgets/sensitivity/sensitivity_order.h"

#include "widgets/sensitivity/sensitivity_model.h"

namespace quantscope {

bool SensitivityOrder::filterAcceptsRow(int row, const QModelIndex&) const {
  if (filter().acceptsAll()) return true;
  const auto* model = static_cast<const SensitivityModel*>(sourceModel());
  const LayerResult* layer = model->layerOf(row);
  return layer != nullptr && filter().accepts(*layer, *model->layerAt(row));
}

}  // namespace quantscope
