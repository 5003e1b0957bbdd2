#include "bundled_samples.h"

#include <QCoreApplication>
#include <QDir>
#include <QFileInfo>

namespace quantscope {
namespace {

QString samplesFolder() {
  const QDir program(QCoreApplication::applicationDirPath());
  for (const QString& folder : {program.filePath(QStringLiteral("../share/quantscope/samples")),
                                QStringLiteral(QUANTSCOPE_SAMPLES_DIRECTORY)}) {
    if (QFileInfo(folder).isDir()) return QDir::cleanPath(folder);
  }
  return {};
}

}  // namespace

std::vector<BundledSample> bundledSamples() {
  const QString folder = samplesFolder();
  const auto tr = [](const char* source) {
    return QCoreApplication::translate("BundledSamples", source);
  };
  std::vector<BundledSample> samples;
  const auto offer = [&](const char* file, const QString& title, const QString& subtitle) {
    const QString path = folder + u'/' + QString::fromLatin1(file);
    if (!folder.isEmpty() && QFileInfo::exists(path)) samples.push_back({title, subtitle, path});
  };
  offer("digits_mobilenet.onnx", tr("Digits, MobileNet"),
        tr("Convolutions that are hard to quantize"));
  offer("digits_transformer.onnx", tr("Digits, Transformer"), tr("Attention that quantizes well"));
  return samples;
}

}  // namespace quantscope
