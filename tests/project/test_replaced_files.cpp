#include <QFile>
#include <QTemporaryDir>
#include <QtTest>
#include <chrono>
#include <filesystem>

#include "base/workers.h"
#include "jobs/analysis/analyze_in_steps.h"
#include "jobs/analysis/keep_analysis.h"
#include "project/linked_files.h"
#include "support/test_main.h"
#include "support/test_paths.h"

using namespace quantscope;
namespace fs = std::filesystem;

namespace {

const fs::path kBundled = QUANTSCOPE_SAMPLES_DIRECTORY;

/// What a project says of the files after an analysis of them.
QString statesOf(const DocumentFiles& files) {
  static const char* const kStates[] = {"same", "changed", "missing"};
  QStringList states;
  for (const FileRole role :
       {FileRole::Model, FileRole::Data, FileRole::Labels, FileRole::Backend}) {
    states << kStates[static_cast<int>(stateOf(role, fileOf(files, role)))];
  }
  return states.join(' ');
}

// A model with its data and labels, copied.
AnalysisRequest requestIn(const fs::path& place) {
  for (const char* kind : {".onnx", ".npz", ".labels.npy"}) {
    fs::copy_file(kBundled / ("digits_mobilenet" + std::string(kind)),
                  place / ("net" + std::string(kind)));
  }
  AnalysisRequest request;
  request.model = place / "net.onnx";
  request.data = (place / "net.npz").string();
  request.labels = place / "net.labels.npy";
  request.source.samples = 2;
  return request;
}

// By one that is as valid. Both models may have the same labels.
void replaceByAnother(const fs::path& file) {
  const std::string name = file.filename().string();
  if (file.extension() == ".npy") {
    QFile labels(QString::fromStdString(file.string()));
    if (!labels.open(QFile::ReadWrite)) qFatal("cannot write %s", name.c_str());
    QByteArray bytes = labels.readAll();
    // Of the first sample, little endian: its lowest byte follows the header.
    const auto first = 10 + static_cast<unsigned char>(bytes[8]);
    bytes[first] = bytes[first] == 0 ? 1 : 0;
    labels.seek(0);
    labels.write(bytes);
    return;
  }
  fs::copy_file(kBundled / ("digits_transformer" + file.extension().string()), file,
                fs::copy_options::overwrite_existing);
}

// A shipped backend as a file of the user's.
void writeBackend(const char* name, const fs::path& file) {
  fs::copy_file(kBundled / "../resources/core/backends" / name, file,
                fs::copy_options::overwrite_existing);
}

}  // namespace

/// Files that are replaced while they are analysed: a project refers to what was analysed.
class ReplacedFilesTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void whatWasAnalysedIsReferredTo_data();
  void whatWasAnalysedIsReferredTo();
  void anOldResultIsNotRestored_data();
  void anOldResultIsNotRestored();
  void aSlotMayHaveAnotherBackend();
  void aBackendMovesWithTheProject();
  void aBackendIsLinkedAgain();
};

void ReplacedFilesTest::whatWasAnalysedIsReferredTo_data() {
  QTest::addColumn<QString>("replaced");
  QTest::addColumn<bool>("byAnother");
  QTest::addColumn<QString>("states");
  QTest::newRow("nothing") << "" << false << "same same same same";
  QTest::newRow("the model touched") << "net.onnx" << false << "same same same same";
  QTest::newRow("the data touched") << "net.npz" << false << "same same same same";
  QTest::newRow("the labels touched") << "net.labels.npy" << false << "same same same same";
  QTest::newRow("the model") << "net.onnx" << true << "changed same same same";
  QTest::newRow("the data") << "net.npz" << true << "same changed same same";
  QTest::newRow("the labels") << "net.labels.npy" << true << "same same changed same";
  QTest::newRow("the backend") << "own.json" << true << "same same same changed";
}

void ReplacedFilesTest::whatWasAnalysedIsReferredTo() {
  QFETCH(QString, replaced);
  QFETCH(bool, byAnother);
  const QTemporaryDir folder;
  const fs::path place = folder.path().toStdString();
  AnalysisRequest request = requestIn(place);
  writeBackend("x86.json", place / "own.json");
  request.config.precision.edit(
      [&](PrecisionConfig& precision) { precision.backend = (place / "own.json").string(); });
  const Workers workers(1);
  JobContext job(workers);
  AnalysisMemory memory(std::size_t{64} << 20);
  const OpenedAnalysis opened = openAnalysis(request, nullptr, job);
  const SnapshotPtr analysis = runAnalysis(opened, nullptr, memory, job);
  if (replaced == QStringLiteral("own.json")) {
    writeBackend("fbgemm.json", place / "own.json");
  } else if (!replaced.isEmpty()) {
    const fs::path file = place / replaced.toStdString();
    if (byAnother) {
      replaceByAnother(file);
    }
    fs::last_write_time(file, fs::file_time_type::clock::now() + std::chrono::seconds(2));
  }
  QTEST(statesOf(filesOf(*analysis, {})), "states");
}

void ReplacedFilesTest::anOldResultIsNotRestored_data() {
  QTest::addColumn<QString>("replaced");
  QTest::addColumn<bool>("labelled");
  QTest::newRow("nothing") << "" << true;
  QTest::newRow("the labels") << "net.labels.npy" << true;
  QTest::newRow("the backend") << "own.json" << true;
  QTest::newRow("the backend, without labels") << "own.json" << false;
}

