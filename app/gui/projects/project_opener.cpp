#include "app/gui/projects/project_opener.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <array>
#include <utility>

#include "app/gui/projects/ordered_work.h"
#include "app/gui/projects/unsaved_work.h"
#include "app/gui/window/error_message.h"
#include "widgets/look/text.h"

namespace quantscope {
namespace {

QString topicOf(FileRole role) {
  return QStringLiteral("file of project: ") + QString::fromLatin1(name(role));
}

QString titleOfRole(FileRole role) {
  switch (role) {
    case FileRole::Model:
      return ProjectOpener::tr("The model");
    case FileRole::Data:
      return ProjectOpener::tr("The data set");
    case FileRole::Calibration:
      return ProjectOpener::tr("The calibration data");
    case FileRole::Backend:
      return ProjectOpener::tr("The backend");
    default:
      return ProjectOpener::tr("The list of labels");
  }
}

}  // namespace

/// A project that was opened, or asked to be.
struct ProjectOpener::Arrival {
  QString name;  // empty for unsaved work
  std::shared_ptr<OpenProject> project = std::make_shared<OpenProject>();
  Document document = Document();
  std::array<FileState, kFileRoles.size()> states = {};
  std::optional<Error> failure = {};
  bool goesBack = false;
  bool otherContent = false;  // of a file that was linked again

  void look() {
    for (std::size_t i = 0; i < kFileRoles.size(); ++i) {
      states[i] = stateOf(kFileRoles[i], fileOf(document.files(), kFileRoles[i]));
    }
  }

  Session::Resumed what() const {
    if (document.files().model.empty() || states[0] == FileState::Missing) {
      return Session::Resumed::Nothing;
    }
    const bool gone = std::ranges::count(states, FileState::Missing) > 0;
    return gone ? Session::Resumed::Structure : Session::Resumed::All;
  }

  void open(const QString& file, const ProjectFile::WriteStateSink& sink) {
    try {
      auto opened =
          std::make_shared<ProjectFile>(file.toStdString(), ProjectFile::Access::Write, sink);
      document = opened->document();
      project->windowState = opened->windowState("window");
      project->readOnly = opened->readOnly().has_value();
      project->file = std::move(opened);
      look();
    } catch (const Error& error) {
      failure = error;
    }
  }

  // The others are most likely where they were, seen from there.
  void relinkTo(FileRole role, const QString& path) {
    try {
      otherContent = !quantscope::relink(document, role, path.toStdString());
      const QDir folder = QFileInfo(path).dir();
      for (const FileRole other : kFileRoles) {
        FileReference beside = fileOf(document.files(), other);
        if (stateOf(other, beside) != FileState::Missing) continue;
        beside.path = folder.filePath(QFileInfo(text(beside.path)).fileName()).toStdString();
        if (stateOf(other, beside) == FileState::Same) {
          quantscope::relink(document, other, beside.path);
        }
      }
      look();
    } catch (const Error& error) {
      failure = error;
    }
  }
};

ProjectOpener::ProjectOpener(Session& session, ProjectKeeper& keeper, MessageBar& messages,
                             std::shared_ptr<Dialogs> dialogs, QWidget* window)
    : m_session(session),
      m_keeper(keeper),
      m_messages(messages),
      m_dialogs(std::move(dialogs)),
      m_window(window) {
  // Opening something else ends the wait for a project.
  connect(&session, &Session::documentEnding, this, [this] {
    m_coming.reset();
    for (const FileRole role : kFileRoles) m_messages.dismiss(topicOf(role));
  });
}

ProjectOpener::~ProjectOpener() = default;

void ProjectOpener::open(const QString& file, bool goesBack) {
  const QString path = QDir::cleanPath(QFileInfo(file).absoluteFilePath());
  if (path == m_keeper.path()) return;
  const bool unsaved = isUnsavedFile(path);
  const QString place = unsaved ? openPlaceOf(path) : path;
  m_coming =
      std::make_shared<Arrival>(Arrival{.name = unsaved ? QString() : path, .goesBack = goesBack});
  const auto work = [this, coming = m_coming, path, place,
                     sink = m_keeper.sinkOf(m_coming->project)]() -> OrderedWork::Answer {
    if (place != path && !ProjectFile::inUse(path.toStdString())) QFile::rename(path, place);
    coming->open(place, sink);
    return [this, coming, place] {
      if (m_coming != coming) return;
      m_coming.reset();
      coming->failure ? fail(place, *coming->failure) : arrive(*coming);
    };
  };
  OrderedWork::instance().start(this, work);
}

void ProjectOpener::arrive(const Arrival& arrival) {
  if (!arrival.goesBack) m_messages.dismissAll();
  m_keeper.takeUp(arrival.project, arrival.name, arrival.document, arrival.what());
  Q_EMIT opened(arrival.name);
  tellFiles(arrival);
}

void ProjectOpener::tellFiles(const Arrival& arrival) {
  for (std::size_t i = 0; i < kFileRoles.size(); ++i) {
    if (arrival.states[i] == FileState::Same) continue;
    const FileRole role = kFileRoles[i];
    const QString path = text(fileOf(arrival.document.files(), role).path);
    const bool gone = arrival.states[i] == FileState::Missing;
    const QString name = titleOfRole(role) + u' ' + QFileInfo(path).fileName();
    m_messages.tell({.severity = Message::Severity::Warning,
                     .sentence = gone ? tr("%1 is not where it was.").arg(name)
                                      : tr("%1 has changed since it was analysed.").arg(name),
                     .hint = gone ? tr("It was at %1. The work on it is kept.").arg(path)
                                  : tr("It is analysed as it is now."),
                     .remedies = {{tr("Re-link…"), [this, role, path] { relink(role, path); }}},
                     .topic = topicOf(role)});
  }
}

void ProjectOpener::relink(FileRole role, const QString& gone) {
  const QString path = m_dialogs->chooseReplacement(m_window, role, gone);
  if (path.isEmpty()) return;
  m_coming = std::make_shared<Arrival>(Arrival{.name = m_keeper.path()});
  m_coming->document = m_session.document();
  const auto work = [this, coming = m_coming, role, path]() -> OrderedWork::Answer {
    coming->relinkTo(role, path);
    return [this, coming, path] {
      if (m_coming != coming) return;
      m_coming.reset();
      if (coming->failure) return m_messages.tell(errorMessage(*coming->failure, {}));
      m_messages.dismissAll();
      m_keeper.resume(coming->document, coming->what());
      Q_EMIT opened(coming->name);
      tellFiles(*coming);
      if (!coming->otherContent) return;
      m_messages.tell(
          {.severity = Message::Severity::Info,
           .sentence =
               tr("%1 has another content than what was analysed.").arg(QFileInfo(path).fileName()),
           .hint = tr("The analysis is done again."),
           .passing = true});
    };
  };
  OrderedWork::instance().start(this, work);
}

void ProjectOpener::fail(const QString& file, const Error& error) {
  ErrorRemedies remedies;
  remedies.openFolder = [this](const QString& folder) { m_dialogs->openFolder(folder); };
  remedies.retry = [this, file] { open(file); };
  m_messages.tell(errorMessage(error, remedies));
}

bool looksLikeProject(const QString& path) {
  return path.endsWith(QStringLiteral(".quantscope"), Qt::CaseInsensitive);
}

}  // namespace quantscope
