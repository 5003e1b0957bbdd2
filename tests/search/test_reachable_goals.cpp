#include <QtTest>
#include <algorithm>

#include "jobs/sample_network.h"
#include "jobs/sensitivity/run_search.h"
#include "support/error_text.h"
#include "support/test_main.h"

using namespace quantscope;
using test::errorText;

/// Goals that are only within reach because layers share what they need, and what is said of the
/// costs that decide.
class ReachableGoalsTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void oneConversionServesAllReaders();
  void oneWeightServesAllLayers();
  void timesOfLayersWithoutAChoice();
  void bitsNeedWeights();
  void labelsAreWhatAPromiseRestsOn();
  void looserBudgetsAreNoWorse();
};

namespace {

constexpr const char* kSharedInput = R"(
  input x:float[1,6]
  a:float[6,5]
  b:float[6,4]
  h = MatMul(x, a) @one
  k = MatMul(x, b) @two
  output h
  output k
)";

constexpr const char* kSharedWeight = R"(
  input x:float[1,6]
  w:float[6,6]
  h = MatMul(x, w) @one
  y = MatMul(h, w) @two
  output y
)";

OptimizedConfig searchIn(const char* network, const char* keys, const SearchRequest& request) {
  test::TextNetwork text(network, 8);
  const Configuration start =
      parseConfiguration(std::string(R"({"quantscope": 1, )") + keys + "}", "start");
  return runSearch(text.model, start, *text.data, *text.data, {}, request, 1, text.memory,
                   text.job);
}

}  // namespace

// 80 µs in float32; in int8 twice 10 µs and one conversion of 20 µs.
void ReachableGoalsTest::oneConversionServesAllReaders() {
  CostTable table;
  for (const char* node : {"one", "two"}) {
    table.layers[node] = {{QuantType::Float32, {40}}, {QuantType::Int8, {10}}};
  }
  table.conversions["x"] = {20, 20};
  const auto found = [&](double speedup) {
    return searchIn(kSharedInput, R"("default": "fp32")",
                    {.goal = {SearchGoal::Kind::Speedup, speedup},
                     .types = {QuantType::Int8, QuantType::Float32},
                     .costs = std::make_shared<const CostTable>(table)});
  };
  QCOMPARE(found(1.5).chosen.speedup.value_or(0), 2.0);
  QCOMPARE(found(2).chosen.speedup.value_or(0), 2.0);
  // Without any conversion it is four times as fast.
  const std::string tooFast = errorText([&] { found(5); });
  QVERIFY2(test::contains(tooFast, "a sample takes at least 0.0200 ms"), tooFast.c_str());
}

// As "one" is in float and "two" in int8, both forms are stored; in int8 one form is.
void ReachableGoalsTest::oneWeightServesAllLayers() {
  const auto found = [&](double bits) {
    return searchIn(
        kSharedWeight, R"("backend": "generic", "nodes": {"one": "fp32"})",
        {.goal = {SearchGoal::Kind::Bits, bits}, .types = {QuantType::Int8, QuantType::Float32}});
  };
  const OptimizedConfig small = found(8);
  QCOMPARE(small.start.bits, 40.0);
  QCOMPARE(small.chosen.bits, 8.0);
  const std::string tooSmall = errorText([&] { found(7); });
  QVERIFY2(test::contains(tooSmall, "all weights take at least 8.000"), tooSmall.c_str());
}

// Only "one" may be set to int8, which "two" is in already.
void ReachableGoalsTest::timesOfLayersWithoutAChoice() {
  CostTable table;
  table.layers["one"] = {{QuantType::Float32, {40}}, {QuantType::Int8, {10}}};
  table.layers["two"] = {{QuantType::Float32, {40}}};
  const OptimizedConfig found = searchIn(kSharedWeight, R"("nodes": {"one": "fp32"})",
                                         {.goal = {SearchGoal::Kind::Bits, 40},
                                          .types = {QuantType::Int8},
                                          .costs = std::make_shared<const CostTable>(table)});
  const bool isTold = std::ranges::any_of(found.notices, [](const std::string& notice) {
    return test::contains(notice, "the cost table has no times of int8 in 1 of 2 layers");
  });
  QVERIFY(isTold);
}

void ReachableGoalsTest::bitsNeedWeights() {
  const std::string whyNot = errorText([] {
    searchIn(
        "input x:float[1,6]\ny = Exp(x) @one\noutput y\n", R"("backend": "generic")",
        {.goal = {SearchGoal::Kind::Bits, 16}, .types = {QuantType::Int8, QuantType::Float32}});
  });
  QVERIFY2(test::contains(whyNot, "the model has no weights"), whyNot.c_str());
}

void ReachableGoalsTest::labelsAreWhatAPromiseRestsOn() {
  test::SampleNetwork network("digits_mobilenet", 2, 16);
  AnalysisMemory memory(std::size_t{256} << 20);
  Labels labels;
  labels.classes = {0, 1, 2, 3, 4};
  const auto noticesOf = [&](double drop) {
    return runSearch(network.model, {}, *network.data, *network.data, labels,
                     {.goal = {SearchGoal::Kind::MaxDrop, drop},
                      .types = {QuantType::Int8, QuantType::Float32}},
                     1, memory, network.job)
        .notices;
  };
  QVERIFY(noticesOf(1).empty());
  const std::vector<std::string> few = noticesOf(0.5);
  QCOMPARE(few.size(), std::size_t{1});
  QVERIFY2(test::contains(few[0], "5 samples cannot show that at most 50 % are lost"),
           few[0].c_str());
}

// What is best on the samples that are seen is worse on the others here.
void ReachableGoalsTest::looserBudgetsAreNoWorse() {
  double before = 0;
  for (const double bits : {8.0, 8.3, 9.0, 10.0}) {
    test::SampleNetwork network("digits_mobilenet", 2, 16);
    AnalysisMemory memory(std::size_t{256} << 20);
    const OptimizedConfig found = runSearch(
        network.model, {}, *network.data, *network.data, {},
        {.goal = {SearchGoal::Kind::Bits, bits}, .types = searchTypes()}, 1, memory, network.job);
    QVERIFY2(*found.chosen.sqnrDb >= before, qPrintable(QString::number(bits)));
    before = *found.chosen.sqnrDb;
  }
}

QUANTSCOPE_TEST(ReachableGoalsTest)
#include "test_reachable_goals.moc"
