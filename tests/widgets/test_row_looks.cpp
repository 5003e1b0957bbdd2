#include <QtTest>

#include "support/test_main.h"
#include "widgets/tables/row_looks.h"

using namespace quantscope;

class RowLooksTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void operatorsAreNeverCutShort();
};

void RowLooksTest::operatorsAreNeverCutShort() {
  const QFontMetrics metrics{QFont()};
  const char* all = "Conv + BN + Clip";
  const int width = metrics.horizontalAdvance(QString(all));
  const int lead = metrics.horizontalAdvance(QStringLiteral("Conv"));
  QCOMPARE(operatorsFitting(all, metrics, width), QString(all));
  QCOMPARE(operatorsFitting(all, metrics, width - 1), QStringLiteral("Conv"));
  QCOMPARE(operatorsFitting(all, metrics, lead), QStringLiteral("Conv"));
  QCOMPARE(operatorsFitting(all, metrics, lead - 1), QString());
  QCOMPARE(operatorsFitting(all, metrics, -20), QString());
}

QUANTSCOPE_TEST(RowLooksTest)
#include "test_row_looks.moc"
