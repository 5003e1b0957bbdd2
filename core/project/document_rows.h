#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "project/document.h"
#include "project/storage/database.h"

namespace quantscope {

/// The parts of a document that must be written.
struct DocumentChange {
  std::optional<Configuration> start;
  /// Edits that stay, those that follow them, and how many are done.
  std::size_t kept = 0;
  std::vector<Document::Edit> added;
  std::size_t position = 0;
  bool journal = false;                                       ///< whether these three count
  std::map<std::string, std::optional<Configuration>> named;  ///< nothing: forgotten
  std::optional<DecidedRepairs> repairs;
  std::optional<DocumentFiles> files;
  std::optional<AnalysisSettings> settings;

  bool empty() const;
};

/// The state of a document that has been handed over for writing.
class RecordedDocument {
 public:
  explicit RecordedDocument(const Document& document);

  /// The change to write for `document`, which then counts as handed over.
  DocumentChange changeTo(const Document& document);
  const DocumentFiles& files() const { return m_files; }

 private:
  Configuration m_start;
  std::vector<std::uint64_t> m_serials;
  std::size_t m_position;
  std::map<std::string, Configuration> m_named;
  DecidedRepairs m_repairs;
  DocumentFiles m_files;
  AnalysisSettings m_settings;
};

/// Writes a change into the tables of a project; files with their place seen from its folder.
void writeChange(Database& database, const DocumentChange& change);
/// The document in the tables, with files where they are seen from the project's folder; the
/// choices of data in its history, and configurations, name them as they were written. Throws
/// InvalidData where they are damaged.
Document readDocument(Database& database);
/// Has history and configurations name files where they are now, if the project's folder has moved
/// with them.
void followFolder(Database& database, Document& document);
/// The place now of a file whose path was written when the project lay in the folder `before`.
std::string placeNow(const Database& database, const std::filesystem::path& before,
                     const std::string& path);

}  // namespace quantscope
