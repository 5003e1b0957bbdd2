#include <QtTest>
#include <limits>

#include "analysis/errors/class_drop.h"
#include "support/test_main.h"

using namespace quantscope;

class ClassDropTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void sensitiveBeyondOneInAHundred_data();
  void sensitiveBeyondOneInAHundred();
  void worstSamplesFirst();
};

void ClassDropTest::sensitiveBeyondOneInAHundred_data() {
  QTest::addColumn<double>("agreement");
  QTest::addColumn<double>("accuracy");  // before it was 0.9; below 0: no labels
  QTest::addColumn<bool>("sensitive");
  QTest::addColumn<double>("agreementBefore");
  QTest::newRow("one of a hundred") << 0.99 << -1.0 << false << 1.0;
  QTest::newRow("two of a hundred") << 0.98 << -1.0 << true << 1.0;
  QTest::newRow("neither") << 0.99 << 0.89 << false << 1.0;
  QTest::newRow("only agreement") << 0.9 << 0.89 << true << 1.0;
  QTest::newRow("only accuracy") << 1.0 << 0.88 << true << 1.0;
  QTest::newRow("as bad as before") << 0.4 << -1.0 << false << 0.4;
  QTest::newRow("better than before") << 0.9 << 0.95 << false << 0.4;
  QTest::newRow("worse than before") << 0.38 << -1.0 << true << 0.4;
}

void ClassDropTest::sensitiveBeyondOneInAHundred() {
  QFETCH(double, agreement);
  QFETCH(double, accuracy);
  QFETCH(bool, sensitive);
  QFETCH(double, agreementBefore);
  OutputResult scores;
  OutputResult before;
  scores.top1Agreement = agreement;
  before.top1Agreement = agreementBefore;
  if (accuracy >= 0) {
    scores.accuracyQuantized = accuracy;
    before.accuracyQuantized = 0.9;
  }
  QVERIFY(isSensitive({OutputResult(), scores}, {OutputResult(), before}) == sensitive);
  QVERIFY(!isSensitive({OutputResult()}, {OutputResult()}).has_value());
}

void ClassDropTest::worstSamplesFirst() {
  OutputResult output;
  const float infinity = std::numeric_limits<float>::infinity();
  output.sampleSqnrDb = {20, std::nanf(""), -3, infinity, 12};
  const std::vector<SampleError> worst = worstSamples(output, 3);
  QCOMPARE(worst.size(), std::size_t{3});
  QCOMPARE(worst[0].sample, std::size_t{2});
  QCOMPARE(worst[1].sample, std::size_t{4});
  QCOMPARE(worst[2].sample, std::size_t{0});
  QCOMPARE(worstSamples(output, 9).size(), std::size_t{4});
}

QUANTSCOPE_TEST(ClassDropTest)
#include "test_class_drop.moc"
