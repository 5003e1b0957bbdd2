#pragma once

#include "precision/config/encodings.h"
#include "quant/quant_params.h"

namespace quantscope {

/// The grids of these parameters as an encoding, exactly: per tensor, channel or group.
Encoding encodingOf(const QuantParams& params);

}  // namespace quantscope
