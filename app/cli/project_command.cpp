#include <CLI/CLI.hpp>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "base/number_text.h"
#include "command.h"
#include "export/json/findings_json.h"
#include "export/json/json_number.h"
#include "export/output_text.h"
#include "project/document_json.h"
#include "project/linked_files.h"
#include "project/project_file.h"

namespace quantscope::cli {
namespace {

using Json = nlohmann::ordered_json;

const char* wordFor(FileState state) {
  switch (state) {
    case FileState::Same:
      return "same";
    case FileState::Changed:
      return "changed";
    case FileState::Missing:
      break;
  }
  return "missing";
}

Json describeFile(FileRole role, const FileReference& file) {
  if (file.empty()) return nullptr;
  return {{"path", file.path},
          {"content_id", file.contentId.empty() ? Json(nullptr) : Json(file.contentId)},
          {"state", wordFor(stateOf(role, file))}};
}

Json describeHistory(const Document& document) {
  Json history = Json::array();
  for (std::size_t i = 0; i < document.journal().size(); ++i) {
    history.push_back(
        {{"edit", sentenceOf(document.journal()[i])}, {"done", i < document.position()}});
  }
  return history;
}

Json describeNames(const Document& document) {
  Json names = Json::array();
  for (const auto& [name, config] : document.named()) names.push_back(name);
  return names;
}

Json describeOutputs(const AnalysisOutline& outline) {
  Json outputs = Json::array();
  for (const AnalysisOutline::Output& output : outline.outputs) {
    outputs.push_back({{"value", output.value},
                       {"sqnr_db", jsonNumber(output.sqnrDb)},
                       {"top1_agreement", jsonNumber(output.top1Agreement)},
                       {"accuracy_float", jsonNumber(output.accuracyFloat)},
                       {"accuracy_quantized", jsonNumber(output.accuracyQuantized)}});
  }
  return outputs;
}

Json describeAnalysis(const ProjectFile& project) {
  const std::optional<AnalysisOutline> outline = project.outline();
  if (!outline) return nullptr;
  return {{"model", outline->model},
          {"samples", outline->samples},
          {"synthetic", outline->synthetic},
          {"layers", outline->layers},
          {"findings", outline->findings},
          {"outputs", describeOutputs(*outline)},
          {"current", outline->subject.config == project.document().configuration()},
          {"computed_by", outline->subject.origin}};
}

// What was learned is large: its size is enough.
Json describeRepairs(const DecidedRepairs& repairs) {
  if (repairs == DecidedRepairs()) return nullptr;
  std::size_t bytes = 0;
  for (const LearnedBytes& each : repairs.learned) bytes += each.bytes->size();
  DecidedRepairs decided = repairs;
  decided.learned.clear();
  decided.unfinished = {};
  Json json = jsonOf(decided);
  json["learned_bytes"] = bytes;
  json["unfinished_training"] = repairs.unfinished.bytes != nullptr;
  return json;
}

Json projectJson(const ProjectFile& project) {
  const Document& document = project.document();
  Json json{{"quantscope", 1}, {"project", project.path().string()}};
  for (const FileRole role : kFileRoles) {
    json[name(role)] = describeFile(role, fileOf(document.files(), role));
  }
  json["settings"] = jsonOf(document.settings());
  json["config"] = jsonOf(document.configuration());
  json["edits"] = document.position();
  json["history"] = describeHistory(document);
  json["configurations"] = describeNames(document);
  json["dismissed"] = document.dismissed();
  json["repairs"] = describeRepairs(document.repairs());
  json["analysis"] = describeAnalysis(project);
  const auto [records, bytes] = project.errorCount();
  json["errors"] = {{"records", records}, {"bytes", bytes}};
  return json;
}

std::string fileText(FileRole role, const FileReference& file) {
  if (file.empty()) return "";
  const FileState state = stateOf(role, file);
  const char* told = state == FileState::Changed   ? "  (has changed)"
                     : state == FileState::Missing ? "  (is not there)"
                                                   : "";
  char line[16];
  std::snprintf(line, sizeof line, "%-13s", name(role));
  return line + file.path + told + "\n";
}

std::string outputText(const AnalysisOutline::Output& output) {
  return "output " + output.value + ": SQNR " + sqnrText(output.sqnrDb) + "\n";
}

std::string analysisText(const ProjectFile& project) {
  const std::optional<AnalysisOutline> outline = project.outline();
  if (!outline) return "not analysed yet\n";
  std::string text = "analysis     " +
                     counted(outline->samples, outline->synthetic ? "SYNTHETIC sample" : "sample") +
                     ", " + counted(outline->layers, "layer") + ", " +
                     counted(outline->findings, "finding") + "\n";
  for (const AnalysisOutline::Output& output : outline->outputs) text += outputText(output);
  const bool current = outline->subject.config == project.document().configuration();
  return text + (current ? "" : "the configuration has changed since\n");
}

std::string repairsText(const DecidedRepairs& repairs) {
  if (repairs.empty()) return "";
  std::string steps;
  for (const DecidedStep& step : repairs.steps) {
    if (step.kept) steps += (steps.empty() ? "" : ", ") + step.step;
  }
  return "repairs      " + (steps.empty() ? "none kept" : steps) + "\n";
}

std::string projectText(const ProjectFile& project) {
  const Document& document = project.document();
  std::string text;
  for (const FileRole role : kFileRoles) text += fileText(role, fileOf(document.files(), role));
  text += "edits        " + std::to_string(document.position()) + " done, " +
          std::to_string(document.journal().size() - document.position()) + " undone\n";
  for (std::size_t i = 0; i < document.journal().size(); ++i) {
    text +=
        (i < document.position() ? "  " : "  (undone) ") + sentenceOf(document.journal()[i]) + "\n";
  }
  for (const auto& [name, config] : document.named()) text += "kept as      " + name + "\n";
  text += repairsText(document.repairs());
  text += "dismissed    " + std::to_string(document.dismissed().size()) + " findings\n";
  return text + analysisText(project);
}

void addInfo(CLI::App& group, Selection& selection) {
  CLI::App* command =
      group.add_subcommand("info", "Show what is in a project: files, edits, the last results");
  auto file = std::make_shared<std::string>();
  command->add_option("PROJECT", *file, "Project file")->required()->type_name("");
  bindCommand(*command, selection, [&selection, file](JobContext&) {
    const ProjectFile project(*file, ProjectFile::Access::Read);
    return selection.common.json ? deliverJson(projectJson(project), *selection.common.json)
                                 : projectText(project);
  });
}

}  // namespace

void addProject(CLI::App& app, Selection& selection) {
  CLI::App* group = app.add_subcommand("project", "Look at project files");
  group->require_subcommand(1);
  addInfo(*group, selection);
}

}  // namespace quantscope::cli
