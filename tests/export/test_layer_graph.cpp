#include <QtTest>

#include "export/pictures/layer_graph.h"
#include "export/report_fixture.h"
#include "support/graph_text.h"
#include "support/test_main.h"

using namespace quantscope;

namespace {

// One layer per node, named as the node.
AnalysisResult layersOf(const Graph& graph, const QStringList& names) {
  AnalysisResult result;
  for (const QString& name : names) {
    LayerResult layer;
    for (const QString& member : name.split('+')) {
      layer.members.push_back(graph.findNode(member.toStdString()));
    }
    layer.name = name.toStdString();
    result.layers.push_back(layer);
  }
  return result;
}

// "a>b" for each edge, boxes by name, in the drawing's order.
QString edgesOf(const AnalysisResult& result, const Graph& graph) {
  const LayerGraph drawing = layerGraph(result, graph);
  const auto name = [&](std::size_t box) {
    if (box < drawing.layers) return result.layers[box].name;
    box -= drawing.layers;
    if (box < drawing.inputs.size()) return "in:" + graph[drawing.inputs[box]].name;
    return "out:" + graph[drawing.outputs[box - drawing.inputs.size()]].name;
  };
  QStringList edges;
  for (const LayoutEdge& edge : drawing.edges) {
    edges << QString::fromStdString(name(edge.from) + ">" + name(edge.to));
  }
  return edges.join(" ");
}

}  // namespace

class LayerGraphTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void joinsLayers_data();
  void joinsLayers();
  void emptyGraph();
};

void LayerGraphTest::joinsLayers_data() {
  QTest::addColumn<QString>("text");
  QTest::addColumn<QStringList>("layers");
  QTest::addColumn<QString>("edges");

  QTest::newRow("chain without its constants")
      << "input x:float[2]\na = Mul(x, w:float[2]) @a\nb = Relu(a) @b" << QStringList{"a", "b"}
      << "in:x>a a>b b>out:b";
  QTest::newRow("a pattern is one box")
      << "input x:float[2]\na = Mul(x, w:float[2]) @a\nb = Relu(a) @b\nc = Neg(b) @c"
      << QStringList{"a+b", "c"} << "in:x>a+b a+b>c c>out:c";
  QTest::newRow("a value read twice is one edge")
      << "input x:float[2]\na = Relu(x) @a\nb = Add(a, a) @b" << QStringList{"a", "b"}
      << "in:x>a a>b b>out:b";
  QTest::newRow("nodes outside of all layers are passed through")
      << "input x:float[2]\na = Relu(x) @a\nb = Neg(a) @b\nc = Abs(b) @c\nd = Exp(c) @d"
      << QStringList{"a", "d"} << "in:x>a a>d d>out:d";
  QTest::newRow("an input that is an output")
      << "input x:float[2]\na = Relu(x) @a\noutput x\noutput a" << QStringList{"a"}
      << "in:x>a in:x>out:x a>out:a";
  QTest::newRow("branches flow into their owner") << R"(
input x:float[2]
input c:bool[]
a = Relu(x) @a
r = If(c) @if then={
  t = Neg(a) @t
  output t
} else={
  e = Abs(a) @e
  output e
})" << QStringList{"a", "if/then/t", "if/else/e", "if"}
                                                  << "in:x>a a>if/then/t a>if/else/e if/then/t>if "
                                                     "if/else/e>if in:c>if if>out:r";
}

void LayerGraphTest::joinsLayers() {
  QFETCH(QString, text);
  QFETCH(QStringList, layers);
  QFETCH(QString, edges);
  const auto graph = test::graphFromText(text.toStdString());
  QCOMPARE(edgesOf(layersOf(*graph, layers), *graph), edges);
}

void LayerGraphTest::emptyGraph() {
  Graph graph;
  graph.finish();
  QCOMPARE(layerGraph({}, graph).boxes(), std::size_t{0});
}

QUANTSCOPE_TEST(LayerGraphTest)
#include "test_layer_graph.moc"
