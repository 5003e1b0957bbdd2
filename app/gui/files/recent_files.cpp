#include "recent_files.h"

#include <QFileInfo>

#include "app/gui/window/settings.h"

namespace quantscope {
namespace {

constexpr qsizetype kMost = 10;
const QString kRecentKey = QStringLiteral("recentModels");

}  // namespace

RecentFiles& RecentFiles::instance() {
  static RecentFiles files;
  return files;
}

QStringList RecentFiles::paths() const {
  return openSettings().value(kRecentKey).toStringList();
}

void RecentFiles::add(const QString& path) {
  const QString absolute = QFileInfo(path).absoluteFilePath();
  QStringList files = paths();
  files.removeAll(absolute);
  files.prepend(absolute);
  openSettings().setValue(kRecentKey, QStringList(files.mid(0, kMost)));
  Q_EMIT changed();
}

void RecentFiles::clear() {
  openSettings().remove(kRecentKey);
  Q_EMIT changed();
}

}  // namespace quantscope
