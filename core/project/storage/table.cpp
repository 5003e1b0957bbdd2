#include "project/storage/table.h"

#include <zlib.h>

#include <string_view>
#include <utility>

namespace quantscope {
namespace {

const char* sqlOf(Table::Type type) {
  switch (type) {
    case Table::Type::Number:
      return "INTEGER";
    case Table::Type::Text:
      return "TEXT";
    case Table::Type::Bytes:
      break;
  }
  return "BLOB";
}

class Checksum {
 public:
  void add(const ColumnValue& value) {
    if (const auto* number = std::get_if<std::int64_t>(&value)) {
      append({reinterpret_cast<const char*>(number), sizeof *number});
    } else {
      const auto* text = std::get_if<std::string>(&value);
      const std::string& bytes = text != nullptr ? *text : std::get<Blob>(value).bytes;
      const std::uint64_t size = bytes.size();
      append({reinterpret_cast<const char*>(&size), sizeof size});
      append(bytes);
    }
  }
  std::int64_t value() const { return static_cast<std::int64_t>(m_crc); }

 private:
  void append(std::string_view bytes) {
    m_crc = crc32_z(m_crc, reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size());
  }

  uLong m_crc = 0;
};

std::int64_t checksumOf(const Table::Row& row) {
  Checksum checksum;
  for (const ColumnValue& value : row) checksum.add(value);
  return checksum.value();
}

}  // namespace

Table::Table(std::string name, std::vector<Column> columns)
    : m_name(std::move(name)), m_columns(std::move(columns)) {
  m_definition = "CREATE TABLE " + m_name + " (";
  for (const Column& column : m_columns) {
    const bool isKey = &column == &m_columns.front();
    m_definition += std::string(column.name) + " " + sqlOf(column.type) +
                    (isKey ? " PRIMARY KEY" : "") + " NOT NULL, ";
    m_names += std::string(column.name) + ", ";
  }
  m_definition += "checksum INTEGER NOT NULL)";
  m_names += "checksum";
}

void Table::put(Database& database, const Row& row) const {
  std::string places;
  for (std::size_t i = 0; i < row.size(); ++i) places += "?, ";
  Statement statement = database.prepare("INSERT OR REPLACE INTO " + m_name + " (" + m_names +
                                         ") VALUES (" + places + "?)");
  int parameter = 0;
  for (const ColumnValue& value : row) statement.bind(++parameter, value);
  statement.bind(++parameter, checksumOf(row));
  statement.step();
}

void Table::erase(Database& database, const ColumnValue& key) const {
  Statement statement =
      database.prepare("DELETE FROM " + m_name + " WHERE " + m_columns.front().name + " = ?");
  statement.bind(1, key);
  statement.step();
}

void Table::clear(Database& database) const {
  database.run("DELETE FROM " + m_name);
}

bool Table::find(Database& database, const ColumnValue& key, Row& row) const {
  Statement statement = database.prepare("SELECT " + m_names + " FROM " + m_name + " WHERE " +
                                         m_columns.front().name + " = ?");
  statement.bind(1, key);
  if (!statement.step()) return false;
  row = rowOf(statement);
  return true;
}

void Table::visit(Database& database, Order order, const std::function<void(Row&)>& visitor) const {
  const char* by = order == Order::Key ? m_columns.front().name : "rowid";
  Statement statement =
      database.prepare("SELECT " + m_names + " FROM " + m_name + " ORDER BY " + by);
  while (statement.step()) {
    Row row = rowOf(statement);
    visitor(row);
  }
}

Table::Row Table::rowOf(const Statement& statement) const {
  Row row;
  int index = 0;
  for (const Column& column : m_columns) {
    switch (column.type) {
      case Type::Number:
        row.emplace_back(statement.number(index++));
        break;
      case Type::Text:
        row.emplace_back(statement.bytes(index++));
        break;
      case Type::Bytes:
        row.emplace_back(Blob{statement.bytes(index++)});
        break;
    }
  }
  if (statement.number(index) != checksumOf(row)) statement.failDamaged();
  return row;
}

const std::string& textAt(const Table::Row& row, std::size_t column) {
  return std::get<std::string>(row[column]);
}

const std::string& bytesAt(const Table::Row& row, std::size_t column) {
  return std::get<Blob>(row[column]).bytes;
}

std::int64_t numberAt(const Table::Row& row, std::size_t column) {
  return std::get<std::int64_t>(row[column]);
}

}  // namespace quantscope
