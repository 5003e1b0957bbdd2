#include "app/gui/projects/project_keeper.h"

#include <QFile>
#include <atomic>
#include <chrono>
#include <thread>
#include <utility>

#include "app/gui/projects/ordered_work.h"
#include "app/gui/projects/unsaved_work.h"
#include "jobs/analysis/keep_analysis.h"
#include "widgets/look/text.h"

namespace quantscope {
namespace {

// Results are large, and the next edit makes them worthless.
constexpr int kPauseMs = 800;
constexpr const char* kWindowState = "window";

bool hasEdits(const Document& document) {
  return !document.journal().empty() || !document.named().empty() ||
         document.repairs() != DecidedRepairs();
}

bool isComplete(const SnapshotPtr& snapshot) {
  return snapshot && snapshot->stage == AnalysisSnapshot::Stage::Complete && snapshot->detected;
}

std::optional<Error> errorOf(const std::function<void()>& action) {
  try {
    action();
    return std::nullopt;
  } catch (const Error& error) {
    return error;
  } catch (const std::exception& error) {
    return Error(ErrorCode::Io, error.what());
  }
}

bool sameWork(const Document& a, const Document& b) {
  return a.serials() == b.serials() && a.position() == b.position() && a.named() == b.named() &&
         a.repairs() == b.repairs();
}

// A job that was told to stop lets go of the file before long.
void letGo(std::shared_ptr<ProjectFile>& file) {
  using namespace std::chrono_literals;
  while (file.use_count() > 1) std::this_thread::sleep_for(1ms);
  file.reset();
}

}  // namespace

/// Results on their way into the file.
struct ProjectKeeper::Keeping {
  Results results;
  std::atomic<bool> tried = false;  // not where the job had to stop
};

ProjectKeeper::ProjectKeeper(Session& session, QObject* parent)
    : QObject(parent), m_session(session) {
  static std::atomic<int> keepers{0};
  m_results = {.name = "project " + std::to_string(++keepers) + ": results",
               .priority = JobTag::Priority::Sweep};
  m_pause.setSingleShot(true);
  m_pause.setInterval(kPauseMs);
  connect(&m_pause, &QTimer::timeout, this, &ProjectKeeper::keepResults);
  connect(&session, &Session::documentEnding, this, [this] {
    if (!m_takingUp) close();
  });
  connect(&session, &Session::documentChanged, this, &ProjectKeeper::follow);
  connect(&session.controller(), &AnalysisController::snapshotChanged, this, [this] {
    if (isComplete(m_session.snapshot())) m_pause.start();
  });
}

ProjectKeeper::~ProjectKeeper() {
  m_session.queue()->stop(m_results);
}

bool ProjectKeeper::unsaved() const {
  return m_failure || (m_name.isEmpty() && m_session.hasModel() && hasEdits(m_session.document()));
}

ProjectFile::WriteStateSink ProjectKeeper::sinkOf(const std::weak_ptr<OpenProject>& project) {
  const QPointer<QObject> guard(this);
  return [this, guard, project](const std::optional<Error>& failure) {
    OrderedWork::instance().tell(guard, [this, project, failure] {
      if (m_project && m_project == project.lock()) noteFailure(failure);
    });
  };
}

void ProjectKeeper::noteFailure(const std::optional<Error>& failure) {
  m_failure = failure;
  Q_EMIT failureChanged();
  Q_EMIT changed();
}

void ProjectKeeper::follow() {
  if (m_takingUp || !m_session.hasModel()) return;
  if (m_onlyRead) {
    if (!sameWork(*m_onlyRead, m_session.document())) keepBeside();
  } else if (m_file) {
    m_file->record(m_session.document());
  } else if (!m_project && hasEdits(m_session.document())) {
    keepUnsaved();
  }
  Q_EMIT changed();
}

void ProjectKeeper::keepUnsaved() {
  m_unsaved = unsavedFileFor(text(m_session.request().model.string()));
  create(m_unsaved, [] {});
}

// What is only to be read is kept elsewhere from the first change on.
void ProjectKeeper::keepBeside() {
  m_onlyRead.reset();
  const QString left = std::exchange(m_name, {});
  m_unsaved = unsavedFileFor(text(m_session.request().model.string()));
  m_file->record(m_session.document());
  moveTo(m_unsaved, [this, left] { Q_EMIT keptBeside(left); });
}

// What happens meanwhile is recorded as soon as the file is there.
void ProjectKeeper::create(const QString& file, std::function<void()> then) {
  m_project = std::make_shared<OpenProject>();
  const auto work = [this, file, project = m_project, sink = sinkOf(m_project),
                     then = std::move(then)]() -> OrderedWork::Answer {
    const std::optional<Error> failure = errorOf([&] {
      ProjectFile::create(file.toStdString());
      project->file =
          std::make_shared<ProjectFile>(file.toStdString(), ProjectFile::Access::Write, sink);
    });
    // Holds no file: while it waits for its turn, the project may be closed.
    return [this, file, project, failure, then] {
      if (m_project != project) return;
      if (failure) {
        m_project.reset();
        if (m_unsaved.isEmpty()) return Q_EMIT savingFailed(file, *failure);
        return noteFailure(failure);
      }
      m_failure.reset();
      m_file = project->file;
      m_file->record(m_session.document());
      if (!m_windowState.empty()) m_file->setWindowState(kWindowState, m_windowState);
      keepResults();
      then();
    };
  };
  OrderedWork::instance().start(this, work);
}

void ProjectKeeper::takeUp(const std::shared_ptr<OpenProject>& project, const QString& name,
                           const Document& document, Session::Resumed what) {
  close();
  m_project = project;
  m_file = project->file;
  m_name = name;
  m_unsaved = name.isEmpty() ? text(m_file->path().string()) : QString();
  m_windowState = project->windowState;
  if (project->readOnly) m_onlyRead = document;
  resume(document, what);
}

void ProjectKeeper::resume(const Document& document, Session::Resumed what) {
  m_keeping.reset();
  m_takingUp = true;
  m_session.resume(document, m_file, what);
  m_takingUp = false;
  follow();
}

void ProjectKeeper::setWindowState(const std::string& state) {
  if (state == m_windowState) return;
  m_windowState = state;
  if (m_file && !m_onlyRead) m_file->setWindowState(kWindowState, state);
}

void ProjectKeeper::saveAs(const QString& path) {
  if (!m_project) {
    return create(path, [this, path] {
      m_name = path;
      save();
    });
  }
  moveTo(path, [this, path] {
    m_name = path;
    remove(std::exchange(m_unsaved, {}));
    save();
  });
}

void ProjectKeeper::moveTo(const QString& file, std::function<void()> then) {
  const auto work = [this, file, project = m_project,
                     then = std::move(then)]() -> OrderedWork::Answer {
    const std::optional<Error> failure = errorOf([&] {
      if (!project->file) return;
      project->file->saveAs(file.toStdString());
      project->readOnly = false;
    });
    return [this, file, project, failure, then] {
      if (m_project != project) return;
      if (failure) return Q_EMIT savingFailed(file, *failure);
      m_failure.reset();
      m_onlyRead.reset();
      then();
      Q_EMIT changed();
    };
  };
  OrderedWork::instance().start(this, work);
}

void ProjectKeeper::remove(const QString& file) {
  if (file.isEmpty()) return;
  OrderedWork::instance().start(this, [file]() -> OrderedWork::Answer {
    QFile::remove(file);
    return {};
  });
}

void ProjectKeeper::save() {
  Q_EMIT ending();
  keepResults();
  const auto work = [this, name = m_name, project = m_project]() -> OrderedWork::Answer {
    const std::optional<Error> failure = errorOf([&] { project->file->flush(); });
    return [this, name, project, failure] {
      if (m_project != project) return;
      noteFailure(failure);
      failure ? Q_EMIT savingFailed(name, *failure) : Q_EMIT saved(name);
    };
  };
  if (m_file) OrderedWork::instance().start(this, work);
}

// Looking at the files and turning results into bytes takes its time.
void ProjectKeeper::keepResults() {
  const Results results = this->results();
  if (!m_file || m_onlyRead || !results.shown) return;
  if (m_keeping && m_keeping->results == results) return;
  m_keeping = std::make_shared<Keeping>(results);
  const auto work = [this, guard = QPointer<QObject>(this), keeping = m_keeping, file = m_file,
                     queue = m_session.queue().get(),
                     known = m_session.document().files()](JobContext& job) {
    const AnalysisSnapshot& shown = *keeping->results.shown;
    try {
      const DocumentFiles files = filesOf(shown, known);
      job.throwIfCancelled();
      write(keeping->results, files, queue->memory(), *file);
      keeping->tried = true;
      OrderedWork::instance().tell(guard, [this, keeping, files] {
        const AnalysisRequest& request = keeping->results.shown->request;
        if (m_keeping == keeping && sameData(request, m_session.request())) {
          m_session.setFiles(files);
        }
      });
    } catch (const Error&) {
      keeping->tried = true;
      throw;
    }
  };
  m_session.queue()->start(m_results, {.work = work});
}

// Nothing where there is no complete result of what is asked for.
ProjectKeeper::Results ProjectKeeper::results() const {
  const SnapshotPtr& shown = m_session.snapshot();
  // Of the state before there is nothing yet to say while a project is read.
  if (!m_session.settled() || m_session.controller().resuming()) return {};
  const bool compares = isComplete(m_compared) && areComparable(*m_compared, *shown);
  return {shown, m_session.controller().before(), compares ? m_compared : nullptr};
}

void ProjectKeeper::write(const Results& results, const DocumentFiles& files,
                          const AnalysisMemory& memory, ProjectFile& file) {
  keepAnalysis(*results.shown, files, memory, file);
  const auto keepBeside = [&](AnalysisSlot slot, const SnapshotPtr& result) {
    result ? keepResult(*result, slot, files, file) : file.forget(slot);
  };
  keepBeside(AnalysisSlot::Before, results.before);
  keepBeside(AnalysisSlot::Compared, results.compared);
}

void ProjectKeeper::setCompared(const SnapshotPtr& compared) {
  if (m_compared == compared) return;
  m_compared = compared;
  if (isComplete(m_session.snapshot())) m_pause.start();
}

void ProjectKeeper::keepMeasured() {
  m_keeping.reset();
  if (isComplete(m_session.snapshot())) m_pause.start();
}

// What the results are of is still to be looked at where there was no pause to do so.
void ProjectKeeper::close() {
  m_failure.reset();
  if (!m_project) return;
  Q_EMIT ending();
  m_pause.stop();
  m_session.queue()->cancel(m_results);
  const QString model = text(m_session.document().files().model.path);
  const QString unsaved = std::exchange(m_unsaved, {});
  const QString name = std::exchange(m_name, {});
  const QString closed = unsaved.isEmpty() ? QString() : closedPlaceOf(unsaved);
  const auto work = [project = std::exchange(m_project, {}), ending = lastWork(), unsaved,
                     closed]() -> OrderedWork::Answer {
    if (!project->file) return {};
    if (!project->readOnly) ending(*project->file);
    letGo(project->file);
    if (!closed.isEmpty()) QFile::rename(unsaved, closed);
    return {};
  };
  m_file.reset();
  m_windowState.clear();
  m_keeping.reset();
  m_onlyRead.reset();
  OrderedWork::instance().start(this, work);
  Q_EMIT this->closed(name.isEmpty() ? closed : name, model, name.isEmpty());
  Q_EMIT changed();
}

// All that a file should hold when it is closed; what cannot be written there goes to another disk.
std::function<void(ProjectFile&)> ProjectKeeper::lastWork() const {
  return [document = m_session.document(), state = m_windowState, queue = m_session.queue(),
          results = results(), keeping = m_keeping](ProjectFile& file) {
    const bool tried = keeping && keeping->results == results && keeping->tried;
    const std::optional<Error> failure = errorOf([&] {
      file.record(document);
      file.setWindowState(kWindowState, state);
      if (results.shown && !tried) {
        const AnalysisSnapshot& shown = *results.shown;
        write(results, filesOf(shown, document.files()), queue->memory(), file);
      }
      file.flush();
    });
    if (!failure) return;
    const QString spare = closedPlaceOf(unsavedFileFor(text(document.files().model.path)));
    errorOf([&] { file.saveAs(spare.toStdString()); });
  };
}

}  // namespace quantscope
