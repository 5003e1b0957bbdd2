#include "app/gui/projects/unsaved_work.h"

#include <QCoreApplication>
#include <QDir>
#include <QLocale>
#include <QStandardPaths>
#include <algorithm>
#include <atomic>

#include "project/project_file.h"

namespace quantscope {
namespace {

const QString kEnding = QStringLiteral(".quantscope");

QDir closedFolder() {
  return QDir(QStandardPaths::writableLocation(QStandardPaths::AppDataLocation) +
              QStringLiteral("/unsaved"));
}

QDir openFolder() {
  return QDir(closedFolder().filePath(QStringLiteral("open")));
}

QString placeIn(const QDir& folder, const QString& file) {
  folder.mkpath(QStringLiteral("."));
  return folder.filePath(QFileInfo(file).fileName());
}

void findIn(const QDir& folder, bool crashed, std::vector<UnsavedWork>& found) {
  for (const QFileInfo& file : folder.entryInfoList({u'*' + kEnding}, QDir::Files)) {
    if (ProjectFile::inUse(file.filePath().toStdString())) continue;
    // The part of the name in front of the time at which the work began.
    const QString model = file.completeBaseName().section(u'.', 0, -2);
    found.push_back({file.absoluteFilePath(), model, file.lastModified(), crashed});
  }
}

}  // namespace

QString unsavedFileFor(const QString& model) {
  constexpr qsizetype kMostLetters = 60;
  static std::atomic<int> count = 0;
  const QString name = QFileInfo(model).fileName().right(kMostLetters);
  const QString begun = QDateTime::currentDateTime().toString(QStringLiteral("yyyyMMdd-HHmmss"));
  return placeIn(openFolder(), QStringLiteral("%1.%2-%3-%4")
                                       .arg(name, begun)
                                       .arg(QCoreApplication::applicationPid())
                                       .arg(++count) +
                                   kEnding);
}

QString closedPlaceOf(const QString& file) {
  return placeIn(closedFolder(), file);
}

QString openPlaceOf(const QString& file) {
  return placeIn(openFolder(), file);
}

bool isUnsavedFile(const QString& file) {
  const QDir folder = QFileInfo(file).absoluteDir();
  return file.endsWith(kEnding) && (folder == closedFolder() || folder == openFolder());
}

std::vector<UnsavedWork> findUnsavedWork() {
  std::vector<UnsavedWork> found;
  findIn(openFolder(), true, found);
  findIn(closedFolder(), false, found);
  std::ranges::sort(found, std::ranges::greater(), &UnsavedWork::changed);
  return found;
}

QString whenText(const QDateTime& time) {
  constexpr qint64 kDaysOfAWeek = 7;
  const QString clock = time.toString(QStringLiteral("HH:mm"));
  const qint64 days = time.date().daysTo(QDate::currentDate());
  if (days == 0) return clock;
  const QString day = days < kDaysOfAWeek ? QStringLiteral("dddd ") : QStringLiteral("d MMMM ");
  return QLocale().toString(time.date(), day) + clock;
}

}  // namespace quantscope
