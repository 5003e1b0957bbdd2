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
  void raisedScalesComeBack();
  void tensorrtScalesComeBack();
  void unknownNamesAreListed();
  void lpbqIsTold();
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
  QTest::addColumn<QString>("config");
  const auto row = [](const char* network, const char* format, const char* name,
                      const QString& config) {
    QTest::addRow("%s as %s: %s", network, format, name)
        << QString(network) << QString(format) << "{\"quantscope\":1," + config + "}";
  };
  for (const char* network : {"digits_mobilenet", "digits_transformer"}) {
    for (const char* format : {"qdq-onnx", "aimet-0.6.1", "aimet-1.0.0", "aimet-2.0.0", "json"}) {
      row(network, format, "defaults", R"("backend":"generic")");
      row(network, format, "float biases", R"("backend":"generic","bias":"float")");
    }
    const auto types = [](const char* weight, const char* activation) {
      return QString(R"("backend":"generic","default":{"weight":{%1},"activation":{%2}})")
          .arg(weight, activation);
    };
    const char* const int8 = R"("type":"int8")";
    const char* const dynamic = R"("mode":"dynamic")";
    row(network, "qdq-onnx", "x86", R"("backend":"x86","bias":"float")");
    row(network, "qdq-onnx", "qnnpack", R"("backend":"qnnpack")");
    row(network, "qdq-onnx", "PyTorch", R"("backend":"x86","convention":"pytorch","bias":"float")");
    row(network, "qdq-onnx", "int16", types(int8, R"("type":"int16","symmetric":true)"));
    row(network, "qdq-onnx", "half", types(R"("type":"fp16")", R"("type":"fp16")"));
    row(network, "qdq-onnx", "bfloat16", types(R"("type":"bf16")", R"("type":"bf16")"));
    row(network, "qdq-onnx", "fp8", types(R"("type":"fp8e4m3")", R"("type":"fp8e5m2")"));
    row(network, "qdq-onnx", "weights only", types(int8, R"("type":"fp32")"));
    row(network, "qdq-onnx", "per tensor", types(R"("granularity":"per-tensor")", int8));
    row(network, "qdq-onnx", "int4", types(R"("type":"int4")", int8));
    row(network, "qdq-onnx", "fewer codes", types(R"("qmin":-127)", R"("qmin":10,"qmax":200)"));
    row(network, "qdq-onnx", "fewer codes of 16 bits",
        types(int8, R"("type":"uint16","qmin":100,"qmax":60000)"));
    row(network, "qdq-onnx", "dynamic", types(int8, dynamic));
    row(network, "qdq-onnx", "dynamic, symmetric",
        types(int8, R"("mode":"dynamic","type":"int8","symmetric":true)"));
    row(network, "qdq-onnx", "dynamic int8", types(int8, R"("mode":"dynamic","type":"int8")"));
    row(network, "qdq-onnx", "one float layer",
        R"("backend":"x86","bias":"float","op_types":{"Add":"fp32"})");
    row(network, "json", "dynamic", types(int8, dynamic));
  }
  row("digits_transformer", "qdq-onnx", "blocks of int4",
      R"("backend":"generic","op_types":{"MatMul":{"weight":{"type":"int4","granularity":)"
      R"("per-group:0:16"},"activation":{"type":"fp32"},"output":{"type":"fp32"}}})");
}

// The imported configuration, calibrated on other data, computes the same bits.
void ImportCommandTest::exportedComesBack() {
  QFETCH(QString, network);
  QFETCH(QString, format);
  QFETCH(QString, config);
  const QString model = sampleFile(network + ".onnx");
  writeFile(m_folder, "config.json", config.toStdString());
  const QString shipped = file("shipped." + format);
  const Outcome exported = runCli(QStringList{"export", model, "--config", file("config.json"),
                                              "--format", format, "--out", shipped} +
                                  dataOf(network));
  QVERIFY2(exported.status == 0, describe(exported));
  const Outcome imported =
      runCli({"import", shipped, "--model", model, "--out", file("back.json")});
  QVERIFY2(imported.status == 0, describe(imported));
  const auto run = [&](const QString& used, const QString& calibration, const QString& out) {
    QStringList arguments{"run", model, "--config", used, "--out", file(out)};
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

// Where the export has raised the scales of weights for integer biases, the weights are the model's
// own, rounded once.
void ImportCommandTest::raisedScalesComeBack() {
  const QString model = sampleFile("digits_mobilenet.onnx");
  const Outcome exported =
      runCli(QStringList{"export", model, "--format", "qdq-onnx", "--out", file("raised.onnx")} +
             dataOf("digits_mobilenet"));
  QVERIFY2(exported.status == 0, describe(exported));
  QVERIFY2(exported.out.contains("scales of its weights are larger"), describe(exported));
  const Outcome imported =
      runCli({"import", file("raised.onnx"), "--model", model, "--out", file("raised_back.json")});
  QVERIFY2(imported.status == 0, describe(imported));
  QVERIFY2(!imported.err.contains("are others"), describe(imported));
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

// The rest of the file comes in; 32 bits are biases and floats, which have no grid of their own.
void ImportCommandTest::lpbqIsTold() {
  writeFile(m_folder, "lpbq.json", R"({"version":"1.0.0","activation_encodings":[
      {"name":"logits","enc_type":"PER_TENSOR","dtype":"INT","bw":8,"is_sym":false,"scale":[0.5],
       "offset":[-128]},{"name":"input","enc_type":"PER_TENSOR","dtype":"FLOAT","bw":32}],
      "param_encodings":[{"name":"stem.conv.weight","enc_type":"LPBQ","dtype":"INT","bw":8,
       "compressed_bw":4,"block_size":4,"per_block_int_scale":[1],"scale":[1],"offset":[-128]},
      {"name":"stem.conv.bias","enc_type":"PER_TENSOR","dtype":"INT","bw":32,"is_sym":true,
       "scale":[1],"offset":[-2147483648]}]})");
  const Outcome outcome =
      runCli({"import", file("lpbq.json"), "--model", sampleFile("digits_mobilenet.onnx"), "--out",
              file("lpbq_config.json"), "--json", "-"});
  QVERIFY2(outcome.status == 0, describe(outcome));
  QVERIFY2(outcome.err.contains("1 encoding of the layout LPBQ"), describe(outcome));
  QCOMPARE(nlohmann::json::parse(outcome.out.toStdString()).at("encodings").get<int>(), 1);
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
  QTest::newRow("float of 8 bits") << R"({"version":"1.0.0","activation_encodings":[],
      "param_encodings":[{"name":"logits","enc_type":"PER_TENSOR","dtype":"FLOAT","bw":8}]})"
                                   << "bw";
  QTest::newRow("unknown layout") << R"({"version":"1.0.0","param_encodings":[],
      "activation_encodings":[{"name":"logits","enc_type":"PER_ROW","dtype":"INT","bw":8,
      "is_sym":false,"scale":[1],"offset":[-3]}]})"
                                  << "'PER_ROW'";
  QTest::newRow("zero point beyond the codes") << R"({"version":"2.0.0","encodings":[
      {"name":"logits","output_dtype":"uint8","y_scale":1,"y_zero_point":4294967296}]})"
                                               << "y_zero_point";
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
