#include <QtTest>
#include <atomic>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "analysis/errors/worst_output.h"
#include "base/error.h"
#include "calibration/calibrate.h"
#include "export/json/optimized_config_json.h"
#include "jobs/analysis/advise.h"
#include "jobs/analysis/run_analysis.h"
#include "jobs/quantize_model.h"
#include "jobs/sample_network.h"
#include "jobs/sensitivity/run_search.h"
#include "search/advice/candidate_edits.h"
#include "search/advice/layers_aside.h"
#include "search/measured/measured_front.h"
#include "search/trial_runs.h"
#include "support/error_text.h"
#include "support/test_main.h"

using namespace quantscope;
using test::errorText;
using test::SampleNetwork;

namespace {

constexpr std::size_t kBudget = std::size_t{128} << 20;

Configuration onBackend(const char* backend) {
  PrecisionConfig config;
  config.backend = backend;
  return {std::move(config)};
}

OptimizedConfig searchFor(SampleNetwork& network, const Configuration& start, SearchGoal goal,
                          std::size_t budget = kBudget,
                          std::vector<QuantType> types = searchTypes()) {
  AnalysisMemory memory(budget);
  return runSearch(network.model, start, *network.data, *network.data, {},
                   {.goal = goal, .types = std::move(types)}, 1, memory, network.job);
}

SnapshotPtr analysisOf(SampleNetwork& network, const Configuration& config,
                       AnalysisMemory& memory) {
  OpenedAnalysis opened;
  opened.request.model = network.model.file;
  opened.request.data = network.path + ".npz";
  opened.request.config = config;
  opened.model = network.model;
  opened.data = opened.calibration = network.data;
  return runAnalysis(opened, nullptr, memory, network.job);
}

}  // namespace

class MeasuredSearchTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void keepsItsPromise_data();
  void keepsItsPromise();
  void isNotWorseThanTheStart();
  void sameForThreadsAndBudgets();
  void frontHasNoBeatenPoint();
  void frontOfFewTypes();
  void fewSamplesAreTold();
  void integersCannotBeCompared();
  void stoppedItGivesTheBestSoFar();
  void goalsOutOfReach();
  void outOfReachIsToldFirst();
  void smallNetworks();
  void whatIsTiedChangesAsOne_data();
  void whatIsTiedChangesAsOne();
  void smallerThanItsFront();
  void reasonsTellOfTime();
  void adviceIsWhatIsMeasured_data();
  void adviceIsWhatIsMeasured();
  void bestChangeIsWhatIsMeasured_data();
  void bestChangeIsWhatIsMeasured();
  void adviceOnFewSamplesSaysSo();
  void whatIsDismissedIsLeftAlone();
};

void MeasuredSearchTest::keepsItsPromise_data() {
  using Kind = SearchGoal::Kind;
  QTest::addColumn<QByteArray>("sample");
  QTest::addColumn<int>("kind");
  QTest::addColumn<double>("limit");
  const auto row = [](const char* what, const char* sample, Kind kind, double limit) {
    QTest::newRow(what) << QByteArray(sample) << static_cast<int>(kind) << limit;
  };
  row("6 bits", "digits_mobilenet", Kind::Bits, 6);
  row("10 bits", "digits_mobilenet", Kind::Bits, 10);
  row("bytes", "digits_mobilenet", Kind::Bytes, 60000);
  row("no drop", "digits_mobilenet", Kind::MaxDrop, 0);
  row("transformer", "digits_transformer", Kind::Bits, 7);
}

