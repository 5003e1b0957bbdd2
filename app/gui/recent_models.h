#pragma once

#include <QObject>
#include <QStringList>

namespace quantscope {

/// The models that were opened last, newest first; shared by all windows.
class RecentModels : public QObject {
  Q_OBJECT

 public:
  static RecentModels& instance();

  QStringList paths() const;
  void add(const QString& path);
  void clear();

 Q_SIGNALS:
  void changed();

 private:
  using QObject::QObject;
};

}  // namespace quantscope
