#include <QtTest>
#include <map>

#include "compare/matching/match_values.h"
#include "compare/matching/matched_orders.h"
#include "compare/matching/value_prints.h"
#include "compare/paired_inputs.h"
#include "compare/permuted_twin.h"
#include "compare/qdq_twin.h"
#include "onnx/import.h"
#include "support/graph_bytes.h"
#include "support/graph_text.h"
#include "support/test_main.h"

using namespace quantscope;
using namespace quantscope::test;

/// Values that are known to stand for each other are matched.
class MatchValuesTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void quantizedTwins_data();
  void quantizedTwins();
  void rewrittenGraphs_data();
  void rewrittenGraphs();
  void ambiguousOrders_data();
  void ambiguousOrders();
  void zerosShowNoOrder();
  void unlikeValuesHaveNoOrder();
  void handsBeatAll();
  void plainNames();
};

namespace {

std::vector<Feed> feedsOf(SampleSet& samples) {
  std::vector<Feed> feeds;
  for (std::size_t i = 0; i < 4 && i < samples.feedCount(); ++i) feeds.push_back(samples.read(i));
  return feeds;
}

struct Prints {
  std::vector<ValuePrint> first;
  std::vector<ValuePrint> second;
};

Prints printsOf(const ComparedModel& first, const ComparedModel& second,
                const std::vector<Feed>& feeds, JobContext& job) {
  const PairedInputs inputs(first, second);
  std::vector<Feed> theirs;
  for (const Feed& feed : feeds) theirs.push_back(inputs.forSecond(feed));
  return {takePrints(first, feeds, job), takePrints(second, theirs, job)};
}

std::vector<ValueMatch> matched(const ComparedModel& first, const ComparedModel& second,
                                const std::vector<Feed>& feeds, JobContext& job,
                                const HandMatches& byHand = {}) {
  const Prints prints = printsOf(first, second, feeds, job);
  return matchValues(first, prints.first, second, prints.second, byHand);
}

void addGraphColumns() {
  QTest::addColumn<QString>("first");
  QTest::addColumn<QString>("second");
  QTest::addColumn<QStringList>("expected");
}

Feed feedFor(const Graph& graph, int seed) {
  Feed feed;
  for (const ValueId input : graph.inputs()) {
    Shape shape;
    for (const Dimension& dimension : *graph[input].type.shape) shape.append(dimension.extent);
    Tensor tensor(ElementType::Float32, shape);
    int i = seed * 13;
    for (float& x : tensor.mutableValues<float>()) {
      x = static_cast<float>((++i * 37) % 101) / 25.0F - 2;
    }
    feed.inputs.emplace_back(input, tensor);
  }
  return feed;
}

}  // namespace

void MatchValuesTest::quantizedTwins_data() {
  QTest::addColumn<QString>("network");
  QTest::addColumn<QString>("config");
  QTest::addColumn<bool>("renamed");
  QTest::addColumn<bool>("permuted");
  for (const char* network : {"digits_mobilenet", "digits_transformer"}) {
    for (const bool renamed : {false, true}) {
      for (const auto& [title, config] :
           {std::pair("int8", ""),
            std::pair(
                "int4 weights",
                R"({"quantscope":1,"backend":"generic","default":{"weight":{"type":"int4"}}})"),
            std::pair("dynamic",
                      R"({"quantscope":1,"default":{"activation":{"mode":"dynamic"}}})")}) {
        QTest::addRow("%s, %s%s", network, title, renamed ? ", renamed" : "")
            << QString(network) << QString(config) << renamed << false;
      }
      // The other network has no images inside.
      if (network != std::string("digits_mobilenet")) continue;
      QTest::addRow("%s, int8, channels last%s", network, renamed ? ", renamed" : "")
          << QString(network) << QString() << renamed << true;
    }
  }
}