// What is returned reaches the goal, and has the error that it says, in an analysis of its own.
void MeasuredSearchTest::keepsItsPromise() {
  QFETCH(const QByteArray, sample);
  QFETCH(const int, kind);
  QFETCH(const double, limit);
  SampleNetwork network(sample.toStdString(), 2, 8);
  const SearchGoal goal{static_cast<SearchGoal::Kind>(kind), limit};
  const OptimizedConfig found = searchFor(network, onBackend("generic"), goal);
  if (goal.kind == SearchGoal::Kind::Bits) QVERIFY(found.chosen.bits <= limit);
  if (goal.kind == SearchGoal::Kind::Bytes) QVERIFY(found.chosen.bytes <= limit);
  if (goal.kind == SearchGoal::Kind::MaxDrop) {
    QVERIFY(*found.chosen.drop <= limit);
    QVERIFY(found.chosen.bytes < found.start.bytes);
  }
  AnalysisMemory memory(kBudget);
  const SnapshotPtr analysis = analysisOf(network, found.config, memory);
  QVERIFY(*worstOutputSqnr(analysis->result->outputs) == *found.chosen.sqnrDb);
  QVERIFY(static_cast<double>(analysis->result->summary.quantizedBytes) == found.chosen.bytes);
  QVERIFY(1 - *analysis->result->outputs.front().top1Agreement == *found.chosen.drop);
  // The file that it is written to reads back the same.
  const std::string json = optimizedConfigJson(found);
  QVERIFY(parseConfiguration(json, "found") == found.config);
  const auto file = nlohmann::json::parse(json);
  QCOMPARE(std::ranges::count(found.pareto, true, &FrontPoint::chosen), 1);
  const auto chosen = std::ranges::find(found.pareto, true, &FrontPoint::chosen);
  QVERIFY(chosen->config == found.config && chosen->point.bytes == found.chosen.bytes);
  QVERIFY(file.at("why").size() > 10);
  QVERIFY(file.at("pareto").size() >= 20);
}

void MeasuredSearchTest::isNotWorseThanTheStart() {
  SampleNetwork network("digits_mobilenet", 2, 12);
  for (const double bits : {8.0, 9.0}) {
    const OptimizedConfig found =
        searchFor(network, onBackend("generic"), {SearchGoal::Kind::Bits, bits});
    QVERIFY(*found.chosen.sqnrDb >= *found.start.sqnrDb);
  }
}

void MeasuredSearchTest::sameForThreadsAndBudgets() {
  const SearchGoal goal{SearchGoal::Kind::Bits, 6};
  SampleNetwork two("digits_mobilenet", 2, 4);
  const std::string expected = optimizedConfigJson(searchFor(two, onBackend("generic"), goal));
  SampleNetwork one("digits_mobilenet", 1, 4);
  QVERIFY(optimizedConfigJson(searchFor(one, onBackend("generic"), goal)) == expected);
  SampleNetwork seven("digits_mobilenet", 7, 4);
  QVERIFY(optimizedConfigJson(searchFor(seven, onBackend("generic"), goal, 0)) == expected);
}

void MeasuredSearchTest::frontHasNoBeatenPoint() {
  SampleNetwork network("digits_mobilenet", 2, 8);
  const OptimizedConfig found =
      searchFor(network, onBackend("generic"), {SearchGoal::Kind::Bits, 8});
  QVERIFY(found.pareto.size() >= 20);
  // Nothing that was measured within the budget, and is safe, beats what was chosen.
  for (const FrontPoint& each : found.pareto) {
    const bool isMeant = each.point.bits <= 8 && !each.worseOnPart;
    QVERIFY(!isMeant || *each.point.sqnrDb <= *found.chosen.sqnrDb);
  }
  for (std::size_t i = 1; i < found.pareto.size(); ++i) {
    QVERIFY(found.pareto[i].point.bytes > found.pareto[i - 1].point.bytes);
    QVERIFY(*found.pareto[i].point.sqnrDb > *found.pareto[i - 1].point.sqnrDb);
  }
}

// x86 has two types for most layers, so that many proposals are the same.
void MeasuredSearchTest::frontOfFewTypes() {
  SampleNetwork network("digits_mobilenet", 2, 16);
  const OptimizedConfig found = searchFor(network, onBackend("x86"), {SearchGoal::Kind::Bits, 9});
  QVERIFY2(found.pareto.size() >= 20, QByteArray::number(found.pareto.size()));
  QVERIFY(*found.gap <= 0.005);
}

