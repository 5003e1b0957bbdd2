#include <QtTest>

#include "base/error.h"
#include "base/workers.h"
#include "engine/execution.h"
#include "onnx/import.h"
#include "onnx/upgrade/upgrade_opset.h"
#include "onnx/writing/write_model.h"
#include "support/graph_text.h"
#include "support/test_main.h"

using namespace quantscope;
using namespace quantscope::test;

/// Lifted operators compute the same bits, from the written file too.
class UpgradeOpsetTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void sameResults_data();
  void sameResults();
  void refusals_data();
  void refusals();
  void namesStay();
  void constantsNeedNoInputs();
};

namespace {

std::vector<Tensor> outputsOf(const std::shared_ptr<const Graph>& graph) {
  const Workers workers(1);
  const Engine engine(graph, workers);
  if (!engine.notExecutable().empty()) throw std::runtime_error(engine.notExecutable()[0].reason);
  const Plan plan = planForOutputs(engine);
  std::vector<Tensor> outputs;
  workers.run([&] {
    Execution execution(plan, {});
    execution.run();
    for (const ValueId output : graph->outputs()) outputs.push_back(execution.value(output));
  });
  return outputs;
}

}  // namespace

void UpgradeOpsetTest::sameResults_data() {
  QTest::addColumn<QString>("text");
  QTest::addColumn<int>("from");
  QTest::addColumn<int>("to");
  QTest::addColumn<QString>("expected");  // an operator that the lifted model has
  const auto row = [](const char* text, int from, int to, const char* expected = "") {
    QTest::newRow(qPrintable(QString("%1: %2 to %3").arg(text).arg(from).arg(to).left(120)))
        << QString(text) << from << to << QString(expected);
  };
  row("x:float[2,3,4]\ny = ReduceMean(x) axes=[1] keepdims=0", 13, 18);
  row("x:float[2,3,4]\ny = ReduceMax(x) axes=[0,2]", 11, 20);
  row("x:float[2,3,4]\ny = ReduceSum(x) axes=[-1]", 11, 13);
  row("x:float[2,3,4]\ny = ReduceL2(x)", 11, 18);
  row("x:float[1,3,1]\ny = Squeeze(x) axes=[0,2]", 9, 21);
  row("x:float[1,3,1]\ny = Squeeze(x)", 11, 13);
  row("x:float[3]\ny = Unsqueeze(x) axes=[0,2]", 9, 24);
  row("x:float[6]\na, b = Split(x) split=[2,4]", 11, 13);
  row("x:float[6]\na, b = Split(x)", 11, 18);
  row("x:float[6]\na, b = Split(x, s:int64[2]{1,5})", 13, 18);
  row("x:float[5]\ny = Clip(x) min=-0.25 max=0.5", 6, 13);
  row("x:float[5]\ny = Clip(x) max=0.5", 6, 11);
  row("x:float[2,3]\ny = Pad(x) pads=[0,1,1,0] value=2.5", 9, 21);
  row("x:float[3,3]\ny = Pad(x) pads=[1,1,1,1] mode=\"reflect\"", 2, 18);
  row("x:float[4,5]\ny = Slice(x) starts=[1,0] ends=[3,-1] axes=[0,1]", 9, 13);
  row("x:float[4,5]\ny = Slice(x) starts=[1] ends=[3]", 1, 10);
  row("x:float[7]\nv, i = TopK(x) k=3", 9, 11);
  row("x:float[2,3,4]\ny = Softmax(x)", 11, 13, "Flatten");
  row("x:float[2,3,4]\ny = Softmax(x) axis=2", 11, 13);
  row("x:float[2,3,4]\ny = LogSoftmax(x) axis=0", 9, 21, "Reshape");
  row("x:float[2,3]\ny = Hardmax(x)", 9, 13);
  row("x:float[1,1,2,3]\ny = Upsample(x) scales=[1.0,1.0,2.0,2.0] mode=\"nearest\"", 7, 19,
      "Resize");
  row("x:float[1,1,2,3]\ny = Upsample(x, s:float[4]{1,1,3,2}) mode=\"linear\"", 9, 13, "Resize");
  row("x:float[1,1,4,6]\ny = Resize(x, s:float[4]{1,1,0.5,0.5})", 10, 11, "Resize");
  row("x:float[2,3]\ny = Dropout(x) ratio=0.25", 7, 13);
  row("x:float[1,2,3]\ns:float[2]\nb:float[2]\nm:float[2]\nv:float[2]{1,2}\n"
      "y = BatchNormalization(x, s, b, m, v) epsilon=0.001 momentum=0.5",
      9, 15);
  row("x:float[1,2,3]\ny = PRelu(x, s:float[2]{0.5,0.25})", 6, 16);
  row("x:float[2,3]\ny = Add(x, b:float[3])", 6, 14);
  row("x:float[2,3]\ny = Scatter(x, i:int64[1,2]{0,1}, u:float[1,2]) axis=0", 9, 18,
      "ScatterElements");
  row("x:float[1,1,3,3]\ng:float[1,2,2,2]\ny = GridSample(x, g) mode=\"bilinear\"", 16, 22);
  row("x:float[1,1,6,6]\nr:float[1,4]{0,0,4,4}\ni:int64[1]{0}\n"
      "y = RoiAlign(x, r, i) output_height=2 output_width=2",
      10, 16);
  row("x:float[1,2,3,3]\ny = ImageScaler(x) scale=0.5 bias=[1.5,-2.0]", 7, 13, "Add");
  row("x:float[1,2,6,7]\ny = Crop(x) border=[1,2,0,3]", 7, 11, "Slice");
  row("x:float[1,2,6,7]\ny = Crop(x) border=[1,2,0,0] scale=[3,4]", 7, 13, "Slice");
  row("x:float[4]\ny = Affine(x) alpha=1.5 beta=0.5", 7, 21, "Mul");
  row("c:bool[]{true}\nx:float[2,3]\nr = If(c) then={\n t = ReduceMean(x) axes=[1]\n output t\n}"
      " else={\n e = Squeeze(x)\n output e\n}",
      11, 18);
}

