#include <QtTest>
#include <bit>
#include <map>
#include <random>

#include "base/error.h"
#include "base/workers.h"
#include "engine/execution.h"
#include "engine/operator_runner.h"
#include "support/feeds.h"
#include "support/graph_text.h"
#include "support/infinity.h"
#include "support/test_main.h"

using namespace quantscope;
using namespace quantscope::test;

namespace {

struct FusionCase {
  const char* name;
  const char* graph;
  std::size_t steps;  ///< of a plan that wants the outputs alone
};

const FusionCase kFusions[] = {
    {"convolution, normalization, activation", R"(
      input x:float[2,3,9,9]
      w:float[5,3,3,3]
      g:float[5]
      b:float[5]
      m:float[5]
      v:float[5]{1, 2, 0.5, 0.1, 3}
      c = Conv(x, w)
      n = BatchNormalization(c, g, b, m, v)
      r = Relu(n)
    )",
     1},
    {"both operands computed", R"(
      input x:float[1,4,8,8]
      w:float[4,4,1,1]
      u:float[4,4,3,3]
      a = Conv(x, w)
      s = Relu(a)
      c = Conv(s, u) pads=[1,1,1,1]
      t = Add(s, c)
      r = Clip(t, low:float[]{0}, high:float[]{0.5})
    )",
     2},
    {"the shortcut comes last", R"(
      input x:float[1,4,8,8]
      w:float[4,4,1,1]
      u:float[4,4,1,1]
      c = Conv(x, u)
      d = Sigmoid(c)
      a = Conv(x, w)
      t = Sub(d, a)
      r = HardSwish(t)
    )",
     2},
    {"bias and activation of a product", R"(
      input x:float[2,7,6]
      w:float[6,33]
      b:float[33]
      h:float[]{0.5}
      p = MatMul(x, w)
      a = Add(b, p)
      d = Div(a, root:float[]{1.4142135})
      e = Erf(d)
      o = Add(e, one:float[]{1})
      y = Mul(o, h)
    )",
     1},
    {"gate per image and channel", R"(
      input x:float[3,17,5,4]
      s:float[3,17,1,1]
      w:float[17,17,1,1]
      c = Conv(x, w)
      g = HardSigmoid(c) alpha=0.3 beta=0.4
      y = Mul(s, g)
      z = PRelu(y, p:float[17,1,1])
      q = LeakyRelu(z) alpha=0.1
    )",
     1},
    {"numbers per row", R"(
      input x:float[4,40]
      m = ReduceMean(x) axes=[1]
      d = Sub(x, m)
      n = Neg(d)
      y = Div(one:float[]{1}, n)
      z = Sqrt(y)
    )",
     1},
    {"short rows", R"(
      input x:float[6,5]
      m = ReduceMean(x) axes=[1]
      d = Sub(x, m)
      y = Abs(d)
    )",
     1},
    {"a convolution in tiles of two by two", R"(
      input x:float[2,32,40,31]
      w:float[64,32,3,3]
      b:float[64]
      m:float[64,1,1]
      r:float[31]
      c = Conv(x, w, b) pads=[1,1,1,1]
      d = Relu(c)
      e = Mul(d, m)
      f = Add(e, r)
      g = Sigmoid(f)
    )",
     1},
    {"a convolution in tiles and parts of filters", R"(
      input x:float[2,256,14,14]
      w:float[256,256,3,3]
      m:float[2,256,1,1]
      c = Conv(x, w) pads=[1,1,1,1]
      d = Relu(c)
      e = Add(d, m)
    )",
     1},
    {"a convolution in tiles of rows", R"(
      input x:float[1,32,40,40]
      w:float[64,32,3,5]
      m:float[64,1,1]
      r:float[40]
      c = Conv(x, w) pads=[1,2,1,2]
      d = Relu(c)
      e = Mul(d, m)
      f = Add(e, r)
      g = Sigmoid(f)
    )",
     1},
    {"a convolution in tiles of images", R"(
      input x:float[5,32,20,20]
      w:float[64,32,3,5]
      m:float[5,64,1,1]
      c = Conv(x, w) pads=[1,2,1,2]
      d = Relu(c)
      e = Mul(d, m)
    )",
     1},
    {"a convolution in tiles of filters", R"(
      input x:float[1,256,12,12]
      w:float[256,256,3,3]
      m:float[256,1,1]
      c = Conv(x, w) pads=[1,1,1,1]
      d = Relu(c)
      e = Add(d, m)
    )",
     1},
    {"a convolution of few places", R"(
      input x:float[2,256,6,6]
      w:float[256,256,3,3]
      m:float[256,1,1]
      c = Conv(x, w) pads=[1,1,1,1]
      d = Relu(c)
      e = Add(d, m)
    )",
     1},
    {"a convolution with long rows", R"(
      input x:float[2,3,40,230]
      w:float[32,3,3,3]
      b:float[32]
      m:float[32,1,1]
      c = Conv(x, w, b) strides=[2,2] pads=[1,1,1,1]
      d = HardSwish(c)
      e = Mul(d, m)
    )",
     1},
    {"a convolution with long rows and bounds", R"(
      input x:float[1,3,20,130]
      w:float[32,3,3,3]
      m:float[32,1,1]
      c = Conv(x, w) pads=[1,1,1,1]
      d = Relu(c)
      e = Mul(d, m)
    )",
     1},
    {"a convolution of single places in parts of rows", R"(
      input x:float[2,40,70,30]
      w:float[50,40,1,1]
      m:float[50,1,1]
      low:float[]{-0.5}
      high:float[]{1.5}
      c = Conv(x, w)
      d = Clip(c, low, high)
      e = Mul(d, m)
    )",
     1},
    {"a convolution of single places in parts of filters", R"(
      input x:float[1,512,9,9]
      w:float[512,512,1,1]
      m:float[512,1,1]
      c = Conv(x, w)
      d = Relu(c)
      e = Mul(d, m)
    )",
     1},
    {"a result of another shape", R"(
      input x:float[1,6]
      input z:float[5,6]
      a = Relu(x)
      b = Add(a, z)
      c = Neg(b)
    )",
     1},
    {"integers between", R"(
      input x:int32[4]
      a = Neg(x)
      b = Add(a, x)
      c = Abs(b)
    )",
     1},
    {"halves", R"(
      input x:float16[3,70]
      b:float16[70]
      a = Sigmoid(x)
      c = Add(a, b)
      d = Relu(c)
      e = Mul(d, d)
      f = Exp(e)
    )",
     2},
    {"a value with two readers", R"(
      input x:float[50]
      a = Exp(x)
      b = Neg(a)
      c = Add(a, b)
      d = Relu(c)
    )",
     2},
    {"elements that others hold", R"(
      input x:float[4,50]
      shape:int64[2]{50,4}
      back:int64[2]{4,50}
      a = Reshape(x, shape)
      b = Relu(a)
      c = Reshape(b, back)
      d = Add(c, x)
      e = Neg(d)
    )",
     2},
    {"a branch reads from outside", R"(
      input condition:bool[]
      input x:float[9]
      a = Exp(x)
      b = Neg(a)
      r = If(condition) then={
        t = Relu(b)
        u = Add(t, a)
        output u
      } else={
        v = Abs(b)
        w = Neg(v)
        output w
      }
      y = Neg(r)
      z = Exp(y)
    )",
     4},
};

