#include <QtTest>

#include "cli/command_line.h"
#include "support/test_main.h"

using namespace quantscope::test;
using nlohmann::json;

/// `bench kernels` on arrays small enough for a test: what it prints, not how fast it is.
class BenchKernelsTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void jsonHoldsEveryKernel();
  void filterChooses();
  void textIsATable();
  void refusesAnUnknownName();
};

namespace {

const QStringList& quickly() {
  static const QStringList command{"bench",    "kernels", "--size",    "1",
                                   "--rounds", "1",       "--threads", "2"};
  return command;
}

}  // namespace

void BenchKernelsTest::jsonHoldsEveryKernel() {
  const Outcome outcome = runCli(quickly() + QStringList{"--json", "-"});
  QVERIFY2(outcome.status == 0 && outcome.err.isEmpty(), describe(outcome));
  const json result = json::parse(outcome.out.toStdString());
  QVERIFY(result.at("threads") == 2);
  for (const char* key : {"copy_gb_per_s", "read_gb_per_s", "gdiv_per_s", "gop_per_s"}) {
    QVERIFY2(result.at(key).get<double>() > 0, key);
  }
  QStringList names;
  for (const json& kernel : result.at("kernels")) {
    names << QString::fromStdString(kernel.at("name").get<std::string>());
    QVERIFY2(kernel.at("elements").get<std::size_t>() > 0, qPrintable(names.back()));
    QVERIFY2(kernel.at("gelem_per_s").get<double>() > 0, qPrintable(names.back()));
    QVERIFY2(kernel.at("fraction_of_limit").get<double>() > 0, qPrintable(names.back()));
  }
  QCOMPARE(names.removeDuplicates(), qsizetype{0});
  for (const char* name :
       {"fake_quantize/int8/per-tensor", "fake_quantize/uint8/per-tensor",
        "fake_quantize/int4/per-tensor", "fake_quantize/fp8e4m3/per-tensor",
        "fake_quantize/fp8e5m2/per-tensor", "fake_quantize/fp16/per-tensor",
        "fake_quantize/bf16/per-tensor", "fake_quantize/ternary/per-tensor",
        "fake_quantize/int8/per-channel", "fake_quantize/int8/per-channel:0",
        "fake_quantize/int8/per-channel:last", "fake_quantize/int4/per-group:32",
        "fake_quantize/int8/per-tensor/l2", "min_max/per-tensor", "min_max/per-channel",
        "histogram/2048", "model_report/per-channel", "error_sums"}) {
    QVERIFY2(names.contains(name), name);
  }
}

void BenchKernelsTest::filterChooses() {
  const Outcome outcome = runCli(
      quickly() + QStringList{"--filter", "histogram", "--filter", "error_s", "--json", "-"});
  QVERIFY2(outcome.status == 0, describe(outcome));
  const json kernels = json::parse(outcome.out.toStdString()).at("kernels");
  QCOMPARE(kernels.size(), std::size_t{3});
  QVERIFY(kernels[0].at("name") == "histogram/2048");
  QVERIFY(kernels[0].at("elements") == 262144);
  QVERIFY(kernels[1].at("name") == "histogram/2048/large");
  QVERIFY(kernels[2].at("name") == "error_sums");
}

void BenchKernelsTest::textIsATable() {
  const Outcome outcome = runCli(quickly() + QStringList{"--filter", "error_sums"});
  QVERIFY2(outcome.status == 0 && outcome.err.isEmpty(), describe(outcome));
  QVERIFY2(outcome.out.startsWith("threads 2, copy "), describe(outcome));
  QVERIFY2(outcome.out.contains(QRegularExpression("\nerror_sums +262144 +[0-9.]+ +[0-9.]+  read")),
           describe(outcome));
}

void BenchKernelsTest::refusesAnUnknownName() {
  const Outcome outcome =
      runCli(quickly() + QStringList{"--filter", "int8", "--filter", "no such kernel"});
  QVERIFY2(faultOfRefusal(outcome, "no such kernel", "leave the filter out").isEmpty(),
           describe(outcome));
}

QUANTSCOPE_TEST(BenchKernelsTest)
#include "test_bench_kernels.moc"
