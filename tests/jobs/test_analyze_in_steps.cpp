#include <QFile>
#include <QTemporaryDir>
#include <QtTest>

#include "base/error.h"
#include "base/workers.h"
#include "calibration/open_samples.h"
#include "export/json/report_json.h"
#include "jobs/analysis/analyze_in_steps.h"
#include "support/npy_bytes.h"
#include "support/onnx_bytes.h"
#include "support/test_main.h"
#include "support/test_paths.h"
#include "support/write_file.h"

using namespace quantscope;

namespace {

using Stage = AnalysisSnapshot::Stage;

AnalysisRequest request(std::size_t samples) {
  const std::string stem = QUANTSCOPE_SAMPLES_DIRECTORY "/digits_mobilenet";
  AnalysisRequest request;
  request.model = stem + ".onnx";
  request.data = stem + ".npz";
  request.labels = stem + ".labels.npy";
  request.source.samples = samples;
  return request;
}

constexpr std::size_t kMemory = std::size_t{256} << 20;

std::vector<SnapshotPtr> steps(const AnalysisRequest& asked, const SnapshotPtr& previous,
                               AnalysisMemory& memory, const std::vector<SnapshotPtr>& seen = {}) {
  const Workers workers(2);
  JobContext job(workers);
  std::vector<SnapshotPtr> published;
  analyzeInSteps(
      asked, previous, memory, job,
      [&](SnapshotPtr snapshot) { published.push_back(std::move(snapshot)); }, seen);
  return published;
}

// Runs without earlier results.
std::vector<SnapshotPtr> steps(const AnalysisRequest& asked, const SnapshotPtr& previous = {}) {
  AnalysisMemory memory(kMemory);
  return steps(asked, previous, memory);
}

std::string report(const AnalysisSnapshot& snapshot) {
  return reportJson(*snapshot.result, snapshot.request.config, snapshot.graph(),
                    *snapshot.quantized,
                    modelCost(*snapshot.model.engine, *snapshot.quantized, *snapshot.observations),
                    *snapshot.detected);
}

// Layers that findings name, as often as they do: one cause is one finding of many layers.
std::size_t faultyLayers(const AnalysisSnapshot& snapshot) {
  std::size_t layers = 0;
  for (const Finding& finding : snapshot.detected->findings) layers += 1 + finding.members.size();
  return layers;
}

}  // namespace

class AnalyzeInStepsTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void theStructureComesFirst();
  void thenTheFirstSample();
  void theEndIsWhatTheCommandLineReports();
  void anotherConfigurationShowsItsFirstEffects();
  void suggestionsAreRunLast();
  void otherThresholdsRunNothing();
  void whatWasSeenIsShownAgain();
  void anotherConfigurationGivesWhatAFreshRunGives();
  void whatHasChangedOnDiskIsReadAgain();
  void otherLabelsCountAgain();
  void anotherBackendFileQuantizesAgain();
  void touchedSamplesAreNoError();
  void withoutDataThereIsOnlyTheStructure();
  void aBadDataFileLeavesTheStructure();
  void cancelStops();
};

void AnalyzeInStepsTest::theStructureComesFirst() {
  const SnapshotPtr first = steps(request(8)).front();
  QVERIFY(first->stage == Stage::Structure);
  QCOMPARE(first->result->samples, std::size_t{0});
  QVERIFY(!first->result->layers.empty());
  for (const LayerResult& layer : first->result->layers) {
    QVERIFY(!layer.local && !layer.accumulated && !layer.observedMin);
  }
}

void AnalyzeInStepsTest::thenTheFirstSample() {
  const std::vector<SnapshotPtr> published = steps(request(8));
  QVERIFY(published.size() >= 3);
  QVERIFY(published[1]->stage == Stage::Partial);
  QCOMPARE(published[1]->result->samples, std::size_t{1});
  QCOMPARE(published[1]->samplesWanted, std::size_t{8});
  QVERIFY(published[1]->result->layers.front().accumulated.has_value());
  bool complete = false;
  for (std::size_t i = 1; i < published.size(); ++i) {
    QVERIFY(published[i]->detected != nullptr);
    QCOMPARE(published[i]->stage == Stage::Complete, published[i]->result->samples == 8);
    QVERIFY(!complete || published[i]->stage == Stage::Complete);
    complete = published[i]->stage == Stage::Complete;
  }
  QVERIFY(complete);
}

