#pragma once

#include "calibration/sample_source.h"

namespace quantscope {

/// The samples of `feed` that count, of a value [batch, …] that its run has computed: float32 and
/// Plain. The value itself where the feed is full, or the first extent is not its batch.
Tensor withoutPadding(const Tensor& value, const Feed& feed);

}  // namespace quantscope
