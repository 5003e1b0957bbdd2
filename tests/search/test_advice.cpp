#include <QtTest>

#include "analysis/cost/summary.h"
#include "base/workers.h"
#include "calibration/calibrate.h"
#include "calibration/sample_set.h"
#include "jobs/quantize_model.h"
#include "search/advice/backward_elimination.h"
#include "search/advice/forward_selection.h"
#include "search/measured/additive_errors.h"
#include "search/measured/measured_search.h"
#include "support/error_text.h"
#include "support/graph_text.h"
#include "support/memory_source.h"
#include "support/test_main.h"

using namespace quantscope;
using test::graphFromText;
using test::MemorySource;
using test::randomSamples;

namespace {

// Two layers that read one weight, and a heavy one.
constexpr const char* kNetwork = R"(
  input x:float[1,8,6,6]
  w:float[8,8,1,1]
  v:float[64,8,3,3]
  a = Conv(x, w) @one
  b = Conv(a, w) @two
  c = Conv(b, v) @heavy
  output c
)";

// In 8 bits many squares are rounded to 0, whose logarithm is not finite.
constexpr const char* kLogarithm = R"(
  input x:float[1,8,6,6]
  w:float[8,8,1,1]
  a = Conv(x, w) @conv
  b = Mul(a, a) @square
  c = Log(b) @log
  output c
)";

constexpr const char* kTwoOutputs = R"(
  input x:float[1,8,6,6]
  v:float[8,8,1,1]
  w:float[8,8,1,1]
  a = Conv(x, v) @one
  b = Conv(x, w) @two
  output a
  output b
)";

constexpr double kShared = 64;  // elements of w
constexpr double kHeavy = 64 * 8 * 9;
constexpr double kScales = 4 * 8;  // bytes of w's, per channel
constexpr double kHeavyScales = 4 * 64;

struct Case {
  explicit Case(const char* network = kNetwork) : graph(graphFromText(network)) {}

  Workers workers{2};
  JobContext job{workers};
  std::shared_ptr<const Graph> graph;
  std::shared_ptr<const Engine> engine = std::make_shared<const Engine>(graph, workers);
  SampleSet samples{
      std::make_unique<MemorySource>(graph->inputs()[0], randomSamples({1, 8, 6, 6}, 8, 3))};
  Observations observations = calibrate(*engine, samples, {}, job);

  QuantizationSummary summaryUnder(const std::string& nodes) const {
    const Configuration config =
        parseConfiguration(R"({"quantscope": 1, "nodes": {)" + nodes + "}}", "config");
    return summarize(*engine, quantizeModel(*engine, config, observations), observations);
  }
};

}  // namespace

/// The cost of configurations, and the search from the wide end.
class AdviceTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void aWeightIsStoredInEachOfItsForms_data();
  void aWeightIsStoredInEachOfItsForms();
  void narrowsWhatTheLimitsAskFor();
  void whatSpoilsAnOutputIsNotTaken();
  void theWorstOutputDecidesBetweenWays();
  void smallLossesDoNotAddUp();
  void theBestChangeGainsMost();
  void aSharedWeightIsPricedOnce();
  void whatShowsNoDropIsToldFirst();
};

void AdviceTest::aWeightIsStoredInEachOfItsForms_data() {
  QTest::addColumn<QString>("nodes");
  QTest::addColumn<double>("bytes");
  const double heavy = kHeavy + kHeavyScales;
  QTest::newRow("both in int8") << "" << kShared + kScales + heavy;
  QTest::newRow("one in float") << R"("two": "fp32")" << 5 * kShared + kScales + heavy;
  QTest::newRow("the other") << R"("one": "fp32")" << 5 * kShared + kScales + heavy;
  QTest::newRow("both in float") << R"("one": "fp32", "two": "fp32")" << 4 * kShared + heavy;
}

void AdviceTest::aWeightIsStoredInEachOfItsForms() {
  QFETCH(const QString, nodes);
  QFETCH(const double, bytes);
  Case with;
  QCOMPARE(static_cast<double>(with.summaryUnder(nodes.toStdString()).quantizedBytes), bytes);
}

// The heavy layer is beyond both limits; the two that share a weight stay wide, together.
void AdviceTest::narrowsWhatTheLimitsAskFor() {
  Case with;
  const Configuration start;
  AnalysisMemory memory(std::size_t{16} << 20);
  const Labels labels;
  TrialRuns runs(*with.engine, start, with.observations, with.samples, labels, memory, with.job);
  const std::shared_ptr<const QuantizedModel> model = runs.quantize(start);
  const Trial now = runs.run(start, model, "As configured");
  const SearchSpace space = findSearchSpace(with.engine, start, model, with.observations,
                                            {QuantType::Float32}, memory.parameters, with.job);
  QCOMPARE(space.layers.size(), std::size_t{3});
  const auto typesWithin = [&](const AdviceLimits& limits) {
    const std::vector<std::size_t> options =
        eliminateBackward(*with.engine, space, now, limits, runs);
    QStringList types;
    for (std::size_t i = 0; i < options.size(); ++i) {
      types << QString::fromStdString(std::string(name(space.layers[i].options[options[i]].type)));
    }
    return types.join(u' ');
  };
  QCOMPARE(typesWithin({}), QStringLiteral("fp32 fp32 int8"));
  QCOMPARE(typesWithin({.bytes = 10, .macsAbove8Bits = 1}), QStringLiteral("fp32 fp32 fp32"));
  QCOMPARE(typesWithin({.bytes = 1, .macsAbove8Bits = 0}), QStringLiteral("int8 int8 int8"));
}

