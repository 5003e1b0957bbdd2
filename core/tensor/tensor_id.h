#pragma once

#include "base/content_id.h"
#include "tensor/tensor.h"

namespace quantscope {

/// Of a tensor's type, shape and bits in logical order; the layout does not count, and −0 is not 0.
/// Invalid for an undefined tensor.
ContentId contentId(const Tensor& tensor);

}  // namespace quantscope
