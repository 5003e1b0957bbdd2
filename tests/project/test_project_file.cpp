#include <QTemporaryDir>
#include <QtTest>

#include "project/linked_files.h"
#include "project/project_file.h"
#include "project/random_work.h"
#include "project/raw_project.h"
#include "support/error_text.h"
#include "support/onnx_bytes.h"
#include "support/test_main.h"

using namespace quantscope;
using namespace quantscope::test;

/// A document in a project file: what is put into it comes out of it, after a restart too.
class ProjectFileTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void init();
  void anEmptyProject();
  void theDocumentComesBack();
  void undoGoesOnAfterARestart();
  void onlyChangesAreWritten();
  void anotherDocumentTakesItsPlace();
  void windowStateComesBack();
  void anOlderVersionIsBroughtUpToDate();
  void anOlderVersionIsReadWhereItLies();
  void itIsSavedUnderAnotherName();
  void filesMoveWithTheProject();
  void itsHistoryMovesWithIt();
  void changedFilesAreNoticed();
  void changedExternalDataIsNoticed();
  void aFileIsLinkedAgain();

 private:
  std::string file(const char* name) const { return m_folder->filePath(name).toStdString(); }
  std::string project() const { return file("work.quantscope"); }

  std::unique_ptr<QTemporaryDir> m_folder;
};

namespace {

Document worked(int steps, unsigned seed) {
  std::mt19937 random(seed);
  Document document(startOfWork());
  for (int i = 0; i < steps; ++i) workOn(document, random);
  return document;
}

void write(const std::string& file, const Document& document) {
  ProjectFile::create(file);
  ProjectFile project(file);
  project.record(document);
  project.flush();
}

}  // namespace

void ProjectFileTest::init() {
  m_folder = std::make_unique<QTemporaryDir>();
}

void ProjectFileTest::anEmptyProject() {
  ProjectFile::create(project());
  const ProjectFile opened(project());
  QVERIFY(opened.document() == Document());
  QVERIFY(!opened.outline());
  QVERIFY(!opened.readOnly());
  QVERIFY(!opened.unsaved());
  QCOMPARE(opened.windowState("docks"), std::string());
  QCOMPARE(QString::fromStdString(opened.path().string()), m_folder->filePath("work.quantscope"));
}

void ProjectFileTest::theDocumentComesBack() {
  Document document = worked(200, 1);
  document.setFiles({.model = {file("net.onnx"), "0123", "4567"}, .data = {"random:8", "89", ""}});
  Preprocessing preprocessing;
  preprocessing.mean = {0.1, 0.2, 0.3};
  document.setSettings({.source = {.samples = 12,
                                   .seed = ~std::uint64_t{0},
                                   .preprocessing = preprocessing,
                                   .acceptsNonFinite = true},
                        .batch = 3,
                        .detectors = DetectorMode::PyTorch});
  write(project(), document);
  QVERIFY(ProjectFile(project()).document() == document);
  QVERIFY(ProjectFile(project(), ProjectFile::Access::Read).document() == document);
  // One file, and nothing beside it.
  QCOMPARE(QDir(m_folder->path()).entryList(QDir::Files), QStringList{"work.quantscope"});
}

void ProjectFileTest::undoGoesOnAfterARestart() {
  Document document = worked(100, 2);
  document.moveTo(document.position() / 2);
  write(project(), document);
  Document again = ProjectFile(project()).document();
  QVERIFY(again == document);
  while (document.canUndo()) {
    document.undo();
    again.undo();
    QVERIFY(again.configuration() == document.configuration());
    QVERIFY(again.dismissed() == document.dismissed());
  }
  QVERIFY(again.configuration() == startOfWork());
  document.moveTo(1000);
  again.moveTo(1000);
  QVERIFY(again == document);
}

void ProjectFileTest::onlyChangesAreWritten() {
  std::mt19937 random(3);
  ProjectFile::create(project());
  Document document;
  for (int session = 0; session < 8; ++session) {
    ProjectFile opened(project());
    QVERIFY(opened.document() == document);
    document = opened.document();
    for (int i = 0; i < 25; ++i) {
      workOn(document, random);
      opened.record(document);
    }
  }
  QVERIFY(ProjectFile(project()).document() == document);
  const std::string before = bytesIn(project());
  {
    ProjectFile opened(project());
    opened.record(opened.document());
    opened.flush();
  }
  QVERIFY(bytesIn(project()) == before);
}

void ProjectFileTest::anotherDocumentTakesItsPlace() {
  write(project(), worked(50, 4));
  const Document other = worked(20, 5);
  {
    ProjectFile opened(project());
    opened.record(other);
  }
  QVERIFY(ProjectFile(project()).document() == other);
}

void ProjectFileTest::windowStateComesBack() {
  const std::string state("\0\xFF docks", 8);
  ProjectFile::create(project());
  {
    ProjectFile opened(project());
    opened.setWindowState("docks", "older");
    opened.setWindowState("docks", state);
    opened.setWindowState("zoom", "1.5");
  }
  const ProjectFile opened(project());
  QCOMPARE(opened.windowState("docks"), state);
  QCOMPARE(opened.windowState("zoom"), std::string("1.5"));
  QCOMPARE(opened.windowState("other"), std::string());
}

