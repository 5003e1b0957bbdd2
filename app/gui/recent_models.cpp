#include "recent_models.h"

#include <QFileInfo>

#include "settings.h"

namespace quantscope {
namespace {

constexpr qsizetype kMost = 10;
const QString kKey = QStringLiteral("recentModels");

}  // namespace

RecentModels& RecentModels::instance() {
  static RecentModels models;
  return models;
}

QStringList RecentModels::paths() const {
  return openSettings().value(kKey).toStringList();
}

void RecentModels::add(const QString& path) {
  const QString absolute = QFileInfo(path).absoluteFilePath();
  QStringList models = paths();
  models.removeAll(absolute);
  models.prepend(absolute);
  openSettings().setValue(kKey, QStringList(models.mid(0, kMost)));
  Q_EMIT changed();
}

void RecentModels::clear() {
  openSettings().remove(kKey);
  Q_EMIT changed();
}

}  // namespace quantscope
