#include <QSignalSpy>
#include <QtTest>

#include "app/gui/session.h"
#include "support/sample_snapshot.h"
#include "support/test_main.h"
#include "ui/result_watch.h"

using namespace quantscope;
using namespace quantscope::test;

class SessionTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void opensAndAnalyses();
  void changesOfTheConfigurationAreUndone();
  void theNewestRequestWins();
  void cancelKeepsWhatThereWas();
  void anErrorKeepsWhatThereWas();
};

void SessionTest::opensAndAnalyses() {
  Session session;
  const ResultWatch results(session);
  session.open(sampleRequest("digits_mobilenet", 4));
  QVERIFY(session.controller().running());
  results.wait();
  QVERIFY(session.snapshot()->stage == AnalysisSnapshot::Stage::Complete);
  QVERIFY(!session.stale());
}

void SessionTest::changesOfTheConfigurationAreUndone() {
  Session session;
  const ResultWatch results(session);
  session.open(sampleRequest("digits_mobilenet", 4));
  results.wait();
  const SnapshotPtr before = session.snapshot();
  PrecisionConfig config = *session.request().config.precision;
  config.defaults.weight.granularity = Granularity{};
  session.setConfig(config, QStringLiteral("per-tensor weights"));
  QVERIFY(session.stale());
  results.wait();
  QVERIFY(session.snapshot()->result->scheme != before->result->scheme);
  QCOMPARE(session.undoStack().undoText(), QStringLiteral("per-tensor weights"));
  session.undoStack().undo();
  results.wait();
  QCOMPARE(session.snapshot()->result->scheme, before->result->scheme);
}

void SessionTest::theNewestRequestWins() {
  Session session;
  const ResultWatch results(session);
  session.open(sampleRequest("digits_mobilenet", 400));
  session.open(sampleRequest("digits_transformer", 4));
  results.wait();
  QCOMPARE(session.snapshot()->result->model, std::string("digits_transformer.onnx"));
}

void SessionTest::cancelKeepsWhatThereWas() {
  Session session;
  const ResultWatch results(session);
  session.open(sampleRequest("digits_mobilenet", 4));
  results.wait();
  const SnapshotPtr before = session.snapshot();
  const QSignalSpy cancelled(&session.controller(), &AnalysisController::cancelled);
  session.restart();
  session.controller().cancel();
  results.wait();
  QCOMPARE(cancelled.count(), 1);
  QVERIFY(session.snapshot() == before);
}

void SessionTest::anErrorKeepsWhatThereWas() {
  Session session;
  const ResultWatch results(session);
  session.open(sampleRequest("digits_mobilenet", 4));
  results.wait();
  const SnapshotPtr before = session.snapshot();
  AnalysisRequest request = session.request();
  request.data = "/nowhere.npz";
  QString sentence;
  connect(&session.controller(), &AnalysisController::failed, this,
          [&](const Error& error) { sentence = QString::fromUtf8(error.what()); });
  session.setData(request);
  results.wait();
  QVERIFY2(sentence.contains(QStringLiteral("/nowhere.npz")), qPrintable(sentence));
  QVERIFY(session.snapshot()->model.graph == before->model.graph);
}

QUANTSCOPE_TEST(SessionTest)
#include "test_session.moc"
