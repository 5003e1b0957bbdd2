#pragma once

#include "base/content_id.h"

namespace quantscope {

struct Labels;
struct OpenedAnalysis;

/// The content of the files that an analysis reads beside model and samples.
struct SideFiles {
  ContentId labels;
  ContentId backend;  ///< invalid for one that is shipped

  bool operator==(const SideFiles&) const = default;
};

SideFiles sideFilesOf(const OpenedAnalysis& opened);
ContentId contentOf(const Labels& labels);

}  // namespace quantscope
