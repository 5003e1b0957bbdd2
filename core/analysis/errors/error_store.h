#pragma once

#include "analysis/errors/error_records.h"
#include "base/content_store.h"

namespace quantscope {

/// Measurements by key: of the feed, the value, its reference, and anything else that the record
/// depends on.
using ErrorStore = ContentStore<AnyRecord>;

}  // namespace quantscope