void AnalyzeInStepsTest::theEndIsWhatTheCommandLineReports() {
  const AnalysisRequest asked = request(8);
  const SnapshotPtr last = steps(asked).back();
  QVERIFY(last->stage == Stage::Complete);

  const Workers workers(1);
  JobContext job(workers);
  OpenedAnalysis opened{asked, loadModel(asked.model, job), nullptr, nullptr, {}};
  opened.data =
      std::make_shared<SampleSet>(openSamples(asked.data, *opened.model.graph, asked.source));
  opened.calibration = opened.data;
  opened.labels = {readLabels(asked.labels), "labels"};
  AnalysisMemory memory(0);
  QCOMPARE(report(*last), report(*runAnalysis(opened, nullptr, memory, job)));
}

void AnalyzeInStepsTest::anotherConfigurationShowsItsFirstEffects() {
  AnalysisRequest asked = request(8);
  const SnapshotPtr first = steps(asked).back();
  asked.config.precision.edit(
      [](PrecisionConfig& config) { config.defaults.weight.granularity = Granularity{}; });
  const std::vector<SnapshotPtr> second = steps(asked, first);
  // Nothing preliminary but the outcome of before with the first outputs of now.
  QVERIFY(second.front()->edited != AnalysisSnapshot::Edited::All);
  for (const SnapshotPtr& snapshot : second) {
    QVERIFY(snapshot->stage == Stage::Complete ||
            snapshot->edited != AnalysisSnapshot::Edited::All);
    QVERIFY(snapshot->model.graph == first->model.graph);
  }
  const auto outputs =
      std::ranges::find(second, AnalysisSnapshot::Edited::FirstOutputs, &AnalysisSnapshot::edited);
  QVERIFY(outputs != second.end());
  QVERIFY((*outputs)->result->outputs[0].sampleSqnrDb[0] ==
          second.back()->result->outputs[0].sampleSqnrDb[0]);
  QVERIFY(second.back()->edited == AnalysisSnapshot::Edited::All);
}

// First the findings as they are, then with more and more gains.
void AnalyzeInStepsTest::suggestionsAreRunLast() {
  AnalysisRequest asked = request(8);
  asked.config.precision.edit(
      [](PrecisionConfig& config) { config.defaults.weight.granularity = Granularity{}; });
  std::vector<std::ptrdiff_t> gains;
  for (const SnapshotPtr& snapshot : steps(asked)) {
    if (snapshot->stage != Stage::Complete) continue;
    gains.push_back(std::ranges::count_if(snapshot->detected->findings, [](const Finding& finding) {
      return finding.suggestion && finding.suggestion->gainDb;
    }));
  }
  QCOMPARE(gains.front(), 0);
  QVERIFY(gains.size() >= 3);
  QVERIFY(std::ranges::is_sorted(gains) && gains.back() > gains[1]);
}

void AnalyzeInStepsTest::otherThresholdsRunNothing() {
  AnalysisRequest asked = request(8);
  AnalysisMemory memory(kMemory);
  const SnapshotPtr first = steps(asked, {}, memory).back();
  asked.config.detectors.edit([](DetectorThresholds& detectors) { detectors.outlierRatio = 1; });
  const std::size_t activations = memory.activations.bytes();
  const std::vector<SnapshotPtr> second = steps(asked, first, memory);
  QVERIFY(second.front()->quantized == first->quantized);
  QVERIFY(second.front()->observations == first->observations);
  QCOMPARE(memory.activations.bytes(), activations);
  QVERIFY(faultyLayers(*second.front()) > faultyLayers(*first));
  QCOMPARE(report(*second.back()), report(*steps(asked).back()));
}

void AnalyzeInStepsTest::whatWasSeenIsShownAgain() {
  AnalysisMemory memory(kMemory);
  AnalysisRequest asked = request(8);
  const std::vector<SnapshotPtr> before = steps(asked, {}, memory);
  const SnapshotPtr first = before.back();
  QVERIFY(first->gainsKnown);
  const auto withoutGains = std::ranges::find_if(
      before, [](const SnapshotPtr& step) { return step->stage == Stage::Complete; });
  QVERIFY(!(*withoutGains)->gainsKnown);
  AnalysisRequest other = asked;
  other.config.precision.edit(
      [](PrecisionConfig& config) { config.defaults.weight.granularity = Granularity{}; });
  const SnapshotPtr second = steps(other, first, memory).back();

  const std::vector<SnapshotPtr> back = steps(asked, second, memory, {second, first});
  QCOMPARE(back.size(), std::size_t{1});
  QVERIFY(back.front()->result == first->result && back.front()->detected == first->detected);
  // What was not known yet of it is found out.
  const std::vector<SnapshotPtr> more = steps(asked, second, memory, {second, *withoutGains});
  QVERIFY(more.front()->result == (*withoutGains)->result && more.size() > 1);
  QCOMPARE(report(*more.back()), report(*first));
  // The result stands under other limits, what the detectors say of it does not.
  other.config.detectors.edit([](DetectorThresholds& limits) { limits.outlierRatio = 1; });
  const std::vector<SnapshotPtr> limits = steps(other, first, memory, {second, first});
  QVERIFY(limits.front()->result == second->result);
  QVERIFY(faultyLayers(*limits.front()) > faultyLayers(*second));
  QCOMPARE(report(*limits.back()), report(*steps(other).back()));
  // Other samples are another result.
  const SnapshotPtr fewer = steps(request(4), first, memory, {second, first}).back();
  QCOMPARE(fewer->result->samples, std::size_t{4});
}

