#pragma once

#include "project/storage/database.h"
#include "project/storage/table.h"

namespace quantscope {

/// The tables of a project file.
struct ProjectTables {
  /// Single values of the document by name: its start configuration, its position in the journal.
  Table document{"document", {{"name", Table::Type::Text}, {"content", Table::Type::Text}}};
  /// The edits, from 1 on.
  Table journal{"journal", {{"position", Table::Type::Number}, {"edit", Table::Type::Text}}};
  /// Configurations that were kept under a name.
  Table configurations{"configurations",
                       {{"name", Table::Type::Text}, {"configuration", Table::Type::Text}}};
  /// The files of the document, by role.
  Table files{"files",
              {{"role", Table::Type::Text},
               {"absolute_path", Table::Type::Text},
               {"relative_path", Table::Type::Text},
               {"content_id", Table::Type::Text},
               {"stamp", Table::Type::Text}}};
  /// The states of windows, by name.
  Table windowState{"window_state", {{"name", Table::Type::Text}, {"state", Table::Type::Bytes}}};
  /// Analyses in parts: the last one since version 2, those beside it since version 3.
  Table analysis{"analysis", {{"part", Table::Type::Text}, {"content", Table::Type::Bytes}}};
  /// Records of the error store by their keys; since version 2.
  Table errors{"errors", {{"key", Table::Type::Bytes}, {"record", Table::Type::Bytes}}};
  /// What the analyses share, by an id of its bytes; since version 3.
  Table observations{"observations", {{"id", Table::Type::Text}, {"content", Table::Type::Bytes}}};
};

const ProjectTables& projectTables();

/// The version of a file that this program writes. Version 4 has the tables of version 3, and more
/// kinds of edits.
constexpr int kSchemaVersion = 4;

/// Creates all tables in an empty database.
void createSchema(Database& database);

/// Checks the kind of a file from its first bytes, before anything else is read. Throws InvalidData
/// for a file that is no project.
void requireProject(const Database& database);

/// The version of a project. Throws InvalidData where it is newer than this program, where tables
/// are missing or others than those of its version, where the file is longer or shorter than it
/// says, or where SQLite's own check finds damage.
int verifiedVersion(Database& database);

/// Brings a project of an older version up to date, in the transaction that is open.
void migrate(Database& database, int from);

}  // namespace quantscope
