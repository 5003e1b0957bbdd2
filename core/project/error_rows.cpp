#include "project/error_rows.h"

#include <optional>

#include "analysis/errors/error_records_bytes.h"
#include "project/storage/schema.h"

namespace quantscope {
namespace {

const std::string kOriginRow = "errors_origin";

Blob keyOf(ContentId id) {
  return {toString(id)};
}

std::string originIn(Database& database) {
  Table::Row row;
  return projectTables().document.find(database, kOriginRow, row) ? textAt(row, 1) : std::string();
}

bool isThere(Statement& lookup, ContentId key) {
  lookup.reset();
  lookup.bind(1, keyOf(key));
  return lookup.step();
}

}  // namespace

void writeErrors(Database& database, const std::vector<KeyedRecord>& records,
                 const std::string& origin) {
  const ProjectTables& tables = projectTables();
  if (originIn(database) != origin) {
    tables.errors.clear(database);
    tables.document.put(database, {kOriginRow, origin});
  }
  Statement lookup = database.prepare("SELECT 1 FROM errors WHERE key = ?");
  for (const auto& [key, record] : records) {
    if (isThere(lookup, key)) continue;
    tables.errors.put(database, {keyOf(key), Blob{errorRecordToBytes(record)}});
  }
}

void pruneErrors(Database& database, const std::set<ContentId>& spared, std::size_t most) {
  auto bytes = static_cast<std::size_t>(
      database.number("SELECT coalesce(sum(length(record)), 0) FROM errors"));
  if (bytes <= most) return;
  std::vector<std::string> leaving;
  {
    Statement rows = database.prepare("SELECT key, length(record) FROM errors ORDER BY rowid");
    while (bytes > most && rows.step()) {
      const std::string key = rows.bytes(0);
      const std::optional<ContentId> id = parseContentId(key);
      if (id && spared.contains(*id)) continue;
      leaving.push_back(key);
      bytes -= static_cast<std::size_t>(rows.number(1));
    }
  }
  for (const std::string& key : leaving) projectTables().errors.erase(database, Blob{key});
}

std::size_t readErrors(Database& database, const std::string& origin, ErrorStore& store) {
  if (originIn(database) != origin) return 0;
  const std::string source = database.file().string();
  std::size_t count = 0;
  projectTables().errors.visit(database, Table::Order::Age, [&](const Table::Row& row) {
    const std::optional<ContentId> key = parseContentId(bytesAt(row, 0));
    if (!key) database.failDamaged();
    store.insertAny(*key, errorRecordFromBytes(bytesAt(row, 1), source));
    ++count;
  });
  return count;
}

std::pair<std::size_t, std::size_t> countErrors(Database& database) {
  return {static_cast<std::size_t>(database.number("SELECT count(*) FROM errors")),
          static_cast<std::size_t>(
              database.number("SELECT coalesce(sum(length(record)), 0) FROM errors"))};
}

}  // namespace quantscope
