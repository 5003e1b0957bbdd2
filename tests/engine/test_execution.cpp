#include <QtTest>
#include <map>

#include "base/error.h"
#include "base/workers.h"
#include "engine/execution.h"
#include "support/feeds.h"
#include "support/graph_text.h"
#include "support/test_main.h"
#include "tensor/memory_use.h"

using namespace quantscope;
using namespace quantscope::test;

namespace {

/// Runs the graph on one float vector and gives the wanted value's elements.
std::vector<float> evaluate(const Engine& engine, const PlanRequest& request, const Feeds& feeds,
                            ValueId wanted, const AppliedQuantization* quantization = nullptr) {
  const Plan plan(engine, request);
  Execution execution(plan, feeds, quantization);
  execution.run();
  const Tensor result = toFloat32(execution.value(wanted));
  return {result.values<float>().begin(), result.values<float>().end()};
}

Tensor vector(std::initializer_list<float> elements) {
  return Tensor::of<float>(Shape{static_cast<std::int64_t>(elements.size())}, elements);
}

/// Names of the nodes that a run completes, in order.
QStringList executedNodes(const Engine& engine, const PlanRequest& request, const Feeds& feeds) {
  const Plan plan(engine, request);
  Execution execution(plan, feeds);
  QStringList names;
  while (!execution.finished()) {
    const NodeId done = execution.step();
    if (done.valid()) names << QString::fromStdString(engine.graph()[done].name);
  }
  return names;
}

}  // namespace

class ExecutionTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void runsOnlyWhatIsWanted();
  void startsFromAnyGivenValue();
  void valuesAreForgottenAfterTheirLastReader();
  void constantsAreFolded();
  void whatIsTooLargeToFoldIsNotComputed();
  void ifRunsOneBranch_data();
  void ifRunsOneBranch();
  void loopCarriesAndCollects_data();
  void loopCarriesAndCollects();
  void unknownOperatorsBlockWhatFollows();
  void quantizationIsApplied();
  void dynamicRangesBelongToEachSample();
  void goesOnUnderAnotherQuantization();
  void factorsMultiplyByChannel();
  void errorsNameTheNode();

 private:
  Workers m_workers{2};
};

void ExecutionTest::runsOnlyWhatIsWanted() {
  const auto graph = graphFromText(R"(
    input x:float[3]
    a = Neg(x) @a
    b = Relu(a) @b
    c = Abs(x) @c
    output b
    output c
  )");
  const Engine engine(graph, m_workers);
  const ValueId x = graph->findValue("x");
  const Feeds feeds{{x, vector({-1, 0, 2})}};
  const ValueId a = graph->findValue("a");
  const ValueId b = graph->findValue("b");
  QCOMPARE(executedNodes(engine, {{x}, {a, b}, {}}, feeds), (QStringList{"a", "b"}));
  // Where nobody looks at 'a', the two run in one step.
  QCOMPARE(executedNodes(engine, {{x}, {b}, {}}, feeds), (QStringList{"b"}));
  QCOMPARE(executedNodes(engine, {{x}, {graph->findValue("c")}, {}}, feeds), (QStringList{"c"}));
  QCOMPARE(executedNodes(engine, {{x}, {}, {}}, feeds), QStringList{});
}

void ExecutionTest::startsFromAnyGivenValue() {
  const auto graph = graphFromText(R"(
    input x:float[2]
    a = Exp(x) @a
    b = Neg(a) @b
    c = Add(b, a) @c
    output c
  )");
  const Engine engine(graph, m_workers);
  const ValueId b = graph->findValue("b");
  const ValueId a = graph->findValue("a");
  const ValueId c = graph->findValue("c");
  const Feeds feeds{{a, vector({1, 2})}, {b, vector({10, 20})}};
  QCOMPARE(executedNodes(engine, {{a, b}, {c}, {}}, feeds), (QStringList{"c"}));
  QVERIFY((evaluate(engine, {{a, b}, {c}, {}}, feeds, c) == std::vector<float>{11, 22}));

  const Plan blocked(engine, {{b}, {c}, {}});
  QCOMPARE(blocked.notComputed().size(), std::size_t{1});  // 'a' has no source any more
}

