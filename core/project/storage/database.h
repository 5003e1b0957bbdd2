#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <variant>

#include "base/error.h"

struct sqlite3;
struct sqlite3_stmt;

namespace quantscope {

/// Bytes of a column, as against its text.
struct Blob {
  std::string bytes;
};

/// The value of one column of a row.
using ColumnValue = std::variant<std::int64_t, std::string, Blob>;

class Statement;

/// An SQLite database. Failures are Error(Io or InvalidData) whose sentence says what
/// happened to the file and what to do; results of SQLite appear nowhere else. Not
/// thread-safe.
class Database {
 public:
  enum class Access : std::uint8_t { Write, Read };

  /// An existing file, of which nothing is read yet. It is never made to write anything by opening
  /// it, but for the end of a transaction that was cut short.
  Database(const std::filesystem::path& file, Access access);
  /// One in memory; `file` names it in messages.
  static Database inMemory(const std::filesystem::path& file);
  /// A copy in memory of the contents of `other`.
  static Database copyInMemory(const Database& other);
  ~Database();
  Database(Database&& other) noexcept;
  Database& operator=(Database&& other) noexcept;

  const std::filesystem::path& file() const { return m_file; }

  /// Runs one statement without parameters and results.
  void run(const std::string& sql);
  Statement prepare(const std::string& sql);
  /// The first column of the first row.
  std::int64_t number(const std::string& sql);
  /// The first `count` bytes of the file, fewer where it is shorter; past all caches.
  std::string head(std::size_t count) const;
  std::uint64_t fileSize() const;
  /// Until endRecordLimit() a record that is longer than the file counts as damage, and so does a
  /// lack of memory, which SQLite reports for some schemas that it cannot read: it trusts the
  /// lengths on a damaged page before it reads the content.
  void limitRecords();
  void endRecordLimit();
  /// The whole as the bytes of a file.
  std::string bytes() const;

  /// Throws the error for a result code of SQLite.
  [[noreturn]] void fail(int code) const;
  /// Throws that the file is damaged.
  [[noreturn]] void failDamaged() const;

 private:
  Database() = default;
  void check(int code) const;
  void configure();

  std::filesystem::path m_file;
  sqlite3* m_connection = nullptr;
  bool m_recordsLimited = false;
};

/// A statement with its parameters; see Database for its errors.
class Statement {
 public:
  Statement(Database& database, sqlite3* connection, const std::string& sql);
  ~Statement();
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;

  /// Parameters count from 1.
  void bind(int parameter, const ColumnValue& value);
  /// True where there is a row.
  bool step();
  /// Ready for other parameters.
  void reset();

  /// A value of the row; columns count from 0. Empty or 0 if the column has another type.
  std::string bytes(int column) const;
  std::int64_t number(int column) const;
  [[noreturn]] void failDamaged() const { m_database.failDamaged(); }

 private:
  Database& m_database;
  sqlite3_stmt* m_statement = nullptr;
};

/// Changes that happen together or not at all: without a commit() they have not happened.
class Transaction {
 public:
  explicit Transaction(Database& database);
  ~Transaction();
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;

  void commit();

 private:
  Database& m_database;
  bool m_done = false;
};

}  // namespace quantscope
