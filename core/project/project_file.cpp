#include "project/project_file.h"

#include <unistd.h>

#include <cerrno>
#include <mutex>
#include <set>

#include "base/files/atomic_file.h"
#include "base/files/file_error.h"
#include "project/analysis_rows.h"
#include "project/document_rows.h"
#include "project/error_rows.h"
#include "project/storage/file_lock.h"
#include "project/storage/schema.h"
#include "project/storage/write_queue.h"

namespace quantscope {
namespace {

namespace fs = std::filesystem;

// Results are written in parts, between which edits go first.
constexpr std::size_t kPartBytes = std::size_t{2} << 20;

std::string queueSlotOf(AnalysisSlot slot) {
  return "analysis " + std::to_string(static_cast<int>(slot));
}

fs::path wholePathOf(const fs::path& file) {
  return fs::absolute(file).lexically_normal();
}

// SQLite writes a journal beside the file, so both have to be writable.
std::optional<Error> whyNotWritable(const fs::path& file) {
  for (const fs::path& needed : {file, file.parent_path()}) {
    if (::access(needed.c_str(), W_OK) != 0) return fileError(FileAction::Write, file, errno);
  }
  return std::nullopt;
}

void requireFile(const fs::path& file) {
  std::error_code failure;
  if (!fs::exists(file, failure)) {
    throw fileError(FileAction::Read, file, failure ? failure.value() : ENOENT);
  }
  if (!fs::is_regular_file(file, failure)) {
    throw fileError(FileAction::Read, file, fs::is_directory(file, failure) ? EISDIR : EINVAL);
  }
}

fs::path journalOf(const fs::path& file) {
  return file.string() + "-journal";
}

// A process with write access rolls an interrupted transaction back. If the lock is free, no other
// process writes.
bool mayRecover(const fs::path& file) {
  std::error_code failure;
  return fs::exists(journalOf(file), failure) && !whyNotWritable(file);
}

// A process that is killed before it has written anything leaves a journal without a beginning.
// SQLite passes it over; a project is one file.
void removeIdleJournal(Database& database) {
  std::error_code failure;
  const fs::path journal = journalOf(database.file());
  if (!fs::exists(journal, failure)) return;
  // The lock excludes other users of the file, so the journal is not in use.
  database.run("BEGIN EXCLUSIVE");
  fs::remove(journal, failure);
  database.run("ROLLBACK");
}

}  // namespace

class ProjectFile::Storage {
 public:
  Storage(const fs::path& file, Access access, WriteStateSink sink)
      : m_database(opened(wholePathOf(file), access)),
        m_document(read()),
        m_recorded(m_document),
        m_queue(m_database, m_use, std::move(sink)) {
    followFolder(m_database, m_document);  // nothing waits for writing yet
    if (!m_readOnly) record(m_document);
  }

  const fs::path& path() const { return m_database.file(); }
  const std::optional<Error>& readOnly() const { return m_readOnly; }
  const Document& document() const { return m_document; }
  WriteQueue& queue() { return m_queue; }
  HeldObservations& held() { return m_held; }

  void push(WriteQueue::Lane lane, const std::string& slot, WriteQueue::Task task) {
    m_queue.push(lane, slot, [this, task = std::move(task)](Database& database) {
      if (m_readOnly) throw Error(*m_readOnly);
      task(database);
    });
  }

  template <class Action>
  auto use(Action&& action) {
    const std::lock_guard lock(m_use);
    return std::forward<Action>(action)(m_database);
  }

  void record(const Document& document) {
    const std::lock_guard lock(m_recording);
    DocumentChange change = m_recorded.changeTo(document);
    if (change.empty()) return;
    push(WriteQueue::Lane::Work, {},
         [change = std::move(change)](Database& database) { writeChange(database, change); });
  }

  void saveAs(const fs::path& file) {
    m_queue.whilePaused([&] { moveTo(wholePathOf(file)); });
    // Its place seen from the project's folder has changed.
    const std::lock_guard lock(m_recording);
    DocumentChange change;
    change.files = m_recorded.files();
    push(WriteQueue::Lane::Work, {},
         [change = std::move(change)](Database& database) { writeChange(database, change); });
  }

 private:
  Database opened(const fs::path& file, Access access) {
    requireFile(file);
    m_readOnly = whyNotWritable(file);
    if (access == Access::Read) {
      m_readOnly = Error(ErrorCode::Io, "the project was opened to be read only",
                         {.file = file.string(), .node = {}, .value = {}}, "open it to write");
      if (mayRecover(file)) return recovered(file);
    }
    if (!m_readOnly) m_lock.emplace(file);
    return {file, m_readOnly ? Database::Access::Read : Database::Access::Write};
  }

  static Database recovered(const fs::path& file) {
    try {
      const FileLock lock(file);
      Database database(file, Database::Access::Write);
      requireProject(database);
      database.number("PRAGMA user_version");
    } catch (const Error&) {
      // Another program is writing, or the file is no project: reading will tell which.
    }
    return {file, Database::Access::Read};
  }

  Document read() {
    requireProject(m_database);
    m_database.run("BEGIN");
    const int version = verifiedVersion(m_database);
    Document document = readDocument(m_database);
    m_database.run("COMMIT");
    if (!m_readOnly) removeIdleJournal(m_database);
    if (version < kSchemaVersion) update(version);
    return document;
  }

