#include <nlohmann/json.hpp>

#include "precision/config/json_reader.h"
#include "project/document.h"

namespace quantscope {
namespace {

using Json = nlohmann::ordered_json;

const std::string kWhole = "the document";

Json configJson(const Configuration& config) {
  return Json::parse(toJson(config));
}

Configuration readConfig(const JsonReader& reader) {
  return parseConfiguration(reader.json().dump(), reader.source());
}

Json toJson(const Document::Edit& edit) {
  if (const auto* change = std::get_if<ConfigEdit>(&edit)) return toJson(*change);
  const auto& dismissal = std::get<Dismissal>(edit);
  return {{"finding", dismissal.finding}, {"dismissed", dismissal.dismissed}};
}

Document::Edit readEdit(const JsonReader& reader) {
  if (!reader.has("finding")) return readConfigEdit(reader);
  reader.requireKeys({"finding", "dismissed"});
  return Dismissal{reader["finding"].text(), reader.required("dismissed").boolean()};
}

void addFile(const char* key, const FileReference& file, Json& json) {
  if (!file.empty()) json[key] = {{"path", file.path}, {"content_id", file.contentId}};
}

Json toJson(const DocumentFiles& files) {
  Json json = Json::object();
  addFile("model", files.model, json);
  addFile("data", files.data, json);
  addFile("calibration", files.calibration, json);
  addFile("labels", files.labels, json);
  return json;
}

void readFile(const JsonReader& files, const char* key, FileReference& file) {
  if (!files.has(key)) return;
  const JsonReader reader = files[key];
  reader.requireKeys({"path", "content_id"});
  file = {reader.required("path").text(), reader.required("content_id").text()};
}

DocumentFiles readFiles(const JsonReader& reader) {
  reader.requireKeys({"model", "data", "calibration", "labels"});
  DocumentFiles files;
  readFile(reader, "model", files.model);
  readFile(reader, "data", files.data);
  readFile(reader, "calibration", files.calibration);
  readFile(reader, "labels", files.labels);
  return files;
}

Document readDocument(const JsonReader& reader) {
  reader.requireKeys(
      {"quantscope_document", "files", "start", "journal", "position", "configurations"});
  if (!reader.has("quantscope_document") || reader["quantscope_document"].integer() != 1) {
    reader.fail("is of another version", "open it with the version that wrote it");
  }
  Document document(readConfig(reader.required("start")));
  document.setFiles(readFiles(reader.required("files")));
  for (const JsonReader& entry : reader.required("journal").elements()) {
    if (!document.apply(readEdit(entry))) {
      entry.fail("changes nothing", "the text is damaged: use a copy of it");
    }
  }
  const JsonReader position = reader.required("position");
  const std::int64_t done = position.integer();
  if (done < 0 || static_cast<std::size_t>(done) > document.journal().size()) {
    position.fail("is outside of the journal", "the text is damaged: use a copy of it");
  }
  document.moveTo(static_cast<std::size_t>(done));
  for (const auto& [name, config] : reader.required("configurations").entries()) {
    document.keep(name, readConfig(config));
  }
  return document;
}

}  // namespace

std::string toJson(const Document& document) {
  Json json{{"quantscope_document", 1},
            {"files", toJson(document.m_files)},
            {"start", configJson(document.m_start)},
            {"journal", Json::array()},
            {"position", document.m_position},
            {"configurations", Json::object()}};
  for (const Document::Edit& edit : document.m_journal) json["journal"].push_back(toJson(edit));
  for (const auto& [name, config] : document.m_named) {
    json["configurations"][name] = configJson(config);
  }
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

Document parseDocument(std::string_view text, const std::string& source) {
  const Json json = parseStrictJson(text, source, kWhole);
  return readDocument(JsonReader(json, source, kWhole));
}

}  // namespace quantscope
