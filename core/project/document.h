#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "project/document_edits.h"

namespace quantscope {

/// The user's work with its history: a configuration with the journal of its edits, dismissed
/// findings, configurations kept under a name, repairs, and the files that they refer to. Every
/// edit can be undone and redone, exactly; what has a setter beside the edits is noted without
/// history.
class Document {
 public:
  using Edit = std::variant<ConfigEdit, Dismissal, Naming, DataChoice, RepairDecision>;

  explicit Document(Configuration start = {});
  /// One that was kept: `journal` from the start on, of which the first `position` edits are done.
  /// Throws InvalidData where an edit changes nothing or there are fewer.
  Document(Configuration start, const std::vector<Edit>& journal, std::size_t position);

  /// The configuration before the first edit.
  const Configuration& start() const { return m_start; }
  const Configuration& configuration() const { return m_configuration; }
  /// The ids of the findings that are put aside.
  const std::set<std::string>& dismissed() const { return m_dismissed; }

  /// Applies an edit and notes it, in the place of all that was undone. An edit that changes
  /// nothing is not noted; returns whether it was.
  bool apply(const Edit& edit);
  /// The same, as one edit together with the last one where it goes on with that (mergedEdit()),
  /// as the steps of a drag do.
  bool applyContinued(const ConfigEdit& edit);

  /// The journal, those first that were done first; edits from position() on are undone.
  const std::vector<Edit>& journal() const { return m_journal; }
  std::size_t position() const { return m_position; }
  /// By entry of the journal: a number that no other edit of any document has. Copies of a document
  /// keep them, so that two states have the same edits as far as their serials agree.
  const std::vector<std::uint64_t>& serials() const { return m_serials; }
  bool canUndo() const { return m_position > 0; }
  bool canRedo() const { return m_position < m_journal.size(); }
  /// Nothing where there is nothing to undo, or to do again.
  void undo();
  void redo();
  /// Undoes or does again until `position` edits are done; at most all of them.
  void moveTo(std::size_t position);
  /// Undoes the last edit of all and forgets it, as one that could not be carried out.
  void dropLast();

  /// Configurations kept under a name, to compare with.
  const std::map<std::string, Configuration>& named() const { return m_named; }
  void keep(const std::string& name, const Configuration& config);
  void forget(const std::string& name) { m_named.erase(name); }
  void forgetNames() { m_named.clear(); }

  /// The repairs as they stand.
  const DecidedRepairs& repairs() const { return m_repairs; }
  void setRepairs(DecidedRepairs repairs) { m_repairs = std::move(repairs); }

  const DocumentFiles& files() const { return m_files; }
  /// That of the backend counts where it is the one that the configuration names.
  void setFiles(DocumentFiles files);

  /// Files have moved: the journal's choices of data, and backends of all configurations, name each
  /// where `placeOf` says that it is now. The same edits otherwise; those that change count as new
  /// ones.
  void moveFiles(const std::function<std::string(const std::string& path)>& placeOf);

  /// What of the files and settings a DataChoice can change.
  ChosenData data() const;
  const AnalysisSettings& settings() const { return m_settings; }
  void setSettings(AnalysisSettings settings) { m_settings = std::move(settings); }

  /// The same content and the same history.
  friend bool operator==(const Document& a, const Document& b);

 private:
  std::optional<Edit> carryOut(const Edit& edit);
  std::optional<Edit> carryOut(const Dismissal& dismissal);
  std::optional<Edit> carryOut(const ConfigEdit& edit);
  std::optional<Edit> carryOut(const Naming& naming);
  std::optional<Edit> carryOut(const DataChoice& choice);
  std::optional<Edit> carryOut(const RepairDecision& decision);
  void cutJournal();
  void forgetIdleEdits();
  void followBackend();

  Configuration m_start;
  Configuration m_configuration;
  std::set<std::string> m_dismissed;
  std::vector<Edit> m_journal;
  std::vector<std::uint64_t> m_serials;
  std::vector<Edit> m_inverses;  // of the edits that are done
  std::size_t m_position = 0;
  std::map<std::string, Configuration> m_named;
  DecidedRepairs m_repairs;
  DocumentFiles m_files;
  AnalysisSettings m_settings;
};

/// "set /layer3/conv2 to FP16", "dismiss outlier/conv1".
std::string sentenceOf(const Document::Edit& edit);
bool changesConfiguration(const Document::Edit& edit);

/// The whole document as JSON text; it reads back the same.
std::string toJson(const Document& document);
/// Strict: another version, unknown keys and wrong types are Error(InvalidConfiguration) with the
/// path of the key. `source` names the text in messages.
Document parseDocument(std::string_view json, const std::string& source);

}  // namespace quantscope