// The exporter knows which value of the float network each value of the model stands for.
void MatchValuesTest::quantizedTwins() {
  QFETCH(QString, network);
  QFETCH(QString, config);
  QFETCH(bool, renamed);
  QFETCH(bool, permuted);
  QdqTwin twin(network.toStdString(), config.toStdString());
  if (permuted) QVERIFY(layOutChannelsLast(twin.graph()) > 20);
  if (renamed) twin.rename();
  const std::shared_ptr<const Engine> engine = twin.read();
  const ComparedModel first(*twin.network.model.engine);
  const ComparedModel second(*engine);
  const std::vector<ValueMatch> matches =
      matched(first, second, feedsOf(*twin.network.data), twin.network.job);
  // Of what is fused into one value, the last is what that holds.
  std::map<std::size_t, ValueId> truth;
  for (const NodeId node : twin.original().main().nodes) {
    for (const ValueId output : twin.original()[node].outputs) {
      const ValueId read = output.valid() ? twin.qdq.readAs[output.at()] : ValueId();
      if (!read.valid()) continue;
      const ValueId value = engine->graph().findValue(twin.graph()[read].name);
      if (value.valid() && second.find(value) != kNoValue) truth[second.find(value)] = output;
    }
  }
  std::size_t right = 0;
  QStringList wrong;
  for (const auto& [theirs, ours] : truth) {
    auto match = std::ranges::find(matches, theirs, &ValueMatch::second);
    // Where an operator stands between transpositions, what it makes is as good as what those make.
    if (match == matches.end() && isRearranged(second.values()[theirs])) {
      match = std::ranges::find(matches, second.values()[theirs].reads[0], &ValueMatch::second);
    }
    if (match != matches.end() && match->first == first.find(ours)) {
      ++right;
    } else {
      wrong << QString("%1 -> %2")
                   .arg(twin.original()[ours].name.c_str(),
                        match == matches.end() ? "nothing" : first.name(match->first).c_str());
    }
  }
  const std::size_t known = truth.size();
  QVERIFY(known > 20);
  QVERIFY2(right * 100 >= known * 99,
           qPrintable(QString("%1 of %2\n%3").arg(right).arg(known).arg(wrong.join('\n'))));
}

