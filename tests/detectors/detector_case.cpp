#include "detectors/detector_case.h"

#include "analysis/analyze.h"
#include "calibration/calibrate.h"
#include "jobs/analysis/explain_errors.h"
#include "jobs/analysis/find_faults.h"
#include "jobs/analysis/simulate_gains.h"
#include "jobs/quantize_model.h"
#include "support/graph_text.h"
#include "support/memory_source.h"

namespace quantscope::test {
namespace {

constexpr std::size_t kMemory = std::size_t{64} << 20;

std::vector<Finding> ofDetector(DetectorReport report, const std::string& detector) {
  std::erase_if(report.findings,
                [&](const Finding& finding) { return finding.detector != detector; });
  return std::move(report.findings);
}

}  // namespace

DetectorCase::DetectorCase(const char* text, const std::vector<Tensor>& samples,
                           const std::string& configJson, DetectorMode detectorMode,
                           std::size_t batch, int threads, const std::vector<Tensor>& calibration)
    : workers(threads),
      graph(graphFromText(text)),
      engine(std::make_shared<Engine>(graph, workers)),
      mode(detectorMode),
      data(samples) {
  if (!configJson.empty()) config = parseConfiguration(configJson, "config");
  SampleSet set(std::make_unique<MemorySource>(graph->inputs()[0], samples));
  JobContext job(workers);
  MemorySource fitted(graph->inputs()[0], calibration.empty() ? samples : calibration);
  observations = calibrate(*engine, fitted, observationSettings(config, batch, mode), job);
  model = quantizeModel(*engine, config, observations);
  AnalysisMemory memory(kMemory);
  result = analyze(*engine, config, model, observations, set, {}, memory, job);
  explainWorst(*engine, model, set, memory, job, result);
  result.calibrationData = calibration.empty() ? result.data : "calibration";
}

DetectorReport DetectorCase::report() const {
  const LoadedModel loaded{{}, {}, graph, engine};
  DetectorReport report = findFaults(loaded, config, model, observations, result, mode);
  SampleSet set(std::make_unique<MemorySource>(graph->inputs()[0], data));
  JobContext job(workers);
  AnalysisMemory memory(kMemory);
  simulateGains(loaded, config, model, observations, result, set, memory, job, report);
  return report;
}

std::vector<Finding> DetectorCase::findings(const std::string& detector) const {
  return ofDetector(report(), detector);
}

std::vector<Finding> DetectorCase::detected(const std::string& detector) const {
  const LoadedModel loaded{{}, {}, graph, engine};
  return ofDetector(findFaults(loaded, config, model, observations, result, mode), detector);
}

}  // namespace quantscope::test
