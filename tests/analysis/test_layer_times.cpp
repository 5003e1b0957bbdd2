#include <QtTest>
#include <nlohmann/json.hpp>

#include "analysis/cost/layer_times.h"
#include "analysis/cost/model_time.h"
#include "base/error.h"
#include "base/workers.h"
#include "calibration/calibrate.h"
#include "calibration/sample_set.h"
#include "precision/edits/type_choices.h"
#include "support/configuration_keys.h"
#include "support/graph_text.h"
#include "support/memory_source.h"
#include "support/test_main.h"

using namespace quantscope;
using namespace quantscope::test;

/// Tables of times: what is in them, what they make of a model, and what this machine gives.
class LayerTimesTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void conversionsByHand_data();
  void conversionsByHand();
  void oneConversionForAllReaders();
  void writtenAndRead();
  void mistakesNameTheirPath_data();
  void mistakesNameTheirPath();
  void missingLayers();
  void namesOfNothing();
  void typesAndBackendsOfOthers();
  void everyLayerIsTimed();
};

namespace {

// Three layers in a row, of which two move or halve what they get.
constexpr const char* kThreeLayers = R"(
  input x:float[1,8,24,24]
  w:float[8,8,3,3]
  v:float[8,8,1,1]
  a = Conv(x, w) pads=[1,1,1,1] @one
  t = Transpose(a) perm=[0,1,3,2] @turn
  b = Conv(t, v) @two
  c = Log(b) @log
  output c
)";

constexpr const char* kTable = R"({
  "quantscope_cost": 1, "device": "by hand",
  "layers": {
    "one": {"fp32": {"us": 100}, "int8": {"us": 30}},
    "turn": {"fp32": {"us": 8}, "int8": {"us": 2, "estimated": true}},
    "two": {"fp32": {"us": 50}, "int8": {"us": 20}},
    "log": {"fp32": {"us": 7}}
  },
  "conversions": {
    "x": {"quantize_us": 1, "dequantize_us": 1.5},
    "a": {"quantize_us": 3, "dequantize_us": 4},
    "t": {"quantize_us": 5, "dequantize_us": 6},
    "b": {"quantize_us": 9, "dequantize_us": 10}
  }
})";

struct TimedCase {
  explicit TimedCase(const char* text = kThreeLayers)
      : graph(graphFromText(text)),
        engine(graph, workers),
        samples(std::make_unique<MemorySource>(graph->inputs()[0],
                                               randomSamples({1, 8, 24, 24}, 2, 3))) {}

  QuantizedModel modelUnder(const std::string& keys) {
    const Configuration config = configurationWith(keys);
    JobContext job(workers);
    return quantizeModel(engine, config, calibrate(engine, samples, {}, job));
  }

  Workers workers{2};
  std::shared_ptr<const Graph> graph;
  Engine engine;
  SampleSet samples;
};

}  // namespace

void LayerTimesTest::conversionsByHand_data() {
  QTest::addColumn<QString>("keys");
  QTest::addColumn<double>("time");
  // x to codes, one, turn and two on codes, b to float, log.
  QTest::newRow("quantized") << "" << 1.0 + 30 + 2 + 20 + 10 + 7;
  // t is in float as a is, and is rounded for two.
  QTest::newRow("first in float") << R"("nodes": {"one": "fp32"})" << 100.0 + 8 + 5 + 20 + 10 + 7;
  QTest::newRow("second in float") << R"("nodes": {"two": "fp32"})" << 1.0 + 30 + 2 + 6 + 50 + 7;
  QTest::newRow("float") << R"("default": "fp32")" << 100.0 + 8 + 50 + 7;
}

void LayerTimesTest::conversionsByHand() {
  QFETCH(QString, keys);
  QFETCH(double, time);
  const CostTable table = parseCostTable(kTable, "table");
  TimedCase testCase;
  const QuantizedModel model = testCase.modelUnder(keys.toStdString());
  QVERIFY2(modelTime(table, *testCase.graph, model) == time,
           qPrintable(QString::number(modelTime(table, *testCase.graph, model))));
  QVERIFY(floatTime(table, *testCase.graph, model) == 165);
}

