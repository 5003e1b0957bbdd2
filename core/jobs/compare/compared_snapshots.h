#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "compare/comparison.h"
#include "jobs/analysis_snapshot.h"

namespace quantscope {

/// A compared pair as rows of the two results.
struct PairedRows {
  std::optional<std::size_t> first;
  std::optional<std::size_t> second;
};

/// The structures of two compared models. Rows of matched layers have the errors that were found:
/// the layer's own as local, that with all errors before it as accumulated; in both models, so that
/// they can be drawn in the same colours.
struct ComparedSnapshots {
  SnapshotPtr first;
  SnapshotPtr second;             ///< null where dumps were compared
  std::vector<PairedRows> pairs;  ///< by ModelComparison::layers
};

/// `second` may be null. Throws Cancelled.
ComparedSnapshots comparedSnapshots(const LoadedModel& first, const LoadedModel* second,
                                    const ModelComparison& comparison, JobContext& job);

}  // namespace quantscope
