#include "project/document_json.h"

#include <nlohmann/json.hpp>

#include "base/base64.h"
#include "precision/config/json_reader.h"

namespace quantscope {
namespace {

using Json = nlohmann::ordered_json;

const std::string kWhole = "the document";
constexpr const char* kCopyRemedy = "the text is damaged: use a copy of it";

void addFile(const char* key, const FileReference& file, Json& json) {
  if (file.empty()) return;
  json[key] = {{"path", file.path}, {"content_id", file.contentId}};
  if (!file.stamp.empty()) json[key]["stamp"] = file.stamp;
}

void readFile(const JsonReader& files, const char* key, FileReference& file) {
  if (!files.has(key)) return;
  const JsonReader reader = files[key];
  reader.requireKeys({"path", "content_id", "stamp"});
  file = {reader.required("path").text(), reader.required("content_id").text(), {}};
  if (reader.has("stamp")) file.stamp = reader["stamp"].text();
}

// Whole numbers of 64 bits without a sign, which readers take for signed ones.
std::uint64_t natural(const JsonReader& reader) {
  if (!reader.json().is_number_unsigned()) reader.fail("is no whole number", kCopyRemedy);
  return reader.json().get<std::uint64_t>();
}

double readDecibels(const JsonReader& reader) {
  if (!reader.json().is_number()) reader.fail("is no number", kCopyRemedy);
  return reader.json().get<double>();
}

std::optional<double> readGain(const JsonReader& reader, const char* key) {
  return reader.has(key) ? std::optional(readDecibels(reader[key])) : std::nullopt;
}

Json jsonOf(const DecidedStep& step) {
  Json json{{"step", step.step}, {"what", step.what}, {"way", step.way},
            {"only", step.only}, {"kept", step.kept}, {"reason", step.reason}};
  if (step.gainFitDb) json["gain_calibration_db"] = *step.gainFitDb;
  if (step.gainHeldOutDb) json["gain_held_out_db"] = *step.gainHeldOutDb;
  return json;
}

DecidedStep readStep(const JsonReader& reader) {
  reader.requireKeys(
      {"step", "what", "way", "only", "kept", "reason", "gain_calibration_db", "gain_held_out_db"});
  return {.step = reader.required("step").text(),
          .what = reader.required("what").text(),
          .way = natural(reader.required("way")),
          .only = reader.required("only").texts(),
          .kept = reader.required("kept").boolean(),
          .reason = reader.required("reason").text(),
          .gainFitDb = readGain(reader, "gain_calibration_db"),
          .gainHeldOutDb = readGain(reader, "gain_held_out_db")};
}

DetectorMode readMode(const JsonReader& reader) {
  const std::string mode = reader.text();
  if (mode != "pytorch" && mode != "quantscope") {
    reader.fail("is neither quantscope nor pytorch", kCopyRemedy);
  }
  return mode == "pytorch" ? DetectorMode::PyTorch : DetectorMode::Quantscope;
}

Json jsonOf(const Naming::Names& names) {
  Json json = Json::object();
  for (const auto& [name, config] : names) json[name] = config ? jsonOf(*config) : Json(nullptr);
  return json;
}

Naming::Names readNames(const JsonReader& reader) {
  Naming::Names names;
  for (const auto& [name, config] : reader.entries()) {
    const bool none = config.json().is_null();
    names.emplace(name, none ? std::nullopt : std::optional(readConfiguration(config)));
  }
  return names;
}

Json jsonOf(const ChosenData& chosen) {
  Json json{{"data", chosen.data}};
  if (!chosen.calibration.empty()) json["calibration"] = chosen.calibration;
  if (!chosen.labels.empty()) json["labels"] = chosen.labels;
  json["settings"] = jsonOf(chosen.settings);
  return json;
}

std::string optionalText(const JsonReader& reader, const char* key) {
  return reader.has(key) ? reader[key].text() : std::string();
}

ChosenData readChosenData(const JsonReader& reader) {
  reader.requireKeys({"data", "calibration", "labels", "settings"});
  return {.data = reader.required("data").text(),
          .calibration = optionalText(reader, "calibration"),
          .labels = optionalText(reader, "labels"),
          .settings = readSettings(reader.required("settings"))};
}

Naming readNaming(const JsonReader& reader) {
  reader.requireKeys({"naming", "before", "after", "change"});
  return {.sentence = reader["naming"].text(),
          .before = readNames(reader.required("before")),
          .after = readNames(reader.required("after")),
          .change = reader.has("change") ? readConfigEdit(reader["change"]) : ConfigEdit()};
}

struct EditJson {
  Json operator()(const ConfigEdit& edit) const { return toJson(edit); }
  Json operator()(const Dismissal& dismissal) const {
    return {{"finding", dismissal.finding}, {"dismissed", dismissal.dismissed}};
  }
  Json operator()(const Naming& naming) const {
    Json json{{"naming", naming.sentence},
              {"before", jsonOf(naming.before)},
              {"after", jsonOf(naming.after)}};
    if (!naming.change.steps.empty()) json["change"] = toJson(naming.change);
    return json;
  }
  Json operator()(const DataChoice& choice) const {
    return {{"data_choice", choice.sentence},
            {"before", jsonOf(choice.before)},
            {"after", jsonOf(choice.after)}};
  }
  Json operator()(const RepairDecision& decision) const {
    return {{"repair", decision.sentence}, {"after", jsonOf(decision.after)}};
  }
};

Document readDocument(const JsonReader& reader) {
  reader.requireKeys({"quantscope_document", "files", "settings", "start", "journal", "position",
                      "configurations", "repairs"});
  if (!reader.has("quantscope_document") || reader["quantscope_document"].integer() != 1) {
    reader.fail("is of another version", "open it with the version that wrote it");
  }
  Document document(readConfiguration(reader.required("start")));
  for (const JsonReader& entry : reader.required("journal").elements()) {
    if (!document.apply(readEdit(entry))) entry.fail("changes nothing", kCopyRemedy);
  }
  const JsonReader position = reader.required("position");
  const std::int64_t done = position.integer();
  if (done < 0 || static_cast<std::size_t>(done) > document.journal().size()) {
    position.fail("is outside of the journal", kCopyRemedy);
  }
  document.moveTo(static_cast<std::size_t>(done));
  // What stands may have been set without the journal.
  document.setFiles(readFiles(reader.required("files")));
  document.setRepairs(reader.has("repairs") ? readDecidedRepairs(reader["repairs"])
                                            : DecidedRepairs());
  document.setSettings(reader.has("settings") ? readSettings(reader["settings"])
                                              : AnalysisSettings());
  document.forgetNames();
  for (const auto& [name, config] : reader.required("configurations").entries()) {
    document.keep(name, readConfiguration(config));
  }
  return document;
}

LearnedBytes readBytes(const JsonReader& reader) {
  std::optional<std::string> bytes = fromBase64(reader.text());
  if (!bytes) reader.fail("is no base64 text", kCopyRemedy);
  return {std::make_shared<const std::string>(*std::move(bytes))};
}

}  // namespace

Json jsonOf(const Configuration& config) {
  return Json::parse(toJson(config));
}

Configuration readConfiguration(const JsonReader& reader) {
  return parseConfiguration(reader.json().dump(), reader.source());
}

Json jsonOf(const Document::Edit& edit) {
  return std::visit(EditJson(), edit);
}

Document::Edit readEdit(const JsonReader& reader) {
  if (reader.has("naming")) return readNaming(reader);
  if (reader.has("finding")) {
    reader.requireKeys({"finding", "dismissed"});
    return Dismissal{reader["finding"].text(), reader.required("dismissed").boolean()};
  }
  if (reader.has("data_choice")) {
    reader.requireKeys({"data_choice", "before", "after"});
    return DataChoice{reader["data_choice"].text(), readChosenData(reader.required("before")),
                      readChosenData(reader.required("after"))};
  }
  if (reader.has("repair")) {
    reader.requireKeys({"repair", "after"});
    return RepairDecision{reader["repair"].text(), readDecidedRepairs(reader.required("after"))};
  }
  return readConfigEdit(reader);
}

Json jsonOf(const DecidedRepairs& repairs) {
  Json json{{"configuration", repairs.configuration},
            {"held_out_db", repairs.heldOutDb},
            {"steps", Json::array()}};
  for (const DecidedStep& step : repairs.steps) json["steps"].push_back(jsonOf(step));
  for (const LearnedBytes& each : repairs.learned) {
    json["learned"].push_back(toBase64(*each.bytes));
  }
  if (repairs.training != TrainingChoices()) json["training"] = jsonOf(repairs.training);
  const StoppedTraining& unfinished = repairs.unfinished;
  if (unfinished.bytes) json["unfinished"] = toBase64(*unfinished.bytes);
  if (unfinished.bytes && unfinished.choices != TrainingChoices()) {
    json["unfinished_training"] = jsonOf(unfinished.choices);
  }
  return json;
}

DecidedRepairs readDecidedRepairs(const JsonReader& reader) {
  reader.requireKeys({"configuration", "held_out_db", "steps", "learned", "training", "unfinished",
                      "unfinished_training"});
  DecidedRepairs repairs{.configuration = reader.required("configuration").text(),
                         .heldOutDb = readDecibels(reader.required("held_out_db")),
                         .steps = {},
                         .learned = {},
                         .training = {},
                         .unfinished = {}};
  for (const JsonReader& step : reader.required("steps").elements()) {
    repairs.steps.push_back(readStep(step));
  }
  if (reader.has("learned")) {
    for (const JsonReader& each : reader["learned"].elements()) {
      repairs.learned.push_back(readBytes(each));
    }
  }
  if (reader.has("training")) repairs.training = readTrainingChoices(reader["training"]);
  if (reader.has("unfinished")) repairs.unfinished.bytes = readBytes(reader["unfinished"]).bytes;
  if (reader.has("unfinished_training")) {
    repairs.unfinished.choices = readTrainingChoices(reader["unfinished_training"]);
  }
  return repairs;
}

Json jsonOf(const DocumentFiles& files) {
  Json json = Json::object();
  addFile("model", files.model, json);
  addFile("data", files.data, json);
  addFile("calibration", files.calibration, json);
  addFile("labels", files.labels, json);
  addFile("backend", files.backend, json);
  return json;
}

DocumentFiles readFiles(const JsonReader& reader) {
  reader.requireKeys({"model", "data", "calibration", "labels", "backend"});
  DocumentFiles files;
  readFile(reader, "model", files.model);
  readFile(reader, "data", files.data);
  readFile(reader, "calibration", files.calibration);
  readFile(reader, "labels", files.labels);
  readFile(reader, "backend", files.backend);
  return files;
}

Json jsonOf(const AnalysisSettings& settings) {
  Json json{{"batch", settings.batch},
            {"seed", settings.source.seed},
            {"detectors", settings.detectors == DetectorMode::PyTorch ? "pytorch" : "quantscope"}};
  if (settings.source.samples) json["samples"] = *settings.source.samples;
  if (settings.source.preprocessing) {
    json["preprocessing"] = Json::parse(toJson(*settings.source.preprocessing));
  }
  if (settings.source.acceptsNonFinite) json["accepts_non_finite"] = true;
  return json;
}

AnalysisSettings readSettings(const JsonReader& reader) {
  reader.requireKeys(
      {"batch", "seed", "detectors", "samples", "preprocessing", "accepts_non_finite"});
  AnalysisSettings settings;
  settings.batch = natural(reader.required("batch"));
  settings.source.seed = natural(reader.required("seed"));
  settings.detectors = readMode(reader.required("detectors"));
  if (reader.has("samples")) settings.source.samples = natural(reader["samples"]);
  if (settings.batch == 0 || settings.source.samples == std::size_t{0}) {
    reader.fail("has no samples", kCopyRemedy);
  }
  if (reader.has("preprocessing")) {
    settings.source.preprocessing = parsePreprocessing(
        reader["preprocessing"].json().dump(), {.file = reader.source(), .node = {}, .value = {}});
  }
  if (reader.has("accepts_non_finite")) {
    settings.source.acceptsNonFinite = reader["accepts_non_finite"].boolean();
  }
  return settings;
}

std::string textOf(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string toJson(const Document& document) {
  Json json{{"quantscope_document", 1},
            {"files", jsonOf(document.files())},
            {"settings", jsonOf(document.settings())},
            {"start", jsonOf(document.start())},
            {"journal", Json::array()},
            {"position", document.position()},
            {"configurations", Json::object()}};
  if (document.repairs() != DecidedRepairs()) json["repairs"] = jsonOf(document.repairs());
  for (const Document::Edit& edit : document.journal()) json["journal"].push_back(jsonOf(edit));
  for (const auto& [name, config] : document.named()) json["configurations"][name] = jsonOf(config);
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

Document parseDocument(std::string_view text, const std::string& source) {
  const Json json = parseStrictJson(text, source, kWhole);
  return readDocument(JsonReader(json, source, kWhole));
}

}  // namespace quantscope
