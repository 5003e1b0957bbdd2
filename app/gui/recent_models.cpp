#include "recent_models.h"

#include <QFileInfo>

#include "settings.h"

namespace quantscope {
namespace {

constexpr qsizetype kMost = 10;
const QString kRecentKey = QStringLiteral("recentModels");

}  // namespace

RecentModels& RecentModels::instance() {
  static RecentModels models;
  return models;
}

QStringList RecentModels::paths() const {
  return openSettings().value(kRecentKey).toStringList();
}

void RecentModels::add(const QString& path) {
  const QString absolute = QFileInfo(path).absoluteFilePath();
  QStringList models = paths();
  models.removeAll(absolute);
  models.prepend(absolute);
  openSettings().setValue(kRecentKey, QStringList(models.mid(0, kMost)));
  Q_EMIT changed();
}

void RecentModels::clear() {
  openSettings().remove(kRecentKey);
  Q_EMIT changed();
}

}  // namespace quantscope
