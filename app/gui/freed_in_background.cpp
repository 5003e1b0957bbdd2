#include "freed_in_background.h"

#include <QThreadPool>
#include <utility>

namespace quantscope {
namespace {

struct FreeInBackground {
  void operator()(const AnalysisSnapshot*) {
    QThreadPool* const pool = QThreadPool::globalInstance();
    if (pool != nullptr) pool->start([last = std::move(held)]() mutable { last.reset(); });
  }

  SnapshotPtr held;
};

}  // namespace

SnapshotPtr freedInBackground(SnapshotPtr snapshot) {
  // What was shown before may be published again.
  if (!snapshot || std::get_deleter<FreeInBackground>(snapshot) != nullptr) return snapshot;
  const AnalysisSnapshot* const shown = snapshot.get();
  return {shown, FreeInBackground{std::move(snapshot)}};
}

}  // namespace quantscope
