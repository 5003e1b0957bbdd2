#include <QTemporaryDir>
#include <QtTest>

#include "cli/command_line.h"
#include "support/test_main.h"
#include "support/test_paths.h"
#include "support/write_file.h"

using namespace quantscope::test;
using nlohmann::json;

/// `bench edit`: what it prints, not how fast it is.
class BenchEditTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void everyQuantizedLayerIsEdited();
  void refusesWhereNothingIsQuantized();
};

namespace {

const QString kModel = QUANTSCOPE_SAMPLES_DIRECTORY "/digits_mobilenet.onnx";

}  // namespace

void BenchEditTest::everyQuantizedLayerIsEdited() {
  const Outcome outcome = runCli({"bench", "edit", kModel, "--data", "random:3", "--json", "-"});
  QVERIFY2(outcome.status == 0 && outcome.err.isEmpty(), describe(outcome));
  const json result = json::parse(outcome.out.toStdString());
  QCOMPARE(result.at("samples").get<int>(), 3);
  QVERIFY(result.at("edits").get<int>() > 5);
  for (const char* key :
       {"own_ms", "first_sample_ms", "all_ms", "worst_all_ms", "undo_ms", "peak_rss_mib"}) {
    QVERIFY2(result.at(key).get<double>() > 0, key);
  }
  QVERIFY(result.at("own_ms").get<double>() <= result.at("first_sample_ms").get<double>());
  QVERIFY(result.at("first_sample_ms").get<double>() <= result.at("all_ms").get<double>());
  const double share = result.at("forward_equivalents").get<double>();
  QVERIFY(share > 0.1 && share < 0.9);
}

void BenchEditTest::refusesWhereNothingIsQuantized() {
  const QTemporaryDir folder;
  const std::string config =
      writeFile(folder, "float.json", R"({"quantscope": 1, "default": "fp32"})");
  const Outcome outcome = runCli(
      {"bench", "edit", kModel, "--data", "random:1", "--config", QString::fromStdString(config)});
  QCOMPARE(outcome.status, 1);
  QVERIFY2(outcome.err.contains("no layer is quantized"), describe(outcome));
}

QUANTSCOPE_TEST(BenchEditTest)
#include "test_bench_edit.moc"