void MatchValuesTest::rewrittenGraphs_data() {
  addGraphColumns();
  const QString convs =
      "input x:float[1,4,6,6]\nw:float[4,4,3,3]\nv:float[4,4,1,1]\n"
      "a = Conv(x, w) pads=[1,1,1,1]\nr = Relu(a)\nb = Conv(r, v)\ns = Add(b, x)\noutput s\n";
  QTest::newRow("renamed, with misleading names")
      << convs
      << "input x:float[1,4,6,6]\nw:float[4,4,3,3]\nv:float[4,4,1,1]\n"
         "b = Conv(x, w) pads=[1,1,1,1]\na = Relu(b)\nr = Conv(a, v)\ns = Add(r, x)\noutput s\n"
      << QStringList{"x x", "a b", "r a", "b r", "s s"};
  QTest::newRow("reordered branches, operands turned round")
      << "input x:float[2,8]\nw:float[8,8]\nv:float[8,8]{}\na = MatMul(x, w)\nb = Tanh(x)\n"
         "c = Sigmoid(a)\nd = Mul(c, b)\noutput d\n"
      << "input x:float[2,8]\nw:float[8,8]\nv:float[8,8]{}\np = Tanh(x)\nq = MatMul(x, w)\n"
         "s = Sigmoid(q)\nt = Mul(p, s)\noutput t\n"
      << QStringList{"x x", "a q", "b p", "c s", "d t"};
  QTest::newRow("a Gemm split into a product and a sum")
      << "input x:float[2,8]\nw:float[8,4]\nb:float[4]\ng = Gemm(x, w, b)\nr = Relu(g)\noutput r\n"
      << "input x:float[2,8]\nw:float[8,4]\nb:float[4]\np = MatMul(x, w)\nq = Add(p, b)\n"
         "t = Relu(q)\noutput t\n"
      << QStringList{"x x", "g q", "r t"};
  QTest::newRow("a Gelu fused")
      << "input x:float[2,8]\nw:float[8,8]\np = MatMul(x, w)\ne = Gelu(p)\nq = Neg(e)\noutput q\n"
      << "input x:float[2,8]\nw:float[8,8]\np1 = MatMul(x, w)\n"
         "d = Mul(p1, f:float[]{0.70710678})\ne1 = Erf(d)\ng = Add(e1, o:float[]{1})\n"
         "h = Mul(p1, g)\ni = Mul(h, z:float[]{0.5})\nq1 = Neg(i)\noutput q1\n"
      << QStringList{"x x", "p p1", "e i", "q q1"};
  QTest::newRow("channels last between transpositions")
      << convs
      << "input x:float[1,4,6,6]\nw:float[4,4,3,3]\nv:float[4,4,1,1]\n"
         "a1 = Conv(x, w) pads=[1,1,1,1]\na2 = Transpose(a1) perm=[0,2,3,1]\nr2 = Relu(a2)\n"
         "r1 = Transpose(r2) perm=[0,3,1,2]\nb1 = Conv(r1, v)\n"
         "b2 = Transpose(b1) perm=[0,2,3,1]\nx2 = Transpose(x) perm=[0,2,3,1]\n"
         "s2 = Add(b2, x2)\ns1 = Transpose(s2) perm=[0,3,1,2]\noutput s1\n"
      << QStringList{"x x", "a a1", "r r2 [0, 2, 3, 1]", "b b1", "s s2 [0, 2, 3, 1]"};
  QTest::newRow("an input with channels last")
      << convs
      << "input y:float[1,6,6,4]\nw:float[4,4,3,3]\nv:float[4,4,1,1]\n"
         "x1 = Transpose(y) perm=[0,3,1,2]\na1 = Conv(x1, w) pads=[1,1,1,1]\n"
         "r1 = Relu(a1)\nb1 = Conv(r1, v)\ns1 = Add(b1, x1)\noutput s1\n"
      << QStringList{"x y [0, 2, 3, 1]", "a a1", "r r1", "b b1", "s s1"};
  QTest::newRow("transposed without axes of extent 1, equal extents")
      << "input x:float[1,4,4]\na = Tanh(x)\nb = Sigmoid(a)\nc = Neg(b)\noutput c\n"
      << "input x:float[1,4,4]\nq = Squeeze(x, axes:int64[1]{0})\nt = Transpose(q) perm=[1,0]\n"
         "a1 = Tanh(t)\nb1 = Sigmoid(a1)\nc1 = Neg(b1)\noutput c1\n"
      << QStringList{"x x", "a a1 [1, 0] of the axes longer than 1",
                     "b b1 [1, 0] of the axes longer than 1",
                     "c c1 [1, 0] of the axes longer than 1"};
}

