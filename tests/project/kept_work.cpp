#include "project/kept_work.h"

#include <map>

#include "analysis/analysis_result_bytes.h"
#include "analysis/errors/error_records_bytes.h"
#include "calibration/observers/observations_bytes.h"
#include "detectors/findings/detector_report_bytes.h"
#include "jobs/computation_origin.h"
#include "support/test_paths.h"

namespace quantscope::test {

AnalysedWork::AnalysedWork(const std::string& folder, std::size_t samples)
    : job(workers), project(folder + "/work.quantscope") {
  opened.request.model = QUANTSCOPE_SAMPLES_DIRECTORY "/digits_mobilenet.onnx";
  opened.request.data = QUANTSCOPE_SAMPLES_DIRECTORY "/digits_mobilenet.npz";
  opened.request.source.samples = samples;
  opened.model = loadModel(opened.request.model, job);
  opened.data = std::make_shared<SampleSet>(
      openSamples(opened.request.data, *opened.model.graph, opened.request.source));
  opened.calibration = opened.data;
  files = filesOf(opened.request, opened.model, {});
  analysis = runAnalysis(opened, nullptr, memory, job);
}

void AnalysedWork::keep() const {
  ProjectFile::create(project);
  ProjectFile file(project);
  Document document(opened.request.config);
  document.apply(Dismissal{"outlier/conv"});
  document.keep("start", document.configuration());
  document.setFiles(files);
  document.setSettings(settingsOf(opened.request));
  file.record(document);
  file.setWindowState("docks", "left");
  keepAnalysis(*analysis, files, memory, file);
  keepResult(*analysis, AnalysisSlot::Before, files, file);
  file.flush();
}

std::string readEverything(const std::string& project, const Graph& graph) {
  const ProjectFile file(project);
  std::string all = toJson(file.document()) + file.windowState("docks");
  for (const AnalysisSlot slot : kAnalysisSlots) {
    if (const auto outline = file.outline(slot)) all += outlineToBytes(*outline);
    const auto kept = file.analysis(graph, slot);
    if (!kept) continue;
    all += analysisResultToBytes(*kept->result) + detectorReportToBytes(*kept->report) +
           observationsToBytes(*kept->observations, graph);
  }
  ErrorStore errors(std::size_t{256} << 20);
  file.loadErrors(errors, computationOrigin());
  std::map<ContentId, std::string> records;
  for (const auto& [key, record] : errors.recent(std::size_t{256} << 20)) {
    records.emplace(key, errorRecordToBytes(record));
  }
  for (const auto& [key, record] : records) all += toString(key) + record;
  return all;
}

}  // namespace quantscope::test
