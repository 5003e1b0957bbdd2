#include <sys/mount.h>

#include <QtTest>

#include "project/project_file.h"
#include "support/test_main.h"
#include "ui/project_window.h"

using namespace quantscope;
using namespace quantscope::test;

/// Projects whose files are gone or changed, that are damaged, locked or cannot be written: one
/// clear sentence, and the work is kept.
class ProjectTroublesTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void init();
  void aModelThatIsGone();
  void dataThatIsGone();
  void aFileThatHasChanged_data();
  void aFileThatHasChanged();
  void movedWithItsFiles();
  void replacedByAnotherModel();
  void noModelAnyMore();
  void badProjects_data();
  void badProjects();
  void aReadOnlyDisk();
  void aFullDisk();
  void aFullDiskIsLeftOnlyWhenAgreed();
  void aBadPlaceToSave();

 private:
  QString file(const QString& name) const { return m_folder->filePath(name); }
  /// A project of one edit on copies of a sample, closed.
  void makeProject(const QString& folder) const;

  std::unique_ptr<QTemporaryDir> m_folder;
};

namespace {

// A disk of so many bytes; not there where nothing may be mounted.
class Disk {
 public:
  explicit Disk(const QString& size) {
    const QByteArray options = "size=" + size.toLatin1();
    m_mounted = ::mount("tmpfs", qPrintable(path()), "tmpfs", 0, options.constData()) == 0;
  }
  ~Disk() {
    if (m_mounted) ::umount2(qPrintable(path()), MNT_DETACH);
  }
  Disk(const Disk&) = delete;
  Disk& operator=(const Disk&) = delete;

  bool there() const { return m_mounted; }
  QString path() const { return m_folder.path(); }
  bool makeReadOnly() const {
    return ::mount("tmpfs", qPrintable(path()), "tmpfs", MS_REMOUNT | MS_RDONLY, nullptr) == 0;
  }
  bool grow() const {
    return ::mount("tmpfs", qPrintable(path()), "tmpfs", MS_REMOUNT, "size=200m") == 0;
  }

 private:
  QTemporaryDir m_folder;
  bool m_mounted = false;
};

bool fillUp(const QString& path) {
  QFile file(path + QStringLiteral("/filler"));
  if (!file.open(QFile::WriteOnly | QFile::Unbuffered)) return false;
  const QByteArray block(4096, 'x');
  while (file.write(block) == block.size()) {
  }
  return true;
}

// Takes up a remedy of the message about something.
void run(const TestWindow& window, const QString& about, const QString& remedy) {
  for (const Message& message : window->messages().messages()) {
    if (!message.sentence.contains(about)) continue;
    for (const Message::Remedy& offered : message.remedies) {
      if (offered.title == remedy) return offered.run();
    }
  }
  QFAIL(qPrintable(remedy + QStringLiteral(" is not among: ") + window.messages()));
}

}  // namespace

void ProjectTroublesTest::init() {
  OrderedWork::instance().finish();
  m_folder = std::make_unique<QTemporaryDir>();
}

void ProjectTroublesTest::makeProject(const QString& folder) const {
  QDir().mkpath(folder);
  const QString stem = folder + QStringLiteral("/net");
  QVERIFY(QFile::copy(samplePath("digits_mobilenet.onnx"), stem + QStringLiteral(".onnx")));
  QVERIFY(QFile::copy(samplePath("digits_mobilenet.npz"), stem + QStringLiteral(".npz")));
  {
    const TestWindow window;
    AnalysisRequest request = sampleRequest("digits_mobilenet", 2);
    request.model = (stem + QStringLiteral(".onnx")).toStdString();
    request.data = (stem + QStringLiteral(".npz")).toStdString();
    request.labels.clear();
    window->session().open(request);
    window.waitForEnd();
    setToFloat(window, window->session().snapshot()->result->layers[3].node);
    saveAs(window, folder + QStringLiteral("/work.quantscope"));
  }
  // What a window writes when it closes is in the file.
  OrderedWork::instance().finish();
}