void LayerTimesTest::oneConversionForAllReaders() {
  TimedCase testCase(R"(
    input x:float[1,8,24,24]
    w:float[8,8,1,1]
    a = Conv(x, w) @one
    b = Conv(x, w) @two
    output a
    output b
  )");
  const CostTable table = parseCostTable(
      R"({"quantscope_cost": 1, "layers": {"one": {"fp32": {"us": 9}, "int8": {"us": 4}},
          "two": {"fp32": {"us": 9}, "int8": {"us": 4}}},
          "conversions": {"x": {"quantize_us": 1, "dequantize_us": 0}}})",
      "table");
  QVERIFY(modelTime(table, *testCase.graph, testCase.modelUnder("")) == 9);
}

void LayerTimesTest::writtenAndRead() {
  const CostTable table = parseCostTable(kTable, "table");
  QVERIFY(table.layers.at("turn").at(QuantType::Int8).estimated);
  QVERIFY(parseCostTable(toJson(table).dump(), "again") == table);
}

void LayerTimesTest::mistakesNameTheirPath_data() {
  QTest::addColumn<QString>("text");
  QTest::addColumn<QString>("path");
  const auto row = [](const char* what, const QString& layers, const QString& path) {
    QTest::newRow(what) << R"({"quantscope_cost": 1, "layers": )" + layers + "}" << path;
  };
  row("no time", R"({"a": {"fp32": {"us": -1}}})", "layers.a.fp32.us");
  row("no number", R"({"a": {"fp32": {"us": "1"}}})", "layers.a.fp32.us");
  row("beyond float32", R"({"a": {"fp32": {"us": 1e306}}})", "layers.a.fp32.us' is too large");
  row("no float", R"({"a": {"int8": {"us": 1}}})", "layers.a' has no key 'fp32");
  row("unknown type", R"({"a": {"fp32": {"us": 1}, "int9": {"us": 1}}})", "layers.a.int9");
  row("unsigned type", R"({"a": {"fp32": {"us": 1}, "uint8": {"us": 1}}})", "layers.a.uint8");
  row("unknown key", R"({"a": {"fp32": {"ms": 1}}})", "layers.a.fp32");
  QTest::newRow("version") << R"({"quantscope_cost": 2, "layers": {}})"
                           << "quantscope_cost";
  QTest::newRow("no layers") << R"({"quantscope_cost": 1})"
                             << "layers";
  QTest::newRow("conversion")
      << R"({"quantscope_cost": 1, "layers": {}, "conversions": {"x": {"quantize_us": 1}}})"
      << "conversions.x' has no key 'dequantize_us";
}

void LayerTimesTest::mistakesNameTheirPath() {
  QFETCH(QString, text);
  QFETCH(QString, path);
  try {
    parseCostTable(text.toStdString(), "cost.json");
    QFAIL("a mistake was read");
  } catch (const Error& error) {
    const QString message = QString::fromStdString(error.what());
    QVERIFY2(error.code() == ErrorCode::InvalidConfiguration, qPrintable(message));
    QVERIFY2(message.contains("'" + path), qPrintable(message));
    QVERIFY2(message.contains("cost.json"), qPrintable(message));
  }
}

void LayerTimesTest::missingLayers() {
  CostTable table = parseCostTable(kTable, "table");
  TimedCase testCase;
  const QuantizedModel model = testCase.modelUnder("");
  requireAllLayers(table, *testCase.graph, model, "cost.json");
  table.layers.erase("two");
  QVERIFY_EXCEPTION_THROWN(requireAllLayers(table, *testCase.graph, model, "cost.json"), Error);
  table = parseCostTable(kTable, "table");
  for (auto& [node, times] : table.layers) times[QuantType::Float32].microseconds = 0;
  try {
    requireAllLayers(table, *testCase.graph, model, "cost.json");
    QFAIL("nothing takes time");
  } catch (const Error& error) {
    QVERIFY(QString(error.what()).startsWith("'layers' has no layer that takes any time in fp32"));
  }
}