void UpgradeOpsetTest::sameResults() {
  QFETCH(QString, text);
  QFETCH(int, from);
  QFETCH(int, to);
  QFETCH(QString, expected);
  try {
    const auto before = graphFromText(text.toStdString(), from);
    Graph lifted = *before;
    upgradeOpset(lifted, to);
    QCOMPARE(lifted.opsets.front().second, to);
    bool found = expected.isEmpty();
    for (const Node& node : lifted.nodes()) found |= node.op == expected.toStdString();
    QVERIFY(found);
    const auto after = importModelBytes(modelBytes({lifted, {}}));
    const auto wanted = outputsOf(before);
    const auto got = outputsOf(after);
    QCOMPARE(got.size(), wanted.size());
    for (std::size_t i = 0; i < got.size(); ++i) QVERIFY(identical(got[i], wanted[i]));
  } catch (const std::exception& error) {
    QFAIL(error.what());
  }
}

void UpgradeOpsetTest::refusals_data() {
  QTest::addColumn<QString>("text");
  QTest::addColumn<int>("from");
  QTest::addColumn<int>("to");
  QTest::newRow("operands matched from an axis on")
      << "x:float[2,3]\ny = Add(x, b:float[2]) broadcast=1 axis=0 @sum" << 6 << 13;
  QTest::newRow("unknown operator") << "x:float[2]\ny = Frobnicate(x) @odd" << 9 << 13;
  QTest::newRow("experiment") << "x:float[2]\ny = ParametricSoftplus(x) @odd" << 7 << 13;
  QTest::newRow("group normalization of version 18")
      << "x:float[1,2,3]\ny = GroupNormalization(x, s:float[1], b:float[1]) num_groups=1 @norm"
      << 18 << 21;
}

void UpgradeOpsetTest::refusals() {
  QFETCH(QString, text);
  QFETCH(int, from);
  QFETCH(int, to);
  Graph graph = *graphFromText(text.toStdString(), from);
  try {
    upgradeOpset(graph, to);
    QFAIL("it was lifted");
  } catch (const Error& error) {
    QCOMPARE(error.code(), ErrorCode::UnsupportedOperation);
    QVERIFY(!error.place().node.empty());
    QVERIFY(!error.remedy().empty());
  }
}

void UpgradeOpsetTest::namesStay() {
  Graph graph = *graphFromText(
      "opset 11\ninput x:float[2,3,4]\ny = Softmax(x) @scope/soft\nz = Squeeze(y) axes=[0] @cut");
  upgradeOpset(graph, 21);
  for (const char* name : {"x", "y", "z"}) QVERIFY(graph.findValue(name).valid());
  for (const char* name : {"scope/soft", "cut"}) QVERIFY(graph.findNode(name).valid());
  QCOMPARE(graph[graph.outputs()[0]].name, std::string("z"));
}

// Before version 4 of the format every initializer had to be an input too.
void UpgradeOpsetTest::constantsNeedNoInputs() {
  Graph graph = *graphFromText("opset 7\ninput x:float[2]\ny = Add(x, b:float[2])\noutput y");
  for (const int version : {3, 8}) {
    graph.irVersion = version;
    const auto written = importModelBytes(modelBytes({graph, {}}));
    QCOMPARE(written->irVersion, std::max(version, 4));
    QCOMPARE(written->inputs().size(), std::size_t{1});
  }
}

QUANTSCOPE_TEST(UpgradeOpsetTest)
#include "test_upgrade_opset.moc"
