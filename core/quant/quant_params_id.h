#pragma once

#include "base/content_id.h"
#include "quant/quant_params.h"

namespace quantscope {

/// Equal where all parameters are.
ContentId contentId(const QuantParams& params);

}  // namespace quantscope