void AnalyzeInStepsTest::anotherConfigurationGivesWhatAFreshRunGives() {
  AnalysisRequest asked = request(8);
  const SnapshotPtr first = steps(asked).back();
  for (const char* observer : {"percentile:0.1:99.9", "moving-average:0.5"}) {
    asked.config.precision.edit([&](PrecisionConfig& config) {
      config.defaults.activation.observer = parseObserver(observer);
      config.defaults.output.observer = config.defaults.activation.observer;
    });
    const SnapshotPtr reused = steps(asked, first).back();
    QVERIFY(report(*reused) != report(*first));
    QCOMPARE(report(*reused), report(*steps(asked).back()));
  }
}

// Weights in a file of their own, and the samples.
void AnalyzeInStepsTest::whatHasChangedOnDiskIsReadAgain() {
  using namespace quantscope::test;
  const QTemporaryDir folder;
  const auto write = [&](const char* file, const std::string& header,
                         const std::vector<float>& numbers) {
    const auto* bytes = reinterpret_cast<const char*>(numbers.data());
    return writeFile(folder, file, header + std::string(bytes, 4 * numbers.size()));
  };
  const std::string header = npyBytes(npyDictionary("<f4", "(3, 2)"), "");
  OnnxGraph graph;
  graph.nodes = {{"Mul", {"x", "w"}, {"y"}, "layer", {}, ""}};
  graph.inputs = {"x"};
  graph.outputs = {"y"};
  graph.initializers = {onnxExternal("w", {2}, "w.bin")};
  AnalysisRequest asked;
  asked.model = writeFile(folder, "model.onnx", onnxModel(graph));
  write("w.bin", "", {1, 2});
  asked.data = write("data.npy", header, {0.1F, 0.2F, 0.3F, 0.4F, 0.5F, 0.6F});

  AnalysisMemory memory(kMemory);
  const SnapshotPtr first = steps(asked, {}, memory).back();
  const SnapshotPtr same = steps(asked, first, memory).back();
  QVERIFY(same->model.engine == first->model.engine);
  QVERIFY(same->data == first->data && same->observations == first->observations);

  write("w.bin", "", {1, 3});
  const SnapshotPtr weights = steps(asked, first, memory).back();
  QVERIFY(weights->model.engine->content() != first->model.engine->content());
  QVERIFY(report(*weights) != report(*first));
  QCOMPARE(report(*weights), report(*steps(asked).back()));
  QVERIFY(areComparable(*first, *same) && !areComparable(*first, *weights));

  write("data.npy", header, {0.1F, 0.2F, 0.3F, 0.4F, 0.5F, 0.7F});
  const SnapshotPtr samples = steps(asked, weights, memory).back();
  QVERIFY(samples->model.engine == weights->model.engine);
  QVERIFY(samples->data != weights->data);
  QVERIFY(report(*samples) != report(*weights));
  QVERIFY(!areComparable(*weights, *samples));
  QCOMPARE(report(*samples), report(*steps(asked).back()));

  // Touched alone, they are read again, and are the same.
  write("w.bin", "", {1, 3});
  const SnapshotPtr touched = steps(asked, samples, memory).back();
  QVERIFY(touched->model.engine->content() == samples->model.engine->content());
  QCOMPARE(report(*touched), report(*samples));
  QVERIFY(areComparable(*touched, *samples));
}

// Under the same path, and the state of before is asked for again.
void AnalyzeInStepsTest::otherLabelsCountAgain() {
  const QTemporaryDir folder;
  AnalysisRequest asked = request(8);
  const auto write = [&](std::int64_t first) {
    std::vector<std::int64_t> labels = readLabels(request(8).labels);
    labels.resize(8);
    labels[0] = first;
    const std::string bytes(reinterpret_cast<const char*>(labels.data()), 8 * labels.size());
    return test::writeFile(folder, "labels.npy",
                           test::npyBytes(test::npyDictionary("<i8", "(8,)"), "") + bytes);
  };
  const std::int64_t right = readLabels(asked.labels).front();
  asked.labels = write(right);
  AnalysisMemory memory(kMemory);
  const SnapshotPtr first = steps(asked, {}, memory).back();
  asked.labels = write(right == 0 ? 1 : 0);
  const SnapshotPtr again = steps(asked, first, memory, {first}).back();
  QVERIFY(first->result->outputs[0].accuracyFloat != again->result->outputs[0].accuracyFloat);
  QVERIFY(!areComparable(*first, *again));
  QCOMPARE(report(*again), report(*steps(asked).back()));
}

