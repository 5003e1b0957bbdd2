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
  void otherDataIsAStep();
  void dataThatCannotBeReadIsNoStep();
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

void SessionTest::otherDataIsAStep() {
  Session session;
  const ResultWatch results(session);
  session.open(sampleRequest("digits_mobilenet", 4));
  results.wait();
  const SnapshotPtr before = session.snapshot();
  AnalysisRequest request = session.request();
  const std::string start = request.data;
  request.data = "random:6";
  session.setData(request);
  results.wait();
  QCOMPARE(session.undoStack().undoText(), QStringLiteral("use random:6 as data"));
  QCOMPARE(session.document().files().data.path, std::string("random:6"));
  const SnapshotPtr other = session.snapshot();
  QVERIFY(other->data != before->data);
  session.undoStack().undo();
  QCOMPARE(session.request().data, start);
  results.wait();
  QVERIFY(!session.stale());
  QCOMPARE(session.snapshot()->result->outputs.front().error.sqnrDb,
           before->result->outputs.front().error.sqnrDb);
  session.undoStack().redo();
  QCOMPARE(session.request().data, std::string("random:6"));
  results.wait();
  QCOMPARE(session.snapshot()->result->outputs.front().error.sqnrDb,
           other->result->outputs.front().error.sqnrDb);
  // The first samples of a model are no step: there is nothing to go back to.
  AnalysisRequest structure = sampleRequest("digits_mobilenet", 4);
  structure.data.clear();
  session.open(structure);
  results.wait();
  structure.data = "random:4";
  session.setData(structure);
  results.wait();
  QVERIFY(!session.undoStack().canUndo());
}

void SessionTest::dataThatCannotBeReadIsNoStep() {
  Session session;
  const ResultWatch results(session);
  session.open(sampleRequest("digits_mobilenet", 4));
  results.wait();
  const std::string start = session.request().data;
  connect(&session.controller(), &AnalysisController::failed, &session, &Session::keepWhatIsShown);
  AnalysisRequest request = session.request();
  request.data = "/nowhere.npz";
  session.setData(request);
  QVERIFY(session.undoStack().canUndo());
  results.wait();
  QCOMPARE(session.undoStack().count(), 0);
  QVERIFY(session.document().journal().empty());
  QCOMPARE(session.request().data, start);
  QCOMPARE(session.document().files().data.path, start);
  QVERIFY(!session.stale());
}

QUANTSCOPE_TEST(SessionTest)
#include "test_session.moc"
