#include <QtTest>

#include <algorithm>

#include "base/error.h"
#include "precision/backend/backend.h"
#include "support/test_main.h"

using namespace quantscope;

namespace {

// The smallest file, with further keys.
std::string minimal(const QString& more = {}) {
  return QString(R"({"quantscope_backend": 1, "name": "mine",
      "tensors": {"t": {"types": ["int8"]}},
      "ways": [{"operators": ["Conv"], "mode": "static", "weight": "t", "activation": "t"}]%1})")
      .arg(more.isEmpty() ? QString() : ", " + more)
      .toStdString();
}

}  // namespace

/// The backends that come with the program, and mistakes in a file of one's own.
class BackendsTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void allAreThere();
  void facts_data();
  void facts();
  void ownFile();
  void mistakesAreNamed_data();
  void mistakesAreNamed();
  void unknownName();
};

void BackendsTest::allAreThere() {
  QCOMPARE(backendNames(), (std::vector<std::string>{"x86", "fbgemm", "qnnpack", "onednn",
                                                     "tensorrt", "onnxruntime", "generic"}));
  for (const std::string& name : backendNames()) {
    const Backend& backend = *findBackend(name);
    QCOMPARE(backend.name, name);
    QVERIFY(!backend.about.empty());
    QVERIFY(backend.quantizes("Conv", false) && backend.quantizes("MatMul", false));
    QVERIFY(!backend.knows("Shape"));
    QCOMPARE(backend.accumulatorBits, 32);
    QVERIFY(backend.patternOf("Conv") != nullptr);
  }
}

void BackendsTest::facts_data() {
  QTest::addColumn<QString>("backend");
  QTest::addColumn<bool>("reducesOnnx");
  QTest::addColumn<bool>("reducesPyTorch");
  QTest::addColumn<bool>("staticLstm");
  QTest::addColumn<bool>("dynamicLstm");
  QTest::addColumn<bool>("sharesAddition");
  QTest::addColumn<bool>("fixesSoftmax");
  QTest::addColumn<QString>("bias");
  QTest::newRow("x86") << "x86" << false << true << false << true << false << true << "float";
  QTest::newRow("fbgemm") << "fbgemm" << true << true << false << true << false << true << "float";
  QTest::newRow("qnnpack") << "qnnpack" << false << false << false << true << true << true
                           << "int32";
  QTest::newRow("onednn") << "onednn" << false << false << false << true << false << true
                          << "float";
  QTest::newRow("tensorrt") << "tensorrt" << false << false << false << false << false << false
                            << "float";
  QTest::newRow("onnxruntime") << "onnxruntime" << false << false << false << false << false
                               << false << "int32-fit";
  QTest::newRow("generic") << "generic" << false << false << true << true << false << false
                           << "int32-fit";
}

void BackendsTest::facts() {
  QFETCH(QString, backend);
  const Backend& found = *findBackend(backend.toStdString());
  QTEST(found.reducesRange(Convention::Onnx), "reducesOnnx");
  QTEST(found.reducesRange(Convention::PyTorch), "reducesPyTorch");
  QTEST(found.quantizes("LSTM", false), "staticLstm");
  QTEST(found.quantizes("LSTM", true), "dynamicLstm");
  QTEST(found.sharesInputs("Add"), "sharesAddition");
  QVERIFY(!found.shares("Add"));
  const bool fixesSoftmax = std::ranges::any_of(found.fixed, [](const FixedOutput& fixed) {
    return std::ranges::find(fixed.operators, "Softmax") != fixed.operators.end() &&
           fixed.type == QuantType::UInt8 && fixed.grid == Grid{0x1p-8F, 0, 0};
  });
  QTEST(fixesSoftmax, "fixesSoftmax");
  QTEST(QString(name(found.bias)), "bias");
}

void BackendsTest::ownFile() {
  const Backend backend = parseBackend(minimal(R"("share_inputs": ["Add"])"), "mine.json");
  QCOMPARE(backend.name, std::string("mine"));
  QVERIFY(backend.quantizes("Conv", false));
  QVERIFY(backend.sharesInputs("Add"));
  QCOMPARE(backend.bias, BiasRule::Int32);
  QCOMPARE(backend.ways[0].output->types, std::vector<QuantType>{QuantType::Int8});
}