void AnalyzeInStepsTest::anotherBackendFileQuantizesAgain() {
  const QTemporaryDir folder;
  const auto write = [&](const char* from) {
    QFile shipped(QStringLiteral(QUANTSCOPE_SAMPLES_DIRECTORY "/../resources/core/backends/") +
                  QLatin1String(from));
    if (!shipped.open(QIODevice::ReadOnly)) qFatal("no backend %s", from);
    return test::writeFile(folder, "own.json", shipped.readAll().toStdString());
  };
  AnalysisRequest asked = request(8);
  const std::string file = write("x86.json");
  asked.config.precision.edit([&](PrecisionConfig& config) { config.backend = file; });
  AnalysisMemory memory(kMemory);
  const SnapshotPtr first = steps(asked, {}, memory).back();
  write("qnnpack.json");
  const SnapshotPtr again = steps(asked, first, memory, {first}).back();
  QVERIFY(report(*first) != report(*again));
  QCOMPARE(report(*again), report(*steps(asked).back()));
  // Which is what differs between configurations.
  QVERIFY(areComparable(*first, *again));
}

// A file that was only touched is read once more and found to be the same.
void AnalyzeInStepsTest::touchedSamplesAreNoError() {
  const QTemporaryDir folder;
  const auto write = [&](float last) {
    std::vector<float> pixels(6, 0.5F);
    pixels.back() = last;
    const std::string bytes(reinterpret_cast<const char*>(pixels.data()), 4 * pixels.size());
    return test::writeFile(folder, "data.npy",
                           test::npyBytes(test::npyDictionary("<f4", "(3, 2)"), "") + bytes);
  };
  test::OnnxGraph graph;
  graph.nodes = {{"Relu", {"x"}, {"y"}, "layer", {}, ""}};
  graph.inputs = {"x"};
  graph.outputs = {"y"};
  AnalysisRequest asked;
  asked.model = test::writeFile(folder, "model.onnx", test::onnxModel(graph));
  asked.data = write(1);
  const Workers workers(1);
  JobContext job(workers);
  const OpenedAnalysis opened = openAnalysis(asked, nullptr, job);
  for (std::size_t i = 0; i < opened.data->feedCount(); ++i) opened.data->read(i);
  opened.data->requireUnchanged();
  const auto later = std::filesystem::file_time_type::clock::now() + std::chrono::seconds(2);
  std::filesystem::last_write_time(asked.data, later);
  opened.data->requireUnchanged();
}

void AnalyzeInStepsTest::withoutDataThereIsOnlyTheStructure() {
  AnalysisRequest asked = request(8);
  asked.data.clear();
  const std::vector<SnapshotPtr> published = steps(asked);
  QCOMPARE(published.size(), std::size_t{1});
  QVERIFY(published.front()->stage == Stage::Structure);
}

void AnalyzeInStepsTest::aBadDataFileLeavesTheStructure() {
  AnalysisRequest asked = request(8);
  asked.data = "/nowhere.npz";
  std::vector<SnapshotPtr> published;
  const Workers workers(1);
  JobContext job(workers);
  AnalysisMemory memory(kMemory);
  QVERIFY_EXCEPTION_THROWN(
      analyzeInSteps(asked, {}, memory, job,
                     [&](SnapshotPtr snapshot) { published.push_back(std::move(snapshot)); }),
      Error);
  QCOMPARE(published.size(), std::size_t{1});
}

void AnalyzeInStepsTest::cancelStops() {
  const Workers workers(1);
  JobContext job(workers);
  std::size_t published = 0;
  AnalysisMemory memory(kMemory);
  QVERIFY_EXCEPTION_THROWN(analyzeInSteps(request(400), {}, memory, job,
                                          [&](const SnapshotPtr& snapshot) {
                                            ++published;
                                            if (snapshot->stage == Stage::Partial) {
                                              job.requestCancel();
                                            }
                                          }),
                           Cancelled);
  QCOMPARE(published, std::size_t{2});
}

QUANTSCOPE_TEST(AnalyzeInStepsTest)
#include "test_analyze_in_steps.moc"
