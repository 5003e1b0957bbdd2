#include <QSignalSpy>
#include <QtTest>
#include <optional>

#include "app/gui/session.h"
#include "jobs/analysis/keep_analysis.h"
#include "support/sample_snapshot.h"
#include "support/test_main.h"
#include "ui/result_watch.h"

using namespace quantscope;
using namespace quantscope::test;

namespace {

// A small sample that is open and analysed.
struct OpenSession {
  OpenSession() {
    session.open(sampleRequest("digits_mobilenet", 4));
    results.wait();
  }

  /// Asks for other data.
  void use(const std::string& data) {
    AnalysisRequest request = session.request();
    request.data = data;
    session.setData(request);
  }

  Session session;
  const ResultWatch results{session};
};

std::optional<double> sqnrOf(const SnapshotPtr& snapshot) {
  return snapshot->result->outputs.front().error.sqnrDb;
}

}  // namespace

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
  void choicesOfDataAreToldApart();
  void labelsThatCannotBeReadAreNoStep();
  void whatStandsIsTakenUp();
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
  OpenSession open;
  Session& session = open.session;
  const SnapshotPtr before = session.snapshot();
  PrecisionConfig config = *session.request().config.precision;
  config.defaults.weight.granularity = Granularity{};
  session.setConfig(config, QStringLiteral("per-tensor weights"));
  QVERIFY(session.stale());
  open.results.wait();
  QVERIFY(session.snapshot()->result->scheme != before->result->scheme);
  QCOMPARE(session.undoStack().undoText(), QStringLiteral("per-tensor weights"));
  session.undoStack().undo();
  open.results.wait();
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
  OpenSession open;
  Session& session = open.session;
  const SnapshotPtr before = session.snapshot();
  const QSignalSpy cancelled(&session.controller(), &AnalysisController::cancelled);
  session.restart();
  session.controller().cancel();
  open.results.wait();
  QCOMPARE(cancelled.count(), 1);
  QVERIFY(session.snapshot() == before);
}

void SessionTest::anErrorKeepsWhatThereWas() {
  OpenSession open;
  Session& session = open.session;
  const SnapshotPtr before = session.snapshot();
  QString sentence;
  connect(&session.controller(), &AnalysisController::failed, this,
          [&](const Error& error) { sentence = QString::fromUtf8(error.what()); });
  open.use("/nowhere.npz");
  open.results.wait();
  QVERIFY2(sentence.contains(QStringLiteral("/nowhere.npz")), qPrintable(sentence));
  QVERIFY(session.snapshot()->model.graph == before->model.graph);
}

void SessionTest::otherDataIsAStep() {
  OpenSession open;
  Session& session = open.session;
  const SnapshotPtr before = session.snapshot();
  const std::string start = session.request().data;
  open.use("random:6");
  open.results.wait();
  QCOMPARE(session.undoStack().undoText(), QStringLiteral("use random:6 as data"));
  QCOMPARE(session.document().files().data.path, std::string("random:6"));
  const SnapshotPtr other = session.snapshot();
  QVERIFY(other->data != before->data);
  session.undoStack().undo();
  QCOMPARE(session.request().data, start);
  open.results.wait();
  QVERIFY(!session.stale());
  QCOMPARE(sqnrOf(session.snapshot()), sqnrOf(before));
  session.undoStack().redo();
  QCOMPARE(session.request().data, std::string("random:6"));
  open.results.wait();
  QCOMPARE(sqnrOf(session.snapshot()), sqnrOf(other));
  // The first samples of a model are no step: there is nothing to go back to.
  AnalysisRequest structure = sampleRequest("digits_mobilenet", 4);
  structure.data.clear();
  session.open(structure);
  open.results.wait();
  structure.data = "random:4";
  session.setData(structure);
  open.results.wait();
  QVERIFY(!session.undoStack().canUndo());
}

void SessionTest::dataThatCannotBeReadIsNoStep() {
  OpenSession open;
  Session& session = open.session;
  const std::string start = session.request().data;
  connect(&session.controller(), &AnalysisController::failed, &session, &Session::keepWhatIsShown);
  open.use("/nowhere.npz");
  QVERIFY(session.undoStack().canUndo());
  open.results.wait();
  QCOMPARE(session.undoStack().count(), 0);
  QVERIFY(session.document().journal().empty());
  QCOMPARE(session.request().data, start);
  QCOMPARE(session.document().files().data.path, start);
  QVERIFY(!session.stale());
}

void SessionTest::choicesOfDataAreToldApart() {
  OpenSession open;
  Session& session = open.session;
  const auto words = [&](const auto& change) {
    AnalysisRequest request = session.request();
    change(request);
    session.setData(request);
    return session.undoStack().undoText();
  };
  using Request = AnalysisRequest;
  QCOMPARE(words([](Request& request) { request.source.samples = 2; }),
           QStringLiteral("use 2 samples of digits_mobilenet.npz"));
  QCOMPARE(words([](Request& request) { request.source.samples.reset(); }),
           QStringLiteral("use all samples of digits_mobilenet.npz"));
  QCOMPARE(words([](Request& request) { request.calibration = "random:3"; }),
           QStringLiteral("calibrate with random:3"));
  QCOMPARE(words([](Request& request) { request.calibration.clear(); }),
           QStringLiteral("calibrate with digits_mobilenet.npz"));
  QCOMPARE(words([](Request& request) { request.labels = "/some/labels.csv"; }),
           QStringLiteral("use labels.csv as labels"));
  QCOMPARE(words([](Request& request) { request.labels.clear(); }),
           QStringLiteral("use no labels"));
  QCOMPARE(words([](Request& request) { request.batch = 2; }),
           QStringLiteral("read digits_mobilenet.npz anew"));
  QCOMPARE(words([](Request& request) { request.data = "random:3"; }),
           QStringLiteral("use random:3 as data"));
  QCOMPARE(session.undoStack().count(), 8);
}

// The samples are those that are shown.
void SessionTest::labelsThatCannotBeReadAreNoStep() {
  OpenSession open;
  Session& session = open.session;
  const ChosenData start = session.document().data();
  connect(&session.controller(), &AnalysisController::failed, &session, &Session::keepWhatIsShown);
  AnalysisRequest request = session.request();
  request.labels = "/nowhere.csv";
  session.setData(request);
  open.results.wait();
  QCOMPARE(session.undoStack().count(), 0);
  QVERIFY(session.document().data() == start);
  QVERIFY(chosenData(session.request()) == start);
}

// Files that have moved and repairs of an older project, which no edit knows of.
void SessionTest::whatStandsIsTakenUp() {
  Document document;
  document.setFiles({.model = {"/net.onnx", "01", "2"}, .data = {"/a.npz", "34", "5"}});
  ChosenData other = document.data();
  other.data = "/b.npz";
  document.apply(DataChoice{"use b.npz as data", document.data(), other});
  document.apply(RepairDecision{"try equalize", {.configuration = "0123", .heldOutDb = 1}});
  document.moveTo(1);
  document.setFiles({.model = {"/net.onnx", "01", "2"}, .data = {"/moved/b.npz", "34", "5"}});
  document.setRepairs({.configuration = "4567", .heldOutDb = 2});
  document.keep("first", document.configuration());
  Session session;
  session.resume(document, nullptr, Session::Resumed::Nothing);
  QVERIFY(session.document() == document);
  QCOMPARE(session.undoStack().count(), 2);
  QCOMPARE(session.undoStack().index(), 1);
}

QUANTSCOPE_TEST(SessionTest)
#include "test_session.moc"
