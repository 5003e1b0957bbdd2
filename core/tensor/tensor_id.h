#pragma once

#include "base/content_id.h"
#include "tensor/tensor.h"

namespace quantscope {

/// The id of a tensor's type, shape and bits in logical order. The layout does not matter; −0
/// differs from 0. Invalid for an undefined tensor.
ContentId contentId(const Tensor& tensor);

}  // namespace quantscope
