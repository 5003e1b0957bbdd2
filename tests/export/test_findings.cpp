#include <QtTest>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "export/findings_text.h"
#include "export/json/findings_json.h"
#include "export/report_fixture.h"
#include "support/test_main.h"

using namespace quantscope;
using nlohmann::ordered_json;

/// Findings and the figures behind them as report.json and findings.txt show them.
class FindingsTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void aFindingAsJson();
  void statisticsAsJson();
  void asText();
  void counts_data();
  void counts();
};

namespace {

Finding outlier() {
  Finding finding;
  finding.id = "outlier//conv";
  finding.detector = "outlier";
  finding.nodeName = "/conv";
  finding.value = ValueId(0);
  finding.channels = {1, 4};
  finding.statistic = std::numeric_limits<double>::infinity();
  finding.threshold = 3.5;
  finding.severity = Severity::Warning;
  finding.confidence = 0.6;
  finding.text = "Two channels hold a few values far out.";
  finding.why = "The range has to reach them.";
  finding.evidence = Evidence::OutlierRatios;
  TensorPrecision clipped;
  clipped.type = QuantType::UInt8;
  clipped.symmetric = false;
  clipped.observer.kind = ObserverSpec::Kind::Mse;
  finding.suggestion = Suggestion{"Clip them.", {{"/conv", {}, clipped, {}}}, 1.25};
  return finding;
}

}  // namespace

void FindingsTest::aFindingAsJson() {
  const test::ReportFixture fixture = test::smallReport();
  const ordered_json finding = findingsJson({outlier()}, *fixture.graph).at(0);
  QVERIFY(finding["id"] == "outlier//conv");
  QVERIFY(finding["value"] == fixture.graph->values()[0].name);
  QVERIFY(finding["channels"] == ordered_json({1, 4}));
  QVERIFY(finding["statistic"] == "Infinity");
  QVERIFY(finding["threshold"] == 3.5);
  QVERIFY(finding["severity"] == "warning");
  QVERIFY(finding["confidence"] == 0.6);
  QVERIFY(finding["evidence"] == "outlier_ratios");
  const ordered_json& suggestion = finding["suggestion"];
  QVERIFY(suggestion["gain_db"] == 1.25);
  QVERIFY(suggestion["bytes"].is_null());
  QVERIFY(!suggestion.contains("estimated") && !suggestion.contains("gain_db_by_output"));
  QCOMPARE(suggestion["changes"].dump(),
           std::string(R"({"/conv":{"activation":{"type":"uint8","symmetric":false,)"
                       R"("granularity":"per-tensor","observer":"mse","mode":"static"}}})"));

  Finding lonely = outlier();
  lonely.suggestion->changes[0].float32 = true;
  const ordered_json left = findingsJson({lonely}, *fixture.graph).at(0);
  QCOMPARE(left["suggestion"]["changes"].dump(), std::string(R"({"/conv":"fp32"})"));

  Finding estimated = outlier();
  estimated.suggestion->gainEstimated = true;
  QVERIFY(findingsJson({estimated}, *fixture.graph).at(0)["suggestion"]["estimated"] == true);

  Finding several = outlier();
  several.suggestion->outputGains = {{"a", 1.25}, {"b", HUGE_VAL}};
  several.suggestion->bytes = -512;
  const ordered_json counted = findingsJson({several}, *fixture.graph).at(0)["suggestion"];
  QCOMPARE(counted["gain_db_by_output"].dump(), std::string(R"({"a":1.25,"b":"Infinity"})"));
  QVERIFY(counted["bytes"] == -512);

  Finding plain = outlier();
  plain.suggestion.reset();
  plain.value = {};
  const ordered_json without = findingsJson({plain}, *fixture.graph).at(0);
  QVERIFY(without["suggestion"].is_null() && without["value"].is_null());
}

