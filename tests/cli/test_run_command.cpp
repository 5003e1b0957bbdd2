#include <QTemporaryDir>
#include <QtTest>
#include <algorithm>
#include <cmath>
#include <set>

#include "cli/command_line.h"
#include "support/npy_bytes.h"
#include "support/onnx_bytes.h"
#include "support/test_main.h"
#include "support/write_file.h"
#include "tensor/npy.h"

using namespace quantscope;
using namespace quantscope::test;

/// `run`: values in `.npy` files with samples on a new axis 0, and their manifest.
class RunCommandTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void init();
  void outputs_data();
  void outputs();
  void allValues();
  void resultAsJson();
  void namedValues();
  void varyingShapes();
  void configuration();
  void predictionsMatchLabels_data();
  void predictionsMatchLabels();
  void threadsDoNotMatter();
  void seeds();
  void unknownOperatorLeavesTheRest();
  void numbersThatAreNotFinite();

 private:
  QString file(const QString& name) const { return m_folder->filePath(name); }
  Outcome run(const QString& model, const QString& out, const QStringList& options) const;
  nlohmann::json valuesIn(const QString& out) const {
    return readJson(file(out) + "/manifest.json").at("values");
  }
  Tensor read(const QString& name) const { return readNpy(file(name).toStdString()); }
  std::unique_ptr<QTemporaryDir> m_folder;
};

namespace {

QString sampleData(const QString& network) {
  return sampleFile(network + ".npz");
}

QString fileOf(const nlohmann::json& value) {
  return QString::fromStdString(value.at("file").get<std::string>());
}

std::string nameOf(const nlohmann::json& value) {
  return value.at("name").get<std::string>();
}

std::string model(const OnnxNode& first, const OnnxNode& second) {
  return onnxModel(OnnxGraph{.nodes = {first, second},
                             .inputs = {"x"},
                             .outputs = {first.outputs.front(), second.outputs.front()},
                             .initializers = {},
                             .functions = {}});
}

}  // namespace

void RunCommandTest::init() {
  m_folder = std::make_unique<QTemporaryDir>();
}

Outcome RunCommandTest::run(const QString& model, const QString& out,
                            const QStringList& options) const {
  return runCli(QStringList{"run", model, "--out", file(out)} + options);
}

void RunCommandTest::outputs_data() {
  QTest::addColumn<QString>("network");
  QTest::addColumn<QStringList>("options");
  QTest::addColumn<int>("samples");
  QTest::newRow("all samples") << "digits_mobilenet" << QStringList{} << 400;
  QTest::newRow("the first five") << "digits_mobilenet" << QStringList{"--samples", "5"} << 5;
  QTest::newRow("more than there are")
      << "digits_mobilenet" << QStringList{"--samples", "500"} << 400;
  QTest::newRow("named as the default")
      << "digits_transformer" << QStringList{"--samples", "3", "--values", "outputs"} << 3;
}

void RunCommandTest::outputs() {
  QFETCH(QString, network);
  QFETCH(QStringList, options);
  QFETCH(int, samples);
  const Outcome outcome =
      run(sampleFile(network + ".onnx"), "new/deep", options << "--data" << sampleData(network));
  QVERIFY2(outcome.status == 0 && outcome.err.isEmpty(), describe(outcome));
  QCOMPARE(outcome.out,
           QString("1 value of %1 samples written to %2\n").arg(samples).arg(file("new/deep")));
  const nlohmann::json values = valuesIn("new/deep");
  QCOMPARE(values.size(), std::size_t{1});
  QCOMPARE(nameOf(values[0]), std::string("logits"));
  QCOMPARE(values[0].at("dtype").get<std::string>(), std::string("float32"));
  QVERIFY(values[0].at("shape") == nlohmann::json::array({samples, 1, 10}));
  QVERIFY(read("new/deep/" + fileOf(values[0])).shape() == (Shape{samples, 1, 10}));
  QCOMPARE(entriesBelow(file("new/deep")), (QStringList{fileOf(values[0]), "manifest.json"}));
}

void RunCommandTest::allValues() {
  const QString network = sampleFile("digits_transformer.onnx");
  const Outcome outcome =
      run(network, "out",
          {"--data", sampleData("digits_transformer"), "--samples", "2", "--values", "all"});
  QVERIFY2(outcome.status == 0, describe(outcome));
  const nlohmann::json inspected =
      nlohmann::json::parse(runCli({"inspect", network, "--json", "-"}).out.toStdString());
  std::set<std::string> expected;
  for (const auto& node : inspected.at("nodes")) {
    for (const auto& output : node.at("outputs")) expected.insert(output.get<std::string>());
  }
  std::set<std::string> written;
  for (const auto& value : valuesIn("out")) {
    written.insert(nameOf(value));
    const Tensor tensor = read("out/" + fileOf(value));
    const Shape& shape = tensor.shape();
    QVERIFY(value.at("shape") == nlohmann::json(std::vector(shape.begin(), shape.end())));
    QVERIFY(shape[0] == 2);
    QCOMPARE(value.at("dtype").get<std::string>(), std::string(name(tensor.type())));
  }
  QVERIFY(written == expected);
}

