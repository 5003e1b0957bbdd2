#include <QFile>
#include <QTemporaryDir>
#include <QtTest>

#include "app/gui/files/repaired_folder.h"
#include "support/test_main.h"
#include "ui/repair_bench.h"
#include "widgets/look/text.h"

using namespace quantscope;
using namespace quantscope::test;

namespace {

void writeText(const QString& path, const QByteArray& words) {
  QFile file(path);
  QVERIFY(file.open(QIODevice::WriteOnly));
  file.write(words);
}

QByteArray readText(const QString& path) {
  QFile file(path);
  return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

void repairWith(const RepairBench& bench, const QString& step) {
  bench.choose({step});
  bench.button("Repair").click();
  QTRY_VERIFY_WITH_TIMEOUT(!bench.repair->busy(), 120'000);
  QVERIFY(bench.button("Save and Open…").isEnabled());
}

void setPerChannel(Session& session) {
  Configuration config = session.request().config;
  config.precision.edit([](PrecisionConfig& precision) {
    precision.defaults.weight.granularity.kind = Granularity::Kind::PerChannel;
  });
  session.setConfig(config, QStringLiteral("per channel"));
}

}  // namespace

/// What a repair has won is not lost, and costs no file.
class KeptRepairsTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void theProposedFolderIsFree();
  void theRepairedModelStays();
  void filesAreReplacedOnlyWhenAsked();
  void anEditMeanwhileComesAfterIt();
  void oneOfAnUndoneEditIsTheNewestStep();
  void aFolderThatIsNotChosen();
  void leavingIsAsked();
};

void KeptRepairsTest::theProposedFolderIsFree() {
  const QTemporaryDir folder;
  const std::filesystem::path model = folder.filePath("net.onnx").toStdString();
  QCOMPARE(proposedRepairedFolder(model), folder.filePath("net-repaired"));
  QVERIFY(QDir(folder.path()).mkdir("net-repaired"));
  QCOMPARE(proposedRepairedFolder(model), folder.filePath("net-repaired-2"));
}

void KeptRepairsTest::theRepairedModelStays() {
  const RepairBench bench;
  repairWith(bench, QStringLiteral("bias-correction"));
  const QTemporaryDir folder;
  const QString model = text(bench.window->session().request().model.string());
  QVERIFY(QFile::link(model, folder.filePath("model.onnx")));
  bench.dialogs->repaired = folder.path();
  bench.button("Save and Open…").click();
  QVERIFY(bench.dialogs->asked.last().contains("digits_mobilenet-repaired"));
  QVERIFY(!bench.repair->busy());
  QVERIFY2(bench.repair->asText().contains("would be overwritten"),
           qPrintable(bench.repair->asText()));
  QVERIFY(!QFile::exists(folder.filePath("config.json")));
  QVERIFY(bench.button("Save and Open…").isEnabled());
}

void KeptRepairsTest::filesAreReplacedOnlyWhenAsked() {
  const RepairBench bench;
  repairWith(bench, QStringLiteral("bias-correction"));
  const QTemporaryDir folder;
  writeText(folder.filePath("config.json"), "mine");
  bench.dialogs->repaired = folder.path();
  bench.button("Save and Open…").click();
  QVERIFY(bench.dialogs->asked.last().contains("config.json"));
  QVERIFY(!bench.repair->busy());
  QCOMPARE(readText(folder.filePath("config.json")), QByteArray("mine"));
  bench.dialogs->loses = true;
  bench.button("Save and Open…").click();
  QTRY_VERIFY_WITH_TIMEOUT(!bench.repair->busy(), 60'000);
  QVERIFY(readText(folder.filePath("config.json")) != QByteArray("mine"));
  QList<MainWindow*> opened;
  for (QWidget* each : QApplication::topLevelWidgets()) {
    auto* window = qobject_cast<MainWindow*>(each);
    if (window != nullptr && window != bench.window.get()) opened << window;
  }
  QCOMPARE(opened.size(), 1);
  delete opened.first();
}

// It is a step of the configuration that it repairs, and one leads back to it.
void KeptRepairsTest::anEditMeanwhileComesAfterIt() {
  const RepairBench bench;
  Session& session = bench.window->session();
  const Configuration before = session.request().config;
  bench.choose({"bias-correction"});
  bench.button("Repair").click();
  QVERIFY(bench.repair->busy());
  setPerChannel(session);
  const Configuration edited = session.request().config;
  QTRY_VERIFY_WITH_TIMEOUT(!bench.repair->busy(), 120'000);
  QCOMPARE(session.undoStack().undoText(), QStringLiteral("per channel"));
  QVERIFY(bench.repair->shown().result == nullptr);
  QVERIFY2(bench.repair->asText().contains("“per channel”"), qPrintable(bench.repair->asText()));
  QPushButton& there = bench.button("Go There");
  QVERIFY(there.isVisible());
  there.click();
  QVERIFY(session.request().config == before);
  QTRY_VERIFY_WITH_TIMEOUT(bench.repair->shown().result != nullptr, 60'000);
  QVERIFY(there.isHidden());
  const auto won = bench.repair->shown().result;
  session.undoStack().undo();
  QVERIFY(session.request().config == edited);
  session.undoStack().undo();
  QVERIFY(session.request().config == before);
  QCOMPARE(session.undoStack().undoText(), QStringLiteral("repair the model"));
  QTRY_COMPARE_WITH_TIMEOUT(bench.repair->shown().result, won, 60'000);
  session.undoStack().redo();
  QVERIFY(session.request().config == edited);
}

void KeptRepairsTest::oneOfAnUndoneEditIsTheNewestStep() {
  const RepairBench bench;
  Session& session = bench.window->session();
  setPerChannel(session);
  QTRY_VERIFY_WITH_TIMEOUT(session.snapshot()->request.config == session.request().config, 60'000);
  bench.choose({"bias-correction"});
  QTRY_VERIFY_WITH_TIMEOUT(bench.button("Repair").isEnabled(), 60'000);
  bench.button("Repair").click();
  QVERIFY(bench.repair->busy());
  session.undoStack().undo();
  QTRY_VERIFY_WITH_TIMEOUT(!bench.repair->busy(), 120'000);
  QCOMPARE(session.undoStack().undoText(), QStringLiteral("repair the model"));
  QVERIFY2(bench.repair->asText().contains("Another configuration was repaired"),
           qPrintable(bench.repair->asText()));
  bench.button("Go There").click();
  QTRY_VERIFY_WITH_TIMEOUT(bench.repair->shown().result != nullptr, 60'000);
}

void KeptRepairsTest::aFolderThatIsNotChosen() {
  const RepairBench bench;
  repairWith(bench, QStringLiteral("bias-correction"));
  const auto shown = bench.repair->asText();
  bench.button("Save and Open…").click();
  QVERIFY(!bench.repair->busy());
  QCOMPARE(bench.repair->asText(), shown);
}

void KeptRepairsTest::leavingIsAsked() {
  const RepairBench bench;
  MainWindow& window = *bench.window;
  bench.choose({"equalize", "bias-correction"});
  bench.button("Repair").click();
  QVERIFY(bench.repair->busy());
  QVERIFY(!window.close());
  QVERIFY(window.isVisible());
  QVERIFY(bench.dialogs->asked.last().startsWith("A repair is not done"));
  bench.button("Cancel").click();
  QTRY_VERIFY_WITH_TIMEOUT(!bench.repair->busy(), 60'000);
  const auto asked = bench.dialogs->asked.size();
  QVERIFY(window.close());
  QCOMPARE(bench.dialogs->asked.size(), asked);
}

QUANTSCOPE_TEST(KeptRepairsTest)
#include "test_kept_repairs.moc"
