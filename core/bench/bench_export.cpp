#include "bench/bench_export.h"

#include <chrono>
#include <vector>

#include "base/files/temporary_folder.h"
#include "base/median.h"
#include "base/memory_budget.h"
#include "base/seconds_since.h"
#include "compare/compare_models.h"
#include "jobs/analysis/explain_errors.h"
#include "jobs/export/export_report.h"
#include "jobs/export/verified_qdq.h"
#include "onnx/import.h"
#include "tensor/memory_use.h"

namespace quantscope {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kExportRuns = 3;

std::size_t constantBytesOf(const Graph& graph) {
  std::size_t bytes = 0;
  for (const Value& value : graph.values()) {
    if (value.constant.defined()) bytes += value.constant.byteSize();
  }
  return bytes;
}

std::string benchQdq(const AnalysisSnapshot& analysis, ExportBenchmark& result, JobContext& job) {
  std::vector<double> seconds;
  std::string bytes;
  for (int run = 0; run < kExportRuns; ++run) {
    const std::size_t before = tensorBytes();
    restartTensorPeak();
    const Clock::time_point start = Clock::now();
    bytes = makeVerifiedQdq(shownModel(analysis), *analysis.data, std::nullopt, job).bytes;
    seconds.push_back(secondsSince(start));
    result.peakExportBytes = peakTensorBytes() - before + bytes.size();
  }
  result.exportSeconds = median(seconds);
  result.exportedBytes = bytes.size();
  return bytes;
}

void benchReport(const AnalysisSnapshot& analysis, ExportBenchmark& result, JobContext& job) {
  const TemporaryFolder folder;
  const ExportRequest request{.format = "html", .out = folder / "report.html"};
  std::vector<double> seconds;
  for (int run = 0; run < kExportRuns; ++run) {
    const Clock::time_point start = Clock::now();
    exportReport(analysis, request, job);
    seconds.push_back(secondsSince(start));
  }
  result.reportSeconds = median(seconds);
  result.reportBytes = std::filesystem::file_size(request.out);
}

}  // namespace

ExportBenchmark benchExport(const OpenedAnalysis& opened, JobContext& job) {
  AnalysisMemory memory(defaultMemoryBudget());
  const SnapshotPtr analysis =
      explainErrors(runAnalysis(opened, nullptr, memory, job), memory, job);
  ExportBenchmark result;
  result.nodes = analysis->graph().nodes().size();
  result.samples = analysis->data->sampleCount();
  result.constantBytes = constantBytesOf(analysis->graph());
  const std::string bytes = benchQdq(*analysis, result, job);
  benchReport(*analysis, result, job);
  const Engine exported(importModelBytes(bytes), job.workers());
  const Clock::time_point start = Clock::now();
  compareModels(*analysis->model.engine, exported, *analysis->data, {}, {}, job);
  result.compareSeconds = secondsSince(start);
  return result;
}

}  // namespace quantscope
