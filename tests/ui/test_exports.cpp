#include <QComboBox>
#include <QDir>
#include <QFileInfo>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QtTest>

#include "analysis/errors/worst_output.h"
#include "base/number_text.h"
#include "export/report/markdown_text.h"
#include "jobs/analysis/explain_errors.h"
#include "jobs/export/export_model.h"
#include "jobs/export/export_report.h"
#include "jobs/work_done.h"
#include "support/test_main.h"
#include "ui/repair_bench.h"
#include "ui/workbench.h"
#include "widgets/export/export_dialog.h"
#include "widgets/export/export_targets.h"
#include "widgets/look/text.h"

using namespace quantscope;
using namespace quantscope::test;

namespace {

/// The workbench with the dialog open.
struct ExportBench : Workbench {
  explicit ExportBench(const std::string& sample = "digits_mobilenet") : Workbench(sample) {
    window->actions().at(ActionId::Export)->trigger();
    dialog = window->findChild<ExportDialog*>();
  }
  QPushButton& button(const QString& title) const {
    for (auto* each : dialog->findChildren<QPushButton*>()) {
      if (each->text() == title) return *each;
    }
    qFatal("no button %s", qPrintable(title));
  }
  QLineEdit& file() const { return *dialog->findChild<QLineEdit*>(); }
  QString words() const { return dialog->findChild<QPlainTextEdit*>()->toPlainText(); }
  bool says(const QString& heading) const {
    const auto labels = dialog->findChildren<QLabel*>();
    return std::ranges::any_of(labels, [&](QLabel* label) { return label->text() == heading; });
  }

