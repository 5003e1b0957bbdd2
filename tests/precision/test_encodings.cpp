#include <QtTest>

#include "precision/quantized_case.h"
#include "support/error_text.h"
#include "support/test_main.h"

using namespace quantscope;
using namespace quantscope::test;

namespace {

// Two convolutions of two channels; the second reads what stands on the first one's grid.
constexpr const char* kChain = R"(
  input x:float[1,2,1,2]
  w1:float[2,2,1,1]{1, 0.5, -0.25, 1}
  w2:float[2,2,1,1]{1, 2, 3, 4}
  a = Conv(x, w1) @c1
  r = Relu(a) @relu
  y = Conv(r, w2) @c2
  output y
)";

QuantizedCase encoded(const char* text, const QString& encodings, const QString& keys = {}) {
  const QString more = keys.isEmpty() ? QString() : ", " + keys;
  std::vector<Tensor> samples{Tensor::of<float>(Shape{1, 2, 1, 2}, {0.F, 0.25F, -0.5F, 1.F})};
  return {text, std::move(samples),
          (R"({"quantscope": 1, "encodings": )" + encodings + more + "}").toStdString()};
}

const LayerQuantization& layerOf(const QuantizedCase& testCase, const char* name) {
  for (const LayerQuantization& layer : testCase.model.layers) {
    if ((*testCase.graph)[layer.layer.lead()].name == name) return layer;
  }
  qFatal("no layer %s", name);
}

// "w" weight, "i" input, "o" output of a layer: "c1.w".
QString gridAt(const QuantizedCase& testCase, const QString& place) {
  const QStringList parts = place.split('.');
  const LayerQuantization& layer = layerOf(testCase, parts[0].toUtf8().constData());
  const std::optional<QuantParams>& params = parts[1] == "w"   ? layer.weight
                                             : parts[1] == "i" ? layer.activation
                                                               : layer.output;
  return params ? gridText(*params) : "float";
}

}  // namespace

/// Exact parameters from a configuration: where they go, what they contradict.
class EncodingsTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void whatTheySet_data();
  void whatTheySet();
  void valuesStandOnThem();
  void blocksOfAnActivation();
  void contradictionsAreRefused_data();
  void contradictionsAreRefused();
  void factorsThatDoNotFitAreRefused_data();
  void factorsThatDoNotFitAreRefused();
  void whatWasNotObservedIsNamed_data();
  void whatWasNotObservedIsNamed();
  void whatIsNotQuantizedIsANotice();
  void whatTheBackendDoesNotRunIsANotice();
  void theyAreWrittenAndReadAgain();
};

void EncodingsTest::whatTheySet_data() {
  QTest::addColumn<QString>("encodings");
  QTest::addColumn<QString>("place");
  QTest::addColumn<QString>("grid");
  const auto row = [](const char* name, const char* encodings, const char* place,
                      const char* grid) {
    QTest::newRow(name) << QString(encodings) << QString(place) << QString(grid);
  };
  row("weight per tensor", R"({"w1": {"type": "int8", "scale": [0.5]}})", "c1.w", "int8 0.5");
  row("weight per channel", R"({"w1": {"type": "int8", "scale": [0.5, 2], "axis": 0}})", "c1.w",
      "int8 0.5,2");
  row("weight per channel from the last axis",
      R"({"w1": {"type": "int8", "scale": [0.5, 2], "axis": -3}})", "c1.w", "int8 0.5,2");
  row("weight in blocks",
      R"({"w2": {"type": "int8", "scale": [0.5, 2], "axis": 1, "block_size": 2}})", "c2.w",
      "int8 0.5,2");
  row("weight of one reader", R"({"[\"w2\",\"c2\"]": {"type": "int8", "scale": [0.5]}})", "c2.w",
      "int8 0.5");
  row("the output of a pattern by its leader",
      R"({"c1": {"type": "uint8", "scale": [0.25], "zero_point": [3]}})", "c1.o", "uint8 0.25@3");
  row("by its last node", R"({"relu": {"type": "uint8", "scale": 0.25, "zero_point": 3}})", "c1.o",
      "uint8 0.25@3");
  row("and with it the edge that shares the grid",
      R"({"relu": {"type": "uint8", "scale": [0.25], "zero_point": [3]}})", "c2.i", "uint8 0.25@3");
  row("an edge", R"({"[\"x\",\"c1\"]": {"type": "uint8", "scale": [0.25], "zero_point": [3]}})",
      "c1.i", "uint8 0.25@3");
  row("an edge without quotes",
      R"({"[x, c1]": {"type": "uint8", "scale": [0.25], "zero_point": [3]}})", "c1.i",
      "uint8 0.25@3");
  row("an input of the model", R"({"x": {"type": "uint8", "scale": [0.25], "zero_point": [3]}})",
      "c1.i", "uint8 0.25@3");
  row("an input per channel",
      R"({"x": {"type": "uint8", "scale": [0.25, 1], "zero_point": [3, 0], "axis": 1}})", "c1.i",
      "uint8 0.25@3,1");
}

