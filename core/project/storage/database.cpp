#include "project/storage/database.h"

#include <sqlite3.h>

#include <algorithm>
#include <cerrno>
#include <limits>
#include <memory>
#include <new>
#include <utility>

#include "base/files/file_error.h"

namespace quantscope {
namespace {

// How long another program may hold the file before that is an error.
constexpr int kPatienceMs = 2000;

Error storageError(const std::filesystem::path& file, ErrorCode code, std::string sentence,
                   std::string remedy) {
  return {code,
          std::move(sentence),
          {.file = file.string(), .node = {}, .value = {}},
          std::move(remedy)};
}

Error openElsewhere(const std::filesystem::path& file) {
  return storageError(file, ErrorCode::Io, "the project is in use by another program",
                      "close it there, or work on a copy");
}

Error damaged(const std::filesystem::path& file) {
  return storageError(file, ErrorCode::InvalidData, "the project file is damaged",
                      "use a copy of it");
}

// Results whose cause the system knows.
Error systemError(const std::filesystem::path& file, FileAction action, int systemCode,
                  const char* message) {
  if (systemCode != 0) return fileError(action, file, systemCode);
  return storageError(file, ErrorCode::Io,
                      std::string("the project file cannot be used, ") + message,
                      "check the disk that it is on");
}

Error meaningOf(const std::filesystem::path& file, int extended, int systemCode,
                const char* message) {
  switch (extended) {
    case SQLITE_READONLY_DBMOVED:
      return storageError(file, ErrorCode::Io,
                          "the project file was moved or removed while it was open",
                          "save the project under another name");
    case SQLITE_READONLY_ROLLBACK:
    case SQLITE_READONLY_RECOVERY:
      return storageError(
          file, ErrorCode::Io,
          "the last change of the project was cut short and cannot be taken back "
          "where it lies",
          "copy it with the file of the same name and -journal to a folder that you "
          "may write to");
    case SQLITE_READONLY_DIRECTORY:
      return fileError(FileAction::Write, file, EACCES);
    case SQLITE_IOERR_READ:
    case SQLITE_IOERR_SHORT_READ:
    case SQLITE_IOERR_FSTAT:
      return systemError(file, FileAction::Read, systemCode, message);
    default:
      break;
  }
  switch (extended & 0xFF) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return openElsewhere(file);
    case SQLITE_CORRUPT:
    case SQLITE_FORMAT:
    case SQLITE_ERROR:     // the statements are ours: a schema that they do not fit
    case SQLITE_MISMATCH:  // likewise
    case SQLITE_CONSTRAINT:
      return damaged(file);
    case SQLITE_NOTADB:
      return storageError(file, ErrorCode::InvalidData, "the file is no project of Quantscope",
                          "choose another file");
    case SQLITE_FULL:
      return fileError(FileAction::Write, file, ENOSPC);
    case SQLITE_READONLY:
    case SQLITE_PERM:
      return fileError(FileAction::Write, file, EACCES);
    case SQLITE_TOOBIG:
      return storageError(file, ErrorCode::InvalidData,
                          "a result is too large for a project file, which takes 1 GB of each", {});
    default:
      return systemError(file, FileAction::Write, systemCode, message);
  }
}

// SQLite drops the system's error of a write when it rolls back, so errno, which was 0 before the
// call, is checked as well, for errors of writes only, since reading leaves others.
int causeOfWrite(int systemCode, int lastCode) {
  if (systemCode != 0) return systemCode;
  const bool ofWrite = lastCode == EFBIG || lastCode == ENOSPC || lastCode == EDQUOT ||
                       lastCode == EIO || lastCode == EROFS;
  return ofWrite ? lastCode : 0;
}

void closeQuietly(sqlite3* connection) {
  sqlite3_close_v2(connection);
}

}  // namespace