void MeasuredSearchTest::stoppedItGivesTheBestSoFar() {
  SampleNetwork network("digits_mobilenet", 2, 16);
  const Configuration start = onBackend("generic");
  const Observations observations =
      calibrate(*network.model.engine, *network.data, observationSettings(start, 1), network.job);
  std::atomic<bool> stop{false};
  const auto search = [&] {
    AnalysisMemory memory(kBudget);
    return searchMeasured(network.model.engine, start, observations, *network.data, {},
                          {.goal = {SearchGoal::Kind::Bits, 8},
                           .types = searchTypes(),
                           .stop = [&] { return stop.load(); }},
                          memory, network.job,
                          [&](const std::vector<FrontPoint>&) { stop = true; });
  };
  const OptimizedConfig found = search();
  QVERIFY(!found.pareto.empty() && found.pareto.size() < 20);
  QVERIFY(found.chosen.bits <= 8 && *found.chosen.sqnrDb >= *found.start.sqnrDb);
  QVERIFY(test::contains(found.notices.back(), "stopped before its end"));
  QVERIFY(test::contains(optimizedConfigJson(found), "\"complete\": false"));
  // Before anything is measured there is no best.
  QVERIFY_THROWS_EXCEPTION(Cancelled, search());
}

void MeasuredSearchTest::integersCannotBeCompared() {
  test::TextNetwork network(R"(
    input x:float[1,6]
    w:float[6,5]
    h = MatMul(x, w) @first
    y = ArgMax(h) axis=1 keepdims=0 @top
    output y
  )",
                            8);
  SearchRequest request{{SearchGoal::Kind::Bits, 8}, searchTypes()};
  const std::string error = errorText([&] {
    runSearch(network.model, {}, *network.data, *network.data, {}, request, 1, network.memory,
              network.job);
  });
  QVERIFY2(test::contains(error, "no output of the model has real numbers"), error.c_str());
}

void MeasuredSearchTest::fewSamplesAreTold() {
  const auto notices = [](std::size_t samples, SearchGoal goal) {
    SampleNetwork network("digits_mobilenet", 2, samples);
    return searchFor(network, onBackend("generic"), goal).notices;
  };
  QVERIFY(notices(16, {SearchGoal::Kind::Bits, 8}).empty());
  QVERIFY(notices(4, {SearchGoal::Kind::Bits, 8}).empty());
  const auto few = notices(3, {SearchGoal::Kind::Bits, 8});
  QCOMPARE(few.size(), std::size_t{1});
  QVERIFY2(test::contains(few[0], "too few to hold some out"), few[0].c_str());
  const auto drop = notices(16, {SearchGoal::Kind::MaxDrop, 0.01});
  QCOMPARE(drop.size(), std::size_t{1});
  QVERIFY2(
      test::contains(drop[0], "16 samples cannot show that at most 1 % are lost: that takes 300"),
      drop[0].c_str());
  const auto none = notices(16, {SearchGoal::Kind::MaxDrop, 0});
  QCOMPARE(none.size(), std::size_t{1});
  QVERIFY2(test::contains(none[0], "16 samples can show that none of them is lost"),
           none[0].c_str());
}

void MeasuredSearchTest::goalsOutOfReach() {
  SampleNetwork network("digits_mobilenet", 2, 4);
  const auto whyNot = [&](SearchGoal goal, std::vector<QuantType> types) {
    return QByteArray::fromStdString(errorText(
        [&] { searchFor(network, onBackend("generic"), goal, kBudget, std::move(types)); }));
  };
  const QByteArray bits = whyNot({SearchGoal::Kind::Bits, 3}, {QuantType::Int4});
  QVERIFY2(bits.contains("no configuration has 3 bits") && bits.contains("at least 4"), bits);
  const QByteArray bytes = whyNot({SearchGoal::Kind::Bytes, 1000}, {QuantType::Int4});
  QVERIFY2(bytes.contains("no configuration has 1000 bytes: with"), bytes);
  const QByteArray none = whyNot({SearchGoal::Kind::Bits, 8}, {});
  QVERIFY2(none.contains("no layer has a choice of types"), none);
}

