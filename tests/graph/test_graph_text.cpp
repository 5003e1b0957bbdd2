#include <QtTest>
#include <stdexcept>

#include "support/graph_text.h"
#include "support/test_main.h"

using quantscope::Graph;
using quantscope::Node;
using quantscope::Tensor;
using quantscope::test::graphFromText;

class GraphTextTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void readsNodesAndConstants();
  void readsSubGraphs();
  void refusesWhatDoesNotFit_data();
  void refusesWhatDoesNotFit();
};

void GraphTextTest::readsNodesAndConstants() {
  const auto graph = graphFromText(R"(
    opset com.microsoft 1
    input x:float[batch,3,?]     # a comment
    b:float[2]{1, -0.5}
    y = Conv(x, w:float[2,3,1], b) strides=[1] alpha=0.5 auto_pad="VALID" @block/conv
    z = Clip(y, , m:int64[]{9007199254740993})
    _, i:float16[4] = com.microsoft.Thing(z) list=[1.5, 2] words=["a", "b"] t=uint8[1]{255}
    output i
    output z)",
                                   13);
  QCOMPARE(graph->nodes().size(), 3U);
  const Node& conv = graph->nodes()[0];
  QCOMPARE(conv.name, std::string("block/conv"));
  QCOMPARE(conv.version, 11);
  QCOMPARE(conv.integers("strides"), std::vector<std::int64_t>{1});
  QCOMPARE(conv.text("auto_pad", ""), std::string("VALID"));
  QVERIFY(conv.real("alpha", 0) == 0.5F);
  QVERIFY(conv.inputs[2] == graph->findValue("b"));
  QVERIFY(
      quantscope::identical(*graph->constant(conv.inputs[2]), Tensor::of<float>({2}, {1, -0.5F})));
  QCOMPARE(toString((*graph)[graph->inputs()[0]].type.shape), std::string("[batch, 3, ?]"));
  QCOMPARE(toString((*graph)[conv.outputs[0]].type.shape), std::string("[batch, 2, ?]"));

  const Node& clip = graph->nodes()[1];
  QCOMPARE(clip.name, std::string("Clip_z"));
  QVERIFY(!clip.inputs[1].valid());
  QCOMPARE(graph->constant(clip.inputs[2])->values<std::int64_t>()[0], 9007199254740993);

  const Node& thing = graph->nodes()[2];
  QCOMPARE(thing.domain, std::string("com.microsoft"));
  QVERIFY(!thing.outputs[0].valid());
  QVERIFY((*graph)[thing.outputs[1]].type.element == quantscope::ElementType::Float16);
  QCOMPARE(thing.reals("list"), (std::vector<float>{1.5F, 2}));
  QCOMPARE(std::get<std::vector<std::string>>(thing.find("words")->data).size(), 2U);
  QCOMPARE(std::get<Tensor>(thing.find("t")->data).values<std::uint8_t>()[0], 255);
  QCOMPARE(graph->outputs().size(), 2U);
}

void GraphTextTest::readsSubGraphs() {
  const auto graph = graphFromText(R"(
    input c:bool[]
    input x:float[2]
    r = If(c) then={
      t = Relu(x)
      output t
    } else={
      u = Loop(n:int64[]{3}, , x) body={
        input i:int64[]
        input keep:bool[]
        input state:float[2]
        next = Add(state, x)
        output keep
        output next
      }
      output u
    }
    s = Neg(r))");
  QCOMPARE(graph->blocks().size(), 4U);
  const quantscope::NodeId branch = graph->findNode("If_r");
  const quantscope::NodeId add = graph->findNode("If_r/else/Loop_u/body/Add_next");
  QVERIFY(branch.valid() && add.valid() && graph->findNode("If_r/then/Relu_t").valid());
  QVERIFY((*graph)[(*graph)[add].block].owner == graph->findNode("If_r/else/Loop_u"));
  QVERIFY((*graph)[add].inputs[1] == graph->findValue("x"));
  QCOMPARE(graph->outputs().size(), 1U);
  QVERIFY(graph->outputs()[0] == graph->findValue("s"));
  QVERIFY(graph->main().nodes.front() == branch);
}

void GraphTextTest::refusesWhatDoesNotFit_data() {
  QTest::addColumn<QByteArray>("text");
  QTest::newRow("unknown value") << QByteArray("y = Relu(x)");
  QTest::newRow("defined twice") << QByteArray("input x:float[1]\nx = Relu(x)");
  QTest::newRow("no such type") << QByteArray("input x:real[1]");
  QTest::newRow("too few elements") << QByteArray("c:float[2]{1}");
  QTest::newRow("unfinished body") << QByteArray("input c:bool[]\nr = If(c) then={");
  QTest::newRow("rest of line") << QByteArray("input x:float[1] y");
}

void GraphTextTest::refusesWhatDoesNotFit() {
  QFETCH(QByteArray, text);
  QVERIFY_EXCEPTION_THROWN(graphFromText(text.toStdString()), std::invalid_argument);
}

QUANTSCOPE_TEST(GraphTextTest)
#include "test_graph_text.moc"