void ProjectFileTest::anOlderVersionIsBroughtUpToDate() {
  const Document document = worked(60, 6);
  write(project(), document);
  makeVersionOne(project());
  {
    ProjectFile opened(project());
    QVERIFY(opened.document() == document);
    QVERIFY(!opened.outline());
    opened.keepErrors(ErrorStore(1000), "here");
    opened.flush();
  }
  const ProjectFile again(project());
  QVERIFY(again.document() == document);
  QCOMPARE(again.errorCount().first, std::size_t{0});
}

void ProjectFileTest::anOlderVersionIsReadWhereItLies() {
  const Document document = worked(60, 7);
  write(project(), document);
  makeVersionOne(project());
  const std::string before = bytesIn(project());
  {
    const ProjectFile opened(project(), ProjectFile::Access::Read);
    QVERIFY(opened.document() == document);
    QVERIFY(!opened.outline());
  }
  QVERIFY(bytesIn(project()) == before);
}

void ProjectFileTest::itIsSavedUnderAnotherName() {
  Document document = worked(30, 8);
  document.setFiles({.model = {file("net.onnx"), "", ""}});
  write(project(), document);
  QVERIFY(QDir(m_folder->path()).mkdir("other"));
  {
    ProjectFile opened(project());
    document = opened.document();
    opened.saveAs(file("other/copy.quantscope"));
    document.apply(Dismissal{"outlier/after"});
    opened.record(document);
    QCOMPARE(opened.path().string(), file("other/copy.quantscope"));
    // The first one is free again, the other is not.
    const ProjectFile first(project());
    QVERIFY(first.document() != document);
    VERIFY_ERROR(ProjectFile(file("other/copy.quantscope")), "is open in another window");
    VERIFY_ERROR(ProjectFile::create(file("other/copy.quantscope")), "is open in another window");
  }
  QVERIFY(ProjectFile(file("other/copy.quantscope")).document() == document);
}

void ProjectFileTest::filesMoveWithTheProject() {
  QVERIFY(QDir(m_folder->path()).mkpath("one/data"));
  putBytes(file("one/data/set.npy"), "samples");
  Document document;
  document.setFiles({.data = linkedFile(FileRole::Data, file("one/data/set.npy"))});
  write(file("one/work.quantscope"), document);
  QVERIFY(QDir(m_folder->path()).rename("one", "two"));
  const FileReference found = ProjectFile(file("two/work.quantscope")).document().files().data;
  QCOMPARE(found.path, file("two/data/set.npy"));
  QCOMPARE(stateOf(FileRole::Data, found), FileState::Same);
  // The project alone is elsewhere: the data is where it was.
  QVERIFY(QDir(m_folder->path()).mkdir("three"));
  QVERIFY(QFile::copy(m_folder->filePath("two/work.quantscope"),
                      m_folder->filePath("three/work.quantscope")));
  QVERIFY(QDir(m_folder->path()).rename("two", "one"));
  QCOMPARE(ProjectFile(file("three/work.quantscope")).document().files().data.path,
           file("one/data/set.npy"));
}

// The paths that the choices of data name, one step after the other.
std::vector<std::string> chosenPaths(const Document& document) {
  std::vector<std::string> paths;
  for (const Document::Edit& edit : document.journal()) {
    if (const auto* choice = std::get_if<DataChoice>(&edit)) {
      paths.insert(paths.end(), {choice->before.data, choice->after.data});
    }
  }
  return paths;
}

void choose(Document& document, const std::string& path) {
  ChosenData next = document.data();
  next.data = path;
  document.apply(DataChoice{"use " + path, document.data(), next});
}

void ProjectFileTest::itsHistoryMovesWithIt() {
  QVERIFY(QDir(m_folder->path()).mkpath("one/data"));
  const auto place = [this](const char* folder, const char* name) {
    return file((std::string(folder) + "/data/" + name).c_str());
  };
  for (const char* name : {"a.npy", "b.npy"}) putBytes(place("one", name), name);
  putBytes(file("c.npy"), "c");
  Document document;
  document.setFiles({.data = linkedFile(FileRole::Data, place("one", "a.npy"))});
  for (const std::string& path : {place("one", "b.npy"), file("c.npy"), std::string("random:8")}) {
    choose(document, path);
  }
  document.undo();
  write(file("one/work.quantscope"), document);
  QVERIFY(QDir(m_folder->path()).rename("one", "two"));
  const std::vector<std::string> moved{place("two", "a.npy"), place("two", "b.npy"),
                                       place("two", "b.npy"), file("c.npy"),
                                       file("c.npy"),         "random:8"};
  {
    Document opened = ProjectFile(file("two/work.quantscope")).document();
    QVERIFY(chosenPaths(opened) == moved);
    opened.moveTo(0);
    QCOMPARE(opened.files().data.path, place("two", "a.npy"));
    opened.redo();
    QCOMPARE(opened.files().data.path, place("two", "b.npy"));
  }
  // Once more, and under another name elsewhere: what was found is kept.
  QVERIFY(QDir(m_folder->path()).rename("two", "three"));
  QVERIFY(QDir(m_folder->path()).mkdir("four"));
  {
    ProjectFile opened(file("three/work.quantscope"));
    QCOMPARE(chosenPaths(opened.document()).front(), place("three", "a.npy"));
    opened.saveAs(file("four/work.quantscope"));
  }
  const std::vector<std::string> kept =
      chosenPaths(ProjectFile(file("four/work.quantscope")).document());
  QCOMPARE(kept.front(), place("three", "a.npy"));
  QCOMPARE(kept[3], file("c.npy"));
}

