#pragma once

#include <map>
#include <optional>
#include <vector>

#include "project/document.h"
#include "project/storage/database.h"

namespace quantscope {

/// What of a document is to be written.
struct DocumentChange {
  std::optional<Configuration> start;
  /// Edits that stay, those that follow them, and how many are done.
  std::size_t kept = 0;
  std::vector<Document::Edit> added;
  std::size_t position = 0;
  bool journal = false;                                       ///< whether these three count
  std::map<std::string, std::optional<Configuration>> named;  ///< nothing: forgotten
  std::optional<DocumentFiles> files;
  std::optional<AnalysisSettings> settings;

  bool empty() const;
};

/// What of a document has been handed over for writing.
class RecordedDocument {
 public:
  explicit RecordedDocument(const Document& document);

  /// What to write so that `document` is there, which counts as handed over from now on.
  DocumentChange changeTo(const Document& document);
  const DocumentFiles& files() const { return m_files; }

 private:
  Configuration m_start;
  std::vector<std::uint64_t> m_serials;
  std::size_t m_position;
  std::map<std::string, Configuration> m_named;
  DocumentFiles m_files;
  AnalysisSettings m_settings;
};

/// Writes a change into the tables of a project; files with their place seen from its folder.
void writeChange(Database& database, const DocumentChange& change);
/// The document in the tables. Throws InvalidData where they are damaged.
Document readDocument(Database& database);

}  // namespace quantscope