void MatchValuesTest::ambiguousOrders_data() {
  addGraphColumns();
  const QString square = "input x:float[1,4,4]\nt = Transpose(x) perm=[0,2,1]\ns = Add(x, t)\n";
  QTest::newRow("symmetric values lie alike") << square + "a = Tanh(s)\noutput a\n"
                                              << square + "a1 = Tanh(s)\noutput a1\n"
                                              << QStringList{"x x", "t t", "s s", "a a1"};
  QTest::newRow("symmetric values, transposed: what they are made of tells")
      << square + "a = Tanh(s)\nb = Mul(a, x)\noutput b\n"
      << square +
             "s1 = Transpose(s) perm=[0,2,1]\na1 = Tanh(s1)\n"
             "b1 = Mul(a1, t)\noutput b1\n"
      << QStringList{"x x", "t t", "s s", "a a1 [0, 2, 1]", "b b1 [0, 2, 1]"};
  QTest::newRow("a wrong value is no mirror of the right one")
      << square + "d = Mul(x, f:float[]{0.5})\na = Add(s, d)\nb = Neg(a)\noutput b\n"
      << square + "d = Mul(x, f:float[]{-0.5})\na = Add(s, d)\nb = Neg(a)\noutput b\n"
      << QStringList{"x x", "t t", "s s", "d d", "a a", "b b"};
  QTest::newRow("values that are all equal")
      << "input x:float[1,2,3,5]\na = Relu(x)\nz = Sub(a, a)\nc = Exp(z)\ny = Add(c, x)\n"
         "output y\n"
      << "input x:float[1,2,3,5]\nn = Transpose(x) perm=[0,2,3,1]\na1 = Relu(n)\n"
         "z1 = Sub(a1, a1)\nc1 = Exp(z1)\ny1 = Add(c1, n)\noutput y1\n"
      << QStringList{"x x", "a a1 [0, 2, 3, 1]", "z z1 [0, 2, 3, 1]", "c c1 [0, 2, 3, 1]",
                     "y y1 [0, 2, 3, 1]"};
  QTest::newRow("as many channels as rows and columns")
      << "input x:float[1,4,4,4]\nw:float[4,4,3,3]\na = Conv(x, w) pads=[1,1,1,1]\n"
         "r = Relu(a)\noutput r\n"
      << "input x:float[1,4,4,4]\nw:float[4,4,3,3]\na1 = Conv(x, w) pads=[1,1,1,1]\n"
         "n = Transpose(a1) perm=[0,2,3,1]\nr1 = Relu(n)\noutput r1\n"
      << QStringList{"x x", "a a1", "r r1 [0, 2, 3, 1]"};
  QTest::newRow("an input with as many channels as columns")
      << "input x:float[1,4,2,4]\nw:float[4,4,1,1]\na = Conv(x, w)\noutput a\n"
      << "input y:float[1,2,4,4]\nw:float[4,4,1,1]\nn = Transpose(y) perm=[0,3,1,2]\n"
         "a1 = Conv(n, w)\noutput a1\n"
      << QStringList{"x y [0, 2, 3, 1]", "a a1"};
  QTest::newRow("factors that are broadcast")
      << "input x:float[1,4,3,5]\ng = GlobalAveragePool(x)\ns = Mul(x, g)\noutput s\n"
      << "input x:float[1,4,3,5]\nn = Transpose(x) perm=[0,2,3,1]\n"
         "g1 = ReduceMean(n, axes:int64[2]{1,2})\ns1 = Mul(n, g1)\noutput s1\n"
      << QStringList{"x x", "g g1", "s s1 [0, 2, 3, 1]"};
  QTest::newRow("several values with the same elements")
      << "input x:float[1,4,3,5]\na = Abs(x)\nb = Relu(a)\nc = Neg(b)\noutput c\n"
      << "input x:float[1,4,3,5]\nn = Transpose(x) perm=[0,2,3,1]\na1 = Abs(n)\n"
         "p = Transpose(a1) perm=[0,3,1,2]\nb1 = Relu(p)\nq = Transpose(b1) perm=[0,2,3,1]\n"
         "c1 = Neg(q)\noutput c1\n"
      << QStringList{"x x", "a a1 [0, 2, 3, 1]", "b b1", "c c1 [0, 2, 3, 1]"};
  QTest::newRow("another shape is no other order")
      << "input x:float[1,4,6]\na = Tanh(x)\nr = Reshape(a, s:int64[3]{1,6,4})\nb = Neg(r)\n"
         "output b\n"
      << "input x:float[1,4,6]\na1 = Tanh(x)\nb1 = Neg(a1)\noutput b1\n"
      << QStringList{"x x", "a a1", "b b1"};
}

void MatchValuesTest::ambiguousOrders() {
  rewrittenGraphs();
}

// Of values with few elements that are not 0, the places of a print may hold zeros alone.
void MatchValuesTest::zerosShowNoOrder() {
  ValuePrint first;
  first.shape = Shape{2, 3};
  first.elementCount = 6;
  first.elements = {1, 0, 0, 0, 0, 0};
  first.arranged = {{{0, 1}, {0, 0, 0, 0, 0, 0}}};
  first.power = 1;
  ValuePrint second = first;
  second.shape = Shape{3, 2};
  second.elements = {0, 0, 0, 1, 0, 0};
  second.arranged.front().axes = {1, 0};
  QVERIFY(likenessInAnyOrder(first, second).value() < 0.1);
  QCOMPARE(ordersBetween(first, second).front().likeness, 0.0);
}