void RunCommandTest::resultAsJson() {
  const QStringList options{"--data", sampleData("digits_mobilenet"), "--samples", "5", "--json"};
  const Outcome outcome =
      run(sampleFile("digits_mobilenet.onnx"), "out", options + QStringList{"-"});
  QVERIFY2(outcome.status == 0 && outcome.err.isEmpty(), describe(outcome));
  const auto result = nlohmann::json::parse(outcome.out.toStdString());
  QVERIFY(result.at("values") == valuesIn("out"));
  QVERIFY(result.at("folder") == file("out").toStdString());
  QVERIFY(result.at("samples") == 5 && result.at("synthetic") == false);
  QVERIFY(result.at("not_computed") == 0);
  const Outcome toFile =
      run(sampleFile("digits_mobilenet.onnx"), "out", options + QStringList{file("result.json")});
  QVERIFY2(toFile.status == 0 && toFile.out.isEmpty(), describe(toFile));
  QVERIFY(readJson(file("result.json")) == result);
}

void RunCommandTest::namedValues() {
  const Outcome outcome =
      run(sampleFile("digits_mobilenet.onnx"), "out",
          {"--data", "random:2", "--values", "logits,/pool/GlobalAveragePool_output_0"});
  QVERIFY2(outcome.status == 0, describe(outcome));
  const nlohmann::json values = valuesIn("out");
  QCOMPARE(values.size(), std::size_t{2});
  QCOMPARE(nameOf(values[0]), std::string("logits"));
  QCOMPARE(nameOf(values[1]), std::string("/pool/GlobalAveragePool_output_0"));
  QVERIFY(values[1].at("shape") == nlohmann::json::array({2, 1, 96, 1, 1}));
}

// NonZero gives as many columns as its input has elements other than 0.
void RunCommandTest::varyingShapes() {
  const std::string network = writeFile(
      *m_folder, "model.onnx",
      model({"NonZero", {"x"}, {"places"}, "", {}, {}}, {"Neg", {"x"}, {"y"}, "", {}, {}}));
  const std::vector<float> elements{1, 1, 2, 2, 0, 3, 0, 0};
  const std::string bytes(reinterpret_cast<const char*>(elements.data()), 4 * elements.size());
  const std::string data =
      writeFile(*m_folder, "x.npy", npyBytes(npyDictionary("<f4", "(4, 2)"), bytes));
  const Outcome outcome =
      run(QString::fromStdString(network), "out", {"--data", QString::fromStdString(data)});
  QVERIFY2(outcome.status == 0, describe(outcome));
  const nlohmann::json values = valuesIn("out");
  QVERIFY(values[0].at("shape").is_null());
  QCOMPARE(values[0].at("dtype").get<std::string>(), std::string("int64"));
  QCOMPARE(values[0].at("files").size(), std::size_t{4});
  const std::int64_t columns[] = {2, 2, 1, 0};
  for (std::size_t i = 0; i < 4; ++i) {
    const auto name = QString::fromStdString(values[0].at("files")[i].get<std::string>());
    QVERIFY(read("out/" + name).shape() == (Shape{1, columns[i]}));
  }
  QVERIFY(values[1].at("shape") == nlohmann::json::array({4, 2}));
  QVERIFY2(entriesBelow(file("out")).size() == 6, entriesBelow(file("out")).join(' ').toUtf8());
}

void RunCommandTest::configuration() {
  const QString network = sampleFile("digits_mobilenet.onnx");
  writeFile(*m_folder, "float.json", R"({"quantscope":1,"default":"fp32"})");
  const QStringList data{"--data", sampleData("digits_mobilenet"), "--samples", "16"};
  const auto result = [&](const QString& out, const QStringList& options) {
    run(network, out, data + options);
    return readBytes(file(out) + "/0_logits.npy");
  };
  const std::string plain = result("plain", {});
  QVERIFY(plain == result("float", {"--config", file("float.json")}));
  const QStringList perTensor{"--config", sampleFile("per_tensor.json")};
  const std::string quantized = result("quantized", perTensor);
  QVERIFY(plain != quantized);
  // Other samples to calibrate with give other ranges.
  QVERIFY(quantized != result("other", perTensor + QStringList{"--calibration", "random:4"}));
}

