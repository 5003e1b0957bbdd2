#include "support/sample_snapshot.h"

#include <QtGlobal>
#include <algorithm>

#include "base/memory_budget.h"
#include "base/workers.h"
#include "jobs/analysis/analyze_in_steps.h"
#include "support/test_paths.h"

namespace quantscope::test {

AnalysisRequest sampleRequest(const std::string& name, std::size_t samples) {
  const std::string stem = QUANTSCOPE_SAMPLES_DIRECTORY "/" + name;
  AnalysisRequest request;
  request.model = stem + ".onnx";
  request.data = stem + ".npz";
  request.labels = stem + ".labels.npy";
  request.source.samples = samples;
  return request;
}

std::vector<SnapshotPtr> sampleSnapshots(const AnalysisRequest& request) {
  const Workers workers;
  JobContext job(workers);
  AnalysisMemory memory(defaultMemoryBudget());
  std::vector<SnapshotPtr> snapshots;
  analyzeInSteps(request, nullptr, memory, job,
                 [&](SnapshotPtr snapshot) { snapshots.push_back(std::move(snapshot)); });
  return snapshots;
}

SnapshotPtr sampleSnapshot() {
  static const SnapshotPtr snapshot = sampleSnapshots(sampleRequest("digits_mobilenet", 8)).back();
  return snapshot;
}

std::size_t layerNamed(const AnalysisResult& result, const std::string& name) {
  const auto found = std::ranges::find(result.layers, name, &LayerResult::name);
  if (found == result.layers.end()) qFatal("no layer %s", name.c_str());
  return static_cast<std::size_t>(found - result.layers.begin());
}

}  // namespace quantscope::test