void ProjectFileTest::changedFilesAreNoticed() {
  const std::string data = file("set.npy");
  putBytes(data, "samples");
  const FileReference known = linkedFile(FileRole::Data, data);
  QCOMPARE(stateOf(FileRole::Data, known), FileState::Same);
  // Written again with the same content: another stamp, and nothing has changed.
  QVERIFY(QFile::remove(QString::fromStdString(data)));
  putBytes(data, "samples");
  QVERIFY(known.stamp != linkedFile(FileRole::Data, data).stamp);
  QCOMPARE(stateOf(FileRole::Data, known), FileState::Same);
  putBytes(data, "other samples");
  QCOMPARE(stateOf(FileRole::Data, known), FileState::Changed);
  QVERIFY(QFile::remove(QString::fromStdString(data)));
  QCOMPARE(stateOf(FileRole::Data, known), FileState::Missing);
  QCOMPARE(stateOf(FileRole::Data, {"random:8", "", ""}), FileState::Same);
  QCOMPARE(stateOf(FileRole::Labels, {}), FileState::Same);
  // Folders count by the names and bytes in them.
  QVERIFY(QDir(m_folder->path()).mkdir("images"));
  putBytes(file("images/a.png"), "a");
  const FileReference folder = linkedFile(FileRole::Data, file("images"));
  putBytes(file("images/b.png"), "b");
  QCOMPARE(stateOf(FileRole::Data, folder), FileState::Changed);
  QVERIFY(QFile::remove(m_folder->filePath("images/b.png")));
  QCOMPARE(stateOf(FileRole::Data, folder), FileState::Same);
  putBytes(file("net.onnx"), "no model");
  QCOMPARE(stateOf(FileRole::Model, {file("net.onnx"), "0123", ""}), FileState::Changed);
}

void ProjectFileTest::changedExternalDataIsNoticed() {
  putBytes(file("net.onnx"), onnxModel({.nodes = {{.op = "Add",
                                                   .inputs = {"x", "w"},
                                                   .outputs = {"y"},
                                                   .name = "add",
                                                   .attributes = {},
                                                   .domain = {}}},
                                        .inputs = {"x"},
                                        .outputs = {"y"},
                                        .initializers = {onnxExternal("w", {2}, "weights.bin")},
                                        .functions = {}}));
  putBytes(file("weights.bin"), std::string("\0\0\x80\x3F\0\0\0\x40", 8));
  const FileReference known = linkedFile(FileRole::Model, file("net.onnx"));
  QCOMPARE(stateOf(FileRole::Model, known), FileState::Same);
  putBytes(file("weights.bin"), std::string("\0\0\x80\x3F\0\0\x40\x40", 8));
  QCOMPARE(stateOf(FileRole::Model, known), FileState::Changed);
}

void ProjectFileTest::aFileIsLinkedAgain() {
  putBytes(file("a.npy"), "samples");
  putBytes(file("b.npy"), "samples");
  putBytes(file("c.npy"), "other");
  Document document;
  QVERIFY(relink(document, FileRole::Data, file("a.npy")));
  QVERIFY(relink(document, FileRole::Data, file("b.npy")));
  QCOMPARE(document.files().data.path, file("b.npy"));
  QVERIFY(!relink(document, FileRole::Data, file("c.npy")));
  QCOMPARE(stateOf(FileRole::Data, document.files().data), FileState::Same);
  const Document before = document;
  VERIFY_ERROR(relink(document, FileRole::Data, file("d.npy")), "it does not exist");
  QVERIFY(document == before);
  // The history knows the new place, so that going back leads to it.
  choose(document, "random:8");
  choose(document, file("a.npy"));
  document.moveTo(0);
  QVERIFY(relink(document, FileRole::Data, file("b.npy")));
  document.moveTo(2);
  QCOMPARE(document.files().data.path, file("a.npy"));
  document.moveTo(1);
  document.undo();
  QCOMPARE(document.files().data.path, file("b.npy"));
  // A step between the two places of one file stays a step.
  choose(document, file("c.npy"));
  relink(document, FileRole::Data, file("b.npy"));
  QCOMPARE(chosenPaths(document), (std::vector{file("b.npy"), file("c.npy")}));
}

QUANTSCOPE_TEST(ProjectFileTest)
#include "test_project_file.moc"