// Before anything is run.
void MeasuredSearchTest::outOfReachIsToldFirst() {
  SampleNetwork network("digits_mobilenet", 2, 4);
  const Configuration start = onBackend("x86");
  const Observations observations =
      calibrate(*network.model.engine, *network.data, observationSettings(start, 1), network.job);
  JobContext* running = nullptr;
  std::size_t begun = 0;
  JobContext job(network.workers, [&](const Progress& progress) {
    if (progress.stage != "Each layer in each type") return;
    ++begun;
    running->requestCancel();
  });
  running = &job;
  std::size_t published = 0;
  const auto search = [&](double bits) {
    AnalysisMemory memory(kBudget);
    searchMeasured(network.model.engine, start, observations, *network.data, {},
                   {.goal = {SearchGoal::Kind::Bits, bits}, .types = searchTypes()}, memory, job,
                   [&](const std::vector<FrontPoint>&) { ++published; });
  };
  const std::string error = errorText([&] { search(7); });
  QVERIFY2(test::contains(error, "no configuration has 7 bits in the mean"), error.c_str());
  QCOMPARE(published, std::size_t{0});
  QCOMPARE(begun, std::size_t{0});
  // What is within reach begins with that stage.
  QVERIFY_THROWS_EXCEPTION(Cancelled, search(9));
  QVERIFY(begun > 0);
}

// By added errors nothing is worth trying; measured, each change is a point of its own.
void MeasuredSearchTest::smallNetworks() {
  const ProgramChoice narrow{.cost = 5, .noise = {0.010}};
  const ProgramChoice wide{.cost = 15, .noise = {0.011}};
  IntegerProgram program;
  program.units = {{narrow, wide}, {narrow, wide}};
  Trials trials;
  const auto measure = [&](const LayerOptions& options) {
    auto trial = std::make_shared<Trial>();
    const double wider = static_cast<double>(options[0] + 2 * options[1]);
    trial->point.bytes = 10 + 10 * wider;
    trial->point.sqnrDb = 20 + 5 * wider;
    trial->all.emplace_back().error.sqnrDb = trial->point.sqnrDb;
    trials.emplace(options, trial);
  };
  measure({0, 0});
  QVERIFY(!besideFront(trials, FrontCost::Bytes, program, false));
  while (const auto options = besideFront(trials, FrontCost::Bytes, program, true)) {
    QVERIFY(!trials.contains(*options));
    measure(*options);
  }
  QCOMPARE(trials.size(), std::size_t{4});
  QCOMPARE(measuredFront(trials, FrontCost::Bytes).size(), std::size_t{4});
}

void MeasuredSearchTest::whatIsTiedChangesAsOne_data() {
  QTest::addColumn<bool>("byWeight");
  QTest::newRow("readers of one weight") << true;
  QTest::newRow("on one grid") << false;
}

// A third unit is free.
void MeasuredSearchTest::whatIsTiedChangesAsOne() {
  QFETCH(const bool, byWeight);
  const ProgramChoice narrow{.cost = 5, .noise = {0.010}, .kind = 0, .form = 0};
  const ProgramChoice wide{.cost = 15, .noise = {0.001}, .kind = 1, .form = 1};
  IntegerProgram program;
  program.units = {{narrow, wide}, {narrow, wide}, {narrow, wide}};
  (byWeight ? program.alike : program.together) = {{0, 2}};
  Trials trials;
  const auto measure = [&](const LayerOptions& options) {
    auto trial = std::make_shared<Trial>();
    const double wider = static_cast<double>(options[0] + options[1] + options[2]);
    trial->point.bytes = 15 + 10 * wider;
    trial->point.sqnrDb = 15 + 5 * wider;
    trial->all.emplace_back().error.sqnrDb = trial->point.sqnrDb;
    trials.emplace(options, trial);
  };
  measure({0, 0, 0});
  while (const auto options = besideFront(trials, FrontCost::Bytes, program, true)) {
    QCOMPARE((*options)[0], (*options)[2]);
    measure(*options);
  }
  QCOMPARE(trials.size(), std::size_t{4});
}

constexpr const char* kThreeProducts = R"(
  input x:float[1,24]
  a:float[24,22]
  b:float[22,20]
  c:float[20,18]
  v1 = MatMul(x, a) @one
  v2 = MatMul(v1, b) @two
  y = MatMul(v2, c) @three
  output y
)";

