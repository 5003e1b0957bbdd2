#include <QTemporaryDir>
#include <QtTest>

#include "cli/command_line.h"
#include "support/onnx_bytes.h"
#include "support/png_bytes.h"
#include "support/test_main.h"
#include "support/write_file.h"

using namespace quantscope::test;

/// A model that is none is refused with status 1 and one line.
class BadModelsTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void unsoundFile_data();
  void unsoundFile();
  void truncatedAnywhere_data();
  void truncatedAnywhere();
  void missingFile();
  void folderInsteadOfFile();
  void linkOutOfTheFolder();
  void lineBreaksInNames();
  void unknownOperatorAlone();
  void nothingToAnalyze();
  void everyCommandRefuses_data();
  void everyCommandRefuses();

 private:
  QTemporaryDir m_folder;
};

namespace {

std::string randomBytes(std::size_t count) {
  std::string bytes;
  quint32 state = 1;
  for (std::size_t i = 0; i < count; ++i) {
    state = state * 1664525U + 1013904223U;  // Numerical Recipes' generator
    bytes += static_cast<char>(state >> 24U);
  }
  return bytes;
}

std::string addWith(const ProtoMessage& initializer) {
  return onnxModel(OnnxGraph{.nodes = {{"Add", {"x", "w"}, {"y"}, "sum", {}, {}}},
                             .inputs = {"x"},
                             .outputs = {"y"},
                             .initializers = {initializer},
                             .functions = {}});
}

std::string cycle() {
  return onnxModel(OnnxGraph{.nodes = {{"Add", {"x", "b"}, {"a"}, "first", {}, {}},
                                       {"Relu", {"a"}, {"b"}, "second", {}, {}}},
                             .inputs = {"x"},
                             .outputs = {"b"},
                             .initializers = {},
                             .functions = {}});
}

std::string oneNode(const OnnxNode& node) {
  return onnxModel(OnnxGraph{
      .nodes = {node}, .inputs = {"x"}, .outputs = {"y"}, .initializers = {}, .functions = {}});
}

}  // namespace

void BadModelsTest::unsoundFile_data() {
  QTest::addColumn<QByteArray>("bytes");
  QTest::addColumn<QString>("place");
  QTest::addColumn<QString>("remedy");
  const auto row = [](const char* name, const std::string& bytes, const char* place,
                      const char* remedy) {
    QTest::newRow(name) << QByteArray::fromStdString(bytes) << place << remedy;
  };
  row("empty", "", "model.onnx", "export or download");
  row("text", "This is no model, just a line of text.\n", "model.onnx", "ONNX");
  row("a PNG", pngBytes({.rows = std::string(3, '\0')}), "model.onnx", "ONNX");
  row("random bytes", randomBytes(5000), "model.onnx", "ONNX");
  row("zeros", std::string(4096, '\0'), "model.onnx", "ONNX");
  row("cycle", cycle(), "node ", "export");
  row("missing initializer", oneNode({"Add", {"x", "w"}, {"y"}, "sum", {}, {}}), "node sum",
      "export");
  row("tensor that claims more than it has",
      addWith(onnxTensor("w", kFloat, {1 << 20}).bytes(9, "abcd")), "w", "export");
  row("tensor that claims more than memory",
      addWith(onnxTensor("w", kFloat, {1LL << 40, 1LL << 40}).bytes(9, "abcd")), "w", "export");
  row("negative dimension", addWith(onnxTensor("w", kFloat, {-2}).bytes(9, "abcdefgh")), "w",
      "export");
  row("external data that is missing", addWith(onnxExternal("w", {2}, "weights.bin")),
      "weights.bin", "check the path");
  row("external data outside the folder", addWith(onnxExternal("w", {2}, "../weights.bin")), "w",
      "beside the model");
  row("external data at an absolute path", addWith(onnxExternal("w", {2}, "/etc/hostname")), "w",
      "beside the model");
  row("external data too short", addWith(onnxExternal("w", {1 << 20}, "short.bin")), "short.bin",
      "");
  row("external data beyond the end", addWith(onnxExternal("w", {2}, "short.bin", "1000000")),
      "short.bin", "");
  row("external data of negative offset", addWith(onnxExternal("w", {2}, "short.bin", "-8")), "w",
      "");
}

void BadModelsTest::unsoundFile() {
  QFETCH(QByteArray, bytes);
  QFETCH(QString, place);
  QFETCH(QString, remedy);
  writeFile(m_folder, "short.bin", "12345678");
  const std::string model = writeFile(m_folder, "model.onnx", bytes.toStdString());
  const Outcome outcome = runCli({"inspect", QString::fromStdString(model)});
  const QByteArray fault = faultOfRefusal(outcome, place, remedy);
  QVERIFY2(fault.isEmpty(), fault);
}

