#include "engine/evaluation/evaluation.h"

#include <QtTest>

#include "base/workers.h"
#include "support/graph_text.h"
#include "support/quant_params.h"
#include "support/test_main.h"

using namespace quantscope;
using namespace quantscope::test;

class EvaluationTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void keysFollowWhatIsComputed();
  void effectsInsideASubGraphAreTheOwners();
  void aLayerByItself();
  void onlyTheConeRuns();
  void plansOfASweepAreKnownAgain();
  void plansShareOneBudget();
  void wantedValuesAreHeldUntilReleased();
  void layoutAndHalfTypeAreKept();
  void cheapValuesGoFirst();
  void usedValuesStay();
  void tooLargeValuesAreNotKept();
  void manySmallValuesStayWithinTheBudget();
};

namespace {

// Two branches that meet.
constexpr const char* kDiamond = R"(
  input x:float[2]
  a = Neg(x) @a
  b = Abs(a) @b
  c = Relu(a) @c
  d = Add(b, c) @d
  output d
)";

NodeQuantization outputOn(const QuantParams& params) {
  NodeQuantization quantization;
  quantization.outputs.emplace_back(0, params);
  return quantization;
}

AppliedQuantization withOutput(const Graph& graph, const char* node, float scale) {
  AppliedQuantization applied(graph.nodes().size());
  applied.set(graph.findNode(node), outputOn(paramsOn(scale)));
  return applied;
}

QString differing(const Graph& graph, const ValueKeys& a, const ValueKeys& b) {
  QString names;
  for (std::size_t i = 0; i < graph.values().size(); ++i) {
    if (a[ValueId(i)] != b[ValueId(i)]) {
      names += QString::fromStdString(graph.values()[i].name) + " ";
    }
  }
  return names.trimmed();
}

constexpr std::size_t kLayers = 200;

// Layers one after the other: v0, v1, …
std::shared_ptr<const Graph> chain() {
  std::string words = "input x:float[2]\n";
  for (std::size_t i = 0; i < kLayers; ++i) {
    const std::string before = i == 0 ? "x" : "v" + std::to_string(i - 1);
    words += "v" + std::to_string(i) + " = Neg(" + before + ")\n";
  }
  return graphFromText((words + "output v199\n").c_str());
}

// The plan for the value of a layer of the chain.
std::shared_ptr<const Plan> planFor(const Evaluator& evaluator, std::size_t layer) {
  const Graph& graph = evaluator.engine().graph();
  const ValueKeys keys(evaluator.engine(), nullptr);
  const std::vector<std::pair<ValueId, Tensor>> inputs{
      {graph.inputs()[0], Tensor(ElementType::Float32, Shape{2})}};
  const std::vector<ValueId> wanted{graph.findValue("v" + std::to_string(layer))};
  return evaluator.workFor({{}, inputs}, keys, wanted).plan;
}

// Of a value of 250 floats.
constexpr std::size_t kEntry = 1000 + ActivationCache::kEntryBytes;

StoredValue storedFloats(std::size_t count) {
  return {Tensor(ElementType::Float32, Shape{static_cast<std::int64_t>(count)})};
}

}  // namespace

void EvaluationTest::keysFollowWhatIsComputed() {
  const Workers workers(1);
  const auto graph = graphFromText(kDiamond);
  const Engine engine(graph, workers);
  const ValueKeys plain(engine, nullptr);
  const AppliedQuantization nothing(graph->nodes().size());
  QCOMPARE(differing(*graph, plain, ValueKeys(engine, &nothing)), QString());
  const AppliedQuantization fine = withOutput(*graph, "b", 0.5F);
  QCOMPARE(differing(*graph, plain, ValueKeys(engine, &fine)), QString("b d"));
  const AppliedQuantization same = withOutput(*graph, "b", 0.5F);
  QCOMPARE(differing(*graph, ValueKeys(engine, &same), ValueKeys(engine, &fine)), QString());
  const AppliedQuantization coarse = withOutput(*graph, "b", 1.0F);
  QCOMPARE(differing(*graph, ValueKeys(engine, &coarse), ValueKeys(engine, &fine)), QString("b d"));
  // Another network has nothing in common, unless it is the same by content.
  const Engine other(graph, workers);
  QCOMPARE(differing(*graph, plain, ValueKeys(other, nullptr)), QString("x a b c d"));
  const Engine one(graph, workers, {1, 2});
  const Engine two(graph, workers, {1, 2});
  QCOMPARE(differing(*graph, ValueKeys(one, nullptr), ValueKeys(two, nullptr)), QString());
}

