#include <QtTest>
#include <map>

#include "base/error.h"
#include "base/workers.h"
#include "engine/execution.h"
#include "engine/gradients/cotangent_sum.h"
#include "engine/gradients/cotangents.h"
#include "gradients/gradient_case.h"
#include "support/graph_text.h"
#include "support/test_main.h"

using namespace quantscope;
using namespace quantscope::test;

namespace {

// A residual network with a gate, whose first block is read again at the end.
const char* const kResidual = R"(
  input x:float[1,8,12,12]
  w1:float[8,8,3,3]
  w2:float[8,8,3,3]
  w3:float[8,1,3,3]
  w4:float[4,8,1,1]
  g:float[8]{1, 0.5, -1, 2, 1, 0.25, 1, 0.75}
  b:float[8]
  m:float[8]
  v:float[8]{1, 2, 0.5, 1, 1, 1, 1, 3}
  a = Conv(x, w1) pads=[1,1,1,1] @conv1
  n = BatchNormalization(a, g, b, m, v) @norm
  r = Relu(n) @relu1
  c = Conv(r, w2) pads=[1,1,1,1] @conv2
  s = Add(c, r) @add
  t = HardSwish(s) @swish
  d = Conv(t, w3) group=8 pads=[1,1,1,1] @depthwise
  e = Sigmoid(d) @sigmoid
  f = Mul(t, e) @gate
  h = Add(f, r) @again
  y = Conv(h, w4) @conv4
  output y
)";

/// Takes what comes, for some probes.
class Recorder final : public ReverseListener {
 public:
  explicit Recorder(std::vector<std::vector<Tensor>> seeds) : m_seeds(std::move(seeds)) {}
  std::vector<std::vector<Tensor>> begin(const Values&) override { return m_seeds; }
  void take(ValueId source, std::span<const Tensor> cotangents, const Values& values) override {
    order.push_back(source);
    taken[source] = {cotangents.begin(), cotangents.end()};
    for (const ValueId each : beside[source]) seen[each] = values.find(each).tensor;
  }
  std::vector<ValueId> order;
  std::map<ValueId, std::vector<Tensor>> taken;
  std::map<ValueId, std::vector<ValueId>> beside;
  std::map<ValueId, Tensor> seen;

 private:
  std::vector<std::vector<Tensor>> m_seeds;
};

/// Sums up what comes from several runs.
class Summer final : public ReverseListener {
 public:
  std::vector<Tensor> seed;
  std::map<ValueId, CotangentSum> sums;

  std::vector<std::vector<Tensor>> begin(const Values&) override { return {seed}; }
  CotangentSum* sumOf(ValueId source) override { return &sums[source]; }
  void take(ValueId source, std::span<const Tensor>, const Values&) override {
    QFAIL(qPrintable(QString("took %1").arg(source.at())));
  }
};

bool sameBits(const std::vector<Tensor>& a, const std::vector<Tensor>& b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i].defined() != b[i].defined()) return false;
    if (a[i].defined() &&
        !identical(toLayout(a[i], Layout::Plain), toLayout(b[i], Layout::Plain))) {
      return false;
    }
  }
  return true;
}

std::vector<ValueId> valuesOf(const Graph& graph, std::initializer_list<const char*> names) {
  std::vector<ValueId> values;
  for (const char* name : names) values.push_back(graph.findValue(name));
  return values;
}

}  // namespace

class ReversePassTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void branchesAddUp();
  void rootsHaveNoSlopeAtZero();
  void weightsBehindConstantsAreReached();
  void budgetsChangeNoBit_data();
  void budgetsChangeNoBit();
  void threadsAndProbesChangeNoBit();
  void sumsAreThoseOfWhatIsTaken_data();
  void sumsAreThoseOfWhatIsTaken();
  void valuesBesideASourceAreThere();
  void sourcesComeFromBackToFront();
  void integersStopCotangents();
  void missingGradientsAreNamed();
  void typesFollowTheValues();

 private:
  Workers m_workers{2};
};