// As outputs that are paired by their place.
void MatchValuesTest::unlikeValuesHaveNoOrder() {
  const Workers workers(2);
  JobContext job(workers);
  const auto ours = graphFromText("input x:float[2,3]\na = Tanh(x)\noutput a\n", 20);
  const auto theirs =
      graphFromText("input x:float[2,3]\nb = ReduceSum(x) keepdims=0\noutput b\n", 20);
  const Engine ourEngine(ours, workers);
  const Engine theirEngine(theirs, workers);
  const ComparedModel first(ourEngine);
  const ComparedModel second(theirEngine);
  const Prints prints = printsOf(first, second, {feedFor(*ours, 1)}, job);
  const MatchedOrders orders(first, prints.first, second, prints.second, {});
  const AxisOrder axes = orders.between(first.find(ours->outputs()[0]), 1);
  const Tensor sum = Tensor::of<float>({}, {1.0F});
  QVERIFY(!axes.permutes());
  QVERIFY(identical(axes.toFirst(sum), sum));
}

void MatchValuesTest::rewrittenGraphs() {
  QFETCH(QString, first);
  QFETCH(QString, second);
  QFETCH(QStringList, expected);
  const Workers workers(2);
  JobContext job(workers);
  const std::shared_ptr<const Graph> ours =
      graphFromText(first.replace("{}", "").toStdString(), 20);
  const std::shared_ptr<const Graph> theirs =
      graphFromText(second.replace("{}", "").toStdString(), 20);
  const Engine ourEngine(ours, workers);
  const Engine theirEngine(theirs, workers);
  const ComparedModel ourModel(ourEngine);
  const ComparedModel theirModel(theirEngine);
  const std::vector<Feed> feeds{feedFor(*ours, 1), feedFor(*ours, 2)};
  const Prints prints = printsOf(ourModel, theirModel, feeds, job);
  const std::vector<ValueMatch> matches =
      matchValues(ourModel, prints.first, theirModel, prints.second);
  const MatchedOrders orders(ourModel, prints.first, theirModel, prints.second, matches);
  QStringList found;
  for (const ValueMatch& match : matches) {
    const AxisOrder axes = orders.between(match.first, match.second);
    found << QString("%1 %2%3").arg(ourModel.name(match.first).c_str(),
                                    theirModel.name(match.second).c_str(),
                                    axes.permutes() ? (" " + axes.text()).c_str() : "");
    QVERIFY(match.confidence > 0.5 && match.confidence <= 1);
  }
  found.sort();
  expected.sort();
  QCOMPARE(found, expected);
}

void MatchValuesTest::handsBeatAll() {
  const Workers workers(2);
  JobContext job(workers);
  const auto graph = graphFromText(
      "input x:float[2,8]\na = Relu(x)\nb = Tanh(a)\nc = Neg(a)\nd = Add(b, c)\noutput d\n", 17);
  const Engine engine(graph, workers);
  const ComparedModel model(engine);
  const auto index = [&](const char* name) { return model.find(graph->findValue(name)); };
  HandMatches byHand;
  byHand.matched = {{index("b"), index("c")}};
  byHand.secondAlone = {index("a")};
  const std::vector<ValueMatch> matches = matched(model, model, {feedFor(*graph, 1)}, job, byHand);
  const auto partner = [&](const char* second) {
    const auto match = std::ranges::find(matches, index(second), &ValueMatch::second);
    return match == matches.end() ? std::string() : model.name(match->first);
  };
  QCOMPARE(partner("c"), std::string("b"));
  QCOMPARE(partner("a"), std::string());
  QCOMPARE(partner("d"), std::string("d"));
  QVERIFY(partner("b") != "b");
}

void MatchValuesTest::plainNames() {
  QCOMPARE(plainName("conv_QuantizeLinear_Output"), std::string_view("conv"));
  QCOMPARE(plainName("conv_quantized"), std::string_view("conv"));
  QCOMPARE(plainName("_quantized"), std::string_view("_quantized"));
  QCOMPARE(plainName("conv"), std::string_view("conv"));
}

QUANTSCOPE_TEST(MatchValuesTest)
#include "test_match_values.moc"
