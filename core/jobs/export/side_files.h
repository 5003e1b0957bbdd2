#pragma once

#include "base/content_id.h"

namespace quantscope {

struct OpenedAnalysis;

/// The content of the files that an analysis reads beside model and samples: the labels, and the
/// file of a backend that is not shipped.
ContentId sideFilesOf(const OpenedAnalysis& opened);

}  // namespace quantscope