// None of its 27 configurations beats the front, also where errors do not add up.
void MeasuredSearchTest::smallerThanItsFront() {
  test::TextNetwork network(kThreeProducts, 8);
  const Configuration start = onBackend("generic");
  const Observations observations =
      calibrate(*network.model.engine, *network.data, observationSettings(start, 1), network.job);
  const std::vector<QuantType> types{QuantType::Int8, QuantType::Int16, QuantType::Float32};
  AnalysisMemory& memory = network.memory;
  const OptimizedConfig found =
      searchMeasured(network.model.engine, start, observations, *network.data, {},
                     {.goal = {SearchGoal::Kind::Bits, 32}, .types = types}, memory, network.job);
  const Labels labels;
  TrialRuns runs(*network.model.engine, start, observations, *network.data, labels, memory,
                 network.job);
  const SearchSpace space = findSearchSpace(network.model.engine, start, runs.quantize(start),
                                            observations, types, memory.parameters, network.job);
  std::size_t configurations = 0;
  for (std::size_t each = 0; each < 27; ++each) {
    const std::vector<std::size_t> options{each % 3, each / 3 % 3, each / 9};
    const Configuration config = editOf(space, options, {}).apply(start);
    const Trial trial = runs.run(config, runs.quantize(config), "By hand");
    QVERIFY(std::ranges::any_of(found.pareto, [&](const FrontPoint& member) {
      return member.point.bytes <= trial.point.bytes && *member.point.sqnrDb >= *trial.point.sqnrDb;
    }));
    ++configurations;
  }
  QCOMPARE(configurations, std::size_t{27});
}

// In the type that a layer has, in the others, and what a conversion costs.
void MeasuredSearchTest::reasonsTellOfTime() {
  test::TextNetwork network(kThreeProducts, 8);
  CostTable table;
  for (const char* node : {"one", "two", "three"}) {
    table.layers[node] = {{QuantType::Float32, {40}}, {QuantType::Int8, {10}}};
  }
  // Faster in int8, and not with what it takes to get there.
  table.layers["two"][QuantType::Int8] = {39};
  for (const char* value : {"x", "v1", "v2", "y"}) table.conversions[value] = {20, 20};
  const auto search = [&](double speedup) {
    return runSearch(network.model, onBackend("x86"), *network.data, *network.data, {},
                     {.goal = {SearchGoal::Kind::Speedup, speedup},
                      .types = {QuantType::Int8, QuantType::Float32},
                      .costs = std::make_shared<const CostTable>(table)},
                     1, network.memory, network.job);
  };
  const OptimizedConfig none = search(1);
  const std::string& two = none.why.at(1).text;
  QVERIFY2(test::contains(two, "in fp32 alone") && test::contains(two, ", it takes 40 µs"),
           two.c_str());
  QVERIFY2(test::contains(two, "39 µs and 40 µs of conversions") &&
               test::contains(two, "faster but for its conversions"),
           two.c_str());
  QCOMPARE(*none.why.at(1).speedup, 1.0);
  const OptimizedConfig fast = search(1.2);
  QCOMPARE(*fast.why.at(0).speedup, 4.0);
  QVERIFY(*fast.chosen.speedup >= 1.2);
  QCOMPARE(std::ranges::count(fast.pareto, true, &FrontPoint::chosen), 1);
}

void MeasuredSearchTest::adviceIsWhatIsMeasured_data() {
  QTest::addColumn<QByteArray>("sample");
  QTest::addColumn<QByteArray>("backend");
  QTest::newRow("mobilenet on x86") << QByteArray("digits_mobilenet") << QByteArray("x86");
  QTest::newRow("mobilenet on qnnpack") << QByteArray("digits_mobilenet") << QByteArray("qnnpack");
  QTest::newRow("transformer on generic")
      << QByteArray("digits_transformer") << QByteArray("generic");
}