void ExecutionTest::valuesAreForgottenAfterTheirLastReader() {
  const auto graph = graphFromText(R"(
    input x:float[2]
    a = Neg(x) @a
    b = Neg(a) @b
    c = Neg(b) @c
    output c
  )");
  const Engine engine(graph, m_workers);
  const Plan plan = planForAllValues(engine);
  const Feeds feeds{{graph->findValue("x"), vector({1, 2})}};
  Execution execution(plan, feeds);
  execution.step();
  QVERIFY(execution.value(graph->findValue("a")).defined());
  execution.step();
  QVERIFY(execution.value(graph->findValue("b")).defined());
  execution.step();
  QVERIFY(!execution.value(graph->findValue("a")).defined());
  QVERIFY(execution.value(graph->findValue("c")).defined());
  QVERIFY(execution.finished());
}

void ExecutionTest::constantsAreFolded() {
  const auto graph = graphFromText(R"(
    input x:float[2]
    w:float[2]{1, 2}
    a = Neg(w) @a
    b = Add(x, a) @b
    output b
  )");
  const Engine engine(graph, m_workers);
  const Tensor* folded = engine.constant(graph->findValue("a"));
  QVERIFY(folded != nullptr);
  QVERIFY(folded->values<float>()[1] == -2.0F);
  const ValueId x = graph->findValue("x");
  const ValueId b = graph->findValue("b");
  QCOMPARE(executedNodes(engine, {{x}, {b}, {}}, {{x, vector({1, 1})}}), (QStringList{"b"}));
}

// A few bytes of a file can ask for any amount of memory.
void ExecutionTest::whatIsTooLargeToFoldIsNotComputed() {
  const auto graph = graphFromText(R"(
    input x:float[1]
    k = ConstantOfShape(s:int64[2]{5000, 5000}) @large
    y = Add(x, k)
    output y
  )");
  restartTensorPeak();
  const std::size_t before = tensorBytes();
  const Engine engine(graph, m_workers);
  QVERIFY(engine.constant(graph->findValue("k")) == nullptr);
  QVERIFY(peakTensorBytes() - before < std::size_t{50'000'000});
}

void ExecutionTest::ifRunsOneBranch_data() {
  QTest::addColumn<bool>("condition");
  QTest::addColumn<float>("expected");
  QTest::newRow("then") << true << -3.0F;
  QTest::newRow("else") << false << 4.0F;
}

void ExecutionTest::ifRunsOneBranch() {
  QFETCH(bool, condition);
  QFETCH(float, expected);
  const auto graph = graphFromText(R"(
    input condition:bool[]
    input x:float[1]
    one:float[1]{1}
    r = If(condition) @choice then={
      t = Neg(x)
      output t
    } else={
      u = Add(x, one)
      output u
    }
    output r
  )");
  const Engine engine(graph, m_workers);
  const ValueId result = graph->findValue("r");
  const ValueId flag = graph->findValue("condition");
  const ValueId x = graph->findValue("x");
  const Feeds feeds{{flag, Tensor::scalar<bool>(condition)}, {x, vector({3})}};
  const PlanRequest request{{flag, x}, {result}, {}};
  QVERIFY((evaluate(engine, request, feeds, result) == std::vector<float>{expected}));
  QCOMPARE(executedNodes(engine, request, feeds).size(), 2);  // one inside, then the If itself
}

void ExecutionTest::loopCarriesAndCollects_data() {
  QTest::addColumn<qint64>("limit");
  QTest::addColumn<bool>("condition");
  QTest::addColumn<float>("carried");
  QTest::addColumn<int>("collected");
  QTest::newRow("three times") << qint64{3} << true << 8.0F << 3;
  QTest::newRow("never by limit") << qint64{0} << true << 1.0F << 0;
  QTest::newRow("never by condition") << qint64{3} << false << 1.0F << 0;
  QTest::newRow("stopped by the body") << qint64{100} << true << 64.0F << 6;
}

