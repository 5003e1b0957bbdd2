#include <QTemporaryDir>
#include <QtTest>

#include "analysis/analysis_result_bytes.h"
#include "analysis/errors/error_records_bytes.h"
#include "calibration/observers/observations_bytes.h"
#include "detectors/findings/detector_report_bytes.h"
#include "jobs/analysis/analyze_in_steps.h"
#include "jobs/computation_origin.h"
#include "project/kept_work.h"
#include "project/raw_project.h"
#include "support/error_text.h"
#include "support/test_main.h"

using namespace quantscope;
using namespace quantscope::test;

/// An analysis in a project file comes back bit for bit, without a sample being run.
class KeptAnalysisTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void init();
  void everyBitComesBack();
  void anOlderResultHasNoLabelled();
  void nothingIsComputedAgain();
  void theWindowGoesOnFromIt();
  void theAnalysesBesideComeBack();
  void theVersionBefore();
  void damageInTheVersionBefore();
  void observationsAreWrittenOnce();
  void anotherAnalysisIsNotTaken_data();
  void anotherAnalysisIsNotTaken();
  void anotherModelIsRefused();
  void errorsComeBackByKey();
  void errorsOfAnotherOriginGo();
  void theOldestErrorsMakeRoom();
  void recordsOfAllKindsAreRead();

 private:
  std::unique_ptr<QTemporaryDir> m_folder;
  std::string folder() const { return m_folder->path().toStdString(); }
};

namespace {

// Errors of so many bytes, by keys from `first` on.
void addErrors(ErrorStore& store, std::uint64_t first, std::size_t records, std::size_t samples) {
  for (std::uint64_t i = 0; i < records; ++i) {
    ErrorRecord record;
    record.samples.assign(samples, ChannelSums(64));
    record.samples[0][0].error = static_cast<double>(first + i);
    store.insert(ContentId{1, first + i}, std::move(record));
  }
}

}  // namespace

void KeptAnalysisTest::init() {
  m_folder = std::make_unique<QTemporaryDir>();
}

void KeptAnalysisTest::everyBitComesBack() {
  AnalysedWork work(folder(), 4);
  work.keep();
  const ProjectFile file(work.project);
  const Graph& graph = *work.opened.model.graph;
  const std::optional<KeptAnalysis> kept = file.analysis(graph);
  QVERIFY(kept);
  QVERIFY(analysisResultToBytes(*kept->result) == analysisResultToBytes(*work.analysis->result));
  QVERIFY(detectorReportToBytes(*kept->report) == detectorReportToBytes(*work.analysis->detected));
  QVERIFY(observationsToBytes(*kept->observations, graph) ==
          observationsToBytes(*work.analysis->observations, graph));
  QVERIFY(kept->subject.config == work.analysis->request.config);
  QVERIFY(kept->subject.files == work.files);
  const std::optional<AnalysisOutline> outline = file.outline();
  QVERIFY(outline && outline->subject == kept->subject);
  QCOMPARE(outline->samples, std::size_t{4});
  QCOMPARE(outline->outputs.size(), work.analysis->result->outputs.size());
  QVERIFY(outline->outputs[0].sqnrDb == work.analysis->result->outputs[0].error.sqnrDb);
  QCOMPARE(outline->findings, work.analysis->detected->findings.size());
}

// A result kept before the number of labelled samples was in it.
void KeptAnalysisTest::anOlderResultHasNoLabelled() {
  AnalysedWork work(folder(), 4);
  const AnalysisResult& result = *work.analysis->result;
  std::string bytes = analysisResultToBytes(result);
  bytes.resize(bytes.size() - sizeof(std::uint64_t) * (1 + result.outputs.size()));
  const std::uint32_t older = 3;
  std::memcpy(bytes.data(), &older, sizeof older);
  const AnalysisResult read =
      analysisResultFromBytes(bytes, *work.opened.model.graph, "older.quantscope");
  QCOMPARE(read.outputs.size(), result.outputs.size());
  QCOMPARE(read.outputs[0].labelled, std::uint64_t{0});
  QVERIFY(read.outputs[0].error.sqnrDb == result.outputs[0].error.sqnrDb);
}