void RunCommandTest::predictionsMatchLabels_data() {
  QTest::addColumn<QString>("network");
  QTest::addColumn<int>("correct");
  QTest::newRow("mobilenet") << "digits_mobilenet" << 399;
  QTest::newRow("transformer") << "digits_transformer" << 394;
}

void RunCommandTest::predictionsMatchLabels() {
  QFETCH(QString, network);
  QFETCH(int, correct);
  const Outcome outcome =
      run(sampleFile(network + ".onnx"), "out", {"--data", sampleData(network)});
  QVERIFY2(outcome.status == 0, describe(outcome));
  const Tensor scores = read("out/0_logits.npy");
  const Tensor labels = readNpy(sampleFile(network + ".labels.npy").toStdString());
  int hits = 0;
  for (std::size_t i = 0; i < labels.elementCount(); ++i) {
    const auto row = scores.values<float>().subspan(10 * i, 10);
    const auto guess = std::ranges::max_element(row) - row.begin();
    hits += guess == labels.values<std::int64_t>()[i];
  }
  QCOMPARE(hits, correct);
}

void RunCommandTest::threadsDoNotMatter() {
  std::set<std::string> results;
  for (const char* threads : {"1", "2", "7"}) {
    run(sampleFile("digits_transformer.onnx"), threads,
        {"--data", sampleData("digits_transformer"), "--samples", "20", "--threads", threads});
    results.insert(readBytes(file(threads) + "/0_logits.npy"));
  }
  QCOMPARE(results.size(), std::size_t{1});
}

void RunCommandTest::seeds() {
  const auto result = [&](const QString& out, const QStringList& seed) {
    run(sampleFile("digits_mobilenet.onnx"), out, QStringList{"--data", "random:2"} + seed);
    return readBytes(file(out) + "/0_logits.npy");
  };
  const std::string first = result("a", {"--seed", "1"});
  QVERIFY(first == result("b", {"--seed", "1"}));
  QVERIFY(first != result("c", {"--seed", "2"}));
  QVERIFY(result("d", {}) == result("e", {"--seed", "0"}));
}

void RunCommandTest::unknownOperatorLeavesTheRest() {
  const std::string network = writeFile(
      *m_folder, "model.onnx",
      model({"Neg", {"x"}, {"y"}, "", {}, {}}, {"Odd", {"x"}, {"z"}, "odd", {}, "com.example"}));
  const Outcome outcome =
      run(QString::fromStdString(network), "out", {"--data", "random:2", "--values", "all"});
  QVERIFY2(outcome.status == 0, describe(outcome));
  QVERIFY2(outcome.out.contains("1 value could not be computed"), describe(outcome));
  const nlohmann::json values = valuesIn("out");
  QCOMPARE(values.size(), std::size_t{1});
  QCOMPARE(nameOf(values[0]), std::string("y"));
}

// NaN and −∞ as bfloat16, as ONNX stores test data.
void RunCommandTest::numbersThatAreNotFinite() {
  const std::string network =
      writeFile(*m_folder, "model.onnx",
                model({"Neg", {"x"}, {"y"}, "", {}, {}}, {"Relu", {"x"}, {"z"}, "", {}, {}}));
  QDir(m_folder->path()).mkpath("data/test_data_set_0");
  constexpr int kBFloat16 = 16;
  constexpr int kRawData = 9;
  writeFile(*m_folder, "data/test_data_set_0/input_0.pb",
            onnxTensor("x", kBFloat16, {2})
                .bytes(kRawData, std::string_view("\xC0\x7F\x80\xFF", 4))
                .text());
  const Outcome outcome = run(QString::fromStdString(network), "out", {"--data", file("data")});
  QVERIFY2(outcome.status == 0, describe(outcome));
  QVERIFY2(outcome.err.contains("input 'x' holds 2 numbers that are not finite"),
           describe(outcome));
  const Tensor y = read("out/" + fileOf(valuesIn("out")[0]));
  const auto values = y.values<float>();
  QVERIFY(std::isnan(values[0]) && std::isinf(values[1]) && values[1] > 0);
  // Whoever measures refuses.
  const Outcome measured = runCli({"calibrate", QString::fromStdString(network), "--data",
                                   file("data"), "--out", file("ranges.json")});
  QVERIFY2(measured.status == 1 && measured.err.contains("2 numbers that are not finite"),
           describe(measured));
}

QUANTSCOPE_TEST(RunCommandTest)
#include "test_run_command.moc"