/// Numbers in ±2; hostile ones have zeros of both signs, infinities and NaN among them.
Tensor numbersFor(const Value& value, unsigned seed, bool hostile) {
  Shape shape;
  for (const Dimension& dimension : *value.type.shape) shape.append(dimension.extent);
  if (*value.type.element == ElementType::Bool) return Tensor::scalar<bool>(seed % 2 == 0);
  if (*value.type.element == ElementType::Int32) {
    Tensor tensor(ElementType::Int32, shape);
    std::int32_t next = -2;
    for (std::int32_t& element : tensor.mutableValues<std::int32_t>()) element = next++;
    return tensor;
  }
  constexpr float kSpecial[] = {0.0F, -0.0F, kInfinity, -kInfinity, NAN, 1e30F, -1e-30F};
  Tensor tensor(ElementType::Float32, shape);
  std::mt19937 random(seed);
  for (float& element : tensor.mutableValues<float>()) {
    const auto bits = random();
    // Few, so that sums with them do not leave NaN alone.
    element = hostile && bits % 97 == 0 ? kSpecial[bits / 97 % std::size(kSpecial)]
                                        : static_cast<float>(bits % 4001) / 1000 - 2;
  }
  return fromFloat32(tensor, *value.type.element);
}

Feeds feedsOf(const Graph& graph, unsigned seed, bool hostile = true) {
  Feeds feeds;
  for (const ValueId input : graph.inputs()) {
    feeds.emplace_back(input, numbersFor(graph[input], seed++, hostile));
  }
  return feeds;
}