void KeptAnalysisTest::nothingIsComputedAgain() {
  AnalysedWork work(folder(), 4);
  work.keep();
  const ProjectFile file(work.project);
  const SnapshotPtr restored = restoreAnalysis(file, work.files, work.opened, work.job);
  QVERIFY(restored && restored->stage == AnalysisSnapshot::Stage::Complete);
  QVERIFY(sameData(restored->request, work.opened.request));
  QVERIFY(changesBetween(restored->quantized->applied, work.analysis->quantized->applied).empty());
  // With what was kept an analysis finds all its records, and computes not one activation.
  AnalysisMemory memory(std::size_t{256} << 20);
  QVERIFY(file.loadErrors(memory.errors, computationOrigin()) > 0);
  const std::size_t bytes = memory.errors.bytes();
  const SnapshotPtr again = runAnalysis(work.opened, restored, memory, work.job);
  QVERIFY(analysisResultToBytes(*again->result) == analysisResultToBytes(*work.analysis->result));
  QVERIFY(detectorReportToBytes(*again->detected) ==
          detectorReportToBytes(*work.analysis->detected));
  QCOMPARE(memory.errors.bytes(), bytes);
}

void KeptAnalysisTest::theWindowGoesOnFromIt() {
  AnalysedWork work(folder(), 4);
  work.keep();
  const ProjectFile file(work.project);
  const SnapshotPtr shown = reopenAnalysis(file, work.job);
  QVERIFY(shown && shown->detected && shown->observations);
  // What goes on from it has nothing preliminary to tell.
  AnalysisMemory memory(std::size_t{256} << 20);
  std::vector<SnapshotPtr> told;
  analyzeInSteps(requestOf(file.document()), shown, memory, work.job,
                 [&](const SnapshotPtr& snapshot) { told.push_back(snapshot); });
  QVERIFY(!told.empty());
  for (const SnapshotPtr& snapshot : told) {
    QCOMPARE(snapshot->stage, AnalysisSnapshot::Stage::Complete);
    QVERIFY(snapshot->observations == shown->observations);
    QVERIFY(snapshot->data == shown->data);
  }
  QVERIFY(analysisResultToBytes(*told.back()->result) == analysisResultToBytes(*shown->result));
}

void KeptAnalysisTest::theAnalysesBesideComeBack() {
  AnalysedWork work(folder(), 4);
  work.keep();
  // With another observer, other numbers are observed.
  OpenedAnalysis other = work.opened;
  other.request.config.precision.edit([](PrecisionConfig& precision) {
    precision.defaults.activation.observer = parseObserver("moving-average:0.1");
    precision.defaults.output.observer = parseObserver("moving-average:0.1");
  });
  const SnapshotPtr before = runAnalysis(other, nullptr, work.memory, work.job);
  {
    ProjectFile file(work.project);
    keepResult(*before, AnalysisSlot::Before, work.files, file);
    keepResult(*work.analysis, AnalysisSlot::Compared, work.files, file);
    file.flush();
  }
  const auto restored = [&](const ProjectFile& file, AnalysisSlot slot) {
    return restoreAnalysis(file, work.files, work.opened, work.job, slot);
  };
  ProjectFile file(work.project);
  const SnapshotPtr shown = restored(file, AnalysisSlot::Shown);
  const SnapshotPtr again = restored(file, AnalysisSlot::Before);
  const SnapshotPtr compared = restored(file, AnalysisSlot::Compared);
  QVERIFY(shown && again && compared);
  QVERIFY(again->request.config == before->request.config);
  QVERIFY(analysisResultToBytes(*again->result) == analysisResultToBytes(*before->result));
  QVERIFY(analysisResultToBytes(*compared->result) == analysisResultToBytes(*shown->result));
  const Graph& graph = *work.opened.model.graph;
  QVERIFY(observationsToBytes(*again->observations, graph) ==
          observationsToBytes(*before->observations, graph));
  QVERIFY(compared->observations == shown->observations);
  file.forget(AnalysisSlot::Before);
  file.forget(AnalysisSlot::Compared);
  file.flush();
  QVERIFY(!file.outline(AnalysisSlot::Before) && !file.outline(AnalysisSlot::Compared));
  QVERIFY(restored(file, AnalysisSlot::Shown));
}

