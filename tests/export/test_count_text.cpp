#include <QtTest>

#include "export/count_text.h"
#include "support/test_main.h"

using namespace quantscope;

class CountTextTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void threeDigitsAndAPower_data();
  void threeDigitsAndAPower();
};

void CountTextTest::threeDigitsAndAPower_data() {
  QTest::addColumn<double>("count");
  QTest::addColumn<QString>("text");
  QTest::newRow("none") << 0.0 << "0";
  QTest::newRow("as it is") << 812.0 << "812";
  QTest::newRow("thousands") << 4550.0 << "4.55 thousand";
  QTest::newRow("rounds up to the next power") << 999'700.0 << "1.00 million";
  QTest::newRow("the largest power") << 4.1e12 << "4,100 billion";
}

void CountTextTest::threeDigitsAndAPower() {
  QFETCH(const double, count);
  QFETCH(const QString, text);
  QCOMPARE(QString::fromStdString(countInWords(count)), text);
}

QUANTSCOPE_TEST(CountTextTest)
#include "test_count_text.moc"