PlanRequest outputsOf(const Graph& graph) {
  PlanRequest request;
  request.given.assign(graph.inputs().begin(), graph.inputs().end());
  request.wanted.assign(graph.outputs().begin(), graph.outputs().end());
  request.kept = request.wanted;
  return request;
}

using NodeValues = std::map<std::size_t, Tensor>;

/// What step by step every node gives, each run by itself.
NodeValues valuesOf(const Engine& engine, const Feeds& feeds) {
  const Plan plan = planForAllValues(engine);
  Execution execution(plan, feeds);
  NodeValues values;
  while (!execution.finished()) {
    const NodeId done = execution.step();
    if (!done.valid()) continue;
    for (const ValueId output : engine.graph()[done].outputs) {
      if (output.valid()) values[output.at()] = execution.value(output);
    }
  }
  return values;
}

}  // namespace

class FusionTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void fusingChangesNoBit_data();
  void fusingChangesNoBit();
  void aTapAnywhereChangesNoBit_data() { fusingChangesNoBit_data(); }
  void aTapAnywhereChangesNoBit();
  void generatedNetworks_data();
  void generatedNetworks();
  void quantizedNodesRunByThemselves();
  void anErrorNamesTheNodeWithin();

 private:
  void compareOutputs(const Engine& engine, const PlanRequest& request, const Feeds& feeds,
                      const NodeValues& expected);
  Workers m_workers{2};
};

void FusionTest::fusingChangesNoBit_data() {
  QTest::addColumn<int>("row");
  for (std::size_t i = 0; i < std::size(kFusions); ++i) {
    QTest::newRow(kFusions[i].name) << static_cast<int>(i);
  }
}

void FusionTest::compareOutputs(const Engine& engine, const PlanRequest& request,
                                const Feeds& feeds, const NodeValues& expected) {
  const Plan plan(engine, request);
  // The second run knows the followers' operations, and convolutions carry them out themselves.
  for (const char* run : {"first", "second"}) {
    Execution execution(plan, feeds);
    execution.run();
    for (const ValueId value : request.kept) {
      const auto reference = expected.find(value.at());
      if (reference == expected.end()) continue;  // in the branch that was not taken
      if (!identical(execution.value(value), reference->second)) {
        QFAIL(
            ("'" + engine.graph()[value].name + "' has other bits in the " + run + " run").c_str());
      }
    }
  }
}

void FusionTest::fusingChangesNoBit() {
  QFETCH(int, row);
  const auto graph = graphFromText(kFusions[row].graph);
  const Engine engine(graph, m_workers);
  const PlanRequest request = outputsOf(*graph);
  QCOMPARE(Plan(engine, request).steps(Graph::mainBlock()).size(), kFusions[row].steps);
  for (unsigned seed = 1; seed <= 6; ++seed) {
    const Feeds feeds = feedsOf(*graph, seed, seed <= 4);
    m_workers.run([&] { compareOutputs(engine, request, feeds, valuesOf(engine, feeds)); });
  }
}

void FusionTest::aTapAnywhereChangesNoBit() {
  QFETCH(int, row);
  const auto graph = graphFromText(kFusions[row].graph);
  const Engine engine(graph, m_workers);
  const Feeds feeds = feedsOf(*graph, 9);
  m_workers.run([&] {
    const NodeValues expected = valuesOf(engine, feeds);
    QVERIFY(expected.size() > 1);
    for (const auto& [value, tensor] : expected) {
      PlanRequest request = outputsOf(*graph);
      request.wanted.emplace_back(value);
      request.kept.emplace_back(value);
      compareOutputs(engine, request, feeds, expected);
    }
  });
}

void FusionTest::generatedNetworks_data() {
  QTest::addColumn<unsigned>("seed");
  for (unsigned seed = 0; seed < 40; ++seed) QTest::addRow("%u", seed) << seed;
}

