#pragma once

#include <QMenu>

#include "widgets/precision/tensor_parts.h"

namespace quantscope {

/// Submenus that set type, granularity, symmetry, observer and ranges of that tensor of what is
/// selected; of each what has an effect on the tensor as it is.
void addTensorFields(QMenu& menu, PrecisionEditor& editor, const TensorPart& part);

/// Those as submenus «Weights», «Input» and «Output», as far as the selected layers have them.
void addTensorMenus(QMenu& menu, PrecisionEditor& editor);

}  // namespace quantscope