void LayerTimesTest::namesOfNothing() {
  CostTable table = parseCostTable(kTable, "table");
  const TimedCase testCase;
  QVERIFY(costNotices(table, *testCase.graph, "x86").empty());
  table.layers["three"] = table.layers.at("two");
  table.conversions["z"] = {};
  QVERIFY((costNotices(table, *testCase.graph, "x86") ==
           std::vector<std::string>{"'layers.three' of the cost table is no layer of the model",
                                    "'conversions.z' of the cost table is no value of the model"}));
  table = parseCostTable(kTable, "table");
  table.conversions.clear();
  QCOMPARE(costNotices(table, *testCase.graph, "x86").size(), std::size_t{1});
  CostTable estimates;
  estimates.layers["a"] = {{QuantType::Int8, {1, false}}, {QuantType::Int4, {1, true}}};
  estimates.layers["b"] = {{QuantType::Int8, {1, false}}};
  QVERIFY(timeNotices(estimates, {{"a", QuantType::Int8}, {"b", QuantType::Int8}}).empty());
  estimates.layers["c"] = {{QuantType::Int4, {1, false}}};
  const auto notices = timeNotices(estimates, {{"a", QuantType::Int4}, {"c", QuantType::Int4}});
  QCOMPARE(notices.size(), std::size_t{1});
  QVERIFY(notices[0].ends_with(": int4 in 1 of 2 layers"));
}

// Nothing is taken silently for what it is not.
void LayerTimesTest::typesAndBackendsOfOthers() {
  CostTable table = parseCostTable(kTable, "table");
  const auto notices = timeNotices(
      table, {{"one", QuantType::Int8}, {"log", QuantType::Int8}, {"one", QuantType::Float16}});
  QVERIFY((notices == std::vector<std::string>{
                          "the cost table has no times of fp16 in 1 of 1 layers, int8 in 1 of 2 "
                          "layers: they are counted as those of fp32"}));
  const TimedCase testCase;
  table.backend = "qnnpack";
  QVERIFY(parseCostTable(toJson(table).dump(), "table") == table);
  QVERIFY(costNotices(table, *testCase.graph, "qnnpack").empty());
  QVERIFY((costNotices(table, *testCase.graph, "x86") ==
           std::vector<std::string>{
               "the cost table is for the backend qnnpack, the configuration for x86"}));
}

// Whatever the machine: every layer has every type, kernels and estimates are told apart, and what
// is measured is more than nothing.
void LayerTimesTest::everyLayerIsTimed() {
  TimedCase testCase;
  const QuantizedModel model = testCase.modelUnder("");
  const JobContext job(testCase.workers);
  const CostTable table = measureLayerTimes(testCase.engine, model, testCase.samples.read(0), job);
  requireAllLayers(table, *testCase.graph, model, "measured");
  for (const auto& [node, times] : table.layers) {
    QCOMPARE(times.size(), wholeTypes().size());
    QVERIFY2(times.at(QuantType::Float32).microseconds > 0, node.c_str());
    QVERIFY2(!times.at(QuantType::Float32).estimated, node.c_str());
    QVERIFY2(times.at(QuantType::Int16).estimated, node.c_str());
    for (const auto& [type, time] : times) {
      const bool slower = time.microseconds > times.at(QuantType::Float32).microseconds;
      QVERIFY2(!(time.estimated && slower), node.c_str());
    }
  }
  QVERIFY(!table.layers.at("one").at(QuantType::Int8).estimated);
  QVERIFY(table.layers.at("log").at(QuantType::Int8).estimated);
  for (const char* value : {"x", "a", "b"}) {
    QVERIFY2(table.conversions.at(value).quantize > 0, value);
    QVERIFY2(table.conversions.at(value).dequantize > 0, value);
  }
}

QUANTSCOPE_TEST(LayerTimesTest)
#include "test_layer_times.moc"