Database::Database(const std::filesystem::path& file, Access access) : m_file(file) {
  const int flags = access == Access::Write ? SQLITE_OPEN_READWRITE : SQLITE_OPEN_READONLY;
  const int code = sqlite3_open_v2(file.c_str(), &m_connection, flags, nullptr);
  if (code != SQLITE_OK) {
    const int systemCode = m_connection == nullptr ? 0 : sqlite3_system_errno(m_connection);
    closeQuietly(std::exchange(m_connection, nullptr));
    throw systemError(file, FileAction::Read, systemCode, sqlite3_errstr(code));
  }
  configure();
}

Database Database::inMemory(const std::filesystem::path& file) {
  Database database;
  database.m_file = file;
  if (sqlite3_open_v2(":memory:", &database.m_connection,
                      SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, nullptr) != SQLITE_OK) {
    throw std::bad_alloc();
  }
  database.configure();
  return database;
}

Database Database::copyInMemory(const Database& other) {
  const std::string content = other.bytes();
  Database database = inMemory(other.file());
  auto* const bytes = static_cast<unsigned char*>(sqlite3_malloc64(content.size()));
  if (bytes == nullptr) throw std::bad_alloc();
  content.copy(reinterpret_cast<char*>(bytes), content.size());
  database.check(sqlite3_deserialize(
      database.m_connection, "main", bytes, static_cast<sqlite3_int64>(content.size()),
      static_cast<sqlite3_int64>(content.size()),
      SQLITE_DESERIALIZE_FREEONCLOSE | SQLITE_DESERIALIZE_RESIZEABLE));
  return database;
}

Database::~Database() {
  closeQuietly(m_connection);
}

Database::Database(Database&& other) noexcept
    : m_file(std::move(other.m_file)),
      m_connection(std::exchange(other.m_connection, nullptr)),
      m_recordsLimited(other.m_recordsLimited) {}

Database& Database::operator=(Database&& other) noexcept {
  std::swap(m_file, other.m_file);
  std::swap(m_connection, other.m_connection);
  std::swap(m_recordsLimited, other.m_recordsLimited);
  return *this;
}