void BadModelsTest::truncatedAnywhere_data() {
  QTest::addColumn<QString>("sample");
  QTest::addColumn<double>("share");
  for (const char* sample : {"digits_mobilenet.onnx", "digits_transformer.onnx"}) {
    for (const double share : {0.0001, 0.01, 0.3, 0.5, 0.9, 0.999}) {
      QTest::newRow(qPrintable(QString("%1 at %2").arg(sample).arg(share))) << sample << share;
    }
  }
}

void BadModelsTest::truncatedAnywhere() {
  QFETCH(QString, sample);
  QFETCH(double, share);
  const std::string whole = readBytes(sampleFile(sample));
  const auto length = static_cast<std::size_t>(share * static_cast<double>(whole.size()));
  const std::string model = writeFile(m_folder, "model.onnx", whole.substr(0, length));
  const QByteArray fault =
      faultOfRefusal(runCli({"inspect", QString::fromStdString(model)}), "model.onnx", "");
  QVERIFY2(fault.isEmpty(), fault);
}

void BadModelsTest::missingFile() {
  const QByteArray fault = faultOfRefusal(runCli({"inspect", m_folder.filePath("none.onnx")}),
                                          "none.onnx", "check the path");
  QVERIFY2(fault.isEmpty(), fault);
}

void BadModelsTest::folderInsteadOfFile() {
  const QByteArray fault =
      faultOfRefusal(runCli({"inspect", m_folder.path()}), m_folder.path(), "name a file");
  QVERIFY2(fault.isEmpty(), fault);
}

void BadModelsTest::linkOutOfTheFolder() {
  QTemporaryDir outside;
  const std::string secret = writeFile(outside, "weights.bin", "12345678");
  QVERIFY(QFile::link(QString::fromStdString(secret), m_folder.filePath("linked.bin")));
  const std::string model =
      writeFile(m_folder, "model.onnx", addWith(onnxExternal("w", {2}, "linked.bin")));
  const QByteArray fault = faultOfRefusal(runCli({"inspect", QString::fromStdString(model)}),
                                          "linked.bin", "beside the model");
  QVERIFY2(fault.isEmpty(), fault);
}

void BadModelsTest::lineBreaksInNames() {
  const std::string model = writeFile(m_folder, "model.onnx",
                                      oneNode({"Add", {"x", "w"}, {"y"}, "a\nb\033[31m", {}, {}}));
  const Outcome outcome = runCli({"inspect", QString::fromStdString(model)});
  const QByteArray fault = faultOfRefusal(outcome, "node a", "");
  QVERIFY2(fault.isEmpty(), fault);
  QVERIFY2(!outcome.err.contains('\033'), describe(outcome));
}

void BadModelsTest::unknownOperatorAlone() {
  const QString model = QString::fromStdString(writeFile(
      m_folder, "model.onnx", oneNode({"Frobnicate", {"x"}, {"y"}, "odd", {}, "com.example"})));
  const Outcome inspected = runCli({"inspect", model});
  QVERIFY2(inspected.status == 0, describe(inspected));
  QVERIFY2(inspected.out.contains("com.example.Frobnicate"), describe(inspected));
  const QString out = m_folder.filePath("out");
  for (const char* command : {"run", "analyze"}) {
    const QByteArray fault =
        faultOfRefusal(runCli({command, model, "--data", "random:2", "--out", out}),
                       "because of Frobnicate: the operator is not known (node odd)", "");
    QVERIFY2(fault.isEmpty(), fault);
    QVERIFY(!QFile::exists(out));
  }
}

void BadModelsTest::nothingToAnalyze() {
  const QString model = QString::fromStdString(
      writeFile(m_folder, "model.onnx", oneNode({"ArgMax", {"x"}, {"y"}, "best", {}, {}})));
  const QByteArray fault = faultOfRefusal(
      runCli({"analyze", model, "--data", "random:2", "--out", m_folder.filePath("out")}),
      "no layer of the model has an output of floating-point numbers", "");
  QVERIFY2(fault.isEmpty(), fault);
}

void BadModelsTest::everyCommandRefuses_data() {
  QTest::addColumn<QStringList>("command");
  const QString model = m_folder.filePath("text.onnx");
  const QString out = m_folder.filePath("refused");
  QTest::newRow("run") << QStringList{"run", model, "--data", "random:2", "--out", out};
  QTest::newRow("calibrate") << QStringList{"calibrate", model, "--data", "random:2", "--out", out};
  QTest::newRow("analyze") << QStringList{"analyze", model, "--data", "random:2", "--out", out};
  QTest::newRow("bench engine") << QStringList{"bench", "engine", model, "--json", out};
}

void BadModelsTest::everyCommandRefuses() {
  QFETCH(QStringList, command);
  writeFile(m_folder, "text.onnx", "no model");
  const QByteArray fault = faultOfRefusal(runCli(command), "text.onnx", "");
  QVERIFY2(fault.isEmpty(), fault);
  QVERIFY(!QFile::exists(m_folder.filePath("refused")));
}

QUANTSCOPE_TEST(BadModelsTest)
#include "test_bad_models.moc"