// Layers and cheap operations in random order on values of one shape, each reading any values that
// came before; every value may be an output.
void FusionTest::generatedNetworks() {
  QFETCH(unsigned, seed);
  std::mt19937 random(seed);
  const auto pick = [&](std::size_t count) { return std::to_string(random() % count); };
  std::string text = "input v0:float[2,20,6,5]\nw:float[20,20,1,1]\nd:float[20,1,3,3]\n";
  text += "c:float[20,1,1]\nr:float[5]\ns:float[]{0.7}\ng:float[2,20,1,1]\n";
  text += "m:float[20]\nq:float[20]{";
  for (int i = 0; i < 20; ++i) text += (i > 0 ? ", " : "") + std::to_string(0.5 + i);
  text += "}\n";
  constexpr std::size_t kNodes = 24;
  for (std::size_t i = 1; i <= kNodes; ++i) {
    // Mostly the value before, so that there are chains.
    const std::string x = "v" + (random() % 4 == 0 ? pick(i) : std::to_string(i - 1));
    const std::string y = "v" + pick(i);
    const std::string forms[] = {
        "Conv(" + x + ", w)",
        "Conv(" + x + ", d) group=20 pads=[1,1,1,1]",
        "Relu(" + x + ")",
        "Clip(" + x + ", , s)",
        "HardSwish(" + x + ")",
        "Sigmoid(" + x + ")",
        "Add(" + x + ", " + y + ")",
        "Mul(" + y + ", " + x + ")",
        "Sub(c, " + x + ")",
        "Mul(" + x + ", g)",
        "Add(r, " + x + ")",
        "Div(" + x + ", s)",
        "BatchNormalization(" + x + ", m, m, m, q)",
        "MaxPool(" + x + ") kernel_shape=[3,3] pads=[1,1,1,1]",
    };
    text += "v" + std::to_string(i) + " = " + forms[random() % std::size(forms)] + "\n";
  }
  text += "output v" + std::to_string(kNodes) + "\noutput v" + pick(kNodes) + "\n";

  const auto graph = graphFromText(text);
  const Engine engine(graph, m_workers);
  const Feeds feeds = feedsOf(*graph, seed);
  m_workers.run([&] {
    const NodeValues expected = valuesOf(engine, feeds);
    PlanRequest request = outputsOf(*graph);
    compareOutputs(engine, request, feeds, expected);
    for (int taps = 0; taps < 3; ++taps) {
      const ValueId tap = graph->findValue("v" + std::to_string(1 + random() % kNodes));
      request.wanted.push_back(tap);
      request.kept.push_back(tap);
      compareOutputs(engine, request, feeds, expected);
    }
  });
}

// The edge into the Neg has steps of 1: 0.4 → 0 between the two.
void FusionTest::quantizedNodesRunByThemselves() {
  const auto graph = graphFromText(R"(
    input x:float[2]
    a = Abs(x)
    b = Neg(a) @negation
    c = Add(b, one:float[]{1})
  )");
  const Engine engine(graph, m_workers);
  const PlanRequest request = outputsOf(*graph);
  const Plan plan(engine, request);
  QCOMPARE(plan.steps(Graph::mainBlock()).size(), std::size_t{1});
  QuantParams edge;
  edge.grids = {{1.0F, 0}};
  AppliedQuantization applied(graph->nodes().size());
  applied.set(graph->findNode("negation"), NodeQuantization{.inputs = {{0, edge}}});
  const Feeds feeds{{request.given[0], Tensor::of<float>(Shape{2}, {-0.4F, 2.6F})}};
  Execution execution(plan, feeds, &applied);
  execution.run();
  const Tensor y = execution.value(request.kept[0]);
  QVERIFY(y.values<float>()[0] == 1.0F);
  QVERIFY(y.values<float>()[1] == -2.0F);
}

void FusionTest::anErrorNamesTheNodeWithin() {
  const auto graph = graphFromText(R"(
    input x:float[n]
    a = Neg(x) @first
    b = Add(a, w:float[3]) @second
  )");
  const Engine engine(graph, m_workers);
  const Plan plan(engine, outputsOf(*graph));
  Execution execution(plan, Feeds{{graph->inputs()[0], Tensor::of<float>(Shape{2}, {1, 2})}});
  try {
    execution.run();
    QFAIL("shapes do not fit");
  } catch (const Error& error) {
    QCOMPARE(error.place().node, std::string("second"));
  }
}

QUANTSCOPE_TEST(FusionTest)
#include "test_fusion.moc"
