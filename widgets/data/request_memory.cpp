#include "widgets/data/request_memory.h"

#include <QJsonDocument>
#include <cstdint>
#include <string>
#include <system_error>

#include "widgets/look/text.h"

namespace quantscope {
namespace {

// JSON's numbers are doubles, which would round a large seed.
QString digits(std::uint64_t number) {
  return QString::number(number);
}

std::optional<std::uint64_t> number(const QJsonValue& value) {
  bool valid = false;
  const qulonglong result = value.toString().toULongLong(&valid);
  return valid ? std::optional<std::uint64_t>(result) : std::nullopt;
}

QJsonObject preprocessingJson(const Preprocessing& preprocessing) {
  return QJsonDocument::fromJson(QByteArray::fromStdString(toJson(preprocessing))).object();
}

std::optional<Preprocessing> preprocessingFrom(const QJsonValue& value) {
  if (!value.isObject()) return {};
  try {
    return parsePreprocessing(
        QJsonDocument(value.toObject()).toJson(QJsonDocument::Compact).toStdString());
  } catch (const Error&) {
    return {};
  }
}

bool isFile(const std::filesystem::path& path) {
  std::error_code failure;
  return std::filesystem::is_regular_file(path, failure);
}

std::string samplesBeside(const std::filesystem::path& model) {
  for (const char* extension : {".npz", ".npy"}) {
    const std::filesystem::path file = std::filesystem::path(model).replace_extension(extension);
    if (isFile(file)) return file.string();
  }
  const std::filesystem::path folder = model.has_parent_path() ? model.parent_path() : ".";
  return sourceKind(folder.string()) == SourceKind::OnnxSets ? folder.string() : std::string();
}

}  // namespace

QJsonObject toJson(const AnalysisRequest& request) {
  QJsonObject json{{QStringLiteral("data"), text(request.data)},
                   {QStringLiteral("seed"), digits(request.source.seed)},
                   {QStringLiteral("batch"), digits(request.batch)}};
  if (!request.calibration.empty()) {
    json[QStringLiteral("calibration")] = text(request.calibration);
  }
  if (!request.labels.empty()) json[QStringLiteral("labels")] = text(request.labels.string());
  if (request.source.samples) json[QStringLiteral("samples")] = digits(*request.source.samples);
  if (request.source.preprocessing) {
    json[QStringLiteral("preprocessing")] = preprocessingJson(*request.source.preprocessing);
  }
  return json;
}

void fromJson(const QJsonObject& json, AnalysisRequest& request) {
  const auto string = [&](const char* key) {
    return json[QLatin1String(key)].toString().toStdString();
  };
  const auto positive = [&](const char* key) {
    const auto value = number(json[QLatin1String(key)]);
    return value && *value > 0 ? value : std::nullopt;
  };
  request.data = string("data");
  request.calibration = string("calibration");
  request.labels = string("labels");
  request.source.samples = positive("samples");
  request.source.seed = number(json[QStringLiteral("seed")]).value_or(0);
  request.source.preprocessing = preprocessingFrom(json[QStringLiteral("preprocessing")]);
  request.batch = positive("batch").value_or(1);
}

std::optional<AnalysisRequest> dataBeside(const std::filesystem::path& model) {
  AnalysisRequest request;
  request.model = model;
  request.data = samplesBeside(model);
  if (request.data.empty()) return {};
  const std::filesystem::path labels =
      std::filesystem::path(model).replace_extension(".labels.npy");
  if (isFile(labels)) request.labels = labels;
  return request;
}

}  // namespace quantscope
