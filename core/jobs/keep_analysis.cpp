#include "jobs/keep_analysis.h"

#include <algorithm>

#include "jobs/analyze_in_steps.h"
#include "jobs/computation_origin.h"
#include "project/linked_files.h"

namespace quantscope {
namespace {

FileReference lookedAt(FileRole role, const std::string& path, const FileReference& known) {
  if (path.empty()) return {};
  const bool same = !known.contentId.empty() &&
                    std::filesystem::absolute(path).lexically_normal() == known.path &&
                    known.stamp == toString(stampOf(known.path).id);
  return same ? known : linkedFile(role, path);
}

bool sameContent(const DocumentFiles& a, const DocumentFiles& b) {
  return a.model.contentId == b.model.contentId && a.data.contentId == b.data.contentId &&
         a.calibration.contentId == b.calibration.contentId &&
         a.labels.contentId == b.labels.contentId;
}

// Views and detectors take rows and layers together.
bool sameRows(const AnalysisResult& result, const QuantizedModel& quantized) {
  return std::ranges::equal(result.layers, quantized.layers, {}, &LayerResult::node,
                            [](const LayerQuantization& layer) { return layer.layer.lead(); });
}

// Errors in the files are ignored here; the following analysis reports them.
SnapshotPtr keptOf(const AnalysisRequest& request, const ProjectFile& project, JobContext& job) {
  if (request.data.empty()) return nullptr;
  try {
    const OpenedAnalysis opened = openAnalysis(request, nullptr, job);
    const DocumentFiles files = filesOf(request, opened.model, project.document().files());
    return restoreAnalysis(project, files, opened, job);
  } catch (const Error&) {
    return nullptr;
  }
}

// The last thing that an analysis finds out, where there is an output to gain something.
bool hasGains(const AnalysisSnapshot& snapshot) {
  const bool gains = std::ranges::any_of(
      snapshot.result->outputs, [](const auto& output) { return output.error.sqnrDb.has_value(); });
  return !gains || snapshot.detected->outputSqnrDb.has_value();
}

}  // namespace

DocumentFiles filesOf(const AnalysisRequest& request, const LoadedModel& model,
                      const DocumentFiles& known) {
  return {.model = linkedFile(request.model.string(), model.engine->content()),
          .data = lookedAt(FileRole::Data, request.data, known.data),
          .calibration = lookedAt(FileRole::Calibration, request.calibration, known.calibration),
          .labels = lookedAt(FileRole::Labels, request.labels.string(), known.labels)};
}

AnalysisSettings settingsOf(const AnalysisRequest& request) {
  return {.source = request.source, .batch = request.batch, .detectors = request.detectors};
}

AnalysisRequest requestOf(const Document& document) {
  const DocumentFiles& files = document.files();
  const AnalysisSettings& settings = document.settings();
  return {.model = files.model.path,
          .data = files.data.path,
          .calibration = files.calibration.path,
          .labels = files.labels.path,
          .source = settings.source,
          .batch = settings.batch,
          .config = document.configuration(),
          .detectors = settings.detectors};
}

void keepAnalysis(const AnalysisSnapshot& analysis, const DocumentFiles& files,
                  const AnalysisMemory& memory, ProjectFile& project) {
  const std::string origin = computationOrigin();
  project.keep({.subject = {.config = analysis.request.config,
                            .files = files,
                            .settings = settingsOf(analysis.request),
                            .origin = origin},
                .result = analysis.result,
                .report = analysis.detected,
                .observations = analysis.observations},
               analysis.model.graph);
  project.keepErrors(memory.errors, origin);
}

SnapshotPtr restoreAnalysis(const ProjectFile& project, const DocumentFiles& files,
                            const OpenedAnalysis& opened, JobContext& job) {
  const std::optional<AnalysisOutline> outline = project.outline();
  const bool fits = outline && sameContent(outline->subject.files, files) &&
                    outline->subject.settings == settingsOf(opened.request) &&
                    outline->subject.origin == computationOrigin();
  if (!fits) return nullptr;
  std::optional<KeptAnalysis> kept = project.analysis(*opened.model.graph);
  if (!kept) return nullptr;
  auto snapshot = std::make_shared<AnalysisSnapshot>();
  snapshot->stage = AnalysisSnapshot::Stage::Complete;
  snapshot->request = opened.request;
  snapshot->request.config = kept->subject.config;
  snapshot->model = opened.model;
  snapshot->data = opened.data;
  snapshot->calibration = opened.calibration;
  snapshot->observations = kept->observations;
  snapshot->quantized = std::make_shared<const QuantizedModel>(
      quantizeModel(*opened.model.engine, kept->subject.config, *snapshot->observations, &job));
  if (!sameRows(*kept->result, *snapshot->quantized)) return nullptr;
  snapshot->result = kept->result;
  snapshot->detected = kept->report;
  snapshot->samplesWanted = kept->result->samples;
  return snapshot;
}

SnapshotPtr reopenAnalysis(const ProjectFile& project, JobContext& job) {
  const Document& document = project.document();
  const AnalysisRequest request = requestOf(document);
  if (request.model.empty() || request.data.empty()) return nullptr;
  const OpenedAnalysis opened = openAnalysis(request, nullptr, job);
  return restoreAnalysis(project, filesOf(request, opened.model, document.files()), opened, job);
}

void resumeAnalysis(const AnalysisRequest& request, const ProjectFile& project,
                    AnalysisMemory& memory, JobContext& job, const SnapshotSink& publish) {
  const SnapshotPtr kept = keptOf(request, project, job);
  if (kept) publish(kept);
  project.loadErrors(memory.errors, computationOrigin());
  const bool whole = kept && kept->request.config == request.config && hasGains(*kept);
  if (!whole) analyzeInSteps(request, kept, memory, job, publish);
}

}  // namespace quantscope
