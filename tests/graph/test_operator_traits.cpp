#include <QtTest>
#include <set>

#include "graph/channel_axis.h"
#include "graph/operator_traits.h"
#include "support/graph_text.h"
#include "support/test_main.h"

using namespace quantscope;
using quantscope::test::graphFromText;

namespace {

Shape shapeOf(const Graph& graph, ValueId value) {
  if (const Tensor* constant = graph.constant(value)) return constant->shape();
  std::vector<std::int64_t> extents;
  for (const Dimension& dimension : graph[value].type.shape.value()) {
    extents.push_back(dimension.extent);
  }
  return Shape(extents);
}

/// The traits of a node's weight in place `slot`: the axes of its channels, the axis of the data
/// that it is summed over with, and the multiply-accumulates.
QString weightFacts(const Graph& graph, const Node& node, std::size_t slot) {
  const OperatorTraits& traits = operatorTraits(node);
  const Shape weight = shapeOf(graph, node.inputs[slot]);
  const std::size_t data = slot == 0 ? 1 : 0;
  const Shape input = shapeOf(graph, node.inputs[data]);
  QStringList facts{QString("out %1").arg(outputChannelAxis(node, slot, weight))};
  const std::size_t groups = outputChannelGroups(node, weight);
  if (groups > 1) facts << QString("of %1").arg(groups);
  if (traits.inputChannelAxis != nullptr) {
    facts << QString("in %1").arg(traits.inputChannelAxis(node, slot, weight.rank()));
  }
  if (traits.summedAxis != nullptr) {
    facts << QString("meets %1").arg(traits.summedAxis(node, slot, input.rank()));
  }
  if (traits.biasSlot) facts << QString("bias %1").arg(*traits.biasSlot);
  if (traits.scalesProduct != nullptr && traits.scalesProduct(node)) facts << "scaled";
  if (traits.multiplyAccumulates != nullptr) {
    facts << QString("%1 products")
                 .arg(traits.multiplyAccumulates(node, shapeOf(graph, node.inputs[0]),
                                                 shapeOf(graph, node.inputs[1]),
                                                 shapeOf(graph, node.outputs[0])));
  }
  return facts.join(", ");
}

const Node& onlyNode(const Graph& graph) {
  return graph[graph.main().nodes.front()];
}

}  // namespace

class OperatorTraitsTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void namesStandOnce();
  void unknownOperatorsHaveNoTraits();
  void weightsAreKnown_data();
  void weightsAreKnown();
  void dataMoversAreKnown_data();
  void dataMoversAreKnown();
  void channelsFlow_data();
  void channelsFlow();
};

void OperatorTraitsTest::namesStandOnce() {
  std::set<std::string_view> names;
  for (const NamedTraits& entry : operatorTable()) {
    QVERIFY2(names.insert(entry.op).second, std::string(entry.op).c_str());
    QCOMPARE(&operatorTraits(entry.op), &entry.traits);
  }
}

void OperatorTraitsTest::unknownOperatorsHaveNoTraits() {
  const OperatorTraits& traits = operatorTraits("NoSuchOperator");
  QCOMPARE(traits.channels, ChannelFlow::Unknown);
  QCOMPARE(traits.weightUse, WeightUse::None);
  QCOMPARE(traits.dataInputs, std::size_t{1});
  QVERIFY(traits.movesData == nullptr && traits.multiplyAccumulates == nullptr);
}

void OperatorTraitsTest::weightsAreKnown_data() {
  QTest::addColumn<QString>("text");
  QTest::addColumn<int>("slot");
  QTest::addColumn<QString>("facts");
  const auto row = [](const char* name, const char* text, int slot, const char* facts) {
    QTest::newRow(name) << QString(text) << slot << QString(facts);
  };
  row("Conv, grouped", "input x:float[1,8,6,6]\ny = Conv(x, w:float[8,4,3,3]) group=2", 1,
      "out 0, in 1, meets 1, bias 2, 4608 products");
  row("ConvTranspose", "input x:float[1,4,6,6]\ny = ConvTranspose(x, w:float[4,3,3,3])", 1,
      "out 1, in 0, meets 1, bias 2, 3888 products");
  row("ConvTranspose, grouped",
      "input x:float[1,4,6,6]\ny = ConvTranspose(x, w:float[4,3,3,3]) group=2", 1,
      "out 1, of 2, in 0, meets 1, bias 2, 3888 products");
  row("ConvTranspose, depthwise",
      "input x:float[1,4,6,6]\ny = ConvTranspose(x, w:float[4,1,3,3]) group=4", 1,
      "out 0, in 0, meets 1, bias 2, 1296 products");
  row("Gemm", "input x:float[2,5]\ny = Gemm(x, w:float[5,3])", 1,
      "out 1, in 0, meets 1, bias 2, 30 products");
  row("Gemm, weights transposed", "input x:float[2,5]\ny = Gemm(x, w:float[3,5]) transB=1", 1,
      "out 0, in 1, meets 1, bias 2, 30 products");
  row("Gemm, data transposed", "input x:float[5,2]\ny = Gemm(x, w:float[5,3]) transA=1", 1,
      "out 1, in 0, meets 0, bias 2, 30 products");
  row("Gemm with a factor", "input x:float[2,5]\ny = Gemm(x, w:float[5,3]) alpha=0.5", 1,
      "out 1, in 0, meets 1, bias 2, scaled, 30 products");
  row("MatMul", "input x:float[4,2,5]\ny = MatMul(x, w:float[5,3])", 1,
      "out 1, in 0, meets 2, 120 products");
  row("MatMul, weights on the left", "input x:float[5,3]\ny = MatMul(w:float[2,5], x)", 0,
      "out 0, in 1, meets 0, 30 products");
  row("MatMul, a vector", "input x:float[2,5]\ny = MatMul(x, w:float[5])", 1,
      "out 0, in 0, meets 1, 10 products");
  row("Einsum", "input x:float[2,5]\ny = Einsum(x, w:float[5,3]) equation=\"ab, bc -> ac\"", 1,
      "out 1");
  row("Einsum, weights on the left",
      "input x:float[2,5]\ny = Einsum(w:float[3,5], x) equation=\"cb,ab->ac\"", 0, "out 0");
  row("LSTM", "input x:float[7,1,3]\ny = LSTM(x, w:float[1,8,3], r:float[1,8,2]) hidden_size=2", 1,
      "out 1, bias 3, 280 products");
  row("embedding", "input x:int64[4]\ny = Gather(w:float[10,3], x)", 0, "out 0");
}