void EvaluationTest::effectsInsideASubGraphAreTheOwners() {
  const Workers workers(1);
  const auto graph = graphFromText(R"(
    input x:float[1,1]
    input c:bool[]
    a = Neg(x) @a
    r = If(c) @choice then={
      t = Abs(a) @inner
      output t
    } else={
      u = Relu(a) @other
      output u
    }
    z = Relu(r) @z
    output z
  )");
  const Engine engine(graph, workers);
  const AppliedQuantization applied = withOutput(*graph, "choice/then/inner", 0.5F);
  QCOMPARE(differing(*graph, ValueKeys(engine, nullptr), ValueKeys(engine, &applied)),
           QString("r t u z"));
}

void EvaluationTest::aLayerByItself() {
  const Workers workers(1);
  const auto graph = graphFromText(kDiamond);
  const Engine engine(graph, workers);
  const ValueKeys plain(engine, nullptr);
  const AppliedQuantization first = withOutput(*graph, "a", 0.5F);
  const ValueKeys keys(engine, &first);
  const std::vector<NodeId> a{graph->findNode("a")};
  const std::vector<NodeId> b{graph->findNode("b")};
  QVERIFY(plain.after(a, first) == keys[graph->findValue("a")]);
  QVERIFY(plain.after(b, first) == plain[graph->findValue("b")]);
  const std::vector<NodeId> both{a[0], b[0]};
  QVERIFY(plain.after(both, first) == keys[graph->findValue("b")]);
}

void EvaluationTest::onlyTheConeRuns() {
  const Workers workers(1);
  JobContext job(workers);
  const auto graph = graphFromText(kDiamond);
  const Engine engine(graph, workers);
  ActivationCache cache(10000);
  const Evaluator evaluator(engine, cache);
  const std::vector<std::pair<ValueId, Tensor>> values{
      {graph->findValue("x"), Tensor::of<float>(Shape{2}, {-1.3F, 0.7F})}};
  const SampleInputs sample{{5, 5}, values, 1};
  std::vector<ValueId> all;
  for (const char* name : {"a", "b", "c", "d"}) all.push_back(graph->findValue(name));
  const std::vector<ValueId> output{all.back()};
  const AppliedQuantization base = withOutput(*graph, "a", 0.5F);
  const ValueKeys keys(engine, &base);
  QCOMPARE(evaluator.workFor(sample, keys, all).plan->stepCount(), std::size_t{4});
  Evaluation(evaluator, sample, keys, &base, all, Evaluation::Keep::InCache).run(job);
  QVERIFY(evaluator.workFor(sample, keys, all).plan == nullptr);

  AppliedQuantization changed = base;
  changed.set(graph->findNode("c"), outputOn(paramsOn(0.25F)));
  const ValueKeys changedKeys(engine, &changed);
  const Evaluator::Work work = evaluator.workFor(sample, changedKeys, all);
  QCOMPARE(work.plan->stepCount(), std::size_t{2});
  QCOMPARE(work.found.size(), std::size_t{2});
  // Of another sample nothing is known.
  const SampleInputs other{{5, 6}, values, 1};
  QCOMPARE(evaluator.workFor(other, keys, all).plan->stepCount(), std::size_t{4});
  Evaluation run(evaluator, sample, changedKeys, &changed, output, Evaluation::Keep::Nowhere);
  run.run(job);
  QVERIFY(run.find(output[0]).tensor.values<float>()[0] == 3.0F);
  QVERIFY(evaluator.workFor(sample, changedKeys, output).plan != nullptr);
}

