#include "project/raw_project.h"

#include <sqlite3.h>

#include <QtGlobal>
#include <fstream>
#include <sstream>

#include "project/storage/schema.h"

namespace quantscope::test {

void runSql(const std::string& file, const std::string& sql) {
  sqlite3* connection = nullptr;
  sqlite3_open_v2(file.c_str(), &connection, SQLITE_OPEN_READWRITE, nullptr);
  if (sqlite3_exec(connection, sql.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK) {
    qFatal("%s: %s", sql.c_str(), sqlite3_errmsg(connection));
  }
  sqlite3_close(connection);
}

void makeVersionOne(const std::string& file) {
  runSql(file,
         "DROP TABLE analysis; DROP TABLE errors; DROP TABLE observations; PRAGMA user_version = "
         "1; VACUUM");
}

void makeVersionTwo(const std::string& file) {
  {
    // Rows have checksums of their own.
    Database database(file, Database::Access::Write);
    Transaction transaction(database);
    const ProjectTables& tables = projectTables();
    Table::Row id;
    Table::Row content;
    if (tables.analysis.find(database, std::string("observations_id"), id) &&
        tables.observations.find(database, bytesAt(id, 1), content)) {
      tables.analysis.put(database, {std::string("observations"), content[1]});
    }
    transaction.commit();
  }
  runSql(file,
         "DELETE FROM analysis WHERE part LIKE '%: %'; DROP TABLE observations; "
         "PRAGMA user_version = 2; VACUUM");
}

std::string bytesIn(const std::string& file) {
  std::ifstream stream(file, std::ios::binary);
  std::ostringstream bytes;
  bytes << stream.rdbuf();
  return bytes.str();
}

void putBytes(const std::string& file, const std::string& bytes) {
  std::ofstream stream(file, std::ios::binary | std::ios::trunc);
  stream.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

}  // namespace quantscope::test
