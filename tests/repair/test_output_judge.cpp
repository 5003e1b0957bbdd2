#include <QtTest>

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

QUANTSCOPE_TEST(OutputJudgeTest)
#include "test_output_judge.moc"