void ReversePassTest::branchesAddUp() {
  // y = 3x + x², dy/dx = 3 + 2x
  const auto graph = graphFromText(R"(
    input x:float[3]
    three:float[]{3}
    a = Mul(x, three)
    b = Mul(x, x)
    y = Add(a, b)
    output y
  )");
  const Engine engine(graph, m_workers);
  const Feeds feeds{{graph->findValue("x"), Tensor::of<float>(Shape{3}, {1, -2, 0.5F})}};
  const auto g = cotangentsOfInputs(engine, feeds, {Tensor::of<float>(Shape{3}, {1, 1, 2})});
  const std::vector<float> expected{5, -1, 8};
  QVERIFY(std::ranges::equal(g[0].values<float>(), expected));
}

// A magnitude √(x²): 0 where it is 0, not infinity times 0.
void ReversePassTest::rootsHaveNoSlopeAtZero() {
  const auto graph = graphFromText(R"(
    input x:float[3]
    half:float[]{0.5}
    a = Mul(x, x)
    b = Sqrt(a)
    c = Pow(a, half)
    y = Add(b, c)
    output y
  )");
  const Engine engine(graph, m_workers);
  const Feeds feeds{{graph->findValue("x"), Tensor::of<float>(Shape{3}, {0, 4, -2})}};
  const auto g = cotangentsOfInputs(engine, feeds, {Tensor::of<float>(Shape{3}, {1, 1, 1})});
  const std::vector<float> expected{0, 2, -2};
  QVERIFY(std::ranges::equal(g[0].values<float>(), expected));
}

void ReversePassTest::weightsBehindConstantsAreReached() {
  const auto graph = graphFromText(R"(
    input x:float[1,2]
    w:float[2,2]{1, 2, 3, 4}
    t = Transpose(w)
    y = MatMul(x, t)
    output y
  )");
  const Engine engine(graph, m_workers);
  const Feeds feeds{{graph->findValue("x"), Tensor::of<float>(Shape{1, 2}, {5, 7})}};
  const auto g = cotangentsOf(engine, feeds, valuesOf(*graph, {"w"}),
                              {Tensor::of<float>(Shape{1, 2}, {1, 10})});
  const std::vector<float> expected{5, 7, 50, 70};
  QVERIFY(std::ranges::equal(g[0].values<float>(), expected));
}

