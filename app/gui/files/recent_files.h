#pragma once

#include <QObject>
#include <QStringList>

namespace quantscope {

/// The models and projects that were opened last, newest first; shared by all windows.
class RecentFiles : public QObject {
  Q_OBJECT

 public:
  static RecentFiles& instance();

  QStringList paths() const;
  void add(const QString& path);
  void clear();

 Q_SIGNALS:
  void changed();

 private:
  using QObject::QObject;
};

}  // namespace quantscope
