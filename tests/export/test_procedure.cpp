#include "export/report/procedure.h"

#include <QtTest>
#include <algorithm>

#include "export/report_fixture.h"
#include "support/test_main.h"

using namespace quantscope;

namespace {

const ProcedureStep& stepOf(const std::vector<ProcedureStep>& steps, ProcedureStage stage) {
  const auto found = std::ranges::find(steps, stage, &ProcedureStep::stage);
  if (found == steps.end()) qFatal("no such step");
  return *found;
}

OutputResult outputWith(const std::string& name, double sqnrDb) {
  OutputResult output;
  output.value = name;
  output.error.sqnrDb = sqnrDb;
  return output;
}

struct Case {
  AnalysisResult result = test::smallReport().result;
  DetectorReport detectors;
  std::vector<LadderStep> ladder;
  WorkDone work;

  ProcedureStep at(ProcedureStage stage) const {
    return stepOf(procedureOf(result, &detectors, ladder, work), stage);
  }
  QString sentence(ProcedureStage stage) const {
    return QString::fromStdString(at(stage).sentence);
  }
};

}  // namespace

/// The steps from a float network to a verified export: their figures, and what counts as done.
class ProcedureTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void allStepsInOrder();
  void floatNeedsRealData();
  void partsNameWhatCostsMore_data();
  void partsNameWhatCostsMore();
  void partsAreOfTheWorstOutput();
  void layersCountTheBadOnes();
  void fixes();
  void whatWasWon();
  void nothingHasRun();
};

void ProcedureTest::allStepsInOrder() {
  const Case one;
  const std::vector<ProcedureStep> steps =
      procedureOf(one.result, &one.detectors, one.ladder, one.work);
  QCOMPARE(steps.size(), std::size_t{7});
  for (std::size_t i = 0; i < steps.size(); ++i) {
    QCOMPARE(static_cast<std::size_t>(steps[i].stage), i);
    QVERIFY(!steps[i].title.empty() && !steps[i].sentence.empty());
  }
}

void ProcedureTest::floatNeedsRealData() {
  Case one;
  one.result.samples = 24;
  one.result.synthetic = false;
  for (OutputResult& output : one.result.outputs) output.accuracyFloat.reset();
  QVERIFY(one.at(ProcedureStage::Float).done);
  QVERIFY(one.sentence(ProcedureStage::Float).startsWith("24 samples, no labels"));
  one.result.outputs.front().accuracyFloat = 0.925;
  QCOMPARE(one.sentence(ProcedureStage::Float),
           QString("The float network is right on 92.5 % of 24 samples."));
  one.result.synthetic = true;
  QVERIFY(!one.at(ProcedureStage::Float).done);
}

void ProcedureTest::partsNameWhatCostsMore_data() {
  QTest::addColumn<double>("weights");
  QTest::addColumn<double>("activations");
  QTest::addColumn<QString>("verdict");
  const double infinity = std::numeric_limits<double>::infinity();
  QTest::newRow("weights") << 8.2 << 21.3 << " The weights cost more.";
  QTest::newRow("activations") << 47.5 << 7.2 << " The activations cost more.";
  QTest::newRow("alike") << 20.0 << 21.5 << " Both cost about the same.";
  QTest::newRow("weights exact") << infinity << 30.0 << " The activations cost more.";
  QTest::newRow("both exact") << infinity << infinity << "";
}

void ProcedureTest::partsNameWhatCostsMore() {
  QFETCH(const double, weights);
  QFETCH(const double, activations);
  QFETCH(const QString, verdict);
  Case one;
  QVERIFY(!one.at(ProcedureStage::Parts).done);
  one.ladder = {{"prob", weights, activations, 6.5}};
  QVERIFY(one.at(ProcedureStage::Parts).done);
  const QString sentence = one.sentence(ProcedureStage::Parts);
  QCOMPARE(sentence.section(" with both.", 1), verdict);
}

void ProcedureTest::partsAreOfTheWorstOutput() {
  Case one;
  one.result.outputs = {outputWith("good", 30), outputWith("bad", 10)};
  one.ladder = {{"good", 40.0, 31.0, 30.0}, {"bad", 11.0, 40.0, 10.0}};
  QVERIFY(one.sentence(ProcedureStage::Parts).startsWith("bad: 11.0 dB with weights alone"));
}

void ProcedureTest::layersCountTheBadOnes() {
  Case one;
  std::size_t bad = 0;
  const LayerResult* worst = nullptr;
  for (LayerResult& layer : one.result.layers) {
    if (!layer.local || !layer.local->total.sqnrDb || layer.dataMover) continue;
    if (*layer.local->total.sqnrDb < 30) ++bad;
    if (worst == nullptr || *layer.local->total.sqnrDb < *worst->local->total.sqnrDb)
      worst = &layer;
  }
  QVERIFY(worst != nullptr);
  const QString sentence = one.sentence(ProcedureStage::Layers);
  QVERIFY2(sentence.contains("the worst is " + QString::fromStdString(worst->name)),
           qPrintable(sentence));
  const QString count = bad == 0 ? QString("No layer is") : QString::number(bad) + " layer";
  QVERIFY2(sentence.startsWith(count), qPrintable(sentence));
}

void ProcedureTest::fixes() {
  Case one;
  QVERIFY(!one.at(ProcedureStage::Fixes).done);
  one.work.proposal = "set conv1 to FP16: 6.2 → 37.1 dB";
  QVERIFY(!one.at(ProcedureStage::Fixes).done);
  QCOMPARE(one.sentence(ProcedureStage::Fixes),
           QString("Best next change: set conv1 to FP16: 6.2 → 37.1 dB."));
  one.work.edits = {"set a to FP16", "set b to FP16"};
  QVERIFY(one.at(ProcedureStage::Fixes).done);
  QCOMPARE(one.sentence(ProcedureStage::Fixes),
           QString("2 changes: set a to FP16; set b to FP16. Next: set conv1 to FP16: 6.2 → 37.1 "
                   "dB."));
  one.work = {.nothingHelps = true};
  QVERIFY(one.at(ProcedureStage::Fixes).done);
}

void ProcedureTest::whatWasWon() {
  Case one;
  one.result.samples = 24;
  one.result.outputs = {outputWith("prob", 14.9)};
  one.result.summary.quantizedBytes = 1030;
  one.work.startDb = 7.2;
  one.work.startBytes = 1000;
  QVERIFY(!one.at(ProcedureStage::Measured).done);  // nothing was changed
  one.work.edits = {"set a to FP16"};
  QVERIFY(one.at(ProcedureStage::Measured).done);
  QCOMPARE(one.sentence(ProcedureStage::Measured),
           QString("Worst output: 7.20 dB → 14.9 dB, +3.00 % bytes of constants, on 24 samples."));
  QVERIFY(!one.at(ProcedureStage::Exported).done);
  one.work.exported = "model.onnx agrees to 100 %.";
  QVERIFY(one.at(ProcedureStage::Exported).done);
  QCOMPARE(one.sentence(ProcedureStage::Exported), QString("model.onnx agrees to 100 %."));
}

// A model without data: every step says what it waits for, and none is done.
void ProcedureTest::nothingHasRun() {
  for (const ProcedureStep& step : procedureOf({}, nullptr, {}, {})) {
    QVERIFY2(!step.done, step.title.c_str());
    QVERIFY2(!step.sentence.empty(), step.title.c_str());
  }
}

QUANTSCOPE_TEST(ProcedureTest)
#include "test_procedure.moc"
