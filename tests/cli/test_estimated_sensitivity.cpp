#include <QtTest>

#include "cli/command_line.h"
#include "support/test_main.h"

using namespace quantscope::test;
using nlohmann::json;

namespace {

QStringList estimating(const QStringList& more) {
  return QStringList{"sensitivity", sampleFile("digits_mobilenet.onnx"),
                     "--data",      sampleFile("digits_mobilenet.npz"),
                     "--types",     "int8,int4",
                     "--samples",   "8",
                     "--quiet",     "--estimate",
                     "gradients"} +
         more;
}

json resultOf(const QStringList& arguments) {
  const Outcome outcome = runCli(arguments);
  if (outcome.status != 0) qFatal("%s", describe(outcome).constData());
  return json::parse(outcome.out.toStdString());
}

}  // namespace

class EstimatedSensitivityTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void rowsSayThatTheyAreEstimated();
  void someAreMeasured();
  void allAreMeasured();
  void shardsMerge();
  void refusals_data();
  void refusals();
  void benchComparesBoth();
};

void EstimatedSensitivityTest::rowsSayThatTheyAreEstimated() {
  const json result = resultOf(estimating({}));
  QVERIFY(result.at("nodes").size() > 20);
  QCOMPARE(result.at("rows").get<std::size_t>(), result.at("nodes").size());
  QVERIFY(result.at("forward_passes").is_null());
  QCOMPARE(result.at("estimate").at("method").get<std::string>(), std::string("gradients"));
  QCOMPARE(result.at("estimate").at("probes").get<int>(), 4);
  QVERIFY(result.at("estimate").at("spearman").is_null());
  double before = -1000;
  for (const json& row : result.at("nodes")) {
    QVERIFY(row.at("estimated").get<bool>());
    QVERIFY(row.at("output_kl").is_null());
    QVERIFY(row.at("local_sqnr_db").is_number());
    const double sqnr = row.at("output_sqnr_db").get<double>();
    QVERIFY(sqnr >= before);
    before = sqnr;
  }
}

void EstimatedSensitivityTest::someAreMeasured() {
  const json estimated = resultOf(estimating({}));
  const json result = resultOf(estimating({"--measure", "5"}));
  QCOMPARE(result.at("estimate").at("measured").get<int>(), 5);
  QVERIFY(result.at("estimate").at("spearman").is_number());
  QSet<QString> measured;
  for (const json& row : result.at("nodes")) {
    if (row.at("estimated").get<bool>()) continue;
    QVERIFY(row.at("output_kl").is_number());
    QVERIFY(row.at("estimated_sqnr_db").is_number());
    measured << QString::fromStdString(row.at("node").get<std::string>() +
                                       row.at("type").get<std::string>());
  }
  QCOMPARE(measured.size(), 5);
  for (std::size_t i = 0; i < 5; ++i) {
    const json& row = estimated.at("nodes")[i];
    QVERIFY(measured.contains(QString::fromStdString(row.at("node").get<std::string>() +
                                                     row.at("type").get<std::string>())));
  }
}

// The measured rows are those of a run without estimates.
void EstimatedSensitivityTest::allAreMeasured() {
  const json result = resultOf(estimating({"--measure", "all"}));
  const json plain = resultOf({"sensitivity", sampleFile("digits_mobilenet.onnx"), "--data",
                               sampleFile("digits_mobilenet.npz"), "--types", "int8,int4",
                               "--samples", "8", "--quiet"});
  QVERIFY(result.at("estimate").at("spearman").get<double>() >= 0.9);
  QCOMPARE(result.at("nodes").size(), plain.at("nodes").size());
  for (std::size_t i = 0; i < plain.at("nodes").size(); ++i) {
    json row = result.at("nodes")[i];
    row.erase("estimated");
    row.erase("estimated_sqnr_db");
    QVERIFY(row == plain.at("nodes")[i]);
  }
}

void EstimatedSensitivityTest::shardsMerge() {
  const QTemporaryDir folder;
  const QString whole = folder.filePath("whole.json");
  QStringList parts;
  QCOMPARE(runCli(estimating({"--json", whole, "--threads", "1"})).status, 0);
  for (const char* shard : {"1/2", "2/2"}) {
    parts << folder.filePath(QString("part%1.json").arg(parts.size()));
    QCOMPARE(runCli(estimating({"--json", parts.back(), "--shard", shard})).status, 0);
  }
  const QString merged = folder.filePath("merged.json");
  QCOMPARE(runCli(QStringList{"merge"} + parts + QStringList{"--json", merged}).status, 0);
  QCOMPARE(QByteArray::fromStdString(readBytes(merged)),
           QByteArray::fromStdString(readBytes(whole)));
}

void EstimatedSensitivityTest::refusals_data() {
  QTest::addColumn<QStringList>("more");
  QTest::addColumn<QString>("told");
  QTest::newRow("around config") << QStringList{"--around", "config"} << "--around config";
  QTest::newRow("resume") << QStringList{"--resume", "x.json"} << "--resume";
  QTest::newRow("measured shard") << QStringList{"--measure", "3", "--shard", "1/2"} << "--shard";
  QTest::newRow("no number") << QStringList{"--measure", "some"} << "'some'";
  QTest::newRow("no probes") << QStringList{"--probes", "0"} << "--probes";
}

void EstimatedSensitivityTest::refusals() {
  QFETCH(QStringList, more);
  QFETCH(QString, told);
  const Outcome outcome = runCli(estimating(more));
  QVERIFY2(outcome.status == 2 && outcome.out.isEmpty(), describe(outcome));
  QVERIFY2(outcome.err.contains(told), describe(outcome));
}

void EstimatedSensitivityTest::benchComparesBoth() {
  const json result = resultOf({"bench", "gradients", sampleFile("digits_mobilenet.onnx"), "--data",
                                sampleFile("digits_mobilenet.npz"), "--types", "int8", "--samples",
                                "4", "--quiet", "--json", "-"});
  QVERIFY(result.at("weights").get<int>() > 10);
  QVERIFY(result.at("backward_ms_per_sample").get<double>() > 0);
  QVERIFY(result.at("estimate_forward_equivalents").get<double>() > 0);
  QCOMPARE(result.at("estimated").get<int>(), result.at("rows").get<int>());
  QVERIFY(result.at("spearman").get<double>() > 0.8);
}

QUANTSCOPE_TEST(EstimatedSensitivityTest)
#include "test_estimated_sensitivity.moc"
