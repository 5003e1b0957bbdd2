#pragma once

#include <QDateTime>
#include <QString>
#include <vector>

namespace quantscope {

/// Work without a name that is kept in a project of its own, in the user's data folder.
struct UnsavedWork {
  QString file;
  QString model;  ///< the name of its file
  QDateTime changed;
  bool crashed = false;  ///< its window did not close it
};

/// Where new work on a model is kept while a window works on it.
QString unsavedFileFor(const QString& model);
/// Where work of a window goes that is closed, and where from when it is taken up again; only the
/// names, nothing is moved. Both keep the file's own name.
QString closedPlaceOf(const QString& file);
QString openPlaceOf(const QString& file);
/// True for a file in the folder of unsaved work, existing or not.
bool isUnsavedFile(const QString& file);

/// All that no window works on at the moment, the latest first.
std::vector<UnsavedWork> findUnsavedWork();

/// "14:02", "Monday 14:02", "3 March 14:02".
QString whenText(const QDateTime& time);

}  // namespace quantscope
