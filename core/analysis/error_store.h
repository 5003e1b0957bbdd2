#pragma once

#include "analysis/error_records.h"
#include "base/content_store.h"

namespace quantscope {

/// What was measured, by key: of the feed, the value, its reference, and what else the record
/// depends on.
using ErrorStore = ContentStore<AnyRecord>;

}  // namespace quantscope
