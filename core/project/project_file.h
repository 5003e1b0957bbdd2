#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "analysis/errors/error_store.h"
#include "graph/graph.h"
#include "project/document.h"
#include "project/kept_analysis.h"

namespace quantscope {

/// The user's work in one file, which is updated on every change: a document with its journal, the
/// last analysis, and the state of windows.
///
/// Handing a change over takes no time; a thread of the file writes changes in their order, each in
/// a transaction that is on disk before the next one: a crash loses only the last changes. Changes
/// that cannot be written (a full disk) wait in memory and are tried again with the next change; in
/// a read-only file all changes wait. May be used from any thread.
///
/// Throws Error(Io) if the system refuses an operation or another program uses the file, and
/// Error(InvalidData) if the file is no project, damaged or newer than this program. Opening
/// changes nothing in a file that is damaged or no project.
class ProjectFile {
 public:
  enum class Access : std::uint8_t {
    Write,  ///< as the only program; where the file or its folder may not be written, see
            ///< readOnly()
    Read,   ///< beside others
  };
  /// Told when writing begins to fail, and with nothing when it works again; on any thread. It must
  /// not wait for the file.
  using WriteStateSink = std::function<void(const std::optional<Error>&)>;

  /// Creates a project without content; complete on disk when this returns. Replaces an existing
  /// file, unless it is open in a program.
  static void create(const std::filesystem::path& file);
  /// True if any process, this one included, has a project open for writing.
  static bool inUse(const std::filesystem::path& file);

  /// Brings one of an older version up to date.
  explicit ProjectFile(const std::filesystem::path& file, Access access = Access::Write,
                       WriteStateSink sink = {});
  /// Writes what waits, as far as that is possible.
  ~ProjectFile();
  ProjectFile(const ProjectFile&) = delete;
  ProjectFile& operator=(const ProjectFile&) = delete;

  std::filesystem::path path() const;
  /// Why nothing can be written here; nothing where all can.
  const std::optional<Error>& readOnly() const;

  /// The document as it was when the file was opened. Files that have moved with the project are
  /// named at their current place; stateOf() checks each for changes.
  const Document& document() const;
  /// Notes all that has changed since the last call, or since the file was opened: edits, undo,
  /// names, files, settings. Compares the journal by its serials, so that a call costs no more than
  /// the change.
  void record(const Document& document);

  /// An analysis, complete in itself, in the place of the one before. `graph`: its model's.
  void keep(const KeptAnalysis& analysis, std::shared_ptr<const Graph> graph,
            AnalysisSlot slot = AnalysisSlot::Shown);
  void forget(AnalysisSlot slot);
  /// What was kept. Nothing where there is none, or one of a version that is not read any more.
  std::optional<AnalysisOutline> outline(AnalysisSlot slot = AnalysisSlot::Shown) const;
  /// Throws InvalidData where it is of another model than `graph`.
  std::optional<KeptAnalysis> analysis(const Graph& graph,
                                       AnalysisSlot slot = AnalysisSlot::Shown) const;

  /// Records of errors that were measured, the latest of them, as many as kMaxErrorBytes hold, in
  /// addition to those that are there; the oldest make room. Those of another `origin` go: see
  /// computationOrigin().
  void keepErrors(const ErrorStore& store, const std::string& origin);
  /// Loads the kept records of this origin into the store. Returns how many records there were.
  std::size_t loadErrors(ErrorStore& store, const std::string& origin) const;
  /// How many records there are, and their bytes.
  std::pair<std::size_t, std::size_t> errorCount() const;
  static constexpr std::size_t kMaxErrorBytes = std::size_t{64} << 20;

  /// The state of a window, by the window's name; empty if there is none.
  void setWindowState(const std::string& name, std::string state);
  std::string windowState(const std::string& name) const;

  /// True where an edit is not on disk yet.
  bool unsaved() const;
  /// Waits until all is on disk. Throws where it cannot be written; it stays in memory.
  void flush();
  /// Writes the project to another file, and goes on there: with all that waits, so that work that
  /// did not fit on one disk goes to another one. Throws where that fails; then all is as it was.
  void saveAs(const std::filesystem::path& file);

 private:
  class Storage;
  std::unique_ptr<Storage> m_storage;
};

}  // namespace quantscope