void EncodingsTest::whatTheySet() {
  QFETCH(QString, encodings);
  QFETCH(QString, place);
  QFETCH(QString, grid);
  const QuantizedCase plain = encoded(kChain, "{}");
  const QuantizedCase testCase = encoded(kChain, encodings);
  QCOMPARE(gridAt(testCase, place), grid);
  QVERIFY(gridAt(plain, place) != grid);
  // What the backend does not run is simulated all the same, and told.
  for (const std::string& notice : testCase.model.notices) {
    QVERIFY2(notice.find("simulated as given") != notice.npos, notice.c_str());
  }
}

void EncodingsTest::valuesStandOnThem() {
  const QuantizedCase testCase = encoded(kChain, R"({
    "x": {"type": "uint8", "scale": [0.5], "zero_point": [1]},
    "w1": {"type": "int8", "scale": [0.5]},
    "c1": {"type": "uint8", "scale": [0.25], "zero_point": [0]}})");
  // x: 0, 0.25 -> 0, -0.5, 1; w1: 1 0.5 / -0 1 (0.25 is half a step, to even).
  QCOMPARE(testCase.run("r"), (std::vector<float>{0, 0.5F, 0, 1}));
}

void EncodingsTest::blocksOfAnActivation() {
  // A scale for each block of one channel and each position.
  const QuantizedCase testCase =
      encoded(kChain, R"({"x": {"type": "uint8", "axis": 1, "block_size": 2,
      "scale": [0.5, 0.25], "zero_point": [1, 0]}, "w1": {"type": "int8", "scale": [0.5]},
      "c1": {"type": "uint8", "scale": [0.25]}})",
              R"("default": {"activation": {"symmetric": false}})");
  // x: 0, 0.25 / -0.5, 1; the second position keeps 0.25.
  QCOMPARE(gridAt(testCase, "c1.i"), QString("uint8 0.5@1,0.25"));
}

void EncodingsTest::contradictionsAreRefused_data() {
  QTest::addColumn<QString>("encodings");
  QTest::addColumn<QString>("keys");
  QTest::addColumn<QString>("told");
  const auto row = [](const char* name, const char* encodings, const char* told,
                      const char* keys = "") {
    QTest::newRow(name) << QString(encodings) << QString(keys) << QString(told);
  };
  row("nothing of that name", R"({"nobody": {"type": "int8", "scale": [1]}})",
      "'encodings.nobody' is of the output of 'nobody', but the model has no node");
  row("no such edge", R"({"[\"x\",\"c2\"]": {"type": "int8", "scale": [1]}})",
      "there is no such edge in the model");
  row("another type", R"({"w1": {"type": "int4", "scale": [1]}})",
      "'encodings.w1' is int4, but the configuration asks for int8 there");
  row("weights in float", R"({"w1": {"type": "int8", "scale": [1]}})",
      "but the configuration asks for fp32 there", R"("default": {"weight": {"type": "fp32"}})");
  row("too few channels", R"({"w1": {"type": "int8", "scale": [1], "axis": 0}})",
      "'encodings.w1' has 1 scales, but axis 0 of its tensor needs 2");
  row("too many blocks",
      R"({"w1": {"type": "int8", "scale": [1, 1, 1, 1], "axis": 1, "block_size": 2}})",
      "axis 1 of its tensor needs 2");
  row("no such axis", R"({"w1": {"type": "int8", "scale": [1], "axis": 4}})",
      "has axis 4, but its tensor has 4 axes");
  row("not symmetric", R"({"w1": {"type": "int8", "scale": [1], "zero_point": [1]}})",
      "but the configuration asks for symmetric codes there");
  row("beyond the codes in use", R"({"x": {"type": "uint8", "scale": [1], "zero_point": [200]}})",
      "the codes in use there are 0 … 127", R"("backend": "fbgemm")");
  row("dynamic", R"({"x": {"type": "uint8", "scale": [1]}})", "quantizes dynamically",
      R"("backend": "generic", "default": {"activation": {"mode": "dynamic"}})");
  row("two for one group",
      R"({"c1": {"type": "uint8", "scale": [1]}, "[\"relu\",\"c2\"]": {"type": "uint8", "scale": [2]}})",
      "set different parameters for what shares one grid");
}

void EncodingsTest::contradictionsAreRefused() {
  QFETCH(QString, encodings);
  QFETCH(QString, keys);
  QFETCH(QString, told);
  try {
    encoded(kChain, encodings, keys);
    QFAIL("nothing was refused");
  } catch (const Error& error) {
    QVERIFY2(contains(error.what(), told.toStdString()), error.what());
    QVERIFY2(error.place().key.starts_with("encodings."), error.what());
  }
}