// Doubles a number until it reaches 64, and collects what it sees.
void ExecutionTest::loopCarriesAndCollects() {
  QFETCH(qint64, limit);
  QFETCH(bool, condition);
  QFETCH(float, carried);
  QFETCH(int, collected);
  const auto graph = graphFromText(R"(
    input limit:int64[]
    input condition:bool[]
    input start:float[1]
    top:float[]{64}
    axes:int64[1]{0}
    last, seen = Loop(limit, condition, start) @loop body={
      input iteration:int64[]
      input go:bool[]
      input value:float[1]
      twice = Add(value, value)
      single = Squeeze(twice, axes)
      more = Less(single, top)
      output more
      output twice
      output single
    }
    output last
    output seen
  )");
  const Engine engine(graph, m_workers);
  const ValueId last = graph->findValue("last");
  const ValueId seen = graph->findValue("seen");
  PlanRequest request;
  request.given.assign(graph->inputs().begin(), graph->inputs().end());
  request.wanted = {last, seen};
  const Feeds feeds{{request.given[0], Tensor::scalar<std::int64_t>(limit)},
                    {request.given[1], Tensor::scalar<bool>(condition)},
                    {request.given[2], vector({1})}};
  QVERIFY((evaluate(engine, request, feeds, last) == std::vector<float>{carried}));
  QCOMPARE(static_cast<int>(evaluate(engine, request, feeds, seen).size()), collected);
}

void ExecutionTest::unknownOperatorsBlockWhatFollows() {
  const auto graph = graphFromText(R"(
    input x:float[1]
    a = Neg(x) @a
    b = com.example.Mystery(a) @b
    c = Neg(b) @c
    d = Neg(a) @d
    output c
    output d
  )");
  const Engine engine(graph, m_workers);
  QCOMPARE(engine.notExecutable().size(), std::size_t{1});
  QCOMPARE(engine.notExecutable()[0].node, graph->findNode("b"));
  const Plan plan = planForAllValues(engine);
  QCOMPARE(plan.notComputed().size(), std::size_t{2});
  Execution execution(plan, Feeds{{graph->findValue("x"), vector({1})}});
  execution.run();
  QVERIFY(execution.value(graph->findValue("d")).defined());
  QVERIFY(!execution.value(graph->findValue("c")).defined());
}

// Edge: step 1, [0, 255]; the node negates; output: step 4 on [−128·4, 127·4].
void ExecutionTest::quantizationIsApplied() {
  const auto graph = graphFromText(R"(
    input x:float[3]
    y = Neg(x) @y
    output y
  )");
  const Engine engine(graph, m_workers);
  AppliedQuantization applied(1);
  QuantParams edge;
  edge.type = QuantType::UInt8;
  edge.qmin = 0;
  edge.qmax = 255;
  edge.grids = {{1.0F, 0}};
  QuantParams output;
  output.grids = {{4.0F, 0}};
  applied.set(NodeId(0), NodeQuantization{.inputs = {{0, edge}}, .outputs = {{0, output}}});
  const ValueId x = graph->findValue("x");
  const ValueId y = graph->findValue("y");
  const std::vector<float> result =
      evaluate(engine, {{x}, {y}, {}}, {{x, vector({-7, 5.4F, 300})}}, y, &applied);
  QVERIFY((result == std::vector<float>{0, -4, -256}));
}

// Two samples at once, the second a hundred times the first: each has its own 255 steps.
void ExecutionTest::dynamicRangesBelongToEachSample() {
  const auto graph = graphFromText(R"(
    input x:float[2,2]
    y = Identity(x) @y
    output y
  )");
  const Engine engine(graph, m_workers);
  AppliedQuantization applied(1);
  QuantParams edge;
  edge.type = QuantType::UInt8;
  edge.qmin = 0;
  edge.qmax = 255;
  edge.symmetric = false;
  edge.dynamic = true;
  applied.set(NodeId(0), NodeQuantization{.inputs = {{0, edge}}});
  const ValueId x = graph->findValue("x");
  const Feeds feeds{{x, Tensor::of<float>(Shape{2, 2}, {2.55F, 0.014F, 255.0F, 1.4F})}};
  const Plan plan = planForAllValues(engine);
  Execution execution(plan, feeds, &applied, 2);
  execution.run();
  const Tensor y = execution.value(graph->findValue("y"));
  QVERIFY(std::abs(y.values<float>()[1] - 0.01F) < 1e-6F);
  QVERIFY(std::abs(y.values<float>()[3] - 1.0F) < 1e-5F);
}

