#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "calibration/open_samples.h"
#include "calibration/sample_set.h"

namespace quantscope {

/// What openSamples() opens, as a set that keeps feeds of up to `budget` bytes in memory. Its stamp
/// is taken before anything is opened, so that SampleSet::requireUnchanged() notices every change
/// since. Throws what openSamples() throws.
std::shared_ptr<SampleSet> openSampleSet(const std::string& data, const Graph& graph,
                                         const SourceOptions& options, std::size_t budget);

}  // namespace quantscope
