#pragma once

#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <string>

namespace quantscope::test {

/// Writes a file that only the test reads, without waiting for the disk. Folders of its name are
/// made. Returns its path.
inline std::string writeFile(const QTemporaryDir& folder, const QString& name,
                             const std::string& bytes) {
  const QString path = folder.filePath(name);
  QDir().mkpath(QFileInfo(path).path());
  QFile::remove(path);  // replacing would make some file systems flush at once
  QFile file(path);
  if (!file.open(QFile::WriteOnly) || file.write(bytes.data(), static_cast<qint64>(bytes.size())) !=
                                          static_cast<qint64>(bytes.size())) {
    qFatal("cannot write %s", qPrintable(path));
  }
  return path.toStdString();
}

}  // namespace quantscope::test