void MeasuredSearchTest::adviceIsWhatIsMeasured() {
  QFETCH(const QByteArray, sample);
  QFETCH(const QByteArray, backend);
  SampleNetwork network(sample.toStdString(), 2, 16);
  AnalysisMemory memory(kBudget);
  const SnapshotPtr before = analysisOf(network, onBackend(backend.constData()), memory);
  const Advice advice = advise(*before, memory, network.job);
  QVERIFY(*advice.toDb >= *advice.fromDb);
  QVERIFY(*worstOutputSqnr(before->result->outputs) == *advice.fromDb);
  AnalysisMemory cold(kBudget);
  const SnapshotPtr after = analysisOf(network, advice.config, cold);
  QVERIFY(*worstOutputSqnr(after->result->outputs) == *advice.toDb);
  const QuantizationSummary& summary = after->result->summary;
  const auto bytes = static_cast<double>(before->result->summary.quantizedBytes);
  QVERIFY(static_cast<double>(summary.quantizedBytes) == bytes + advice.bytes);
  QVERIFY(advice.bytes <= 0.25 * bytes);
  QVERIFY(*summary.macsAbove8Bits <= std::max(0.25, *before->result->summary.macsAbove8Bits));
  QCOMPARE(advice.changes.empty(), advice.config == before->request.config);
  QVERIFY(after->quantized->notices == before->quantized->notices);
}

void MeasuredSearchTest::bestChangeIsWhatIsMeasured_data() {
  QTest::addColumn<int>("samples");
  // Of these the first two say little: what helps on all does not on them.
  for (const int samples : {12, 16, 32}) QTest::addRow("%d samples", samples) << samples;
}

void MeasuredSearchTest::bestChangeIsWhatIsMeasured() {
  QFETCH(const int, samples);
  SampleNetwork network("digits_mobilenet", 2, static_cast<std::size_t>(samples));
  AnalysisMemory memory(kBudget);
  const SnapshotPtr before = analysisOf(network, onBackend("x86"), memory);
  const std::optional<NextChange> next = bestNextChange(*before, memory, network.job);
  QVERIFY(next && *next->toDb > *next->fromDb);
  const Configuration changed = next->edit.apply(before->request.config);
  const SnapshotPtr after = analysisOf(network, changed, memory);
  QVERIFY(*worstOutputSqnr(after->result->outputs) == *next->toDb);
  QVERIFY(!next->edit.sentence.empty());
}

void MeasuredSearchTest::adviceOnFewSamplesSaysSo() {
  const auto noticesOn = [](std::size_t samples) {
    SampleNetwork network("digits_mobilenet", 2, samples);
    AnalysisMemory memory(kBudget);
    const SnapshotPtr analysis = analysisOf(network, onBackend("x86"), memory);
    return advise(*analysis, memory, network.job).notices;
  };
  QVERIFY(noticesOn(8).empty());
  QVERIFY(noticesOn(3) == std::vector<std::string>{kNothingHeldOut});
}

// The layers of a dismissed finding, its members included, whoever proposes to change them.
void MeasuredSearchTest::whatIsDismissedIsLeftAlone() {
  SampleNetwork network("digits_mobilenet", 2, 8);
  AnalysisMemory memory(kBudget);
  const Configuration config =
      readConfiguration(std::filesystem::path(QUANTSCOPE_SAMPLES_DIRECTORY) / "per_tensor.json");
  const SnapshotPtr analysis = analysisOf(network, config, memory);
  const Graph& graph = *network.model.graph;
  const Advice all = advise(*analysis, memory, network.job);
  const auto changes = [](const Advice& advice, const std::set<std::string>& nodes) {
    return std::ranges::any_of(
        advice.layers, [&](const NodeChange& change) { return nodes.contains(change.node); });
  };
  std::set<std::string> aside;
  std::set<std::string> nodes;
  for (const Finding& finding : analysis->detected->findings) {
    nodes = nodesAside(graph, *analysis->quantized, *analysis->detected, {finding.id});
    aside = {finding.id};
    if (changes(all, nodes)) break;
  }
  QVERIFY(changes(all, nodes));
  QVERIFY(!changes(advise(*analysis, memory, network.job, aside), nodes));
  const auto touching = [&](const std::set<std::string>& dismissed) {
    return std::ranges::count_if(
        findCandidateEdits(network.model.engine, config, analysis->quantized, *analysis->detected,
                           dismissed, network.job),
        [&](const CandidateEdit& candidate) { return changesAny(candidate.edit, nodes); });
  };
  QVERIFY(touching({}) > 1);
  QCOMPARE(touching(aside), 0);
}

QUANTSCOPE_TEST(MeasuredSearchTest)
#include "test_measured_search.moc"