// As many as a sweep asks for in turns, with a change for each layer of a common network.
void EvaluationTest::plansOfASweepAreKnownAgain() {
  const Workers workers(1);
  const Engine engine(chain(), workers);
  ActivationCache cache(0, std::size_t{64} << 20);
  const Evaluator evaluator(engine, cache);
  std::vector<std::shared_ptr<const Plan>> plans;
  for (std::size_t i = 0; i < kLayers; ++i) plans.push_back(planFor(evaluator, i));
  for (std::size_t i = 0; i < kLayers; ++i) {
    QVERIFY(plans[i] != nullptr);
    QVERIFY(planFor(evaluator, i) == plans[i]);
  }
}

// However many evaluators there are, and whatever the budget.
void EvaluationTest::plansShareOneBudget() {
  const Workers workers(1);
  const Engine engine(chain(), workers);
  ActivationCache cache(0, 0);
  const Evaluator first(engine, cache);
  const auto longest = planFor(first, kLayers - 1);
  QCOMPARE(cache.plans().bytes(), std::size_t{0});
  QVERIFY(longest->bytes() > planFor(first, 0)->bytes());

  const std::size_t budget = 8 * longest->bytes();
  cache.plans().setBudget(budget);
  for (std::size_t i = 0; i < kLayers; ++i) {
    QVERIFY(planFor(first, i) != nullptr);
    QVERIFY(cache.plans().bytes() <= budget);
  }
  QVERIFY(cache.plans().bytes() > budget / 2);
  {
    const Evaluator second(engine, cache);
    QVERIFY(cache.plans().bytes() <= budget / 2);
    for (std::size_t i = 0; i < kLayers; ++i) {
      QCOMPARE(planFor(second, i)->stepCount(), planFor(first, i)->stepCount());
      QVERIFY(cache.plans().bytes() <= budget);
    }
    QVERIFY(cache.plans().bytes() > budget / 2);
  }
  QVERIFY(cache.plans().bytes() <= budget / 2);
  cache.plans().setBudget(0);
  QCOMPARE(cache.plans().bytes(), std::size_t{0});
}

void EvaluationTest::wantedValuesAreHeldUntilReleased() {
  const Workers workers(1);
  JobContext job(workers);
  const auto graph = graphFromText(kDiamond);
  const Engine engine(graph, workers);
  ActivationCache nothing(0);
  const Evaluator evaluator(engine, nothing);
  const std::vector<std::pair<ValueId, Tensor>> values{
      {graph->findValue("x"), Tensor::of<float>(Shape{2}, {-1, 2})}};
  const SampleInputs sample{{5, 5}, values, 1};
  const ValueKeys keys(engine, nullptr);
  const std::vector<ValueId> wanted{graph->findValue("a"), graph->findValue("d")};
  Evaluation run(evaluator, sample, keys, nullptr, wanted, Evaluation::Keep::InCache);
  run.run(job);
  QVERIFY(run.find(wanted[0]).tensor.values<float>()[0] == 1.0F);
  QVERIFY(run.find(graph->findValue("x")).tensor.defined());
  QVERIFY(!run.find(graph->findValue("b")).tensor.defined());
  run.release(wanted[0]);
  QVERIFY(!run.find(wanted[0]).tensor.defined());
}