// Values that are left out of an error must not make it look small.
void AdviceTest::whatSpoilsAnOutputIsNotTaken() {
  Case with(kLogarithm);
  const Configuration start;
  AnalysisMemory memory(std::size_t{16} << 20);
  {
    const Labels labels;
    TrialRuns runs(*with.engine, start, with.observations, with.samples, labels, memory, with.job);
    const Trial trial = runs.run(start, runs.quantize(start), "As configured");
    QVERIFY(trial.point.sqnrDb == -std::numeric_limits<double>::infinity());
    QCOMPARE(worstNoise(trial.used), kSpoiltNoise);
  }
  const OptimizedConfig found = searchMeasured(
      with.engine, start, with.observations, with.samples, {},
      {.goal = {SearchGoal::Kind::Bytes, 1e6}, .types = {QuantType::Float32}}, memory, with.job);
  QVERIFY(found.chosen.sqnrDb.value_or(0) > 20);
  QVERIFY(found.pareto.back().point.sqnrDb == std::numeric_limits<double>::infinity());
  const auto square = std::ranges::find(found.why, "square", &ChoiceReason::node);
  QVERIFY(square != found.why.end());
  QCOMPARE(square->scheme, std::string("fp32"));
  QVERIFY(square->text.find("the outputs are not finite") != std::string::npos);
}

// The first way makes one output exact and leaves the other bad; the second one mends both.
void AdviceTest::theWorstOutputDecidesBetweenWays() {
  Case with(kTwoOutputs);
  const auto configured = [](const char* one, const char* two) {
    return parseConfiguration(R"({"quantscope": 1, "backend": "generic", "nodes": {"one": )" +
                                  std::string(one) + R"(, "two": )" + two + "}}",
                              "config");
  };
  const char* narrow = R"({"weight": {"type": "int4", "granularity": "per-tensor"}})";
  const char* byChannel = R"({"weight": {"type": "int4", "granularity": "per-channel"}})";
  const char* wide = R"({"weight": {"type": "int8"}})";
  const Configuration start = configured(narrow, narrow);
  const std::vector<ConfigEdit> ways{editBetween(start, configured(R"("fp32")", byChannel), "1"),
                                     editBetween(start, configured(wide, wide), "2")};
  AnalysisMemory memory(std::size_t{16} << 20);
  const Labels labels;
  TrialRuns runs(*with.engine, start, with.observations, with.samples, labels, memory, with.job);
  const AdviceLimits limits{.bytes = 10, .macsAbove8Bits = 1};
  const auto alone = [&](std::size_t way) {
    return selectForward(*with.engine, start, {ways[way]}, {}, limits, runs);
  };
  QVERIFY(alone(0).first);
  QVERIFY(alone(0).end->point.sqnrDb.value() < alone(1).end->point.sqnrDb.value());
  const SelectedEdits chosen = selectForward(*with.engine, start, ways, {}, limits, runs);
  QCOMPARE(chosen.first, std::optional<std::size_t>(1));
}

// A way that gains much at the worst output, and loses next to nothing at the other one.
void AdviceTest::smallLossesDoNotAddUp() {
  Case with(kTwoOutputs);
  const auto configured = [](const char* one, const std::string& two) {
    return parseConfiguration(R"({"quantscope": 1, "backend": "generic", "nodes": {"one": )" +
                                  std::string(one) + R"(, "two": )" + two + "}}",
                              "config");
  };
  const char* narrow = R"({"weight": {"type": "int4", "granularity": "per-tensor"}})";
  const char* wide = R"({"weight": {"type": "int8"}})";
  const Configuration start = configured(narrow, wide);
  AnalysisMemory memory(std::size_t{16} << 20);
  const Labels labels;
  TrialRuns runs(*with.engine, start, with.observations, with.samples, labels, memory, with.job);
  const AdviceLimits limits{.bytes = 10, .macsAbove8Bits = 1};
  const Trial now = runs.run(start, runs.quantize(start), "As configured");
  const auto loss = [](const std::vector<OutputResult>& before,
                       const std::vector<OutputResult>& after) {
    return *before[1].error.sqnrDb - *after[1].error.sqnrDb;
  };
  int small = 0;
  int harmless = 0;
  const Range range = with.observations.find(with.graph->outputs()[1])->range;
  for (int step = 0; step < 60; ++step) {
    const double factor = 1 + 0.0005 * step;
    const Configuration changed =
        configured(wide, R"({"output": {"range": [)" + std::to_string(factor * range.low) + ", " +
                             std::to_string(factor * range.high) + "]}}");
    const Trial tried = runs.run(changed, runs.quantize(changed), "Another range");
    const double most = std::max(
        {loss(now.used, tried.used), loss(now.heldOut, tried.heldOut), loss(now.all, tried.all)});
    if (most > 0.05) continue;
    const bool taken =
        selectForward(*with.engine, start, {editBetween(start, changed, "both")}, {}, limits, runs)
            .first.has_value();
    ++(most > 1e-3 ? small : harmless);
    QVERIFY2(taken == (most < 1e-3), qPrintable(QString::number(most)));
  }
  QVERIFY(small > 0 && harmless > 0);
}

