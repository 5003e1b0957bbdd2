#include <QtTest>

#include "base/job_context.h"
#include "base/workers.h"
#include "support/test_main.h"

using namespace quantscope;

/// What a job tells of its progress.
class JobContextTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void remainingTime_data();
  void remainingTime();
};

void JobContextTest::remainingTime_data() {
  QTest::addColumn<QByteArray>("stage");
  QTest::addColumn<bool>("known");
  QTest::newRow("a stage") << QByteArray("Calibrating") << true;
  QTest::newRow("one of several alike") << QByteArray("Simulating suggestion 12 of 101") << false;
}

void JobContextTest::remainingTime() {
  QFETCH(QByteArray, stage);
  QFETCH(bool, known);
  const Workers workers(1);
  Progress told;
  JobContext job(workers, [&](const Progress& progress) { told = progress; });
  job.beginStage(stage.toStdString(), 10);
  QVERIFY(told.remaining.count() < 0);
  job.advance(4);
  QCOMPARE(told.remaining.count() >= 0, known);
}

QUANTSCOPE_TEST(JobContextTest)
#include "test_job_context.moc"
