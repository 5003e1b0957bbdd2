#include "jobs/analysis/keep_analysis.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "jobs/analysis/analyze_in_steps.h"
#include "jobs/analysis/side_files.h"
#include "jobs/computation_origin.h"
#include "jobs/request_labels.h"
#include "precision/backend/backend_content.h"
#include "project/linked_files.h"

namespace quantscope {
namespace {

FileReference lookedAt(FileRole role, const std::string& path, const FileReference& known) {
  if (path.empty()) return {};
  const bool same =
      std::filesystem::absolute(path).lexically_normal() == known.path && isUntouched(role, known);
  return same ? known : linkedFile(role, path);
}

// Without a stamp where the file is no longer what was loaded: it is looked at again.
FileReference loadedFile(const LoadedModel& model, const std::filesystem::path& path) {
  FileReference file = linkedFile(FileRole::Model, path.string(), model.engine->content());
  if (!upToDate(model)) file.stamp.clear();
  return file;
}

// By a content that no file has.
FileReference forgotten(const FileReference& file) {
  return {file.path, toString(ContentId()), {}};
}

void forgetIfChanged(SampleSet& samples, FileReference& file) {
  if (file.empty()) return;
  try {
    samples.requireUnchanged();
  } catch (const Error&) {
    file = forgotten(file);
  }
}

// What a file holds now; nothing where it cannot be read.
template <class Read>
ContentId contentNow(Read&& read) {
  try {
    return read();
  } catch (const Error&) {
    return {};
  }
}

ContentId labelsNow(const AnalysisRequest& request) {
  return contentNow([&] { return contentOf(labelsOf(request)); });
}

SideFiles sideFilesNow(const AnalysisRequest& request) {
  return {.labels = labelsNow(request),
          .backend = contentNow([&] { return backendContent(request.config.precision->backend); })};
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

// What a project keeps of a request, with its model and data opened once for all of it.
class KeptResults {
 public:
  KeptResults(const AnalysisRequest& request, const ProjectFile& project, JobContext& job)
      : m_project(project), m_job(job) {
    if (request.data.empty()) return;
    tolerate([&] {
      OpenedAnalysis opened = openAnalysis(request, nullptr, job);
      m_files = filesOf(request, opened.model, project.document().files());
      m_opened = std::move(opened);
    });
  }

  SnapshotPtr find(AnalysisSlot slot) const {
    SnapshotPtr found;
    if (!m_opened) return found;
    tolerate([&] { found = restoreAnalysis(m_project, m_files, *m_opened, m_job, slot); });
    return found;
  }

 private:
  // What is wrong is said by the analysis that follows, once it has shown what it can.
  template <class Action>
  static void tolerate(Action&& action) {
    try {
      std::forward<Action>(action)();
    } catch (const Error&) {
      return;
    }
  }

  const ProjectFile& m_project;
  JobContext& m_job;
  DocumentFiles m_files;
  std::optional<OpenedAnalysis> m_opened;
};

// A backend's own file decides results too.
std::string originOf(const Configuration& config) {
  const ContentId backend = backendContent(config.precision->backend);
  return computationOrigin() + (backend.valid() ? "; backend " + toString(backend) : "");
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
  return {.model = loadedFile(model, request.model),
          .data = lookedAt(FileRole::Data, request.data, known.data),
          .calibration = lookedAt(FileRole::Calibration, request.calibration, known.calibration),
          .labels = lookedAt(FileRole::Labels, request.labels.string(), known.labels),
          .backend = lookedAt(FileRole::Backend, backendFile(request.config), known.backend)};
}

DocumentFiles filesOf(const AnalysisSnapshot& analysis, const DocumentFiles& known) {
  DocumentFiles files = filesOf(analysis.request, analysis.model, known);
  forgetIfChanged(*analysis.data, files.data);
  forgetIfChanged(*analysis.calibration, files.calibration);
  const SideFiles now = sideFilesNow(analysis.request);
  if (!files.labels.empty() && now.labels != analysis.sideFiles.labels) {
    files.labels = forgotten(files.labels);
  }
  if (!files.backend.empty() && now.backend != analysis.sideFiles.backend) {
    files.backend = forgotten(files.backend);
  }
  return files;
}

AnalysisSettings settingsOf(const AnalysisRequest& request) {
  return {.source = request.source, .batch = request.batch, .detectors = request.detectors};
}

ChosenData chosenData(const AnalysisRequest& request) {
  return {.data = request.data,
          .calibration = request.calibration,
          .labels = request.labels.string(),
          .settings = settingsOf(request)};
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
  keepResult(analysis, AnalysisSlot::Shown, files, project);
  project.keepErrors(memory.errors, computationOrigin());
}

void keepResult(const AnalysisSnapshot& analysis, AnalysisSlot slot, const DocumentFiles& files,
                ProjectFile& project) {
  std::string origin = originOf(analysis.request.config);
  // It is that of no later analysis, so that the result is not restored.
  if (sideFilesNow(analysis.request) != analysis.sideFiles) {
    origin += "; labels or backend changed since";
  }
  project.keep({.subject = {.config = analysis.request.config,
                            .files = files,
                            .settings = settingsOf(analysis.request),
                            .origin = std::move(origin)},
                .result = analysis.result,
                .report = analysis.detected,
                .observations = analysis.observations},
               analysis.model.graph, slot);
}

SnapshotPtr restoreAnalysis(const ProjectFile& project, const DocumentFiles& files,
                            const OpenedAnalysis& opened, JobContext& job, AnalysisSlot slot) {
  const std::optional<AnalysisOutline> outline = project.outline(slot);
  const bool fits = outline && sameContent(outline->subject.files, files) &&
                    outline->subject.settings == settingsOf(opened.request) &&
                    outline->subject.origin == originOf(outline->subject.config);
  if (!fits) return nullptr;
  std::optional<KeptAnalysis> kept = project.analysis(*opened.model.graph, slot);
  if (!kept) return nullptr;
  auto snapshot = std::make_shared<AnalysisSnapshot>();
  snapshot->stage = AnalysisSnapshot::Stage::Complete;
  snapshot->request = opened.request;
  snapshot->request.config = kept->subject.config;
  snapshot->model = opened.model;
  snapshot->data = opened.data;
  snapshot->calibration = opened.calibration;
  OpenedAnalysis own = opened;  // of a slot that may have another backend
  own.request.config = kept->subject.config;
  snapshot->sideFiles = sideFilesOf(own);
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
                    AnalysisMemory& memory, JobContext& job, const SnapshotSink& publish,
                    const BesideSink& publishBeside) {
  const KeptResults results(request, project, job);
  const SnapshotPtr kept = results.find(AnalysisSlot::Shown);
  if (kept) publish(kept);
  if (publishBeside) {
    publishBeside(
        kept ? KeptBeside{results.find(AnalysisSlot::Before), results.find(AnalysisSlot::Compared)}
             : KeptBeside());
  }
  project.loadErrors(memory.errors, computationOrigin());
  const bool whole = kept && kept->request.config == request.config && hasGains(*kept);
  if (!whole) analyzeInSteps(request, kept, memory, job, publish);
}

}  // namespace quantscope
