#include <QtTest>
#include <bit>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "export/json/report_json.h"
#include "export/report_fixture.h"
#include "support/test_main.h"

using namespace quantscope;
using nlohmann::ordered_json;
using test::ReportFixture;
using test::smallReport;

namespace {

ordered_json reportOf(const ReportFixture& fixture) {
  return ordered_json::parse(
      reportJson(fixture.result, fixture.config, *fixture.graph, {}, fixture.cost, {}));
}

ordered_json nodeOf(const ordered_json& report, const std::string& name) {
  for (const ordered_json& node : report["nodes"]) {
    if (node["node"] == name) return node;
  }
  return {};
}

}  // namespace

class ReportJsonTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void hasTheKeysThatScriptsRelyOn();
  void describesAFusedLayer();
  void missingNumbersAreNull();
  void numbersComeBackBitByBit_data();
  void numbersComeBackBitByBit();
  void infinitiesAreStrings();
  void carriesTheConfiguration();
  void namesThatAreNotUtf8StayReadable();
  void oneLinePerNode();
};

void ReportJsonTest::hasTheKeysThatScriptsRelyOn() {
  const ordered_json report = reportOf(smallReport());
  QVERIFY(report["quantscope"] == 1);
  QVERIFY(report["model"] == "small.onnx");
  QVERIFY(report["samples"] == 8);
  QVERIFY(report["synthetic"] == false);
  QVERIFY(report["nodes"].size() == 9);
  for (const char* key : {"value", "sqnr_db", "cosine", "kl", "top1_agreement", "accuracy_float",
                          "accuracy_quantized"}) {
    QVERIFY2(report["outputs"][0].contains(key), key);
  }
  QVERIFY(report["summary"]["nodes_by_type"]["int8"] == 2);
  QVERIFY(report["summary"]["true_compression"] == 3.81);
  QVERIFY(report["summary"]["macs_above_8_bits"] == 0.1875);
  QVERIFY(report["summary"]["macs"] == 4'550'000);
  QVERIFY(report["summary"]["mean_bits"] == 8.5);
  QVERIFY(report["not_computed"][0]["operator"] == "Strange");
  QVERIFY(report["not_computed"][0]["domain"] == "com.example");
  QVERIFY(report["findings"] == ordered_json::array());
  for (const char* key : {"per_channel", "dynamic_static", "equalization", "outlier"}) {
    QVERIFY2(report["detectors"].contains(key), key);
  }
}

void ReportJsonTest::describesAFusedLayer() {
  const ordered_json node = nodeOf(reportOf(smallReport()), "/features/conv1/Conv");
  QVERIFY(node["op"] == "Conv");
  QVERIFY(node["scope"] == "/features/conv1");
  QVERIFY(node["params"] == 112);
  QVERIFY(node["output"] == "relu1");
  QVERIFY(node["channel_axis"] == 1);
  QVERIFY(node["fused"] ==
          ordered_json({"/features/conv1/Conv", "/features/conv1/Norm", "/features/conv1/Relu"}));
  QVERIFY(node["weight"]["type"] == "int8");
  QVERIFY(node["weight"]["granularity"] == "per-channel:0");
  QVERIFY(node["activation"]["type"] == "uint8");
  QVERIFY(node["local"]["sqnr_db"] == 41.25);
  QVERIFY(node["accumulated"]["sqnr_db"] == 38.5);
  QVERIFY(node["local"]["rmse_over_scale"] == 0.31);
  QVERIFY(node["channels"]["local_sqnr_db"].size() == 4);
  QVERIFY(node["samples"]["accumulated_sqnr_db"].size() == 8);
}

void ReportJsonTest::missingNumbersAreNull() {
  const ordered_json report = reportOf(smallReport());
  const ordered_json notComputed = nodeOf(report, "/odd");
  QVERIFY(notComputed["local"]["sqnr_db"].is_null());
  QVERIFY(notComputed["accumulated"]["cosine"].is_null());
  QVERIFY(notComputed["weight"].is_null());
  QVERIFY(notComputed["clipped_share"].is_null());
  const ordered_json noSignal = nodeOf(report, "/gate/then/keep");
  QVERIFY(noSignal["local"]["sqnr_db"].is_null());
  QVERIFY(noSignal["local"]["mse"] == 0.0);
}

void ReportJsonTest::numbersComeBackBitByBit_data() {
  QTest::addColumn<double>("value");
  QTest::newRow("a tenth") << 0.1;
  QTest::newRow("a third") << 1.0 / 3;
  QTest::newRow("needs 17 digits") << 0.1 + 0.2;
  QTest::newRow("largest") << std::numeric_limits<double>::max();
  QTest::newRow("smallest normal") << std::numeric_limits<double>::min();
  QTest::newRow("denormal") << std::numeric_limits<double>::denorm_min();
  QTest::newRow("next to one") << std::nextafter(1.0, 2.0);
  QTest::newRow("minus zero") << -0.0;
}

void ReportJsonTest::numbersComeBackBitByBit() {
  QFETCH(double, value);
  ReportFixture fixture = smallReport();
  fixture.layer("/classifier").local->total.mse = value;
  const double back = nodeOf(reportOf(fixture), "/classifier")["local"]["mse"].get<double>();
  QCOMPARE(std::bit_cast<std::uint64_t>(back), std::bit_cast<std::uint64_t>(value));
}

void ReportJsonTest::infinitiesAreStrings() {
  ReportFixture fixture = smallReport();
  fixture.layer("/classifier").local->channelSqnrDb = {-std::numeric_limits<double>::infinity(),
                                                       std::nan(""), 3.5};
  const ordered_json report = reportOf(fixture);
  QVERIFY(nodeOf(report, "/features/Mul")["accumulated"]["sqnr_db"] == "Infinity");
  QVERIFY(nodeOf(report, "/classifier")["channels"]["local_sqnr_db"] ==
          ordered_json({"-Infinity", nullptr, 3.5}));
}

void ReportJsonTest::carriesTheConfiguration() {
  const ReportFixture fixture = smallReport();
  const ordered_json config = reportOf(fixture)["config"];
  QVERIFY(config["nodes"]["/features/Mul"] == "fp32");
  QVERIFY(parseConfiguration(config.dump(), "config") == fixture.config);
}

void ReportJsonTest::namesThatAreNotUtf8StayReadable() {
  ReportFixture fixture = smallReport();
  fixture.layer("/classifier").name = "bad\xFF\"name\n";
  const ordered_json report = reportOf(fixture);
  QVERIFY(report["nodes"].back()["node"] == "bad\xEF\xBF\xBD\"name\n");
}

void ReportJsonTest::oneLinePerNode() {
  const ReportFixture fixture = smallReport();
  const std::string text =
      reportJson(fixture.result, fixture.config, *fixture.graph, {}, fixture.cost, {});
  QVERIFY(text.find("\n  {\"node\":\"/features/Add\",") != std::string::npos);
  QCOMPARE(text.back(), '\n');
}

QUANTSCOPE_TEST(ReportJsonTest)
#include "test_report_json.moc"
