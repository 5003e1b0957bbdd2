// The words and flags of a repair's report.

#include <QtTest>
#include <nlohmann/json.hpp>

#include "export/json/repair_json.h"
#include "support/error_text.h"
#include "support/test_main.h"

using namespace quantscope;
using namespace quantscope::test;

class RepairReportTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void optimisticGainsAreFlagged();
  void theTextHasAllFigures();
  void heldOutFiguresAreQualified();
};

// A gain on the samples that a step was fitted to, which others do not confirm.
void RepairReportTest::optimisticGainsAreFlagged() {
  RepairResult result;
  StepReport& step = result.steps.emplace_back();
  step.step = "round";
  const auto flagged = [&](double fit, double heldOut) {
    step.gainFitDb = fit;
    step.gainHeldOutDb = heldOut;
    const bool json = test::contains(repairJson(result).dump(), "\"overfits\":true");
    const bool text = test::contains(repairText(result), "that figure is optimistic");
    if (json != text) qFatal("the report and its text differ");
    return json;
  };
  QVERIFY(flagged(3, 1));
  QVERIFY(flagged(3, -0.5));
  QVERIFY(!flagged(3, 2.5));
  QVERIFY(!flagged(-0.5, -1));
}

void RepairReportTest::theTextHasAllFigures() {
  RepairResult result;
  StepReport& step = result.steps.emplace_back();
  step.step = "split-channels";
  step.gainHeldOutDb = 1;
  step.inserted = 2;
  step.kl = 0.0123;
  step.top1Agreement = 0.958;
  result.refused = {{"conv1", "its weight is empty"}};
  result.unsafePairs = 1234;
  result.raisedScales = 1;
  result.raisedGainHeldOutDb = -0.05;
  result.unfitBiases = 2;
  result.whyUnfit = "output 'y' loses more than 0.1 dB";
  const std::string words = repairText(result);
  for (const char* each : {"KL 0.0123", "top-1 agreement 95.8 %", "2 operators inserted",
                           "1 layer refused, such as conv1: its weight is empty",
                           "so that the integer bias fits: -0.05 dB held out",
                           "2 biases still do not fit into their integers: output 'y' loses",
                           "1,234 pairs of weights may overflow sums of 16 bits"}) {
    QVERIFY2(test::contains(words, each), words.c_str());
  }
}

void RepairReportTest::heldOutFiguresAreQualified() {
  RepairResult result;
  const auto tells = [&](const char* words) {
    const bool json = test::contains(repairJson(result).dump(), words);
    const bool text = test::contains(repairText(result), words);
    if (json != text) qFatal("the report and its text differ");
    return json;
  };
  QVERIFY(!tells("optimistic"));
  result.steps.emplace_back().step = "round";
  result.heldOutSamples = 8;
  result.recordings = "the samples are frames of one recording";
  QVERIFY(tells("held-out figures are optimistic"));
  QVERIFY(tells("ranges are observed on all samples"));
  QVERIFY(tells("frames of one recording"));
  result.calibratedApart = true;
  QVERIFY(!tells("ranges are observed on all samples"));
  QVERIFY(!test::contains(repairText(result), "held out once"));
  result.folds = 2;
  QVERIFY(test::contains(repairText(result), "8 held out once each"));
}

QUANTSCOPE_TEST(RepairReportTest)
#include "test_repair_report.moc"