void EncodingsTest::factorsThatDoNotFitAreRefused_data() {
  QTest::addColumn<QString>("equalize");
  QTest::addColumn<QString>("told");
  QTest::newRow("too many") << R"("c1": [1, 2, 4])"
                            << "'repairs.equalize.c1' has 3 factors, but the layer has 2";
  QTest::newRow("of no node") << R"("nobody": [1, 2])"
                              << "'repairs.equalize.nobody' matches no node of the model";
}

void EncodingsTest::factorsThatDoNotFitAreRefused() {
  QFETCH(QString, equalize);
  QFETCH(QString, told);
  try {
    encoded(kChain, "{}", R"("repairs": {"equalize": {)" + equalize + "}}");
    QFAIL("nothing was refused");
  } catch (const Error& error) {
    QVERIFY2(contains(error.what(), told.toStdString()), error.what());
    QVERIFY2(error.place().key.starts_with("repairs.equalize."), error.what());
  }
}

// Of another configuration than the one that was calibrated for.
void EncodingsTest::whatWasNotObservedIsNamed_data() {
  QTest::addColumn<QByteArray>("activation");
  QTest::addColumn<QString>("told");
  QTest::newRow("a moving average")
      << QByteArray(R"("observer": "moving-average:0.3")")
      << "no moving average with the constant 0.3 was kept (value x): calibrate with this observer";
  QTest::newRow("histograms of channels")
      << QByteArray(R"("observer": "mse", "granularity": "per-channel")")
      << "no histograms of channels were kept for the observer mse (value x): use minmax";
}

void EncodingsTest::whatWasNotObservedIsNamed() {
  QFETCH(QByteArray, activation);
  QFETCH(QString, told);
  const QuantizedCase testCase = encoded(kChain, "{}");
  const Configuration config =
      parseConfiguration((R"({"quantscope": 1, "backend": "generic", "default": {"activation": {)" +
                          activation + "}}}")
                             .toStdString(),
                         "config");
  VERIFY_ERROR(quantizeModel(testCase.engine, config, testCase.observations), told.toStdString());
}

void EncodingsTest::whatIsNotQuantizedIsANotice() {
  const QuantizedCase testCase =
      encoded(kChain, R"({"w1": {"type": "int8", "scale": [1]}})", R"("nodes": {"c1": "fp32"})");
  QCOMPARE(testCase.model.notices.size(), std::size_t{1});
  QVERIFY(QString::fromStdString(testCase.model.notices[0])
              .contains("'encodings.w1' has no effect: the constant 'w1' is not quantized"));
}

void EncodingsTest::whatTheBackendDoesNotRunIsANotice() {
  const auto noticesOn = [](const char* backend, const char* encodings) {
    const QuantizedCase testCase = encoded(kChain, encodings, backend);
    return QString::fromStdString(testCase.model.notices.empty() ? "" : testCase.model.notices[0]);
  };
  const char* const channels = R"({"c1": {"type": "uint8", "scale": [1, 2], "axis": 1}})";
  const QString told = noticesOn(R"("backend": "x86")", channels);
  QVERIFY2(told.startsWith("'encodings.c1': simulated as given, but x86 runs Conv with "),
           qPrintable(told));
  // One scale along an axis is one for all.
  const char* const single = R"({"c1": {"type": "uint8", "scale": [1]}})";
  QCOMPARE(noticesOn(R"("backend": "x86")", single), QString());
}

void EncodingsTest::theyAreWrittenAndReadAgain() {
  const Configuration config = parseConfiguration(R"({"quantscope": 1, "encodings": {
      "w": {"type": "int4", "scale": [0.1, 1e-30], "zero_point": [-8, 7], "axis": -1, "block_size": 32},
      "[\"a\",\"b, c\"]": {"type": "fp8e4m3", "scale": [3.5]},
      "[\"[odd]\"]": {"type": "uint4", "scale": 2}},
      "repairs": {"equalize": {"conv": [1, 0.3]}}})",
                                                  "config");
  const std::string text = toJson(config);
  const Configuration again = parseConfiguration(text, "again");
  QVERIFY(again == config);
  QCOMPARE(toJson(again), text);
  const auto& entries = config.encodings->entries;
  QVERIFY(entries[1].first == (PointName{"a", "b, c"}));
  QVERIFY(entries[2].first == (PointName{"[odd]", {}}));
  QVERIFY(entries[2].second.zeroPoints == std::vector<std::int32_t>{8});
}

QUANTSCOPE_TEST(EncodingsTest)
#include "test_encodings.moc"
