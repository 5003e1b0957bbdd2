#include "jobs/export/side_files.h"

#include <span>

#include "jobs/analysis/run_analysis.h"
#include "precision/backend/backend_content.h"

namespace quantscope {

ContentId sideFilesOf(const OpenedAnalysis& opened) {
  return ContentHasher()
      .add(std::as_bytes(std::span(opened.labels.classes)))
      .add(backendContent(opened.request.config.precision->backend))
      .id();
}

}  // namespace quantscope