void FindingsTest::statisticsAsJson() {
  DetectorReport report;
  report.mode = DetectorMode::PyTorch;
  report.statistics.perChannel = {{"a", {true, false}}};
  report.statistics.dynamicStatic = {{"a", {std::nan(""), 0.25, true}}};
  report.statistics.equalization = {{"a", {{0.5, HUGE_VAL}, {true, false}, true}}};
  report.statistics.outlier = {{"a", {{2, 4}, {false, true}, {true, true}, {8, 7}, {0, 1}}}};
  QCOMPARE(detectorsJson(report).dump(),
           std::string(R"({"mode":"pytorch","per_channel":{"a":{"supported":true,"used":false}},)"
                       R"("dynamic_static":{"a":{"input_s":null,"output_s":0.25,)"
                       R"("dynamic_recommended":true}},)"
                       R"("equalization":{"a":{"s":[0.5,"Infinity"],"recommended":[true,false],)"
                       R"("layer_recommended":true}},)"
                       R"("outlier":{"a":{"ratio":[2.0,4.0],"outlier":[false,true],)"
                       R"("sufficient_batches":[true,true],"batches_used":[8,7],)"
                       R"("constant_batches":[0,1]}}})"));
}

void FindingsTest::asText() {
  DetectorReport report;
  report.findings = {outlier()};
  QCOMPARE(QString::fromStdString(findingsText(report)),
           QString("1 finding: 1 warning (quantscope detectors)\n"
                   "\n"
                   "warning outlier//conv\n"
                   "  Two channels hold a few values far out.\n"
                   "  why: The range has to reach them.\n"
                   "  figure: ∞ against a threshold of 3.50, confidence 60.0 %\n"
                   "  channels: 1, 4\n"
                   "  do: Clip them. (+1.2 dB at the output when simulated)\n"));
  report.findings[0].suggestion->gainDb = -0.31;
  QVERIFY(QString::fromStdString(findingsText(report))
              .endsWith("  do: Clip them. (−0.3 dB at the output when simulated)\n"));
  for (const double none : {0.04, 0.0, -0.04}) {
    report.findings[0].suggestion->gainDb = none;
    QVERIFY(QString::fromStdString(findingsText(report))
                .endsWith("  do: Clip them. (0.0 dB at the output when simulated)\n"));
  }
  report.findings[0].suggestion->gainEstimated = true;
  for (const auto& [gainDb, about] :
       {std::pair(0.049, "≈ 0.0"), {-0.049, "≈ 0.0"}, {-0.26, "≈ −0.3"}}) {
    report.findings[0].suggestion->gainDb = gainDb;
    QVERIFY(
        QString::fromStdString(findingsText(report))
            .contains(
                QString("do: Clip them. (%1 dB at the output, estimated by gradients").arg(about)));
  }
  report.findings[0].suggestion->gainEstimated = false;
  report.findings[0].suggestion->gainDb = 1.25;
  report.findings[0].suggestion->outputGains = {{"a", 1.25}, {"b", -2}};
  report.findings[0].suggestion->bytes = 1536;
  QVERIFY(QString::fromStdString(findingsText(report))
              .endsWith("  do: Clip them. (+1.2 dB at the worst output when simulated, +1.54 kB)\n"
                        "  gains: a +1.2 dB, b −2.0 dB\n"));
  report.findings.clear();
  QCOMPARE(findingsText(report), std::string("no findings (quantscope detectors)\n"));
}

void FindingsTest::counts_data() {
  QTest::addColumn<QList<int>>("severities");
  QTest::addColumn<QString>("text");
  QTest::newRow("none") << QList<int>{} << "no findings";
  QTest::newRow("one") << QList<int>{0} << "1 finding: 1 info";
  QTest::newRow("all kinds") << QList<int>{2, 1, 1, 0}
                             << "4 findings: 1 critical, 2 warnings, 1 info";
}

void FindingsTest::counts() {
  QFETCH(QList<int>, severities);
  QFETCH(QString, text);
  std::vector<Finding> findings;
  for (const int severity : severities) {
    findings.push_back(outlier());
    findings.back().severity = static_cast<Severity>(severity);
  }
  QCOMPARE(QString::fromStdString(findingsCount(findings)), text);
}

QUANTSCOPE_TEST(FindingsTest)
#include "test_findings.moc"
