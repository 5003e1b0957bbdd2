#pragma once

#include <string>
#include <vector>

#include "jobs/analysis_snapshot.h"

namespace quantscope::test {

/// A request for one of the bundled samples ("digits_mobilenet"), of its first `samples` samples.
AnalysisRequest sampleRequest(const std::string& name, std::size_t samples);

/// All snapshots of its analysis, the structure first, the complete one last.
std::vector<SnapshotPtr> sampleSnapshots(const AnalysisRequest& request);

/// The complete one of digits_mobilenet on 8 samples, computed once per program.
SnapshotPtr sampleSnapshot();

/// The place of the layer with this name in the result.
std::size_t layerNamed(const AnalysisResult& result, const std::string& name);

}  // namespace quantscope::test
