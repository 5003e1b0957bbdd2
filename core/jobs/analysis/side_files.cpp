#include "jobs/analysis/side_files.h"

#include <span>

#include "jobs/analysis/run_analysis.h"
#include "precision/backend/backend_content.h"

namespace quantscope {

SideFiles sideFilesOf(const OpenedAnalysis& opened) {
  return {.labels = contentOf(opened.labels),
          .backend = backendContent(opened.request.config.precision->backend)};
}

ContentId contentOf(const Labels& labels) {
  return ContentHasher().add(std::as_bytes(std::span(labels.classes))).id();
}

}  // namespace quantscope
