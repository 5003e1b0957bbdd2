#include <QtTest>
#include <sstream>

#include "support/test_main.h"

using namespace quantscope::test;

/// What a test program says of itself in the end: a program that tested nothing has not passed.
class TallyTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void logsAreRead_data();
  void logsAreRead();
};

void TallyTest::logsAreRead_data() {
  QTest::addColumn<QByteArray>("lines");
  QTest::addColumn<int>("passed");
  QTest::addColumn<int>("skipped");
  QTest::addColumn<bool>("allSkipped");
  const QByteArray frame = "PASS   : PeerTest::initTestCase()\n";
  const QByteArray skip = "SKIP   : PeerTest::values(x) no onnxruntime\n   Loc: [test.cpp(12)]\n";
  const QByteArray pass = "PASS   : PeerTest::names()\n";
  QTest::newRow("nothing") << QByteArray() << 0 << 0 << false;
  QTest::newRow("all skipped") << frame + skip + skip + "PASS   : PeerTest::cleanupTestCase()\n"
                               << 0 << 2 << true;
  QTest::newRow("skipped at once")
      << QByteArray("SKIP   : PeerTest::initTestCase() no onnxruntime\n") << 0 << 1 << true;
  QTest::newRow("one passed") << frame + skip + pass << 1 << 1 << false;
  QTest::newRow("all passed") << frame + pass + pass << 2 << 0 << false;
}

void TallyTest::logsAreRead() {
  QFETCH(QByteArray, lines);
  std::istringstream log(lines.toStdString());
  const TestTally tally = tallyOf(log);
  QTEST(tally.passed, "passed");
  QTEST(tally.skipped, "skipped");
  QTEST(tally.allSkipped(), "allSkipped");
  QVERIFY(tally.failures.empty());
}

QUANTSCOPE_TEST(TallyTest)
#include "test_tally.moc"
