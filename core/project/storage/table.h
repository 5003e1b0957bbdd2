#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "project/storage/database.h"

namespace quantscope {

/// A table whose rows carry a checksum over all of their columns, so that changes by a disk or an
/// editor are noticed and not taken for the user's work. The first column is the key.
class Table {
 public:
  enum class Type : std::uint8_t { Number, Text, Bytes };
  struct Column {
    const char* name;
    Type type;
  };
  using Row = std::vector<ColumnValue>;

  Table(std::string name, std::vector<Column> columns);

  const std::string& name() const { return m_name; }
  /// The statement that creates it, as the file keeps it.
  const std::string& definition() const { return m_definition; }

  /// Adds a row, in the place of one with the same key.
  void put(Database& database, const Row& row) const;
  void erase(Database& database, const ColumnValue& key) const;
  void clear(Database& database) const;
  /// True where there is such a row; `row` gets it.
  bool find(Database& database, const ColumnValue& key, Row& row) const;
  /// All rows, by ascending key or in the order in which they were put. Throws InvalidData if a row
  /// differs from what was put.
  enum class Order : std::uint8_t { Key, Age };
  void visit(Database& database, Order order, const std::function<void(Row&)>& visitor) const;

 private:
  Row rowOf(const Statement& statement) const;

  std::string m_name;
  std::vector<Column> m_columns;
  std::string m_definition;
  std::string m_names;  // of the columns, with the checksum: "key, value, checksum"
};

/// A column of a row with these columns.
const std::string& textAt(const Table::Row& row, std::size_t column);
const std::string& bytesAt(const Table::Row& row, std::size_t column);
std::int64_t numberAt(const Table::Row& row, std::size_t column);

}  // namespace quantscope