void BackendsTest::mistakesAreNamed_data() {
  QTest::addColumn<QByteArray>("json");
  QTest::addColumn<QString>("named");
  const auto row = [](const char* name, const std::string& json, const char* named) {
    QTest::newRow(name) << QByteArray::fromStdString(json) << QString(named);
  };
  row("not JSON", "{", "line 1");
  row("no version", "{}", "version");
  row("a configuration", R"({"quantscope": 1})", "'quantscope'");
  row("no ways", R"({"quantscope_backend": 1, "name": "a", "tensors": {}})", "'ways'");
  row("unknown key", minimal(R"("fusions": [])"), "'fusions'");
  row("unknown type",
      R"({"quantscope_backend": 1, "name": "a", "tensors": {"t": {"types": ["int9"]}},
          "ways": []})",
      "'tensors.t.types[0]'");
  row("unknown granularity",
      R"({"quantscope_backend": 1, "name": "a", "tensors": {"t": {"types": ["int8"],
          "granularity": ["per-row"]}}, "ways": []})",
      "'tensors.t.granularity[0]'");
  row("group of nothing",
      R"({"quantscope_backend": 1, "name": "a", "tensors": {"t": {"types": ["int8"],
          "granularity": ["per-group:0"]}}, "ways": []})",
      "per-group:0");
  row("unknown symmetry",
      R"({"quantscope_backend": 1, "name": "a", "tensors": {"t": {"types": ["int8"],
          "symmetry": ["even"]}}, "ways": []})",
      "'tensors.t.symmetry[0]'");
  row("unknown tensor",
      R"({"quantscope_backend": 1, "name": "a", "tensors": {}, "ways": [{"operators": ["Conv"],
          "mode": "static", "weight": "w"}]})",
      "'ways[0].weight'");
  row("unknown mode",
      R"({"quantscope_backend": 1, "name": "a", "tensors": {}, "ways": [{"operators": ["Conv"],
          "mode": "sometimes"}]})",
      "'ways[0].mode'");
  row("no operators",
      R"({"quantscope_backend": 1, "name": "a", "tensors": {}, "ways": [{"operators": [],
          "mode": "static"}]})",
      "'ways[0].operators'");
  row("half a reduction", minimal(R"("reduce_range": {"onnx": true})"), "'pytorch'");
  row("a fixed scale of 0",
      minimal(R"("fixed": [{"operators": ["Tanh"], "type": "uint8", "scale": 0,
                            "zero_point": 0}])"),
      "'fixed[0].scale'");
  row("a fixed zero point beyond the type",
      minimal(R"("fixed": [{"operators": ["Tanh"], "type": "uint8", "scale": 1,
                            "zero_point": 256}])"),
      "'fixed[0].zero_point'");
  row("unknown region", minimal(R"("float_regions": ["Attention"])"), "'float_regions[0]'");
  row("unknown bias", minimal(R"("bias": "int33")"), "'bias'");
  row("accumulator of 1 bit", minimal(R"("accumulator_bits": 1)"), "'accumulator_bits'");
}

void BackendsTest::mistakesAreNamed() {
  QFETCH(QByteArray, json);
  QFETCH(QString, named);
  try {
    parseBackend(json.toStdString(), "mine.json");
    QFAIL("accepted");
  } catch (const Error& error) {
    QCOMPARE(error.code(), ErrorCode::InvalidConfiguration);
    const QString text = error.what();
    QVERIFY2(text.contains(named), qPrintable(text));
    QVERIFY2(text.contains("mine.json"), qPrintable(text));
    QVERIFY(!error.remedy().empty());
  }
}

void BackendsTest::unknownName() {
  try {
    findBackend("abacus");
    QFAIL("accepted");
  } catch (const Error& error) {
    QVERIFY(QString(error.what()).contains("'abacus'"));
    for (const std::string& name : backendNames()) {
      QVERIFY(error.remedy().find(name) != std::string::npos);
    }
  }
}

QUANTSCOPE_TEST(BackendsTest)
#include "test_backends.moc"
