#include "repaired_folder.h"

#include <QDir>
#include <QFileInfo>

#include "jobs/repair/run_repair.h"
#include "widgets/look/text.h"

namespace quantscope {

namespace fs = std::filesystem;

QString proposedRepairedFolder(const fs::path& model) {
  const QFileInfo file(text(model.string()));
  const QDir beside = file.absoluteDir();
  const QDir folder = QFileInfo(beside.path()).isWritable() ? beside : QDir::home();
  const QString name = file.completeBaseName() + QStringLiteral("-repaired");
  QString free = name;
  for (int number = 2; folder.exists(free); ++number) {
    free = QStringLiteral("%1-%2").arg(name).arg(number);
  }
  return folder.filePath(free);
}

std::optional<fs::path> replacedModelFile(const fs::path& folder, const LoadedModel& model) {
  std::error_code failure;
  for (const fs::path& written : repairedFiles(folder)) {
    for (const StampedFile& own : model.files) {
      if (fs::equivalent(written, own.path, failure)) return own.path;
    }
  }
  return std::nullopt;
}

std::vector<fs::path> replacedFiles(const fs::path& folder) {
  std::vector<fs::path> files = repairedFiles(folder);
  std::error_code failure;
  std::erase_if(files, [&](const fs::path& file) { return !fs::exists(file, failure); });
  return files;
}

}  // namespace quantscope
