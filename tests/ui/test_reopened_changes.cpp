#include <QtTest>

#include "analysis/analysis_result_bytes.h"
#include "app/gui/comparison.h"
#include "support/test_main.h"
#include "ui/project_window.h"
#include "widgets/shell/headline_bar.h"

using namespace quantscope;
using namespace quantscope::test;

/// What a project is compared with is there again when it is opened, without being measured.
class ReopenedChangesTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void init();
  void theStateBefore();
  void aKeptConfiguration();
  void theLastStateBefore();
  void noneWhereThereWasNone();
  void undoneAtOnce();

 private:
  QString file() const { return m_folder->filePath(QStringLiteral("work.quantscope")); }

  std::unique_ptr<QTemporaryDir> m_folder;
};

namespace {

QStringList changesOf(const TestWindow& window) {
  QStringList changes;
  for (const HeadlineItem& item : window->headline().items()) {
    if (!item.change.isEmpty()) changes << item.caption + u' ' + item.value + u' ' + item.change;
  }
  return changes;
}

/// B as it is when a project has told all that it keeps; a measurement of it would take longer.
SnapshotPtr openedWith(const TestWindow& window, const QString& file) {
  SnapshotPtr other;
  const auto look = [&] { other = window->comparison().snapshot(); };
  const auto connection = QObject::connect(&window->session().controller(),
                                           &AnalysisController::resumed, window.window.get(), look);
  openProject(window, file);
  QObject::disconnect(connection);
  return other;
}

}  // namespace

void ReopenedChangesTest::init() {
  OrderedWork::instance().finish();
  m_folder = std::make_unique<QTemporaryDir>();
}

void ReopenedChangesTest::theStateBefore() {
  QStringList changes;
  std::string before;
  {
    const Workbench bench("digits_mobilenet", 4);
    setToFloat(bench, bench.layer(bench.worstLayer()).node);
    changes = changesOf(bench);
    before = analysisResultToBytes(*bench->comparison().snapshot()->result);
    saveAs(bench, file());
  }
  QVERIFY(!changes.isEmpty());
  const TestWindow window;
  const SnapshotPtr other = openedWith(window, file());
  QVERIFY(other);
  QVERIFY(analysisResultToBytes(*other->result) == before);
  QCOMPARE(changesOf(window), changes);
  QVERIFY(window.action(ActionId::Delta)->isEnabled());
}

void ReopenedChangesTest::aKeptConfiguration() {
  QStringList changes;
  Configuration start;
  {
    const Workbench bench("digits_mobilenet", 4);
    start = bench->session().request().config;
    bench.action(ActionId::KeepConfiguration)->trigger();
    setToFloat(bench, bench.layer(bench.worstLayer()).node);
    setToFloat(bench, bench.layer(bench.worstLayer()).node);
    QTRY_VERIFY(bench->comparison().snapshot() != nullptr);
    changes = changesOf(bench);
    saveAs(bench, file());
  }
  QVERIFY(!changes.isEmpty());
  const TestWindow window;
  const SnapshotPtr other = openedWith(window, file());
  QVERIFY(other);
  QVERIFY(other->request.config == start);
  QCOMPARE(window->comparison().name(), QStringLiteral("Configuration 1"));
  QCOMPARE(changesOf(window), changes);
  // The state before is another one, and there as well.
  window->comparison().choose({});
  QVERIFY(window->comparison().snapshot() != nullptr);
  QVERIFY(window->comparison().snapshot()->request.config != start);
}

void ReopenedChangesTest::theLastStateBefore() {
  QStringList changes;
  {
    const Workbench bench;
    setToFloat(bench, bench.layer(bench.worstLayer()).node);
    saveAs(bench, file());
    setToFloat(bench, bench.layer(bench.worstLayer()).node);
    changes = changesOf(bench);
    // Closed at once: there is no pause in which it could be written.
  }
  const TestWindow window;
  QVERIFY(openedWith(window, file()));
  QCOMPARE(changesOf(window), changes);
}

void ReopenedChangesTest::noneWhereThereWasNone() {
  {
    const Workbench bench;
    setToFloat(bench, bench.layer(bench.worstLayer()).node);
    saveAs(bench, file());
    bench.dialogs->data = QStringLiteral("random:3");
    bench.action(ActionId::ChooseData)->trigger();
    bench.waitForEnd();
    QVERIFY(bench->comparison().snapshot() == nullptr);
  }
  const TestWindow window;
  QVERIFY(!openedWith(window, file()));
  QCOMPARE(changesOf(window), QStringList());
}

void ReopenedChangesTest::undoneAtOnce() {
  Configuration start;
  {
    const Workbench bench("digits_mobilenet", 4);
    start = bench->session().request().config;
    setToFloat(bench, bench.layer(bench.worstLayer()).node);
    saveAs(bench, file());
  }
  const TestWindow window;
  const SnapshotPtr before = openedWith(window, file());
  QVERIFY(before);
  window.action(ActionId::Undo)->trigger();
  window.waitForEnd();
  QVERIFY(window->session().request().config == start);
  QVERIFY(window->session().snapshot()->quantized == before->quantized);
}

QUANTSCOPE_TEST(ReopenedChangesTest)
#include "test_reopened_changes.moc"
