#include <QJsonDocument>
#include <QTemporaryDir>
#include <QtTest>
#include <limits>

#include "support/test_main.h"
#include "support/write_file.h"
#include "widgets/data/request_memory.h"

using namespace quantscope;

class RequestMemoryTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void everythingComesBack();
  void modelAndConfigurationStay();
  void damagedNotesAreHarmless_data();
  void damagedNotesAreHarmless();
  void dataBesideTheModel_data();
  void dataBesideTheModel();
};

namespace {

AnalysisRequest remembered(const QJsonObject& json) {
  // As QSettings keeps it.
  const QByteArray bytes = QJsonDocument(json).toJson(QJsonDocument::Compact);
  AnalysisRequest request;
  fromJson(QJsonDocument::fromJson(bytes).object(), request);
  return request;
}

}  // namespace

void RequestMemoryTest::everythingComesBack() {
  AnalysisRequest request;
  request.data = "/data/größe";
  request.calibration = "random:16";
  request.labels = "/data/labels.npy";
  request.source.samples = 24;
  request.source.seed = std::numeric_limits<std::uint64_t>::max();
  request.source.preprocessing = parsePreprocessing(
      R"({"size":[256,256],"resize":"shorter-side","crop":[224,224],"scale":0.00392156862745098,
          "mean":[0.485,0.456,0.406],"std":[0.229,0.224,0.225],"layout":"nhwc"})");
  request.batch = 4;
  const AnalysisRequest back = remembered(toJson(request));
  QVERIFY(sameData(back, request));
  QCOMPARE(back.source.seed, request.source.seed);
  QVERIFY(back.source.preprocessing == request.source.preprocessing);

  QVERIFY(sameData(remembered(toJson(AnalysisRequest{})), AnalysisRequest{}));
}

void RequestMemoryTest::modelAndConfigurationStay() {
  AnalysisRequest request;
  request.model = "a.onnx";
  request.config.precision.edit([](PrecisionConfig& config) { config.backend = "fbgemm"; });
  request.labels = "old.npy";
  fromJson({{QStringLiteral("data"), QStringLiteral("b.npz")}}, request);
  QCOMPARE(request.model, std::filesystem::path("a.onnx"));
  QCOMPARE(request.config.precision->backend, std::string("fbgemm"));
  QCOMPARE(request.data, std::string("b.npz"));
  QVERIFY(request.labels.empty());
}

void RequestMemoryTest::damagedNotesAreHarmless_data() {
  QTest::addColumn<QByteArray>("json");
  QTest::newRow("nothing") << QByteArray("{}");
  QTest::newRow("other types") << QByteArray(R"({"data":1,"samples":[],"batch":{},"seed":"x"})");
  QTest::newRow("zero") << QByteArray(R"({"samples":"0","batch":"0"})");
  QTest::newRow("negative") << QByteArray(R"({"samples":"-1","batch":"-1","seed":"-1"})");
  QTest::newRow("preprocessing") << QByteArray(R"({"preprocessing":{"colour":"rgb"}})");
}

void RequestMemoryTest::damagedNotesAreHarmless() {
  QFETCH(QByteArray, json);
  QVERIFY(sameData(remembered(QJsonDocument::fromJson(json).object()), AnalysisRequest{}));
}

void RequestMemoryTest::dataBesideTheModel_data() {
  QTest::addColumn<QStringList>("files");
  QTest::addColumn<QString>("data");
  QTest::addColumn<QString>("labels");
  QTest::newRow("nothing") << QStringList{"m.onnx", "other.npz"} << ""
                           << "";
  QTest::newRow("npz first") << QStringList{"m.npz", "m.npy", "test_data_set_0/input_0.pb"}
                             << "m.npz"
                             << "";
  QTest::newRow("npy with labels") << QStringList{"m.npy", "m.labels.npy"} << "m.npy"
                                   << "m.labels.npy";
  QTest::newRow("test data") << QStringList{"test_data_set_0/input_0.pb"} << "."
                             << "";
  QTest::newRow("labels alone") << QStringList{"m.labels.npy"} << ""
                                << "";
  QTest::newRow("name with a dot") << QStringList{"m.v2.npz", "m.v2.onnx", "m.npz"} << "m.npz"
                                   << "";
}

void RequestMemoryTest::dataBesideTheModel() {
  QFETCH(QStringList, files);
  QFETCH(QString, data);
  QFETCH(QString, labels);
  const QTemporaryDir folder;
  for (const QString& file : files) test::writeFile(folder, file, "x");
  const auto found = dataBeside(folder.filePath("m.onnx").toStdString());
  QCOMPARE(found.has_value(), !data.isEmpty());
  if (!found) return;
  QVERIFY(std::filesystem::equivalent(found->data, folder.filePath(data).toStdString()));
  QCOMPARE(found->model, std::filesystem::path(folder.filePath("m.onnx").toStdString()));
  const QString expected = labels.isEmpty() ? QString() : folder.filePath(labels);
  QCOMPARE(QString::fromStdString(found->labels.string()), expected);
}

QUANTSCOPE_TEST(RequestMemoryTest)
#include "test_request_memory.moc"