  QTemporaryDir folder;
  ExportDialog* dialog = nullptr;
};

// Of a folder: its files with their names.
QByteArray contentOf(const QString& path) {
  if (QFileInfo(path).isDir()) {
    QByteArray all;
    for (const QFileInfo& entry :
         QDir(path).entryInfoList(QDir::AllEntries | QDir::NoDotAndDotDot, QDir::Name)) {
      all += entry.fileName().toUtf8() + '\n' + contentOf(entry.filePath());
    }
    return all;
  }
  QFile file(path);
  return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray("none");
}

// Without the numbers in the names of an SVG's parts: Cairo counts on in a process.
QByteArray withoutIds(const QByteArray& content) {
  static const QRegularExpression id(QStringLiteral(R"((?<=["#])[a-z]+-?\d+(-\d+)?(?=["\)]))"));
  return content.startsWith("<?xml") ? QString::fromUtf8(content).remove(id).toUtf8() : content;
}

}  // namespace

class ExportsTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void everyTargetHasWords();
  void losses_data();
  void losses();
  void whatIsWrittenIsTheCommandLines_data();
  void whatIsWrittenIsTheCommandLines();
  void theOpsetIsChosen();
  void reportsAreTheCommandLines_data();
  void reportsAreTheCommandLines();
  void reportsTellWhatWasDone();
  void repairsAreNotInIt();
  void whereNothingCanBeWritten();
  void onlyWhatIsComplete();
};

void ExportsTest::everyTargetHasWords() {
  QCOMPARE(exportTargets().size(), exportFormats().size() + reportFormats().size());
  for (const ExportTarget& target : exportTargets()) {
    QVERIFY2(!target.definition.isEmpty(), target.format.c_str());
    QVERIFY2(!target.ending.isEmpty(), target.format.c_str());
  }
}

void ExportsTest::losses_data() {
  QTest::addColumn<std::string>("format");
  for (const std::string& format : exportFormats()) QTest::addRow("%s", format.c_str()) << format;
}

// Before anything is written the dialog says what does not fit.
void ExportsTest::losses() {
  QFETCH(const std::string, format);
  const ExportBench window;
  const SnapshotPtr shown = window->session().snapshot();
  window.dialog->choose(format);
  const ExportLosses expected = findExportLosses(shownModel(*shown), window.dialog->request());
  QTRY_VERIFY(!window.words().startsWith(QStringLiteral("Looking")));
  QVERIFY(window.says(QStringLiteral("Does it fit?")));
  for (const ExportLoss& loss : expected) {
    QVERIFY2(window.words().contains(text(loss.what)), loss.what.c_str());
  }
  if (expected.empty()) {
    QCOMPARE(window.words(), QStringLiteral("Everything that is shown can be expressed."));
  }
}

void ExportsTest::whatIsWrittenIsTheCommandLines_data() {
  losses_data();
}

void ExportsTest::whatIsWrittenIsTheCommandLines() {
  QFETCH(const std::string, format);
  const ExportBench window;
  const SnapshotPtr shown = window->session().snapshot();
  window.dialog->choose(format);
  const QString path = window.folder.filePath(QStringLiteral("written"));
  window.file().setText(path);
  window.button(QStringLiteral("Export")).click();
  QTRY_VERIFY_WITH_TIMEOUT(window.says(QStringLiteral("Written")), 60'000);
  QVERIFY(window.words().startsWith(path));
  const QString other = window.folder.filePath(QStringLiteral("other"));
  const Workers& workers = window->session().queue()->workers(JobTag::Priority::Edit);
  JobContext job(workers);
  const ExportReport report = exportModel(shownModel(*shown), *shown->data,
                                          {.format = format, .out = other.toStdString()}, job);
  QCOMPARE(contentOf(path), contentOf(other));
  QCOMPARE(window.words(), text(report.text).replace(other, path));
  // The same file again.
  window.file().setText(other);
  QVERIFY(window.says(
      format == "bundle" ? QStringLiteral("The folder is not empty: give the new one another name.")
                         : QStringLiteral("The file exists and will be replaced.")));
}

// An opset that the types cannot have says so before anything is written; one that they can have is
// that of the file.
void ExportsTest::theOpsetIsChosen() {
  const ExportBench window("digits_transformer");
  auto* opset = window.dialog->findChild<QComboBox*>();
  QVERIFY(opset != nullptr && opset->isVisible());
  opset->setCurrentIndex(opset->findData(13));
  QTRY_VERIFY(window.words().contains(QStringLiteral("cannot go back to 13")));
  opset->setCurrentIndex(opset->findData(21));
  QTRY_VERIFY(!window.words().contains(QStringLiteral("cannot go back")));
  window.file().setText(window.folder.filePath(QStringLiteral("lifted.onnx")));
  window.button(QStringLiteral("Export")).click();
  QTRY_VERIFY_WITH_TIMEOUT(window.says(QStringLiteral("Written")), 60'000);
  QVERIFY(window.words().contains(QStringLiteral("lifted.onnx: opset 21")));
  window.dialog->choose("aimet-2.0.0");
  QVERIFY(!opset->isVisible());
  QVERIFY(!window.dialog->request().opset);
}

void ExportsTest::reportsAreTheCommandLines_data() {
  QTest::addColumn<std::string>("format");
  for (const std::string& format : reportFormats()) QTest::addRow("%s", format.c_str()) << format;
}

void ExportsTest::reportsAreTheCommandLines() {
  QFETCH(const std::string, format);
  const ExportBench window;
  const SnapshotPtr shown = window->session().snapshot();
  window.dialog->choose(format);
  QVERIFY(window.says(QStringLiteral("A report for people")));
  const QString path = window.folder.filePath(QStringLiteral("written"));
  window.file().setText(path);
  window.button(QStringLiteral("Export")).click();
  QTRY_VERIFY_WITH_TIMEOUT(window.says(QStringLiteral("Written")), 60'000);
  const QString other = window.folder.filePath(QStringLiteral("other"));
  const Workers& workers = window->session().queue()->workers(JobTag::Priority::Edit);
  JobContext job(workers);
  AnalysisMemory memory(std::size_t{1} << 28);
  const SnapshotPtr explained = explainErrors(shown, memory, job);
  exportReport(*explained, {.format = format, .out = other.toStdString(), .opset = std::nullopt},
               job);
  QCOMPARE(withoutIds(contentOf(path)), withoutIds(contentOf(other)));
}

// The history, what it has won, and how the model that was written agrees.
void ExportsTest::reportsTellWhatWasDone() {
  Workbench window;
  Session& session = window->session();
  const std::optional<double> start = worstOutputSqnr(session.snapshot()->result->outputs);
  session.selection().selectNode(session.snapshot()->result->layers.front().node);
  session.precision().setType(QuantType::Float32);
  QTRY_VERIFY(!session.stale() && !session.controller().running());
  window->actions().at(ActionId::Export)->trigger();
  auto* dialog = window->findChild<ExportDialog*>();
  const QTemporaryDir folder;
  const auto write = [&](const std::string& format, const QString& name) {
    dialog->choose(format);
    dialog->findChild<QLineEdit*>()->setText(folder.filePath(name));
    for (auto* button : dialog->findChildren<QPushButton*>()) {
      if (button->text() == QStringLiteral("Export")) button->click();
    }
    QTRY_VERIFY_WITH_TIMEOUT(QFileInfo(folder.filePath(name)).exists(), 60'000);
    const auto labels = dialog->findChildren<QLabel*>();
    QTRY_VERIFY(std::ranges::any_of(
        labels, [](QLabel* label) { return label->text() == QStringLiteral("Written"); }));
  };
  write("qdq-onnx", QStringLiteral("model.onnx"));
  write("markdown", QStringLiteral("report.md"));
  const QString report = QString::fromUtf8(contentOf(folder.filePath(QStringLiteral("report.md"))));
  const std::vector<std::string> edits = configurationEdits(session.document());
  QCOMPARE(edits.size(), std::size_t{1});
  QVERIFY(report.contains(text(escapeMarkdown(edits.front()))));
  QVERIFY(report.contains(text("Worst output: " + shortNumber(*start) + " dB → ")));
  QVERIFY(report.contains(QStringLiteral("model.onnx agrees to ")));
}

// What was repaired is exported from its own window; the dialog says so while something is kept.
void ExportsTest::repairsAreNotInIt() {
  const RepairBench bench;
  const auto notice = [&] {
    bench.action(ActionId::Export)->trigger();
    auto* dialog = bench.window->findChild<ExportDialog*>();
    bool told = false;
    for (const QLabel* label : dialog->findChildren<QLabel*>()) {
      told = told || (!label->isHidden() && label->text().contains("Save and Open…"));
    }
    delete dialog;
    return told;
  };
  QVERIFY(!notice());
  bench.choose({"bias-correction"});
  bench.button("Repair").click();
  QTRY_VERIFY_WITH_TIMEOUT(!bench.repair->busy(), 120'000);
  QVERIFY(std::ranges::any_of(bench.repair->shown().result->steps, &StepReport::kept));
  QVERIFY(notice());
  bench.window->session().undoStack().undo();
  QVERIFY(!notice());
}

void ExportsTest::whereNothingCanBeWritten() {
  const ExportBench window;
  window.file().setText(window.folder.filePath(QStringLiteral("gone/file.onnx")));
  QVERIFY(!window.button(QStringLiteral("Export")).isEnabled());
  window.file().setText(window.folder.path());
  QVERIFY(!window.button(QStringLiteral("Export")).isEnabled());
  // A device that is full.
  if (!QFileInfo(QStringLiteral("/dev/full")).exists()) QSKIP("no /dev/full");
  window.dialog->choose("csv");
  window.file().setText(QStringLiteral("/proc/quantscope.csv"));
  window.button(QStringLiteral("Export")).click();
  QTRY_VERIFY(window.says(QStringLiteral("Nothing was written")));
  QVERIFY(!window.words().isEmpty());
}

void ExportsTest::onlyWhatIsComplete() {
  const TestWindow window;
  QVERIFY(!window.action(ActionId::Export)->isEnabled());
  window.openSample();
  QVERIFY(window.action(ActionId::Export)->isEnabled());
  Configuration other = window->session().request().config;
  other.precision.edit(
      [](PrecisionConfig& config) { config.defaults.weight.type = QuantType::Int4; });
  window->session().setConfig(other, QStringLiteral("set weights to int4"));
  QVERIFY(!window.action(ActionId::Export)->isEnabled());
  window.waitForEnd();
  QVERIFY(window.action(ActionId::Export)->isEnabled());
}

QUANTSCOPE_TEST(ExportsTest)
#include "test_exports.moc"
