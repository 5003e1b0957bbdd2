#include <QtTest>
#include <limits>

#include "repair/output_judge.h"
#include "support/error_text.h"
#include "support/test_main.h"

using namespace quantscope;

namespace {

// An output of which each sample has the same error.
MeasuredOutputs measured(double sqnrDb, std::size_t samples) {
  OutputResult output;
  output.value = "y";
  output.error.count = 1;
  output.error.sqnrDb = sqnrDb;
  output.sampleSqnrDb.assign(samples, static_cast<float>(sqnrDb));
  return {{output}, {output}};
}

}  // namespace

class OutputJudgeTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void severalSamplesTellAGain();
  void oneSampleTellsNothing();
  void aLostFigureIsNoGain();
  void changedShapesStayUnjudged();
};

void OutputJudgeTest::severalSamplesTellAGain() {
  const StepGain gain = judgeStep(measured(20, 4), measured(22, 4));
  QCOMPARE(gain.heldOutDb, 2.0);
  QVERIFY2(gain.refusal.empty(), gain.refusal.c_str());
}

void OutputJudgeTest::oneSampleTellsNothing() {
  const StepGain gain = judgeStep(measured(20, 1), measured(32, 1));
  QCOMPARE(gain.heldOutDb, 12.0);
  QVERIFY2(test::contains(gain.refusal, "within two standard errors"), gain.refusal.c_str());
}

void OutputJudgeTest::aLostFigureIsNoGain() {
  MeasuredOutputs after = measured(20, 4);
  for (OutputResult* output : {&after.fit[0], &after.heldOut[0]}) {
    output->error.sqnrDb.reset();
    output->sampleSqnrDb.clear();
  }
  const StepGain gain = judgeStep(measured(20, 4), after);
  QVERIFY2(test::contains(gain.refusal, "no figure"), gain.refusal.c_str());
}

void OutputJudgeTest::changedShapesStayUnjudged() {
  const double infinity = std::numeric_limits<double>::infinity();
  const StepGain left = judgeStep(measured(-infinity, 4), measured(-infinity, 4));
  QVERIFY2(test::contains(left.refusal, "changes its shape"), left.refusal.c_str());
  const StepGain mended = judgeStep(measured(-infinity, 4), measured(20, 4));
  QVERIFY2(mended.refusal.empty(), mended.refusal.c_str());
}

QUANTSCOPE_TEST(OutputJudgeTest)
#include "test_output_judge.moc"