void KeptAnalysisTest::theVersionBefore() {
  AnalysedWork work(folder(), 2);
  work.keep();
  makeVersionTwo(work.project);
  const std::string old = bytesIn(work.project);
  const auto isThere = [&](ProjectFile::Access access) {
    const ProjectFile file(work.project, access);
    const SnapshotPtr kept = restoreAnalysis(file, work.files, work.opened, work.job);
    const Graph& graph = *work.opened.model.graph;
    return kept && !file.outline(AnalysisSlot::Before) &&
           analysisResultToBytes(*kept->result) == analysisResultToBytes(*work.analysis->result) &&
           observationsToBytes(*kept->observations, graph) ==
               observationsToBytes(*work.analysis->observations, graph);
  };
  QVERIFY(isThere(ProjectFile::Access::Read));
  QVERIFY(bytesIn(work.project) == old);
  QVERIFY(isThere(ProjectFile::Access::Write));
  QVERIFY(isThere(ProjectFile::Access::Write));
}

// Results can be had again; the work is what counts.
void KeptAnalysisTest::damageInTheVersionBefore() {
  AnalysedWork work(folder(), 2);
  work.keep();
  makeVersionTwo(work.project);
  runSql(work.project, "UPDATE analysis SET checksum = 0 WHERE part = 'observations'");
  const ProjectFile file(work.project);
  QCOMPARE(file.document().journal().size(), std::size_t{1});
  QVERIFY(!file.outline());
}

void KeptAnalysisTest::observationsAreWrittenOnce() {
  AnalysedWork work(folder(), 2);
  work.keep();
  // Taken for the observations that the file has, they are not written again.
  ProjectFile file(work.project);
  std::optional<KeptAnalysis> kept = file.analysis(*work.opened.model.graph);
  runSql(work.project, "UPDATE observations SET checksum = 0");
  file.keep(*kept, work.opened.model.graph);
  file.flush();
  VERIFY_ERROR(file.analysis(*work.opened.model.graph), "is damaged");
  kept->observations = work.analysis->observations;
  file.keep(*kept, work.opened.model.graph);
  file.flush();
  QVERIFY(file.analysis(*work.opened.model.graph));
}

void KeptAnalysisTest::anotherAnalysisIsNotTaken_data() {
  QTest::addColumn<QString>("what");
  for (const char* what : {"model", "data", "calibration", "labels", "batch", "samples"}) {
    QTest::newRow(what) << QString(what);
  }
}

void KeptAnalysisTest::anotherAnalysisIsNotTaken() {
  QFETCH(QString, what);
  AnalysedWork work(folder(), 2);
  work.keep();
  DocumentFiles files = work.files;
  OpenedAnalysis opened = work.opened;
  if (what == "model") files.model.contentId = "other";
  if (what == "data") files.data.contentId = "other";
  if (what == "calibration") files.calibration.contentId = "other";
  if (what == "labels") files.labels.contentId = "other";
  if (what == "batch") opened.request.batch = 2;
  if (what == "samples") opened.request.source.samples = 3;
  const ProjectFile file(work.project);
  QVERIFY(!restoreAnalysis(file, files, opened, work.job));
}

void KeptAnalysisTest::anotherModelIsRefused() {
  AnalysedWork work(folder(), 2);
  work.keep();
  const Graph other;
  VERIFY_ERROR(ProjectFile(work.project).analysis(other), "are of another model");
}

