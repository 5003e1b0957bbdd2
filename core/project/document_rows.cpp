#include "project/document_rows.h"

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>

#include "precision/config/json_reader.h"
#include "project/document_json.h"
#include "project/linked_files.h"
#include "project/storage/schema.h"

namespace quantscope {
namespace {

const std::string kPart = "a part of the project";

// Calls read(JsonReader) with a text of the project; mistakes in it are damage.
template <class Read>
auto readText(Database& database, const std::string& text, Read&& read) {
  try {
    const std::string source = database.file().string();
    const nlohmann::ordered_json json = parseStrictJson(text, source, kPart);
    return read(JsonReader(json, source, kPart));
  } catch (const Error& error) {
    throw error.at({.file = database.file().string(), .node = {}, .value = {}});
  }
}

void writeFile(Database& database, FileRole role, const FileReference& file) {
  const Table& files = projectTables().files;
  const std::string key = name(role);
  if (file.empty()) {
    files.erase(database, key);
    return;
  }
  std::string absolute = file.path;
  std::string relative;
  if (sourceKind(file.path) != SourceKind::Random) {
    const auto whole = std::filesystem::absolute(file.path).lexically_normal();
    absolute = whole.string();
    relative = whole.lexically_relative(database.file().parent_path()).string();
  }
  files.put(database, {key, absolute, relative, file.contentId, file.stamp});
}

DocumentFiles readFileRows(Database& database) {
  DocumentFiles files;
  for (const FileRole role : kFileRoles) {
    Table::Row row;
    if (!projectTables().files.find(database, std::string(name(role)), row)) continue;
    FileReference file{
        .path = textAt(row, 1), .contentId = textAt(row, 3), .stamp = textAt(row, 4)};
    const std::string& relative = textAt(row, 2);
    if (!relative.empty()) {
      file.path = foundPath(role, file, database.file().parent_path() / relative);
    }
    fileOf(files, role) = std::move(file);
  }
  return files;
}

std::size_t naturalIn(Database& database, const char* name) {
  Table::Row row;
  if (!projectTables().document.find(database, std::string(name), row)) return 0;
  const std::string& text = textAt(row, 1);
  std::size_t number = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (failure != std::errc{} || end != text.data() + text.size()) database.failDamaged();
  return number;
}

std::vector<Document::Edit> readJournal(Database& database) {
  std::vector<Document::Edit> journal;
  projectTables().journal.visit(database, Table::Order::Key, [&](const Table::Row& row) {
    if (numberAt(row, 0) != static_cast<std::int64_t>(journal.size() + 1)) database.failDamaged();
    journal.push_back(readText(database, textAt(row, 1), readEdit));
  });
  if (journal.size() != naturalIn(database, "length")) database.failDamaged();
  return journal;
}

Configuration readStart(Database& database) {
  Table::Row row;
  if (!projectTables().document.find(database, std::string("start"), row)) return {};
  return readText(database, textAt(row, 1),
                  [](const JsonReader& reader) { return readConfiguration(reader); });
}

void writeJournal(Database& database, const DocumentChange& change) {
  const ProjectTables& tables = projectTables();
  database.run("DELETE FROM journal WHERE position > " + std::to_string(change.kept));
  auto position = static_cast<std::int64_t>(change.kept);
  for (const Document::Edit& edit : change.added) {
    tables.journal.put(database, {++position, textOf(jsonOf(edit))});
  }
  tables.document.put(database, {std::string("length"), std::to_string(position)});
  tables.document.put(database, {std::string("position"), std::to_string(change.position)});
}

// Paths of the journal are whole; with this they can be seen from the project.
void writeFolder(Database& database) {
  projectTables().document.put(database,
                               {std::string("folder"), database.file().parent_path().string()});
}

}  // namespace

bool DocumentChange::empty() const {
  return !start && !journal && named.empty() && !repairs && !files && !settings;
}

RecordedDocument::RecordedDocument(const Document& document)
    : m_start(document.start()),
      m_serials(document.serials()),
      m_position(document.position()),
      m_named(document.named()),
      m_repairs(document.repairs()),
      m_files(document.files()),
      m_settings(document.settings()) {}

DocumentChange RecordedDocument::changeTo(const Document& document) {
  DocumentChange change;
  if (document.start() != m_start) change.start = document.start();
  const std::vector<std::uint64_t>& serials = document.serials();
  const auto parted = std::ranges::mismatch(m_serials, serials).in2;
  change.kept = static_cast<std::size_t>(parted - serials.begin());
  const auto firstAdded = document.journal().begin() + static_cast<std::ptrdiff_t>(change.kept);
  change.added.assign(firstAdded, document.journal().end());
  change.position = document.position();
  change.journal = serials != m_serials || change.position != m_position;
  for (const auto& [name, config] : document.named()) {
    const auto known = m_named.find(name);
    if (known == m_named.end() || known->second != config) change.named.emplace(name, config);
  }
  for (const auto& [name, config] : m_named) {
    if (!document.named().contains(name)) change.named.emplace(name, std::nullopt);
  }
  if (document.repairs() != m_repairs) change.repairs = document.repairs();
  if (document.files() != m_files) change.files = document.files();
  if (document.settings() != m_settings) change.settings = document.settings();
  *this = RecordedDocument(document);
  return change;
}

void writeChange(Database& database, const DocumentChange& change) {
  const ProjectTables& tables = projectTables();
  if (change.start) {
    tables.document.put(database, {std::string("start"), toJson(*change.start)});
  }
  if (change.journal) writeJournal(database, change);
  for (const auto& [name, config] : change.named) {
    if (config) {
      tables.configurations.put(database, {name, toJson(*config)});
    } else {
      tables.configurations.erase(database, name);
    }
  }
  if (change.repairs) {
    tables.document.put(database, {std::string("repairs"), textOf(jsonOf(*change.repairs))});
  }
  if (change.files) {
    for (const FileRole role : kFileRoles) writeFile(database, role, fileOf(*change.files, role));
  }
  // Of all paths, those of backends in configurations too.
  if (change.files || change.journal || change.start || !change.named.empty()) {
    writeFolder(database);
  }
  if (change.settings) {
    tables.document.put(database, {std::string("settings"), textOf(jsonOf(*change.settings))});
  }
}

Document readDocument(Database& database) {
  const ProjectTables& tables = projectTables();
  try {
    Document document(readStart(database), readJournal(database), naturalIn(database, "position"));
    document.forgetNames();
    tables.configurations.visit(database, Table::Order::Key, [&](const Table::Row& row) {
      const auto read = [](const JsonReader& reader) { return readConfiguration(reader); };
      document.keep(textAt(row, 0), readText(database, textAt(row, 1), read));
    });
    // What stands may have been set without the journal.
    Table::Row row;
    const bool repaired = tables.document.find(database, std::string("repairs"), row);
    document.setRepairs(repaired ? readText(database, textAt(row, 1), readDecidedRepairs)
                                 : DecidedRepairs());
    document.setFiles(readFileRows(database));
    const bool set = tables.document.find(database, std::string("settings"), row);
    document.setSettings(set ? readText(database, textAt(row, 1), readSettings)
                             : AnalysisSettings());
    return document;
  } catch (const Error& error) {
    throw error.at({.file = database.file().string(), .node = {}, .value = {}});
  }
}

void followFolder(Database& database, Document& document) {
  Table::Row row;
  if (!projectTables().document.find(database, std::string("folder"), row)) return;
  const std::filesystem::path before = textAt(row, 1);
  if (before == database.file().parent_path() || !before.is_absolute()) return;
  document.moveFiles([&](const std::string& path) { return placeNow(database, before, path); });
  // With what is known of a backend's content, which has its place only now.
  document.setFiles(readFileRows(database));
}

std::string placeNow(const Database& database, const std::filesystem::path& before,
                     const std::string& path) {
  if (!std::filesystem::path(path).is_absolute()) return path;  // made up
  const std::filesystem::path relative = std::filesystem::path(path).lexically_relative(before);
  return foundPath(FileRole::Data, {.path = path}, database.file().parent_path() / relative);
}

}  // namespace quantscope
