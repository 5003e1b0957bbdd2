#include "analysis_project.h"

#include "jobs/computation_origin.h"
#include "precision/edits/config_edit.h"
#include "project/linked_files.h"

namespace quantscope::cli {
namespace {

Error incomplete(const std::filesystem::path& project, const char* what, const char* remedy) {
  return {ErrorCode::InvalidParameters,
          std::string("the project names no ") + what,
          {.file = project.string(), .node = {}, .value = {}},
          remedy};
}

// The path of a file that a project names; it has to be there.
std::string pathOf(const DocumentFiles& files, FileRole role, const char* option,
                   std::vector<std::string>& notices) {
  const FileReference& file = fileOf(files, role);
  const FileState state = stateOf(role, file);
  if (state == FileState::Missing) {
    throw Error(
        ErrorCode::Io, std::string("the ") + name(role) + " of the project is not where it was",
        {.file = file.path, .node = {}, .value = {}}, std::string("name it with ") + option);
  }
  if (state == FileState::Changed) {
    notices.push_back(std::string("the ") + name(role) +
                      " has changed since it was analysed: " + file.path);
  }
  return file.path;
}

}  // namespace

AnalysisProject::AnalysisProject(const std::filesystem::path& file) : m_file(file) {
  std::error_code failure;
  if (!std::filesystem::exists(file, failure)) {
    requireFolderOf(file.string());
    return;
  }
  m_project = std::make_unique<ProjectFile>(file);
  if (m_project->readOnly()) throw Error(*m_project->readOnly());
}

void AnalysisProject::complete(std::string& model, DataOptions& data, DetectorMode& detectors,
                               const Given& given, std::vector<std::string>& notices) const {
  const DocumentFiles files = m_project ? m_project->document().files() : DocumentFiles();
  if (model.empty() && files.model.empty()) {
    throw incomplete(m_file, "model", "name one: analyze MODEL --project FILE");
  }
  if (model.empty()) model = pathOf(files, FileRole::Model, "MODEL", notices);
  if (data.data.empty() && files.data.empty()) {
    throw incomplete(m_file, "data", "name some with --data");
  }
  if (!m_project) return;
  data.keptConfig = m_project->document().configuration();
  if (!data.config && !files.backend.empty()) {
    pathOf(files, FileRole::Backend, "the configuration of --config", notices);
  }
  if (data.data.empty()) takeData(data, detectors, given, notices);
}

void AnalysisProject::takeData(DataOptions& data, DetectorMode& detectors, const Given& given,
                               std::vector<std::string>& notices) const {
  const DocumentFiles& files = m_project->document().files();
  const AnalysisSettings& settings = m_project->document().settings();
  data.data = pathOf(files, FileRole::Data, "--data", notices);
  if (!data.calibration && !files.calibration.empty()) {
    data.calibration = pathOf(files, FileRole::Calibration, "--calibration", notices);
  }
  if (!data.labels && !files.labels.empty()) {
    data.labels = pathOf(files, FileRole::Labels, "--labels", notices);
  }
  data.keptPreprocessing = settings.source.preprocessing;
  if (!data.samples) data.samples = settings.source.samples;
  data.keptSeed = settings.source.seed;
  if (!given("--batch")) data.batch = settings.batch;
  if (!given("--detectors")) detectors = settings.detectors;
}

SnapshotPtr AnalysisProject::restore(const OpenedAnalysis& opened, AnalysisMemory& memory,
                                     JobContext& job) const {
  if (!m_project) return nullptr;
  m_project->loadErrors(memory.errors, computationOrigin());
  const DocumentFiles files = filesOf(opened.request, opened.model, m_project->document().files());
  return restoreAnalysis(*m_project, files, opened, job);
}

Document AnalysisProject::documentWith(const Configuration& config) const {
  Document document = m_project ? m_project->document() : Document(config);
  document.apply(editBetween(document.configuration(), config, "take another configuration"));
  return document;
}

std::set<std::string> AnalysisProject::dismissed() const {
  return m_project ? m_project->document().dismissed() : std::set<std::string>();
}

WorkDone AnalysisProject::workOn(const AnalysisSnapshot& analysis, AnalysisMemory& memory,
                                 JobContext& job) const {
  return workDone(analysis, documentWith(analysis.request.config), memory, job);
}

void AnalysisProject::keep(const AnalysisSnapshot& analysis, const AnalysisMemory& memory) {
  Document document = documentWith(analysis.request.config);
  if (!m_project) {
    ProjectFile::create(m_file);
    m_project = std::make_unique<ProjectFile>(m_file);
  }
  const DocumentFiles files = filesOf(analysis, document.files());
  document.setFiles(files);
  document.setSettings(settingsOf(analysis.request));
  m_project->record(document);
  keepAnalysis(analysis, files, memory, *m_project);
  m_project->flush();
}

}  // namespace quantscope::cli
