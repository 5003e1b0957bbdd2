#include "data_of_model.h"

#include <QCryptographicHash>
#include <QFileInfo>
#include <QJsonDocument>

#include "app/gui/window/settings.h"
#include "widgets/data/request_memory.h"
#include "widgets/look/text.h"

namespace quantscope {
namespace {

constexpr qsizetype kMostRecent = 10;
const QString kRecent = QStringLiteral("recentData");

// The path is hashed because QSettings treats '/' as a separator.
QString keyOf(const QString& model) {
  const QByteArray path = QFileInfo(model).absoluteFilePath().toUtf8();
  return QStringLiteral("data/") +
         QString::fromLatin1(QCryptographicHash::hash(path, QCryptographicHash::Sha1).toHex());
}

bool isThere(const std::string& path) {
  return path.empty() || QFileInfo::exists(text(path));
}

bool isUsable(const AnalysisRequest& request) {
  if (request.data.empty() || !isThere(request.calibration) || !isThere(request.labels.string())) {
    return false;
  }
  return sourceKind(request.data) != SourceKind::Unknown;
}

}  // namespace

ProposedRequest proposeRequest(const QString& model) {
  AnalysisRequest request;
  request.model = QFileInfo(model).absoluteFilePath().toStdString();
  AnalysisRequest remembered = request;
  const QByteArray note = openSettings().value(keyOf(model)).toByteArray();
  fromJson(QJsonDocument::fromJson(note).object(), remembered);
  if (isUsable(remembered)) return {remembered, DataOrigin::Remembered};
  if (const auto beside = dataBeside(request.model)) return {*beside, DataOrigin::Beside};
  return {request, DataOrigin::None};
}

void rememberData(const AnalysisRequest& request) {
  QSettings settings = openSettings();
  settings.setValue(keyOf(text(request.model.string())),
                    QJsonDocument(toJson(request)).toJson(QJsonDocument::Compact));
  QStringList recent = recentData();
  recent.removeAll(text(request.data));
  recent.prepend(text(request.data));
  settings.setValue(kRecent, QStringList(recent.mid(0, kMostRecent)));
}

QStringList recentData() {
  return openSettings().value(kRecent).toStringList();
}

bool looksLikeData(const QString& path) {
  const QFileInfo file(path);
  const QString ending = file.suffix().toLower();
  return file.isDir() || ending == QStringLiteral("npz") || ending == QStringLiteral("npy");
}

}  // namespace quantscope