void KeptAnalysisTest::errorsComeBackByKey() {
  AnalysedWork work(folder(), 2);
  work.keep();
  const auto records = work.memory.errors.recent(std::size_t{1} << 30);
  ErrorStore errors(std::size_t{256} << 20);
  QCOMPARE(ProjectFile(work.project).loadErrors(errors, computationOrigin()), records.size());
  const auto again = errors.recent(std::size_t{1} << 30);
  QCOMPARE(again.size(), records.size());
  // In the order of their use as well.
  for (std::size_t i = 0; i < records.size(); ++i) {
    QVERIFY(again[i].first == records[i].first);
    QVERIFY(errorRecordToBytes(again[i].second) == errorRecordToBytes(records[i].second));
  }
}

void KeptAnalysisTest::errorsOfAnotherOriginGo() {
  const std::string name = folder() + "/errors.quantscope";
  ProjectFile::create(name);
  ProjectFile file(name);
  ErrorStore store(1 << 20);
  addErrors(store, 0, 10, 1);
  file.keepErrors(store, "one machine");
  file.flush();
  ErrorStore read(1 << 20);
  QCOMPARE(file.loadErrors(read, "another machine"), std::size_t{0});
  QCOMPARE(file.loadErrors(read, "one machine"), std::size_t{10});
  ErrorStore other(1 << 20);
  addErrors(other, 100, 3, 1);
  file.keepErrors(other, "another machine");
  file.flush();
  QCOMPARE(file.loadErrors(read, "another machine"), std::size_t{3});
  QCOMPARE(file.errorCount().first, std::size_t{3});
}

void KeptAnalysisTest::theOldestErrorsMakeRoom() {
  const std::string name = folder() + "/errors.quantscope";
  ProjectFile::create(name);
  ProjectFile file(name);
  // Each of about 1 MiB.
  constexpr std::size_t kSamples = 228;
  for (std::uint64_t round = 0; round < 3; ++round) {
    ErrorStore store(std::size_t{1} << 30);
    addErrors(store, 30 * round, 30, kSamples);
    file.keepErrors(store, "here");
    file.flush();
  }
  QVERIFY(file.errorCount().second <= ProjectFile::kMaxErrorBytes);
  ErrorStore read(std::size_t{1} << 30);
  QVERIFY(file.loadErrors(read, "here") > 50);
  QVERIFY(read.find<ErrorRecord>({1, 0}) == nullptr);
  QVERIFY(read.find<ErrorRecord>({1, 89}) != nullptr);
  QCOMPARE(read.find<ErrorRecord>({1, 89})->samples[0][0].error, 89.0);
  // Of another kind than somebody asks for: as if it were not there.
  QVERIFY(read.find<ClipRecord>({1, 89}) == nullptr);
}

void KeptAnalysisTest::recordsOfAllKindsAreRead() {
  OutputRecord output;
  output.samples.resize(2);
  output.classes = 10;
  output.scores = {{3, 4, 0.5}};
  const AnyRecord records[] = {
      std::make_shared<const ErrorRecord>(ErrorRecord{{ChannelSums(3), {}}}),
      std::make_shared<const BinRecord>(BinRecord{std::vector<std::uint32_t>(BinRecord::kBins, 7)}),
      std::make_shared<const ClipRecord>(ClipRecord{1, 2, 0.5, {-1, 2, false}}),
      std::make_shared<const OutputRecord>(output)};
  for (const AnyRecord& record : records) {
    const std::string bytes = errorRecordToBytes(record);
    QVERIFY(errorRecordToBytes(errorRecordFromBytes(bytes, "file")) == bytes);
    for (std::size_t length = 0; length < bytes.size(); ++length) {
      VERIFY_ERROR(errorRecordFromBytes(bytes.substr(0, length), "file"), "the kept errors");
    }
    VERIFY_ERROR(errorRecordFromBytes(bytes + "x", "file"), "are damaged");
  }
  VERIFY_ERROR(errorRecordFromBytes("\x09", "file"), "are damaged");
}

QUANTSCOPE_TEST(KeptAnalysisTest)
#include "test_kept_analysis.moc"
