#include <QDragEnterEvent>
#include <QMimeData>
#include <QTemporaryDir>
#include <QtTest>

#include "app/gui/controllers/import_controller.h"
#include "base/files/atomic_file.h"
#include "jobs/export/export_model.h"
#include "jobs/import_configuration.h"
#include "support/test_main.h"
#include "ui/workbench.h"
#include "widgets/look/text.h"

using namespace quantscope;
using namespace quantscope::test;

/// Import: what another tool has made becomes the window's configuration, in one step.
class ImportsTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void whatWasExportedIsTakenOver_data();
  void whatWasExportedIsTakenOver();
  void droppedFilesAreTakenOver();
  void whatDoesNotFitIsTold();
  void aFileThatIsNoneSaysSo();
};

namespace {

struct ImportBench : Workbench {
  QString exported(const std::string& format, const QString& name) const {
    const SnapshotPtr shown = window->session().snapshot();
    const QString path = folder.filePath(name);
    JobContext job(window->session().queue()->workers(JobTag::Priority::Edit));
    exportModel(shownModel(*shown), *shown->data, {.format = format, .out = path.toStdString()},
                job);
    return path;
  }
  QString written(const QString& name, const std::string& content) const {
    writeFileAtomically(folder.filePath(name).toStdString(), content);
    return folder.filePath(name);
  }
  std::optional<Message> message() const {
    for (const Message& each : window->messages().messages()) {
      if (each.topic == QStringLiteral("import") && each.remedies.empty()) return each;
    }
    return std::nullopt;
  }
  void drop(const QString& path) const {
    QMimeData data;
    data.setUrls({QUrl::fromLocalFile(path)});
    QDragEnterEvent enter(QPoint(9, 9), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
    QApplication::sendEvent(window.get(), &enter);
    QVERIFY(enter.isAccepted());
    QDropEvent event(QPointF(9, 9), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
    QApplication::sendEvent(window.get(), &event);
  }

  QTemporaryDir folder;
};

}  // namespace

void ImportsTest::whatWasExportedIsTakenOver_data() {
  QTest::addColumn<std::string>("format");
  for (const char* format : {"qdq-onnx", "aimet-1.0.0", "aimet-2.0.0", "json"}) {
    QTest::newRow(format) << std::string(format);
  }
}

void ImportsTest::whatWasExportedIsTakenOver() {
  QFETCH(const std::string, format);
  const ImportBench bench;
  Session& session = bench.window->session();
  const Configuration before = session.request().config;
  bench.dialogs->imported = bench.exported(format, QStringLiteral("shipped"));
  const Configuration expected =
      importConfiguration(bench.dialogs->imported.toStdString(), session.snapshot()->model).config;
  bench.action(ActionId::Import)->trigger();
  QTRY_VERIFY_WITH_TIMEOUT(bench.message().has_value(), 60'000);
  QVERIFY2(bench.message()->sentence.startsWith(QStringLiteral("shipped: ")),
           qPrintable(bench.message()->sentence));
  QVERIFY(session.request().config == expected);
  QCOMPARE(session.undoStack().undoText(), QStringLiteral("import shipped"));
  bench.action(ActionId::Undo)->trigger();
  QVERIFY(session.request().config == before);
}

void ImportsTest::droppedFilesAreTakenOver() {
  const ImportBench bench;
  const QString path = bench.written(QStringLiteral("two.encodings"), R"({"version":"2.0.0",
      "encodings":[{"name":"logits","output_dtype":"uint8","y_scale":0.25,"y_zero_point":128},
                   {"name":"elsewhere","output_dtype":"uint8","y_scale":1}]})");
  bench.drop(path);
  QTRY_VERIFY_WITH_TIMEOUT(bench.message().has_value(), 60'000);
  QVERIFY(bench.message()->severity == Message::Severity::Warning);
  QVERIFY(bench.message()->hint.contains(QStringLiteral("elsewhere")));
  QCOMPARE(bench.window->session().request().config.encodings->entries.size(), std::size_t{1});
}

void ImportsTest::whatDoesNotFitIsTold() {
  const ImportBench bench;
  const Configuration before = bench.window->session().request().config;
  bench.drop(bench.written(QStringLiteral("other.encodings"), R"({"version":"2.0.0",
      "encodings":[{"name":"elsewhere","output_dtype":"uint8","y_scale":1}]})"));
  QTRY_VERIFY_WITH_TIMEOUT(bench.message().has_value(), 60'000);
  QVERIFY(bench.message()->severity == Message::Severity::Error);
  QVERIFY(bench.message()->sentence.contains(QStringLiteral("elsewhere")));
  QVERIFY(bench.window->session().request().config == before);
}

void ImportsTest::aFileThatIsNoneSaysSo() {
  const ImportBench bench;
  bench.dialogs->imported = bench.written(QStringLiteral("note.txt"), "hello");
  bench.action(ActionId::Import)->trigger();
  QTRY_VERIFY_WITH_TIMEOUT(bench.message().has_value(), 60'000);
  QVERIFY(bench.message()->severity == Message::Severity::Error);
  QVERIFY2(bench.message()->sentence.startsWith(QStringLiteral("note.txt was not imported: ")),
           qPrintable(bench.message()->sentence));
}

QUANTSCOPE_TEST(ImportsTest)
#include "test_imports.moc"