  void update(int version) {
    if (m_readOnly) m_database = Database::copyInMemory(m_database);
    Transaction transaction(m_database);
    migrate(m_database, version);
    transaction.commit();
  }

  void moveTo(const fs::path& file) {
    std::error_code failure;
    const bool there = fs::exists(file, failure);
    if (there && !m_readOnly && fs::equivalent(file, path(), failure)) return;
    if (there) const FileLock free(file);
    writeFileAtomically(file, m_database.bytes());
    FileLock lock(file);
    m_database = Database(file, Database::Access::Write);
    m_lock.emplace(std::move(lock));
    m_readOnly.reset();
  }

  std::optional<Error> m_readOnly;
  std::optional<FileLock> m_lock;
  std::mutex m_use;
  Database m_database;
  HeldObservations m_held;
  Document m_document;
  std::mutex m_recording;
  RecordedDocument m_recorded;
  WriteQueue m_queue;
};

void ProjectFile::create(const fs::path& file) {
  std::error_code failure;
  if (fs::is_regular_file(file, failure)) const FileLock free(file);
  Database database = Database::inMemory(file);
  createSchema(database);
  writeFileAtomically(file, database.bytes());
}

bool ProjectFile::inUse(const fs::path& file) {
  std::error_code failure;
  if (!fs::is_regular_file(file, failure)) return false;
  try {
    const FileLock free(file);
    return false;
  } catch (const Error&) {
    return true;
  }
}

ProjectFile::ProjectFile(const fs::path& file, Access access, WriteStateSink sink)
    : m_storage(std::make_unique<Storage>(file, access, std::move(sink))) {}

ProjectFile::~ProjectFile() = default;

fs::path ProjectFile::path() const {
  return m_storage->path();
}

const std::optional<Error>& ProjectFile::readOnly() const {
  return m_storage->readOnly();
}

const Document& ProjectFile::document() const {
  return m_storage->document();
}

void ProjectFile::record(const Document& document) {
  m_storage->record(document);
}

void ProjectFile::keep(const KeptAnalysis& analysis, std::shared_ptr<const Graph> graph,
                       AnalysisSlot slot) {
  m_storage->push(
      WriteQueue::Lane::Results, queueSlotOf(slot),
      [storage = m_storage.get(), analysis, graph = std::move(graph), slot](Database& database) {
        writeAnalysis(database, slot, analysis, *graph, storage->held());
      });
}

void ProjectFile::forget(AnalysisSlot slot) {
  m_storage->push(WriteQueue::Lane::Results, queueSlotOf(slot),
                  [storage = m_storage.get(), slot](Database& database) {
                    eraseAnalysis(database, slot, storage->held());
                  });
}

std::optional<AnalysisOutline> ProjectFile::outline(AnalysisSlot slot) const {
  return m_storage->use([&](Database& database) { return readOutline(database, slot); });
}

std::optional<KeptAnalysis> ProjectFile::analysis(const Graph& graph, AnalysisSlot slot) const {
  return m_storage->use(
      [&](Database& database) { return readAnalysis(database, slot, graph, m_storage->held()); });
}

void ProjectFile::keepErrors(const ErrorStore& store, const std::string& origin) {
  std::vector<KeyedRecord> records = store.recent(kMaxErrorBytes);
  auto keys = std::make_shared<std::set<ContentId>>();
  std::size_t part = 0;
  while (!records.empty()) {
    // The most recently used records are written last, so that the others are dropped first.
    auto written = std::make_shared<std::vector<KeyedRecord>>();
    for (std::size_t bytes = 0; bytes < kPartBytes && !records.empty(); records.pop_back()) {
      bytes += byteSize(records.back().second);
      keys->insert(records.back().first);
      written->push_back(std::move(records.back()));
    }
    m_storage->push(
        WriteQueue::Lane::Results, "errors " + std::to_string(part++),
        [written, origin](Database& database) { writeErrors(database, *written, origin); });
  }
  m_storage->push(WriteQueue::Lane::Results, "room",
                  [keys](Database& database) { pruneErrors(database, *keys, kMaxErrorBytes); });
}

std::size_t ProjectFile::loadErrors(ErrorStore& store, const std::string& origin) const {
  return m_storage->use([&](Database& database) { return readErrors(database, origin, store); });
}

std::pair<std::size_t, std::size_t> ProjectFile::errorCount() const {
  return m_storage->use([](Database& database) { return countErrors(database); });
}

void ProjectFile::setWindowState(const std::string& name, std::string state) {
  m_storage->push(WriteQueue::Lane::Results, "state " + name,
                  [name, state = std::move(state)](Database& database) {
                    projectTables().windowState.put(database, {name, Blob{state}});
                  });
}

std::string ProjectFile::windowState(const std::string& name) const {
  return m_storage->use([&](Database& database) {
    Table::Row row;
    return projectTables().windowState.find(database, name, row) ? bytesAt(row, 1) : std::string();
  });
}

bool ProjectFile::unsaved() const {
  return m_storage->queue().workWaits();
}

void ProjectFile::flush() {
  m_storage->queue().flush();
}

void ProjectFile::saveAs(const fs::path& file) {
  m_storage->saveAs(file);
}

}  // namespace quantscope
