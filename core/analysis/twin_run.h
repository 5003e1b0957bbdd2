#pragma once

#include <memory>
#include <vector>

#include "analysis/errors/error_store.h"
#include "analysis/twin_setup.h"
#include "base/job_context.h"
#include "calibration/sample_source.h"

namespace quantscope {

/// The records of one layer in the run of one feed; null where nothing can be measured, or was not
/// requested.
struct LayerRecords {
  std::shared_ptr<const ErrorRecord> accumulated;
  std::shared_ptr<const ErrorRecord> local;
  std::shared_ptr<const BinRecord> referenceBins;
  std::shared_ptr<const BinRecord> quantizedBins;
  std::shared_ptr<const ClipRecord> clips;
};

/// The records of one feed.
struct FeedRecords {
  std::vector<LayerRecords> layers;
  std::vector<std::shared_ptr<const OutputRecord>> outputs;  ///< of the network
};

/// The records to measure.
struct MeasureScope {
  bool layers = true;   ///< errors and counts of all layers
  bool outputs = true;  ///< of the network
  /// If not empty: measure only the local errors, and only of these layers.
  std::vector<std::size_t> localOf;
};

/// Takes the known records of a feed from `errors`, and for the rest runs the float and the
/// quantized network side by side, as far as needed: node by node, so that only the values that are
/// still needed are alive; and each quantized layer by itself on float inputs. New records are kept
/// in `errors`. `feed` must have an id. Throws Cancelled between two nodes once `job` was asked to
/// stop.
FeedRecords measureFeed(const TwinSetup& setup, const Feed& feed, const MeasureScope& scope,
                        ErrorStore& errors, const JobContext& job);

/// True where `errors` has the errors of all layers and outputs for a feed.
bool isMeasured(const TwinSetup& setup, const Feed& feed, ErrorStore& errors);

}  // namespace quantscope
