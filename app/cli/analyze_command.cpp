#include <CLI/CLI.hpp>
#include <cmath>
#include <iomanip>
#include <sstream>
#include <utility>

#include "analysis_project.h"
#include "base/files/atomic_file.h"
#include "base/time_limit.h"
#include "data_options.h"
#include "export/json/report_json.h"
#include "jobs/analysis/advise.h"
#include "jobs/analysis/against_original.h"
#include "jobs/analysis/explain_errors.h"
#include "jobs/analysis/run_analysis.h"
#include "jobs/export/export_report.h"
#include "jobs/export/write_reports.h"
#include "open_analysis.h"
#include "open_data.h"
#include "separate_files.h"

namespace quantscope::cli {
namespace {

struct AnalyzeOptions {
  std::string model;
  DataOptions data;
  std::string out;
  std::optional<std::string> accept;
  bool bestChange = false;
  bool contributions = false;
  std::vector<std::string> formats;
  std::optional<std::string> project;
  std::optional<std::string> against;
  DetectorMode detectors = DetectorMode::Quantscope;
};

std::string nextText(const std::optional<NextChange>& next) {
  if (!next) return "best next change: " + noChangeText() + "\n";
  return "best next change: " + next->edit.sentence + ", " + figuresText(*next) + "\n";
}

AcceptedChanges acceptedChanges(const Advice& advice) {
  AcceptedChanges accepted{{},           advice.layers,  advice.fromDb, advice.toDb,
                           advice.bytes, advice.outputs, advice.notices};
  for (const AdvisedChange& change : advice.changes) accepted.changes.push_back(change.text);
  return accepted;
}

std::string whyNothing(const Advice& advice) {
  const bool exact = advice.fromDb && std::isinf(*advice.fromDb) && *advice.fromDb > 0;
  return exact ? "the outputs are exact"
               : "no change within the limits makes the worst output better";
}

// In one line, for reports.
std::string acceptedWords(const Advice& advice, double bytesBefore) {
  if (advice.changes.empty()) return "nothing, since " + whyNothing(advice);
  std::string text = adviceText(advice, bytesBefore);
  const char* separator = ": ";
  for (const AdvisedChange& change : advice.changes) {
    text += std::exchange(separator, "; ") + change.text;
  }
  return text;
}

std::string acceptedText(const Advice& advice, double bytesBefore) {
  if (advice.changes.empty()) return "accepted nothing: " + whyNothing(advice) + "\n";
  std::string text = "accepted " + adviceText(advice, bytesBefore) + "\n";
  for (const AdvisedChange& change : advice.changes) text += "  " + change.text + "\n";
  return text;
}

struct WhatHelps {
  std::optional<NextChange> next;
  std::optional<Advice> advice;
  bool stopped = false;  ///< the analysis is complete, and what was asked for of these is not known
};

// From here on a first Ctrl-C ends with the analysis alone.
WhatHelps findWhatHelps(const AnalyzeOptions& options, const AnalysisSnapshot& analysis,
                        const std::set<std::string>& aside, AnalysisMemory& memory,
                        Selection& selection, JobContext& job) {
  WhatHelps found;
  if (!options.bestChange && !options.accept) return found;
  TimeLimit untilStopped(job, endingEarly(selection));
  try {
    JobContext& limited = untilStopped.job();
    if (options.bestChange) found.next = bestNextChange(analysis, memory, limited, aside);
    if (options.accept) found.advice = advise(analysis, memory, limited, aside);
  } catch (const Cancelled&) {
    job.throwIfCancelled();
    found = {{}, {}, true};
  }
  return found;
}

// "report.pdf", "heatmap.svg"; those that are always written keep their names.
std::string fileOf(const std::string& format) {
  if (format == "png" || format == "svg") return "heatmap." + format;
  return "report." + (format == "markdown" ? std::string("md") : format);
}

std::string analyzeAndReport(AnalyzeOptions options, const CLI::App& command, Selection& selection,
                             JobContext& job) {
  std::optional<AnalysisProject> project;
  std::vector<std::string> changed;
  if (options.project) {
    const auto given = [&command](const char* option) { return command.count(option) > 0; };
    project.emplace(*options.project);
    project->complete(options.model, options.data, options.detectors, given, changed);
    requireSeparateInputs(command, {{"the project", options.model},
                                    {"the project", options.data.data},
                                    {"the project", options.data.calibration.value_or("")},
                                    {"the project", options.data.labels.value_or("").string()}});
  }
  std::optional<LoadedModel> original;
  if (options.against) original = loadModel(*options.against, job);
  const OpenedAnalysis opened = openAnalysis(options.model, options.data, options.detectors, job);
  OutputFolder out(options.out);
  AnalysisMemory memory(budgetOf(job));
  const SnapshotPtr known = project ? project->restore(opened, memory, job) : nullptr;
  SnapshotPtr analysis = explainErrors(runAnalysis(opened, known, memory, job), memory, job);
  if (options.contributions) analysis = withContributions(analysis, memory, job);
  if (original) analysis = againstOriginal(*analysis, *original, opened.labels, job);
  const Configuration& config = opened.request.config;
  const std::set<std::string> aside = project ? project->dismissed() : std::set<std::string>();
  const auto [next, advice, stopped] =
      findWhatHelps(options, *analysis, aside, memory, selection, job);
  const auto bytesBefore = static_cast<double>(analysis->result->summary.quantizedBytes);
  const AcceptedChanges accepted = advice ? acceptedChanges(*advice) : AcceptedChanges();
  const ReportedChanges changes{.next = next ? &*next : nullptr,
                                .nothingHelps = options.bestChange && !next && !stopped,
                                .accepted = advice ? &accepted : nullptr,
                                .against = options.against.value_or("")};
  requireUnchanged(*opened.data, *opened.calibration, opened.labels);
  WorkDone work = project ? project->workOn(*analysis, memory, job) : WorkDone();
  if (next) work.proposal = next->edit.sentence + ": " + figuresText(*next);
  work.nothingHelps = changes.nothingHelps;
  if (advice) work.accepted = acceptedWords(*advice, bytesBefore);
  writeReports(*analysis, out, job, changes, work);
  for (const std::string& format : options.formats) {
    exportReport(*analysis, {.format = format, .out = out.path() / fileOf(format)}, job, work);
  }
  if (project) project->keep(*analysis, memory);
  selection.notices = std::move(changed);
  selection.notices.insert(selection.notices.end(), analysis->result->notices.begin(),
                           analysis->result->notices.end());
  if (stopped) {
    selection.notices.emplace_back(
        "it was stopped while it tried what helps: the reports are of the analysis alone");
  }
  std::string acceptance;
  if (advice) {
    writeFileAtomically(*options.accept, toJson(configurationFor(*options.accept, advice->config)));
    acceptance = acceptedText(*advice, bytesBefore) + "configuration: " + *options.accept + "\n";
    selection.notices.insert(selection.notices.end(), advice->notices.begin(),
                             advice->notices.end());
  }
  const std::optional<std::string>& json = selection.common.json;
  if (json)
    return deliverText(
        reportJson(
            *analysis->result, config, *opened.model.graph, *analysis->quantized,
            modelCost(*analysis->model.engine, *analysis->quantized, *analysis->observations),
            *analysis->detected, changes),
        *json);
  return summaryText(*analysis) +
         "report: " + (std::filesystem::path(options.out) / "report.html").string() + "\n" +
         (options.bestChange && !stopped ? nextText(next) : "") + acceptance +
         (options.project ? "project: " + *options.project + "\n" : "");
}

DetectorMode readMode(const std::string& mode) {
  if (mode == "quantscope") return DetectorMode::Quantscope;
  if (mode == "pytorch") return DetectorMode::PyTorch;
  throw CLI::ValidationError("--detectors", "'" + mode + "' is neither quantscope nor pytorch");
}

// A project may name the model and the data: only without one they have to be given.
void addProjectOption(CLI::App& command, AnalyzeOptions& options) {
  command
      .add_option("--project", options.project,
                  "Project file: takes the results as well, and gives what is not named here")
      ->type_name("FILE");
  for (const char* name : {"MODEL", "--data"}) command.get_option(name)->required(false);
  command.parse_complete_callback([&command, &options] {
    if (options.project) return;
    for (const char* name : {"MODEL", "--data"}) {
      if (command.count(name) == 0) throw CLI::RequiredError(name);
    }
  });
}

}  // namespace

void addAnalyze(CLI::App& app, Selection& selection) {
  CLI::App* command = app.add_subcommand(
      "analyze",
      "Quantize a model and report where it hurts and why: JSON, HTML, a heatmap, findings");
  auto options = std::make_shared<AnalyzeOptions>();
  addModel(*command, options->model);
  addDataOptions(*command, options->data);
  addCalibrationOptions(*command, options->data);
  addLabelsOption(*command, options->data, "adds accuracy");
  command
      ->add_option_function<std::string>(
          "--detectors",
          [options](const std::string& mode) { options->detectors = readMode(mode); },
          "quantscope (default), or pytorch: the rules of its ModelReport to the letter")
      ->type_name("MODE");
  command
      ->add_option("--accept", options->accept,
                   "Write the configuration with those suggestions and wider types that together, "
                   "measured, make no output worse; at most 25 % more bytes")
      ->type_name("FILE");
  command
      ->add_option("--formats", options->formats,
                   "Reports to write besides: report.md, report.pdf, heatmap.svg …")
      ->delimiter(',')
      ->check(CLI::IsMember(reportFormats()))
      ->type_name("LIST");
  command->add_flag("--contributions", options->contributions,
                    "measure what each layer alone does to the outputs");
  command->add_flag("--best-change", options->bestChange,
                    "Measure which single change helps most; `best_change` of the summary");
  command->add_option("--out", options->out, "Folder for the reports")
      ->required()
      ->type_name("FOLDER");
  addProjectOption(*command, *options);
  CLI::Option* against =
      command
          ->add_option(
              "--against", options->against,
              "Compare the outputs with those of this float model: the one that a repaired "
              "MODEL was made from")
          ->type_name("MODEL");
  // What these find and keep is measured against MODEL itself.
  for (const char* other : {"--accept", "--best-change", "--project"}) {
    against->excludes(command->get_option(other));
  }
  bindCommand(*command, selection, [&selection, options, command](JobContext& job) {
    return analyzeAndReport(*options, *command, selection, job);
  });
}

}  // namespace quantscope::cli
