#include "project/raw_project.h"

#include <sqlite3.h>

#include <QtGlobal>
#include <fstream>
#include <sstream>

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
  runSql(file, "DROP TABLE analysis; DROP TABLE errors; PRAGMA user_version = 1; VACUUM");
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