void ProjectTroublesTest::aModelThatIsGone() {
  makeProject(file("a"));
  QVERIFY(QDir().mkpath(file("b")));
  QVERIFY(QFile::rename(file("a/net.onnx"), file("b/net.onnx")));
  QVERIFY(QFile::rename(file("a/net.npz"), file("b/net.npz")));
  const TestWindow window;
  openProject(window, file("a/work.quantscope"));
  QVERIFY2(window.messages().contains(QStringLiteral("The model net.onnx is not where it was.")),
           qPrintable(window.messages()));
  QVERIFY2(window.messages().contains(QStringLiteral("The data set net.npz is not where it was.")),
           qPrintable(window.messages()));
  QCOMPARE(window->session().document().journal().size(), std::size_t(1));
  QVERIFY(!window->session().snapshot());
  // One is found, and the others beside it.
  window.dialogs->replacement = file("b/net.onnx");
  run(window, QStringLiteral("The model"), QStringLiteral("Re-link…"));
  QTRY_VERIFY2(window->session().snapshot(), qPrintable(window.messages()));
  window.waitForEnd();
  QVERIFY2(window.messages().isEmpty(), qPrintable(window.messages()));
  QVERIFY(window->session().snapshot()->stage == AnalysisSnapshot::Stage::Complete);
  QVERIFY(!window->session().stale());
  settleFiles(window);
  QCOMPARE(documentIn(file("a/work.quantscope")).files().model.path,
           file("b/net.onnx").toStdString());
}

void ProjectTroublesTest::dataThatIsGone() {
  makeProject(file("a"));
  QVERIFY(QFile::rename(file("a/net.npz"), file("a/other.npz")));
  const TestWindow window;
  openProject(window, file("a/work.quantscope"));
  QVERIFY2(window.messages() == QStringLiteral("The data set net.npz is not where it was."),
           qPrintable(window.messages()));
  QTRY_VERIFY(window->session().snapshot());
  QVERIFY(window->session().snapshot()->stage == AnalysisSnapshot::Stage::Structure);
  window.dialogs->replacement = file("a/other.npz");
  run(window, QStringLiteral("net"), QStringLiteral("Re-link…"));
  QTRY_VERIFY(window->session().snapshot()->stage == AnalysisSnapshot::Stage::Complete);
  window.waitForEnd();
  QVERIFY2(window.messages().isEmpty(), qPrintable(window.messages()));
  QCOMPARE(window->session().document().journal().size(), std::size_t(1));
}

void ProjectTroublesTest::aFileThatHasChanged_data() {
  QTest::addColumn<QString>("changed");
  QTest::addColumn<QString>("sentence");
  QTest::addColumn<QString>("why");
  QTest::newRow("data") << "net.npz"
                        << "The data set net.npz has changed since it was analysed."
                        << "does not fit the model";
  QTest::newRow("model") << "net.onnx"
                         << "The model net.onnx has changed since it was analysed."
                         << "matches no node of the model";
}

void ProjectTroublesTest::aFileThatHasChanged() {
  QFETCH(QString, changed);
  QFETCH(QString, sentence);
  QFETCH(QString, why);
  makeProject(file("a"));
  const QString ending = changed.section(u'.', 1);
  QVERIFY(QFile::remove(file("a/" + changed)));
  QVERIFY(QFile::copy(samplePath("digits_transformer.") + ending, file("a/" + changed)));
  const TestWindow window;
  openProject(window, file("a/work.quantscope"));
  QTRY_VERIFY2(window.messages().contains(sentence), qPrintable(window.messages()));
  // It does not fit any more, and the work is there.
  QTRY_VERIFY2(window.messages().contains(why), qPrintable(window.messages()));
  QVERIFY2(window.messages().contains(sentence), qPrintable(window.messages()));
  QCOMPARE(window->project().keeper().path(), file("a/work.quantscope"));
  QCOMPARE(window->session().document().journal().size(), std::size_t(1));
}

void ProjectTroublesTest::movedWithItsFiles() {
  makeProject(file("a"));
  QVERIFY(QDir().rename(file("a"), file("b")));
  const TestWindow window;
  openProject(window, file("b/work.quantscope"));
  QVERIFY2(window.messages().isEmpty(), qPrintable(window.messages()));
  QVERIFY(window->session().snapshot()->stage == AnalysisSnapshot::Stage::Complete);
}

