#pragma once

#include "engine/onednn/onednn.h"

namespace quantscope::onednn {

/// Copies the elements at `source`, which `from` describes, to `target` in the order of `to`.
void reorder(const dnnl::memory::desc& from, const void* source, const dnnl::memory::desc& to,
             void* target);

}  // namespace quantscope::onednn
