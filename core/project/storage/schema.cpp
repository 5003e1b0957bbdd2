#include "project/storage/schema.h"

#include <map>
#include <string_view>
#include <utility>
#include <vector>

namespace quantscope {
namespace {

// "Qscp": the mark of a project among SQLite's databases.
constexpr std::uint32_t kApplicationId = 0x51736370;

// Offsets in SQLite's file format (sqlite.org/fileformat.html).
constexpr std::string_view kDatabaseMagic{"SQLite format 3\0", 16};
constexpr std::size_t kHeaderBytes = 100;
constexpr std::size_t kWriteVersionAt = 18;
constexpr std::size_t kReadVersionAt = 19;
constexpr std::size_t kApplicationIdAt = 68;
constexpr char kRollbackJournal = 1;  // as against 2, a write-ahead log

std::vector<const Table*> tablesOf(int version) {
  const ProjectTables& tables = projectTables();
  std::vector<const Table*> list{&tables.document, &tables.journal, &tables.configurations,
                                 &tables.files, &tables.windowState};
  if (version >= 2) list.insert(list.end(), {&tables.analysis, &tables.errors});
  if (version >= 3) list.push_back(&tables.observations);
  return list;
}

Error notOurs(const Database& database, std::string sentence) {
  return {ErrorCode::InvalidData,
          std::move(sentence),
          {.file = database.file().string(), .node = {}, .value = {}},
          "choose another file"};
}

std::uint32_t bigEndian(std::string_view bytes) {
  std::uint32_t number = 0;
  for (const char byte : bytes) number = number << 8 | static_cast<unsigned char>(byte);
  return number;
}

void setVersion(Database& database, int version) {
  database.run("PRAGMA user_version = " + std::to_string(version));
}

// The schema has to be ours to the letter: whatever else stands there is damage or an attack.
void verifyTables(Database& database, int version) {
  std::map<std::string, std::string> definitions;
  for (const Table* table : tablesOf(version)) {
    definitions.emplace(table->name(), table->definition());
  }
  Statement statement =
      database.prepare("SELECT name, sql FROM sqlite_schema WHERE sql IS NOT NULL");
  std::size_t found = 0;
  while (statement.step()) {
    const auto expected = definitions.find(statement.bytes(0));
    if (expected == definitions.end() || expected->second != statement.bytes(1)) {
      database.failDamaged();
    }
    ++found;
  }
  if (found != definitions.size()) database.failDamaged();
}

void verifySize(Database& database) {
  const auto pages = static_cast<std::uint64_t>(database.number("PRAGMA page_count"));
  const auto size = static_cast<std::uint64_t>(database.number("PRAGMA page_size"));
  if (pages * size != database.fileSize()) database.failDamaged();
}

void verifyPages(Database& database) {
  Statement statement = database.prepare("PRAGMA integrity_check(1)");
  if (!statement.step() || statement.bytes(0) != "ok") database.failDamaged();
}

// They were a part of the one analysis. Results that are damaged are made again.
void moveObservations(Database& database) {
  const Table& analysis = projectTables().analysis;
  try {
    Table::Row id;
    Table::Row content;
    const bool there = analysis.find(database, std::string("observations_id"), id) &&
                       analysis.find(database, std::string("observations"), content);
    if (!there) return;
    projectTables().observations.put(database, {bytesAt(id, 1), Blob{bytesAt(content, 1)}});
    analysis.erase(database, std::string("observations"));
  } catch (const Error&) {
    analysis.clear(database);
  }
}

}  // namespace

const ProjectTables& projectTables() {
  static const ProjectTables kTables;
  return kTables;
}

void createSchema(Database& database) {
  database.run("PRAGMA application_id = " + std::to_string(kApplicationId));
  for (const Table* table : tablesOf(kSchemaVersion)) database.run(table->definition());
  setVersion(database, kSchemaVersion);
}

void requireProject(const Database& database) {
  const std::string head = database.head(kHeaderBytes);
  if (!head.starts_with(kDatabaseMagic)) {
    throw notOurs(database, "the file is no project of Quantscope");
  }
  if (head.size() < kHeaderBytes) database.failDamaged();
  if (bigEndian(std::string_view(head).substr(kApplicationIdAt, 4)) != kApplicationId) {
    throw notOurs(database, "the file is a database of another program");
  }
  // In log mode, reading would write a log beside the file.
  if (head[kWriteVersionAt] != kRollbackJournal || head[kReadVersionAt] != kRollbackJournal) {
    database.failDamaged();
  }
}

int verifiedVersion(Database& database) {
  database.limitRecords();
  database.run("PRAGMA cell_size_check = ON");
  const std::int64_t version = database.number("PRAGMA user_version");
  if (version > kSchemaVersion) {
    throw Error(ErrorCode::InvalidData, "the project was written by a newer version of Quantscope",
                {.file = database.file().string(), .node = {}, .value = {}},
                "open it with that version");
  }
  if (version < 1) database.failDamaged();
  verifySize(database);
  verifyTables(database, static_cast<int>(version));
  verifyPages(database);
  database.endRecordLimit();
  return static_cast<int>(version);
}

void migrate(Database& database, int from) {
  const std::size_t known = tablesOf(from).size();
  const std::vector<const Table*> all = tablesOf(kSchemaVersion);
  for (std::size_t i = known; i < all.size(); ++i) database.run(all[i]->definition());
  if (from == 2) moveObservations(database);
  setVersion(database, kSchemaVersion);
}

}  // namespace quantscope