void ProjectTroublesTest::replacedByAnotherModel() {
  makeProject(file("a"));
  QVERIFY(QFile::remove(file("a/net.onnx")));
  const TestWindow window;
  openProject(window, file("a/work.quantscope"));
  window.dialogs->replacement = samplePath("digits_transformer.onnx");
  run(window, QStringLiteral("net"), QStringLiteral("Re-link…"));
  QTRY_VERIFY(window.messages().contains(QStringLiteral("has another content")));
  // It has no layer of the name that was edited.
  QTRY_VERIFY2(window.messages().contains(QStringLiteral("matches no node of the model")),
               qPrintable(window.messages()));
  QCOMPARE(window->session().document().journal().size(), std::size_t(1));
  run(window, QStringLiteral("matches no node"), QStringLiteral("Undo"));
  QTRY_VERIFY(window->session().snapshot());
  QCOMPARE(window->session().snapshot()->model.file.filename().string(),
           std::string("digits_transformer.onnx"));
  QCOMPARE(window->session().document().journal().size(), std::size_t(1));
}

void ProjectTroublesTest::noModelAnyMore() {
  makeProject(file("a"));
  QFile model(file("a/net.onnx"));
  QVERIFY(model.resize(100));
  const TestWindow window;
  openProject(window, file("a/work.quantscope"));
  const QString changed = QStringLiteral("The model net.onnx has changed since it was analysed.");
  QTRY_VERIFY2(window->messages().messages().size() == 2, qPrintable(window.messages()));
  QVERIFY2(window.messages().contains(changed), qPrintable(window.messages()));
  QCOMPARE(window->project().keeper().path(), file("a/work.quantscope"));
  QCOMPARE(window->session().document().journal().size(), std::size_t(1));
  window.dialogs->replacement = samplePath("digits_mobilenet.onnx");
  run(window, QStringLiteral("The model"), QStringLiteral("Re-link…"));
  QTRY_VERIFY(window->session().snapshot() &&
              window->session().snapshot()->stage == AnalysisSnapshot::Stage::Complete);
  window.waitForEnd();
  QVERIFY2(window.messages().isEmpty(), qPrintable(window.messages()));
}

void ProjectTroublesTest::badProjects_data() {
  QTest::addColumn<int>("damage");
  QTest::addColumn<QString>("sentence");
  QTest::newRow("missing") << 0 << "not";
  QTest::newRow("another file") << 1 << "is no project of Quantscope";
  QTest::newRow("cut off") << 2 << "damaged";
  QTest::newRow("newer") << 3 << "was written by a newer version of Quantscope";
}

void ProjectTroublesTest::badProjects() {
  QFETCH(int, damage);
  QFETCH(QString, sentence);
  const QString project = file("a/work.quantscope");
  makeProject(file("a"));
  QFile raw(project);
  if (damage == 0) QVERIFY(raw.remove());
  if (damage == 1) QVERIFY(raw.open(QFile::WriteOnly) && raw.write("words") > 0);
  if (damage == 2) QVERIFY(raw.resize(raw.size() / 2));
  if (damage == 3) {
    // SQLite keeps the version at byte 60 of the file.
    QVERIFY(raw.open(QFile::ReadWrite) && raw.seek(60) && raw.write("\0\0\0\x63", 4) == 4);
  }
  raw.close();
  const QByteArray before = [&] {
    QFile again(project);
    return again.open(QFile::ReadOnly) ? again.readAll() : QByteArray();
  }();
  const Workbench bench;
  setToFloat(bench, bench.layer(bench.worstLayer()).node);
  bench.waitForEnd();
  const Document document = bench->session().document();
  bench->opener().openPath(project);
  QTRY_VERIFY2(bench.messages().contains(sentence), qPrintable(bench.messages()));
  // What was open stays.
  QVERIFY(bench->session().document() == document);
  QVERIFY(bench->isWindowModified());
  QFile again(project);
  QCOMPARE(again.open(QFile::ReadOnly) ? again.readAll() : QByteArray(), before);
}

