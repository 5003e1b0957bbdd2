#include <QTemporaryDir>
#include <QtTest>
#include <nlohmann/json.hpp>

#include "cli/command_line.h"
#include "support/test_main.h"
#include "support/write_file.h"

using namespace quantscope::test;

/// `import`: what was exported comes back with the same numbers; foreign files that are wrong say
/// so.
class ImportCommandTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void exportedComesBack_data();
  void exportedComesBack();
  void tensorrtScalesComeBack();
  void unknownNamesAreListed();
  void refusals_data();
  void refusals();

 private:
  QString file(const QString& name) const { return m_folder.filePath(name); }
  QTemporaryDir m_folder;
};

namespace {

QStringList dataOf(const QString& network) {
  return {"--data", sampleFile(network + ".npz"), "--samples", "8"};
}

}  // namespace

void ImportCommandTest::exportedComesBack_data() {
  QTest::addColumn<QString>("network");
  QTest::addColumn<QString>("format");
  for (const char* network : {"digits_mobilenet", "digits_transformer"}) {
    for (const char* format : {"qdq-onnx", "aimet-0.6.1", "aimet-1.0.0", "aimet-2.0.0", "json"}) {
      QTest::addRow("%s as %s", network, format) << QString(network) << QString(format);
    }
  }
}

// The imported configuration, calibrated on other data, computes the same bits.
void ImportCommandTest::exportedComesBack() {
  QFETCH(QString, network);
  QFETCH(QString, format);
  const QString model = sampleFile(network + ".onnx");
  writeFile(m_folder, "config.json", R"({"quantscope":1,"backend":"generic"})");
  const QString shipped = file("shipped." + format);
  const Outcome exported = runCli(QStringList{"export", model, "--config", file("config.json"),
                                              "--format", format, "--out", shipped} +
                                  dataOf(network));
  QVERIFY2(exported.status == 0, describe(exported));
  const Outcome imported =
      runCli({"import", shipped, "--model", model, "--out", file("back.json")});
  QVERIFY2(imported.status == 0, describe(imported));
  const auto run = [&](const QString& config, const QString& calibration, const QString& out) {
    QStringList arguments{"run", model, "--config", config, "--out", file(out)};
    if (!calibration.isEmpty()) arguments << "--calibration" << calibration;
    const Outcome outcome = runCli(arguments + dataOf(network));
    if (outcome.status != 0) return std::string(describe(outcome));
    const auto values = readJson(file(out) + "/manifest.json").at("values");
    return readBytes(file(out) + "/" +
                     QString::fromStdString(values.at(0).at("file").get<std::string>()));
  };
  const std::string shown = run(file("config.json"), {}, "shown");
  QVERIFY(!shown.empty());
  QVERIFY(run(file("back.json"), "random:1", "again") == shown);
}

void ImportCommandTest::tensorrtScalesComeBack() {
  const QString model = sampleFile("digits_mobilenet.onnx");
  writeFile(m_folder, "trt.json", R"({"quantscope":1,"backend":"tensorrt","default":
      {"activation":{"type":"int8","symmetric":true}}})");
  const auto write = [&](const QString& config, const QString& out) {
    return runCli(QStringList{"export", model, "--config", config, "--format", "tensorrt-cache",
                              "--out", file(out)} +
                  dataOf("digits_mobilenet"));
  };
  QCOMPARE(write(file("trt.json"), "first.cache").status, 0);
  const Outcome imported =
      runCli({"import", file("first.cache"), "--model", model, "--out", file("trt_back.json")});
  QVERIFY2(imported.status == 0, describe(imported));
  const Outcome second = write(file("trt_back.json"), "second.cache");
  QVERIFY2(second.status == 0, describe(second));
  QCOMPARE(readBytes(file("second.cache")), readBytes(file("first.cache")));
}

void ImportCommandTest::unknownNamesAreListed() {
  writeFile(
      m_folder, "some.cache",
      "TRT-8601-EntropyCalibration2\n/stem/act/Clip_output_0: 3c010204\nelsewhere: 3c010204\n");
  const Outcome outcome = runCli({"import", file("some.cache"), "--model",
                                  sampleFile("digits_mobilenet.onnx"), "--out", file("some.json")});
  QVERIFY2(outcome.status == 0, describe(outcome));
  QVERIFY2(outcome.err.contains("the model has no tensor 'elsewhere'"), describe(outcome));
  const auto written = readJson(file("some.json"));
  QVERIFY(written.at("encodings").at("/stem/act/Clip").at("scale").at(0).get<float>() ==
          1.0F / 127);
}

void ImportCommandTest::refusals_data() {
  QTest::addColumn<QString>("text");
  QTest::addColumn<QString>("problem");
  QTest::newRow("unknown version") << R"({"version":"3.1","encodings":[]})"
                                   << "'3.1'";
  QTest::newRow("no scale") << R"({"version":"2.0.0","encodings":[{"name":"logits",
      "output_dtype":"uint8","y_scale":-1}]})"
                            << "y_scale";
  QTest::newRow("unknown type") << R"({"version":"2.0.0","encodings":[{"name":"logits",
      "output_dtype":"uint9","y_scale":1}]})"
                                << "uint9";
  QTest::newRow("another model") << R"({"version":"2.0.0","encodings":[{"name":"nowhere",
      "output_dtype":"uint8","y_scale":1}]})"
                                 << "'nowhere'";
  QTest::newRow("offset of more bits") << R"({"version":"1.0.0","param_encodings":[],
      "activation_encodings":[{"name":"logits","enc_type":"PER_TENSOR","dtype":"INT","bw":8,
      "is_sym":false,"scale":[1],"offset":[-300]}]})"
                                       << "offset";
  QTest::newRow("cache without digits") << "TRT-1-X\nlogits: 12\n"
                                        << "line 2";
  QTest::newRow("cache without scale") << "TRT-1-X\nlogits: ffffffff\n"
                                       << "line 2";
  QTest::newRow("nothing that is known") << "hello"
                                         << "not an ONNX model";
  QTest::newRow("channels that the weight lacks") << R"({"version":"2.0.0","encodings":[
      {"name":"stem.conv.weight","output_dtype":"int8","y_scale":[1,2],"axis":0}]})"
                                                  << "stem";
}

void ImportCommandTest::refusals() {
  QFETCH(QString, text);
  QFETCH(QString, problem);
  const QTemporaryDir folder;
  writeFile(folder, "foreign", text.toStdString());
  const Outcome outcome =
      runCli({"import", folder.filePath("foreign"), "--model", sampleFile("digits_mobilenet.onnx"),
              "--out", folder.filePath("out.json")});
  QVERIFY2(outcome.status == 1 && outcome.out.isEmpty(), describe(outcome));
  QVERIFY2(outcome.err.count('\n') == 1 && outcome.err.contains(problem), describe(outcome));
  QCOMPARE(entriesBelow(folder.path()).size(), 1);
}

QUANTSCOPE_TEST(ImportCommandTest)
#include "test_import_command.moc"