void Database::configure() {
  sqlite3_extended_result_codes(m_connection, 1);
  sqlite3_busy_timeout(m_connection, kPatienceMs);
  // Whatever stands in the file is data: it cannot run functions or rewrite the schema.
  sqlite3_db_config(m_connection, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  sqlite3_db_config(m_connection, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  sqlite3_db_config(m_connection, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, nullptr);
  sqlite3_db_config(m_connection, SQLITE_DBCONFIG_ENABLE_VIEW, 0, nullptr);
}

std::string Database::head(std::size_t count) const {
  sqlite3_file* opened = nullptr;
  check(sqlite3_file_control(m_connection, "main", SQLITE_FCNTL_FILE_POINTER, &opened));
  std::string bytes(count, '\0');
  const int code = opened->pMethods->xRead(opened, bytes.data(), static_cast<int>(count), 0);
  if (code == SQLITE_IOERR_SHORT_READ) {
    bytes.resize(std::min<std::size_t>(count, fileSize()));
  } else {
    check(code);
  }
  return bytes;
}

std::uint64_t Database::fileSize() const {
  sqlite3_file* opened = nullptr;
  check(sqlite3_file_control(m_connection, "main", SQLITE_FCNTL_FILE_POINTER, &opened));
  sqlite3_int64 size = 0;
  check(opened->pMethods->xFileSize(opened, &size));
  return static_cast<std::uint64_t>(size);
}

std::string Database::bytes() const {
  sqlite3_int64 size = 0;
  const std::unique_ptr<unsigned char, void (*)(void*)> content(
      sqlite3_serialize(m_connection, "main", &size, 0), sqlite3_free);
  if (content == nullptr) {
    const int code = sqlite3_errcode(m_connection);
    if (code != SQLITE_OK) fail(sqlite3_extended_errcode(m_connection));
    throw std::bad_alloc();
  }
  return {reinterpret_cast<const char*>(content.get()), static_cast<std::size_t>(size)};
}

void Database::run(const std::string& sql) {
  errno = 0;
  check(sqlite3_exec(m_connection, sql.c_str(), nullptr, nullptr, nullptr));
}

void Database::limitRecords() {
  constexpr std::uint64_t kLeast = 65536;
  constexpr std::uint64_t kMost = std::numeric_limits<int>::max();
  const std::uint64_t most = std::clamp(fileSize(), kLeast, kMost);
  sqlite3_limit(m_connection, SQLITE_LIMIT_LENGTH, static_cast<int>(most));
  m_recordsLimited = true;
}

void Database::endRecordLimit() {
  // A limit above SQLite's own selects SQLite's own.
  sqlite3_limit(m_connection, SQLITE_LIMIT_LENGTH, std::numeric_limits<int>::max());
  m_recordsLimited = false;
}

Statement Database::prepare(const std::string& sql) {
  return {*this, m_connection, sql};
}

std::int64_t Database::number(const std::string& sql) {
  Statement statement = prepare(sql);
  return statement.step() ? statement.number(0) : 0;
}

void Database::check(int code) const {
  if (code != SQLITE_OK) fail(code);
}

void Database::fail(int code) const {
  const int cause = causeOfWrite(sqlite3_system_errno(m_connection), errno);
  const int kind = code & 0xFF;
  if (m_recordsLimited && (kind == SQLITE_TOOBIG || kind == SQLITE_NOMEM)) failDamaged();
  if (kind == SQLITE_NOMEM) throw std::bad_alloc();
  throw meaningOf(m_file, code, cause, sqlite3_errmsg(m_connection));
}

void Database::failDamaged() const {
  throw damaged(m_file);
}

Statement::Statement(Database& database, sqlite3* connection, const std::string& sql)
    : m_database(database) {
  const int code = sqlite3_prepare_v2(connection, sql.c_str(), static_cast<int>(sql.size()),
                                      &m_statement, nullptr);
  if (code != SQLITE_OK) m_database.fail(code);
}

Statement::~Statement() {
  sqlite3_finalize(m_statement);
}

void Statement::bind(int parameter, const ColumnValue& value) {
  int code = SQLITE_OK;
  if (const auto* number = std::get_if<std::int64_t>(&value)) {
    code = sqlite3_bind_int64(m_statement, parameter, *number);
  } else if (const auto* text = std::get_if<std::string>(&value)) {
    code = sqlite3_bind_text64(m_statement, parameter, text->data(), text->size(), SQLITE_TRANSIENT,
                               SQLITE_UTF8);
  } else {
    const std::string& bytes = std::get<Blob>(value).bytes;
    code =
        sqlite3_bind_blob64(m_statement, parameter, bytes.data(), bytes.size(), SQLITE_TRANSIENT);
  }
  if (code != SQLITE_OK) m_database.fail(code);
}

bool Statement::step() {
  errno = 0;
  const int code = sqlite3_step(m_statement);
  if (code == SQLITE_ROW) return true;
  if (code == SQLITE_DONE) return false;
  m_database.fail(code);
}

void Statement::reset() {
  sqlite3_reset(m_statement);
  sqlite3_clear_bindings(m_statement);
}

std::string Statement::bytes(int column) const {
  // The pointer first: asking for it may convert the value and change its length.
  const void* const bytes = sqlite3_column_blob(m_statement, column);
  const auto size = static_cast<std::size_t>(sqlite3_column_bytes(m_statement, column));
  return bytes == nullptr ? std::string() : std::string(static_cast<const char*>(bytes), size);
}

std::int64_t Statement::number(int column) const {
  return sqlite3_column_int64(m_statement, column);
}

Transaction::Transaction(Database& database) : m_database(database) {
  m_database.run("BEGIN IMMEDIATE");
}

Transaction::~Transaction() {
  if (m_done) return;
  try {
    m_database.run("ROLLBACK");
  } catch (const std::exception&) {
    // SQLite has rolled back by itself, which it does after grave errors.
  }
}

void Transaction::commit() {
  m_database.run("COMMIT");
  m_done = true;
}

}  // namespace quantscope