void OperatorTraitsTest::weightsAreKnown() {
  QFETCH(QString, text);
  QFETCH(int, slot);
  QFETCH(QString, facts);
  const auto graph = graphFromText(text.toStdString());
  QCOMPARE(weightFacts(*graph, onlyNode(*graph), static_cast<std::size_t>(slot)), facts);
}

void OperatorTraitsTest::dataMoversAreKnown_data() {
  QTest::addColumn<QString>("text");
  QTest::addColumn<int>("opset");
  QTest::addColumn<bool>("moves");
  QTest::addColumn<bool>("homogeneous");
  const auto row = [](const char* name, const char* node, bool moves, bool homogeneous,
                      int opset = 17) {
    QTest::newRow(name) << QString("input x:float[1,4,6,6]\ny = %1").arg(node) << opset << moves
                        << homogeneous;
  };
  row("Transpose", "Transpose(x)", true, true);
  row("MaxPool", "MaxPool(x) kernel_shape=[2,2]", true, true);
  row("AveragePool", "AveragePool(x) kernel_shape=[2,2]", false, true);
  row("Pad", "Pad(x, p:int64[8]{0,0,1,1,0,0,1,1})", true, true);
  row("Pad with 0", "Pad(x, p:int64[8]{0,0,1,1,0,0,1,1}, c:float[]{0})", true, true);
  row("Pad with 1", "Pad(x, p:int64[8]{0,0,1,1,0,0,1,1}, c:float[]{1})", false, false);
  row("Pad by mirroring", "Pad(x, p:int64[8]{0,0,1,1,0,0,1,1}, c:float[]{1}) mode=\"reflect\"",
      true, true);
  row("Pad with 1, by attribute", "Pad(x) pads=[0,0,1,1,0,0,1,1] value=1.0", false, false, 2);
  row("Pad with 0, by attribute", "Pad(x) pads=[0,0,1,1,0,0,1,1]", true, true, 2);
  row("Resize to the nearest", "Resize(x, , , s:int64[4]{1,4,12,12})", true, true);
  row("Resize", "Resize(x, , , s:int64[4]{1,4,12,12}) mode=\"linear\"", false, true);
  row("Resize of a cut region",
      "Resize(x, r:float[8]{0,0,0,0,1,1,2,2}, , s:int64[4]{1,4,12,12}) mode=\"linear\" "
      "coordinate_transformation_mode=\"tf_crop_and_resize\"",
      false, false);
  row("another domain's", "org.example.Transpose(x)", false, false);
  row("Relu", "Relu(x)", false, true);
  row("Clip", "Clip(x, , c:float[]{6})", false, false);
  row("Sigmoid", "Sigmoid(x)", false, false);
}

void OperatorTraitsTest::dataMoversAreKnown() {
  QFETCH(QString, text);
  QFETCH(int, opset);
  QFETCH(bool, moves);
  QFETCH(bool, homogeneous);
  const auto graph = graphFromText(text.toStdString(), opset);
  QCOMPARE(isDataMover(*graph, onlyNode(*graph)), moves);
  QCOMPARE(isPositivelyHomogeneous(*graph, onlyNode(*graph)), homogeneous);
}

void OperatorTraitsTest::channelsFlow_data() {
  QTest::addColumn<QString>("text");
  QTest::addColumn<int>("axis");
  const auto row = [](const char* name, const char* text, int axis) {
    QTest::newRow(name) << QString("input x:float[1,4,6,6]\n%1").arg(text) << axis;
  };
  const char* conv = "a = Conv(x, w:float[4,4,1,1])\n";
  row("set by a convolution", conv, 1);
  const auto behind = [&](const char* name, const char* node, int axis) {
    row(name, (QByteArray(conv) + "y = " + node).constData(), axis);
  };
  behind("carried by an activation", "Relu(a)", 1);
  behind("carried past a constant", "Mul(c:float[]{2}, a)", 1);
  behind("moved by Transpose", "Transpose(a) perm=[0,2,3,1]", 3);
  behind("lost by Reshape", "Reshape(a, s:int64[2]{4,36})", -1);
  behind("set anew by a product", "MatMul(a, m:float[6,5])", 3);
  row("none", "y = ReduceMean(x)", -1);
  row("looked for by a convolution behind",
      "y = Reshape(x, s:int64[4]{1,4,6,6})\nz = Conv(y, w:float[4,4,1,1])\noutput y\noutput z", 1);
}

void OperatorTraitsTest::channelsFlow() {
  QFETCH(QString, text);
  QFETCH(int, axis);
  const auto graph = graphFromText(text.toStdString());
  const ValueId output = graph->outputs().front();
  const std::size_t rank = (*graph)[output].type.shape ? shapeOf(*graph, output).rank() : 4;
  QCOMPARE(findChannelAxes(*graph)[output.at()].of(rank), axis);
}

QUANTSCOPE_TEST(OperatorTraitsTest)
#include "test_operator_traits.moc"
