#pragma once

#include "quant/quant_params.h"

namespace quantscope {

/// The definition of kernels/codes/fake_quantize.h, for one normal number or 0 and in double: slow,
/// and with nothing in common with the kernels.
float scalarFakeQuantize(float x, const Codes& codes, const Grid& grid);

}  // namespace quantscope