// However many smaller gains cost less.
void AdviceTest::theBestChangeGainsMost() {
  Case with;
  const Configuration start = parseConfiguration(
      R"({"quantscope": 1, "backend": "generic", "nodes": {"heavy": {"activation":
          {"range": [-1000, 1000]}}}})",
      "config");
  const Configuration free =
      parseConfiguration(R"({"quantscope": 1, "backend": "generic"})", "config");
  const Configuration wide = parseConfiguration(
      R"({"quantscope": 1, "backend": "generic", "default": {"weight": {"type": "int16"},
          "activation": {"type": "int16"}}})",
      "config");
  const auto candidate = [&](const Configuration& changed) {
    CandidateEdit edit;
    edit.edit = editBetween(start, changed, "change it");
    return edit;
  };
  std::vector<CandidateEdit> candidates(60, candidate(free));
  candidates.push_back(candidate(wide));
  AnalysisMemory memory(std::size_t{16} << 20);
  const Labels labels;
  TrialRuns runs(*with.engine, start, with.observations, with.samples, labels, memory, with.job);
  const AdviceLimits limits{.bytes = 10, .macsAbove8Bits = 1};
  const auto bestOf = [&](const std::vector<CandidateEdit>& some) {
    return findBestChange(*with.engine, start, some, limits, runs);
  };
  const std::optional<BestChange> small = bestOf({candidates.front()});
  const std::optional<BestChange> large = bestOf({candidates.back()});
  QVERIFY(small && large && *large->end->point.sqnrDb > *small->end->point.sqnrDb);
  const std::optional<BestChange> best = bestOf(candidates);
  QVERIFY(best);
  QCOMPARE(best->candidate, candidates.size() - 1);
}

// What all of its readers cost together is what the model costs; one of them alone takes no other
// type.
void AdviceTest::aSharedWeightIsPricedOnce() {
  Case with;
  const Configuration start =
      parseConfiguration(R"({"quantscope": 1, "backend": "generic"})", "config");
  AnalysisMemory memory(std::size_t{16} << 20);
  const Labels labels;
  TrialRuns runs(*with.engine, start, with.observations, with.samples, labels, memory, with.job);
  const SearchSpace space =
      findSearchSpace(with.engine, start, runs.quantize(start), with.observations,
                      {QuantType::Int16, QuantType::Float32}, memory.parameters, with.job);
  QCOMPARE(space.layers.size(), std::size_t{3});
  AddedNoise noise;
  for (const SearchLayer& layer : space.layers) noise.emplace_back(layer.options.size());
  const IntegerProgram program = programOf(space, noise, ProgramCost::Bytes);
  const auto bytesOf = [&](const ProgramSolution& options) {
    const auto model = runs.quantize(editOf(space, options, {}).apply(start));
    return static_cast<double>(runs.summaryOf(*model).quantizedBytes);
  };
  const ProgramSolution now(3, 0);
  const double rest = bytesOf(now) - costOf(program, now);
  for (std::size_t option = 0; option < 3; ++option) {
    const ProgramSolution both{option, option, 0};
    QVERIFY(isPossible(program, both));
    QCOMPARE(costOf(program, both) + rest, bytesOf(both));
    QCOMPARE(isPossible(program, {option, 0, 0}), option == 0);
  }
}

// Before any layer is measured.
void AdviceTest::whatShowsNoDropIsToldFirst() {
  Case with;
  QStringList stages;
  JobContext job(with.workers, [&](const Progress& progress) {
    stages << QString::fromStdString(progress.stage);
  });
  AnalysisMemory memory(std::size_t{16} << 20);
  const std::string error = test::errorText([&] {
    searchMeasured(with.engine, {}, with.observations, with.samples, {},
                   {.goal = {SearchGoal::Kind::MaxDrop, 0.1}, .types = {QuantType::Float32}},
                   memory, job);
  });
  QVERIFY2(test::contains(error, "no drop can be measured"), error.c_str());
  QVERIFY(!stages.contains(QStringLiteral("Each layer in each type")));
}

QUANTSCOPE_TEST(AdviceTest)
#include "test_advice.moc"