void ReversePassTest::budgetsChangeNoBit_data() {
  QTest::addColumn<int>("bytes");
  for (const int bytes : {1, 20'000, 40'000, 80'000, 1'000'000})
    QTest::addRow("%d", bytes) << bytes;
}

void ReversePassTest::budgetsChangeNoBit() {
  QFETCH(int, bytes);
  const auto graph = graphFromText(kResidual);
  const Engine engine(graph, m_workers);
  const Feeds feeds = makeFeeds(*graph, Numbers::Signed, 5);
  const std::vector<Tensor> dy = randomLike(outputsOf(engine, feeds), 6);
  const auto values = valuesOf(*graph, {"x", "w1", "w2", "w3", "w4", "g", "r", "t", "h"});
  const auto unlimited = cotangentsOf(engine, feeds, values, dy);
  QVERIFY(std::ranges::all_of(unlimited, &Tensor::defined));
  QVERIFY(sameBits(cotangentsOf(engine, feeds, values, dy, static_cast<std::size_t>(bytes)),
                   unlimited));
}

void ReversePassTest::threadsAndProbesChangeNoBit() {
  const auto graph = graphFromText(kResidual);
  const Engine engine(graph, m_workers);
  const Feeds feeds = makeFeeds(*graph, Numbers::Signed, 5);
  const std::vector<Tensor> outputs = outputsOf(engine, feeds);
  const auto values = valuesOf(*graph, {"x", "w2", "r"});
  std::vector<ReverseSource> sources;
  for (const ValueId value : values) sources.push_back({value, {}});
  const ReversePass pass(engine, {graph->outputs()[0]}, sources);
  std::vector<std::vector<Tensor>> seeds;
  for (unsigned probe = 0; probe < 5; ++probe) seeds.push_back(randomLike(outputs, probe));
  for (const int threads : {1, 2, 4}) {
    const Workers workers(threads);
    const JobContext job(workers);
    Recorder recorder(seeds);
    workers.run([&] { pass.run(feeds, recorder, 0, job); });
    for (std::size_t probe = 0; probe < seeds.size(); ++probe) {
      const auto alone = cotangentsOf(engine, feeds, values, seeds[probe]);
      for (std::size_t i = 0; i < values.size(); ++i) {
        QVERIFY(sameBits({recorder.taken.at(values[i])[probe]}, {alone[i]}));
      }
    }
  }
}

void ReversePassTest::sumsAreThoseOfWhatIsTaken_data() {
  QTest::addColumn<QByteArray>("network");
  QTest::addColumn<bool>("readOnce");
  QTest::newRow("every weight read once") << QByteArray(kResidual) << true;
  // Where a weight is read twice, the terms are added in another order.
  QTest::newRow("a weight of two images and of a sum") << QByteArray(R"(
    input x:float[1,16,9,9]
    w:float[16,16,3,3]
    a = Conv(x, w) strides=[2,2]
    b = Relu(a)
    c = Conv(b, w)
    s = ReduceSum(w) keepdims=0
    y = Mul(c, s)
    output y
  )") << false;
  QTest::newRow("a transposed convolution") << QByteArray(R"(
    input x:float[1,16,5,5]
    w:float[16,32,3,3]
    y = ConvTranspose(x, w) strides=[2,2]
    output y
  )") << true;
}

void ReversePassTest::sumsAreThoseOfWhatIsTaken() {
  QFETCH(QByteArray, network);
  QFETCH(bool, readOnce);
  const auto graph = graphFromText(network.constData());
  const Engine engine(graph, m_workers);
  std::vector<ReverseSource> sources;
  for (std::size_t i = 0; i < graph->values().size(); ++i) {
    if (!graph->values()[i].producer.valid()) sources.push_back({ValueId(i), {}});
  }
  const ReversePass pass(engine, {graph->outputs()[0]}, sources);
  const JobContext job(m_workers);
  Summer summer;
  std::map<ValueId, Tensor> expected;
  for (unsigned sample = 0; sample < 3; ++sample) {
    const Feeds feeds = makeFeeds(*graph, Numbers::Signed, sample);
    summer.seed = randomLike(outputsOf(engine, feeds), sample);
    Recorder recorder({summer.seed});
    m_workers.run([&] {
      pass.run(feeds, summer, 0, job);
      pass.run(feeds, recorder, 0, job);
    });
    for (const auto& [source, cotangents] : recorder.taken) {
      addTo(expected[source], toLayout(cotangents[0], Layout::Plain));
    }
  }
  QCOMPARE(summer.sums.size(), expected.size());
  for (const auto& [source, sum] : summer.sums) {
    const Tensor& wanted = expected.at(source);
    if (!wanted.defined()) {
      QVERIFY(!sum.total().defined());
    } else if (readOnce) {
      QVERIFY(sameBits({sum.total()}, {wanted}));
    } else {
      QVERIFY(relativeError({sum.total()}, {wanted}) < 1e-6);
    }
  }
}

void ReversePassTest::valuesBesideASourceAreThere() {
  const auto graph = graphFromText(kResidual);
  const Engine engine(graph, m_workers);
  const Feeds feeds = makeFeeds(*graph, Numbers::Signed, 5);
  const ValueId source = graph->findValue("s");
  const auto beside = valuesOf(*graph, {"c", "r", "s"});
  const std::vector<ReverseSource> sources{{source, beside}};
  const ReversePass pass(engine, {graph->outputs()[0]}, sources);
  const Plan plan = planForAllValues(engine);
  for (const std::size_t budget : {std::size_t{0}, std::size_t{1}}) {
    Recorder recorder({randomLike(outputsOf(engine, feeds), 1)});
    recorder.beside[source] = beside;
    const JobContext job(m_workers);
    m_workers.run([&] { pass.run(feeds, recorder, budget, job); });
    QCOMPARE(recorder.seen.size(), beside.size());
    m_workers.run([&] {
      Execution execution(plan, feeds);
      while (!execution.finished()) {
        execution.step();
        for (const ValueId value : beside) {
          const Tensor expected = execution.value(value);
          if (!expected.defined()) continue;
          QVERIFY(sameBits({recorder.seen.at(value)}, {expected}));
        }
      }
    });
  }
}

void ReversePassTest::sourcesComeFromBackToFront() {
  const auto graph = graphFromText(kResidual);
  const Engine engine(graph, m_workers);
  const Feeds feeds = makeFeeds(*graph, Numbers::Signed, 5);
  const auto values = valuesOf(*graph, {"x", "y", "r", "t"});
  std::vector<ReverseSource> sources;
  for (const ValueId value : values) sources.push_back({value, {}});
  const ReversePass pass(engine, {graph->outputs()[0]}, sources);
  Recorder recorder({randomLike(outputsOf(engine, feeds), 1)});
  const JobContext job(m_workers);
  m_workers.run([&] { pass.run(feeds, recorder, 0, job); });
  QCOMPARE(recorder.order, valuesOf(*graph, {"y", "t", "r", "x"}));
}

void ReversePassTest::integersStopCotangents() {
  // The shape and the index depend on x, but not by its elements' size.
  const auto graph = graphFromText(R"(
    input x:float[2,3]
    s = Shape(x)
    f = Reshape(x, s)
    i = ArgMax(x) axis=1 keepdims=0
    y = Gather(f, i) axis=1
    output y
  )");
  const Engine engine(graph, m_workers);
  const Feeds feeds{{graph->findValue("x"), Tensor::of<float>(Shape{2, 3}, {1, 5, 2, 9, 0, 3})}};
  const auto g = cotangentsOfInputs(engine, feeds, {Tensor::of<float>(Shape{2, 2}, {1, 2, 3, 4})});
  const std::vector<float> expected{2, 1, 0, 4, 3, 0};
  QVERIFY(std::ranges::equal(g[0].values<float>(), expected));
}

void ReversePassTest::missingGradientsAreNamed() {
  const auto graph = graphFromText(R"(
    input x:float[3]
    input c:bool[]
    a = Neg(x) @first
    i = If(c) then={
      p = Relu(a)
      output p
    } else={
      q = Abs(a)
      output q
    } @choice
    b = Relu(i) @behind
    y = Add(b, b) @last
    output y
  )");
  const Engine engine(graph, m_workers);
  std::vector<ReverseSource> sources;
  for (const ValueId value : valuesOf(*graph, {"x", "a", "i", "b"})) sources.push_back({value, {}});
  const ReversePass pass(engine, {graph->outputs()[0]}, sources);
  const std::string reason = "gradient not available: If 'choice': it runs sub-graphs";
  QCOMPARE(pass.whyNot(graph->findValue("x")), reason);
  QCOMPARE(pass.whyNot(graph->findValue("a")), reason);
  QVERIFY(pass.whyNot(graph->findValue("i")).empty());
  Recorder recorder({{Tensor::of<float>(Shape{3}, {1, 1, 1})}});
  const JobContext job(m_workers);
  const Feeds feeds{{graph->findValue("x"), Tensor::of<float>(Shape{3}, {-1, 2, -3})},
                    {graph->findValue("c"), Tensor::scalar(true)}};
  m_workers.run([&] { pass.run(feeds, recorder, 0, job); });
  QCOMPARE(recorder.order, valuesOf(*graph, {"b", "i", "a", "x"}));
  QVERIFY(!recorder.taken.at(graph->findValue("a"))[0].defined());
  QVERIFY(!recorder.taken.at(graph->findValue("x"))[0].defined());
  const std::vector<float> expected{2, 0, 2};
  QVERIFY(
      std::ranges::equal(recorder.taken.at(graph->findValue("i"))[0].values<float>(), expected));
}

void ReversePassTest::typesFollowTheValues() {
  const auto graph = graphFromText(R"(
    input x:float[2]
    d = Cast(x) to=11
    q = Mul(d, d)
    y = Cast(q) to=1
    output y
  )");
  const Engine engine(graph, m_workers);
  const Feeds feeds{{graph->findValue("x"), Tensor::of<float>(Shape{2}, {3, -4})}};
  const auto g = cotangentsOf(engine, feeds, valuesOf(*graph, {"x", "d", "q"}),
                              {Tensor::of<float>(Shape{2}, {1, 10})});
  QCOMPARE(g[0].type(), ElementType::Float32);
  QCOMPARE(g[1].type(), ElementType::Float64);
  QCOMPARE(g[2].type(), ElementType::Float64);
  const std::vector<float> expected{6, -80};
  QVERIFY(std::ranges::equal(g[0].values<float>(), expected));
}

QUANTSCOPE_TEST(ReversePassTest)
#include "test_reverse_pass.moc"