// A convolution makes channels-last values; half numbers flow as float32 ones that are marked.
void EvaluationTest::layoutAndHalfTypeAreKept() {
  const Workers workers(1);
  JobContext job(workers);
  const auto graph = graphFromText(R"(
    input x:float16[1,2,3,3]
    w:float16[8,2,3,3]
    a = Conv(x, w) pads=[1,1,1,1] @a
    b = Relu(a) @b
    c = Neg(b) @c
    output c
  )");
  const Engine engine(graph, workers);
  Tensor x(ElementType::Float32, Shape{1, 2, 3, 3});
  for (std::size_t i = 0; i < 18; ++i) x.mutableValues<float>()[i] = 0.3F * static_cast<float>(i);
  const std::vector<std::pair<ValueId, Tensor>> values{
      {graph->findValue("x"), fromFloat32(x, ElementType::Float16)}};
  const SampleInputs sample{{5, 5}, values, 1};
  const ValueKeys keys(engine, nullptr);
  const auto valueIn = [&](ActivationCache& cache, const char* name) {
    const Evaluator evaluator(engine, cache);
    const std::vector<ValueId> wanted{graph->findValue(name)};
    Evaluation run(evaluator, sample, keys, nullptr, wanted, Evaluation::Keep::InCache);
    run.run(job);
    return run.find(wanted[0]);
  };
  ActivationCache warm(100000);
  valueIn(warm, "b");
  const StoredValue fromCache = valueIn(warm, "c");
  ActivationCache cold(0);
  const StoredValue fresh = valueIn(cold, "c");
  QVERIFY(identical(fromCache.tensor, fresh.tensor));
  QVERIFY(fromCache.tensor.layout() == fresh.tensor.layout() && fromCache.half == fresh.half);
  QVERIFY(fresh.half == ElementType::Float16);
}

void EvaluationTest::cheapValuesGoFirst() {
  ActivationCache cache(3 * kEntry);
  cache.insert({1, 1}, storedFloats(250), 0.9);
  cache.insert({1, 2}, storedFloats(250), 0.1);
  cache.insert({1, 3}, storedFloats(250), 0.5);
  cache.insert({1, 4}, storedFloats(250), 0.5);
  QCOMPARE(cache.bytes(), 3 * kEntry);
  QVERIFY(cache.find({1, 1}) && !cache.find({1, 2}) && cache.find({1, 3}) && cache.find({1, 4}));
}

// What is asked for outlives what would take longer to compute, but nobody has asked for.
void EvaluationTest::usedValuesStay() {
  ActivationCache cache(3 * kEntry);
  cache.insert({1, 1}, storedFloats(250), 1.0);
  cache.insert({1, 2}, storedFloats(250), 1.2);
  for (std::uint64_t i = 3; i < 20; ++i) {
    cache.touch({1, 1});
    cache.insert({1, i}, storedFloats(250), 0.5);
  }
  QVERIFY(cache.find({1, 1}));
  QVERIFY(!cache.find({1, 2}));
}

void EvaluationTest::tooLargeValuesAreNotKept() {
  ActivationCache cache(kEntry);
  cache.insert({1, 1}, storedFloats(250), 1);
  cache.insert({1, 2}, storedFloats(251), 1e9);
  QVERIFY(cache.find({1, 1}) && !cache.find({1, 2}));
  cache.setBudget(kEntry - 1);
  QVERIFY(!cache.find({1, 1}));
  QCOMPARE(cache.bytes(), std::size_t{0});
}

// What an entry takes beside its elements counts, too.
void EvaluationTest::manySmallValuesStayWithinTheBudget() {
  constexpr std::size_t kFitting = 10;
  constexpr std::size_t kBudget = kFitting * (ActivationCache::kEntryBytes + sizeof(float));
  ActivationCache cache(kBudget);
  std::size_t kept = 0;
  for (std::uint64_t i = 1; i <= 1000; ++i) {
    cache.insert({1, i}, storedFloats(1), 0.5);
    QVERIFY(cache.bytes() <= kBudget);
  }
  for (std::uint64_t i = 1; i <= 1000; ++i) kept += cache.find({1, i}).has_value() ? 1 : 0;
  QCOMPARE(kept, kFitting);
}

QUANTSCOPE_TEST(EvaluationTest)
#include "test_evaluation.moc"
