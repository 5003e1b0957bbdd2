#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "calibration/open_samples.h"
#include "detectors/detector.h"
#include "precision/edits/config_edit.h"
#include "project/decided_repairs.h"

namespace quantscope {

/// A file or folder that a document refers to: its last known place and content. Synthetic data
/// ("random:8") has its name as the path.
struct FileReference {
  std::string path = {};
  std::string contentId = {};  ///< as hexadecimal digits; empty if it was not computed yet
  /// The FileStamp at that time, likewise; it saves reading the content again.
  std::string stamp = {};

  bool empty() const { return path.empty(); }
  friend bool operator==(const FileReference&, const FileReference&) = default;
};

/// The files that a document refers to.
struct DocumentFiles {
  FileReference model = {};
  FileReference data = {};
  FileReference calibration = {};  ///< empty: the data
  FileReference labels = {};

  friend bool operator==(const DocumentFiles&, const DocumentFiles&) = default;
};

/// How the samples are read and looked at.
struct AnalysisSettings {
  SourceOptions source = {};
  std::size_t batch = 1;  ///< samples per calibration batch
  DetectorMode detectors = DetectorMode::Quantscope;

  friend bool operator==(const AnalysisSettings&, const AnalysisSettings&) = default;
};

/// Puts a finding aside, or brings it back.
struct Dismissal {
  std::string finding;  ///< its id
  bool dismissed = true;

  friend bool operator==(const Dismissal&, const Dismissal&) = default;
};

/// Gives configurations names, and removes names. Holds both sides in full, so that it can be
/// undone at any place in a journal.
struct Naming {
  /// Configuration by name; nullopt = the name is not used.
  using Names = std::map<std::string, std::optional<Configuration>>;

  std::string sentence;  ///< "rename first to second"
  Names before;
  Names after;

  friend bool operator==(const Naming&, const Naming&) = default;
};

/// The user's work with its history: a configuration with the journal of its edits, dismissed
/// findings, configurations kept under a name, repairs, and the files that they refer to. Every
/// edit can be undone and redone, exactly.
class Document {
 public:
  using Edit = std::variant<ConfigEdit, Dismissal, Naming>;

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

  /// Configurations kept under a name, to compare with.
  const std::map<std::string, Configuration>& named() const { return m_named; }
  void keep(const std::string& name, const Configuration& config);
  void forget(const std::string& name) { m_named.erase(name); }
  void forgetNames() { m_named.clear(); }

  /// The repairs that were decided last.
  const DecidedRepairs& repairs() const { return m_repairs; }
  void setRepairs(DecidedRepairs repairs) { m_repairs = std::move(repairs); }

  const DocumentFiles& files() const { return m_files; }
  void setFiles(DocumentFiles files) { m_files = std::move(files); }

  const AnalysisSettings& settings() const { return m_settings; }
  void setSettings(AnalysisSettings settings) { m_settings = std::move(settings); }

  /// The same content and the same history.
  friend bool operator==(const Document& a, const Document& b);

 private:
  std::optional<Edit> carryOut(const Edit& edit);
  std::optional<Edit> rename(const Naming& naming);
  void cutJournal();

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

/// The whole document as JSON text; it reads back the same.
std::string toJson(const Document& document);
/// Strict: another version, unknown keys and wrong types are Error(InvalidConfiguration) with the
/// path of the key. `source` names the text in messages.
Document parseDocument(std::string_view json, const std::string& source);

}  // namespace quantscope