// It is kept after its labels or its backend's file have become others.
void ReplacedFilesTest::anOldResultIsNotRestored() {
  QFETCH(QString, replaced);
  QFETCH(bool, labelled);
  const QTemporaryDir folder;
  const fs::path place = folder.path().toStdString();
  AnalysisRequest request = requestIn(place);
  if (!labelled) request.labels.clear();
  const fs::path backend = place / "own.json";
  writeBackend("x86.json", backend);
  request.config.precision.edit(
      [&](PrecisionConfig& precision) { precision.backend = backend.string(); });
  const Workers workers(1);
  JobContext job(workers);
  AnalysisMemory memory(std::size_t{64} << 20);
  const SnapshotPtr analysis =
      runAnalysis(openAnalysis(request, nullptr, job), nullptr, memory, job);
  if (replaced == QStringLiteral("own.json")) {
    writeBackend("fbgemm.json", backend);
  } else if (!replaced.isEmpty()) {
    replaceByAnother(place / replaced.toStdString());
  }
  const std::string project = (place / "work.quantscope").string();
  ProjectFile::create(project);
  ProjectFile file(project);
  keepAnalysis(*analysis, filesOf(*analysis, {}), memory, file);
  file.flush();
  const OpenedAnalysis now = openAnalysis(request, nullptr, job);
  const SnapshotPtr restored = restoreAnalysis(file, filesOf(request, now.model, {}), now, job);
  QCOMPARE(restored != nullptr, replaced.isEmpty());
}

// Nothing is replaced: what is restored can be kept and restored again.
void ReplacedFilesTest::aSlotMayHaveAnotherBackend() {
  const QTemporaryDir folder;
  const fs::path place = folder.path().toStdString();
  const AnalysisRequest request = requestIn(place);
  AnalysisRequest before = request;
  writeBackend("fbgemm.json", place / "own.json");
  before.config.precision.edit(
      [&](PrecisionConfig& precision) { precision.backend = (place / "own.json").string(); });
  const Workers workers(1);
  JobContext job(workers);
  AnalysisMemory memory(std::size_t{64} << 20);
  const SnapshotPtr analysis =
      runAnalysis(openAnalysis(before, nullptr, job), nullptr, memory, job);
  const std::string project = (place / "work.quantscope").string();
  ProjectFile::create(project);
  ProjectFile file(project);
  keepResult(*analysis, AnalysisSlot::Before, filesOf(*analysis, {}), file);
  const OpenedAnalysis now = openAnalysis(request, nullptr, job);
  for (int time = 0; time < 2; ++time) {
    file.flush();
    const DocumentFiles files = filesOf(request, now.model, {});
    const SnapshotPtr restored = restoreAnalysis(file, files, now, job, AnalysisSlot::Before);
    QVERIFY(restored != nullptr);
    QVERIFY(restored->sideFiles == analysis->sideFiles);
    keepResult(*restored, AnalysisSlot::Before, files, file);
  }
}

namespace {

// An analysis with a backend of the user's, as the command line keeps it.
void keepIn(const fs::path& place, JobContext& job) {
  AnalysisRequest request = requestIn(place);
  writeBackend("fbgemm.json", place / "own.json");
  request.config.precision.edit(
      [&](PrecisionConfig& precision) { precision.backend = (place / "own.json").string(); });
  AnalysisMemory memory(std::size_t{64} << 20);
  const SnapshotPtr analysis =
      runAnalysis(openAnalysis(request, nullptr, job), nullptr, memory, job);
  const std::string project = (place / "work.quantscope").string();
  ProjectFile::create(project);
  ProjectFile file(project);
  Document document(request.config);
  const DocumentFiles files = filesOf(*analysis, {});
  document.setFiles(files);
  document.setSettings(settingsOf(request));
  file.record(document);
  keepAnalysis(*analysis, files, memory, file);
  file.flush();
}

/// A project beside its files, in the folder "one", which may be moved.
struct MovableProject {
  MovableProject() : top(folder.path().toStdString()) {
    fs::create_directory(top / "one");
    keepIn(top / "one", job);
  }

  QTemporaryDir folder;
  fs::path top;
  Workers workers{1};
  JobContext job{workers};
};

}  // namespace

void ReplacedFilesTest::aBackendMovesWithTheProject() {
  MovableProject project;
  const fs::path& top = project.top;
  // Twice: what was found is kept.
  for (const auto& [before, now] : {std::pair("one", "two"), std::pair("two", "three")}) {
    fs::rename(top / before, top / now);
    const ProjectFile file(top / now / "work.quantscope");
    const Document& document = file.document();
    QCOMPARE(document.files().backend.path, (top / now / "own.json").string());
    QVERIFY(!document.files().backend.contentId.empty());
    QCOMPARE(stateOf(FileRole::Backend, document.files().backend), FileState::Same);
    QCOMPARE(document.configuration().precision->backend, document.files().backend.path);
    QVERIFY(file.outline()->subject.config == document.configuration());
    const SnapshotPtr restored = reopenAnalysis(file, project.job);
    QVERIFY(restored != nullptr);
    QVERIFY(restored->request.config == document.configuration());
  }
}

void ReplacedFilesTest::aBackendIsLinkedAgain() {
  MovableProject project;
  const fs::path& top = project.top;
  fs::rename(top / "one/own.json", top / "elsewhere.json");
  const ProjectFile file(top / "one/work.quantscope");
  Document document = file.document();
  QCOMPARE(stateOf(FileRole::Backend, document.files().backend), FileState::Missing);
  QVERIFY(relink(document, FileRole::Backend, (top / "elsewhere.json").string()));
  QCOMPARE(document.configuration().precision->backend, (top / "elsewhere.json").string());
  QCOMPARE(stateOf(FileRole::Backend, document.files().backend), FileState::Same);
  QVERIFY(!document.files().backend.contentId.empty());
}

QUANTSCOPE_TEST(ReplacedFilesTest)
#include "test_replaced_files.moc"