// From every step before the node that differs; the run that was copied goes on undisturbed.
void ExecutionTest::goesOnUnderAnotherQuantization() {
  const auto graph = graphFromText(R"(
    input x:float[4]
    one:float[4]{1, 2, 3, 4}
    a = Neg(x) @a
    b = Relu(a) @b
    c = Add(a, one) @c
    d = Mul(c, b) @d
    e = Sub(d, a) @e
    output e
  )");
  const Engine engine(graph, m_workers);
  const ValueId x = graph->findValue("x");
  const ValueId e = graph->findValue("e");
  const Feeds feeds{{x, vector({-1.5F, 0.3F, 2.7F, -0.2F})}};
  QuantParams coarse;
  coarse.grids = {{0.5F, 0, 0}};
  const AppliedQuantization none(graph->nodes().size());
  AppliedQuantization changed = none;
  changed.set(graph->findNode("d"), NodeQuantization{.outputs = {{0, coarse}}});
  const PlanRequest request{{x}, {e}, {e}};
  const std::vector<float> plain = evaluate(engine, request, feeds, e, &none);
  const std::vector<float> expected = evaluate(engine, request, feeds, e, &changed);
  QVERIFY(plain != expected);
  QCOMPARE(changesBetween(none, changed).size(), std::size_t{1});
  QVERIFY(changesBetween(none, changed)[0].first == graph->findNode("d"));

  const Plan plan(engine, request);
  for (std::size_t steps = 0; steps < plan.steps(Graph::mainBlock()).size(); ++steps) {
    Execution run(plan, feeds, &none);
    while (run.stepsDone() < steps) run.step();
    const bool passed = !run.finished() && run.next() == graph->findNode("e");
    Execution other(run, &changed);
    other.run();
    run.run();
    const auto valuesOf = [&](Execution& execution) {
      const Tensor value = execution.value(e);
      return std::vector<float>(value.values<float>().begin(), value.values<float>().end());
    };
    QVERIFY(valuesOf(other) == (passed ? plain : expected));
    QVERIFY(valuesOf(run) == plain);
  }
}

void ExecutionTest::factorsMultiplyByChannel() {
  const auto graph = graphFromText(R"(
    input x:float[1,2,2,1]
    y = Abs(x) @y
    output y
  )");
  const Engine engine(graph, m_workers);
  const ValueId x = graph->findValue("x");
  const ValueId y = graph->findValue("y");
  const Tensor data = Tensor::of<float>(Shape{1, 2, 2, 1}, {1, -2, 3, -4});
  AppliedQuantization applied(graph->nodes().size());
  applied.set(NodeId(0), NodeQuantization{.factors = {{0, {1, {10, 0.5F}}}}});
  const std::vector<float> expected{10, 20, 1.5F, 2};
  for (const Layout layout : {Layout::Plain, Layout::ChannelsLast}) {
    const Feeds feeds{{x, toLayout(data, layout)}};
    QVERIFY(evaluate(engine, {{x}, {y}, {y}}, feeds, y, &applied) == expected);
  }
  applied.set(NodeId(0), NodeQuantization{.factors = {{0, {1, {10, 0.5F, 1}}}}});
  QVERIFY_EXCEPTION_THROWN(evaluate(engine, {{x}, {y}, {y}}, {{x, data}}, y, &applied), Error);
}

void ExecutionTest::errorsNameTheNode() {
  const auto graph = graphFromText(R"(
    input x:float[n]
    w:float[3]{1, 2, 3}
    y = Add(x, w) @sum
    output y
  )");
  const Engine engine(graph, m_workers);
  const Plan plan = planForAllValues(engine);
  Execution execution(plan, Feeds{{graph->findValue("x"), vector({1, 2})}});
  try {
    execution.run();
    QFAIL("shapes do not fit");
  } catch (const Error& error) {
    QCOMPARE(error.place().node, std::string("sum"));
  }
}

QUANTSCOPE_TEST(ExecutionTest)
#include "test_execution.moc"
