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
  for (const FileRole role : {FileRole::Model, FileRole::Data}) {
    states << kStates[static_cast<int>(stateOf(role, fileOf(files, role)))];
  }
  return states.join(' ');
}

}  // namespace

/// Files that are replaced while they are analysed: a project refers to what was analysed.
class ReplacedFilesTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void whatWasAnalysedIsReferredTo_data();
  void whatWasAnalysedIsReferredTo();
};

void ReplacedFilesTest::whatWasAnalysedIsReferredTo_data() {
  QTest::addColumn<QString>("replaced");
  QTest::addColumn<bool>("byAnother");
  QTest::addColumn<QString>("states");
  QTest::newRow("nothing") << "" << false << "same same";
  QTest::newRow("the model touched") << "net.onnx" << false << "same same";
  QTest::newRow("the data touched") << "net.npz" << false << "same same";
  QTest::newRow("the model") << "net.onnx" << true << "changed same";
  QTest::newRow("the data") << "net.npz" << true << "same changed";
}

void ReplacedFilesTest::whatWasAnalysedIsReferredTo() {
  QFETCH(QString, replaced);
  QFETCH(bool, byAnother);
  const QTemporaryDir folder;
  const fs::path place = folder.path().toStdString();
  for (const char* kind : {".onnx", ".npz"}) {
    fs::copy_file(kBundled / ("digits_mobilenet" + std::string(kind)),
                  place / ("net" + std::string(kind)));
  }
  AnalysisRequest request;
  request.model = place / "net.onnx";
  request.data = (place / "net.npz").string();
  request.source.samples = 2;
  const Workers workers(1);
  JobContext job(workers);
  AnalysisMemory memory(std::size_t{64} << 20);
  const OpenedAnalysis opened = openAnalysis(request, nullptr, job);
  const SnapshotPtr analysis = runAnalysis(opened, nullptr, memory, job);
  if (!replaced.isEmpty()) {
    const fs::path file = place / replaced.toStdString();
    if (byAnother) {
      fs::copy_file(kBundled / ("digits_transformer" + file.extension().string()), file,
                    fs::copy_options::overwrite_existing);
    }
    fs::last_write_time(file, fs::file_time_type::clock::now() + std::chrono::seconds(2));
  }
  QTEST(statesOf(filesOf(*analysis, {})), "states");
}

QUANTSCOPE_TEST(ReplacedFilesTest)
#include "test_replaced_files.moc"