void ProjectTroublesTest::aReadOnlyDisk() {
  const Disk disk(QStringLiteral("50m"));
  if (!disk.there()) QSKIP("nothing may be mounted here");
  makeProject(disk.path());
  OrderedWork::instance().finish();
  QVERIFY(disk.makeReadOnly());
  const QString project = disk.path() + QStringLiteral("/work.quantscope");
  const TestWindow window;
  openProject(window, project);
  settleFiles(window);
  QVERIFY2(window.messages().isEmpty(), qPrintable(window.messages()));
  QVERIFY(!window->isWindowModified());
  window->session().setDismissed("outlier/first", true);
  QTRY_VERIFY2(window.messages().contains(QStringLiteral("work.quantscope can only be read.")),
               qPrintable(window.messages()));
  QVERIFY(window->isWindowModified());
  QVERIFY(window->project().keeper().path().isEmpty());
  window->session().setDismissed("outlier/second", true);
  settleFiles(window);
  const QDir open = QFileInfo(openPlaceOf(project)).dir();
  const QStringList kept =
      open.entryList({QStringLiteral("*.quantscope")}, QDir::Files, QDir::Time);
  QVERIFY(!kept.isEmpty());
  const auto edits = [&] { return documentIn(open.filePath(kept[0])).journal().size(); };
  QTRY_COMPARE(edits(), std::size_t(3));
}

void ProjectTroublesTest::aFullDisk() {
  const Disk disk(QStringLiteral("20m"));
  if (!disk.there()) QSKIP("nothing may be mounted here");
  const Workbench bench;
  saveAs(bench, disk.path() + QStringLiteral("/work.quantscope"));
  QVERIFY(fillUp(disk.path()));
  const auto isTold = [&] { return bench.messages().contains(QStringLiteral("full")); };
  for (int i = 0; i < 40 && !isTold(); ++i) {
    bench->session().setDismissed(std::string(4000, 'x') + std::to_string(i), true);
    settleFiles(bench);
    QTest::qWait(20);
  }
  QTRY_VERIFY2(isTold(), qPrintable(bench.messages()));
  QVERIFY(bench->isWindowModified());
  // The work goes to another disk.
  bench.dialogs->project = file("elsewhere.quantscope");
  run(bench, QStringLiteral("full"), QStringLiteral("Save Project As…"));
  QTRY_COMPARE(bench->project().keeper().path(), file("elsewhere.quantscope"));
  settleFiles(bench);
  QTRY_VERIFY(!bench->isWindowModified());
  QVERIFY(documentIn(file("elsewhere.quantscope")).journal() ==
          bench->session().document().journal());
}

void ProjectTroublesTest::aFullDiskIsLeftOnlyWhenAgreed() {
  const Disk disk(QStringLiteral("20m"));
  if (!disk.there()) QSKIP("nothing may be mounted here");
  const Workbench bench;
  saveAs(bench, disk.path() + QStringLiteral("/work.quantscope"));
  QVERIFY(fillUp(disk.path()));
  for (int i = 0; i < 40 && !bench->project().keeper().failure(); ++i) {
    bench->session().setDismissed(std::string(4000, 'x') + std::to_string(i), true);
    settleFiles(bench);
    QTest::qWait(20);
  }
  QVERIFY(bench->project().keeper().failure());
  const Document document = bench->session().document();
  bench.dialogs->asked.clear();
  bench->opener().openModel(samplePath("digits_transformer.onnx"));
  QCOMPARE(bench.dialogs->asked.size(), 1);
  QVERIFY(bench->session().document() == document);
  QVERIFY(!bench->close());
  // There is room again.
  QVERIFY(QFile::remove(disk.path() + QStringLiteral("/filler")));
  run(bench, QStringLiteral("full"), QStringLiteral("Try Again"));
  QTRY_VERIFY(!bench->project().keeper().failure());
  settleFiles(bench);
  QVERIFY(documentIn(disk.path() + QStringLiteral("/work.quantscope")).journal() ==
          document.journal());
  QVERIFY(bench->close());
}

void ProjectTroublesTest::aBadPlaceToSave() {
  const Workbench bench;
  bench.dialogs->project = file("no/such/folder/work.quantscope");
  bench.action(ActionId::SaveProjectAs)->trigger();
  QTRY_VERIFY(!bench.messages().isEmpty());
  QVERIFY2(bench.messages().contains(QStringLiteral("no/such/folder")),
           qPrintable(bench.messages()));
  QVERIFY(bench->project().keeper().path().isEmpty());
  saveAs(bench, file("work.quantscope"));
}

QUANTSCOPE_TEST(ProjectTroublesTest)
#include "test_project_troubles.moc"
