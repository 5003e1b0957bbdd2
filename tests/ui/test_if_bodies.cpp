#include <QtTest>

#include "support/onnx_bytes.h"
#include "support/test_main.h"
#include "support/write_file.h"
#include "ui/workbench.h"

using namespace quantscope;
using namespace quantscope::test;

namespace {

OnnxGraph body(const std::vector<OnnxNode>& nodes) {
  return {.nodes = nodes,
          .inputs = {},
          .outputs = {nodes.back().outputs[0]},
          .initializers = {},
          .functions = {}};
}

// Two ways, chosen by the sign of the sum of the input.
std::string modelWithAnIf() {
  const OnnxNode choice{
      "If",
      {"positive"},
      {"y"},
      "choice",
      {onnxGraphAttribute("then_branch", onnxGraph(body({{"Relu", {"x"}, {"a"}, "relu", {}, ""},
                                                         {"Exp", {"a"}, {"b"}, "exp", {}, ""}}))),
       onnxGraphAttribute("else_branch", onnxGraph(body({{"Neg", {"x"}, {"c"}, "neg", {}, ""}})))},
      ""};
  return onnxModel(
      OnnxGraph{.nodes = {{"ReduceSum", {"x"}, {"sum"}, "sum", {onnxAttribute("keepdims", 0)}, ""},
                          {"Greater", {"sum", "zero"}, {"positive"}, "sign", {}, ""},
                          choice},
                .inputs = {"x"},
                .outputs = {"y"},
                .initializers = {onnxFloats("zero", {}, {0})},
                .functions = {}});
}

}  // namespace

class IfBodiesTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void aBodyOpensAndCloses_data();
  void aBodyOpensAndCloses();
  void whatABodyHidesIsBroughtToTheMiddle();
};

void IfBodiesTest::aBodyOpensAndCloses_data() {
  QTest::addColumn<QString>("model");
  QTest::newRow("small") << "";
  QTest::newRow("silero_vad") << "silero_vad.onnx";
}

void IfBodiesTest::aBodyOpensAndCloses() {
  QFETCH(QString, model);
  const QTemporaryDir folder;
  if (model.isEmpty()) {
    model = QString::fromStdString(writeFile(folder, QStringLiteral("if.onnx"), modelWithAnIf()));
  } else {
    const QString models = qEnvironmentVariable("QUANTSCOPE_MODELS");
    if (models.isEmpty()) QSKIP("skipped: QUANTSCOPE_MODELS is not set");
    model = models + u'/' + model;
  }
  const Workbench window;
  AnalysisRequest request;
  request.model = model.toStdString();
  window->session().open(request);
  window.waitForEnd();
  QVERIFY(window.bringUp(Spot::Graph));
  const auto closed =
      std::ranges::find(window.scene().boxes(), DrawnBox::Kind::Body, &DrawnBox::kind);
  QVERIFY(closed != window.scene().boxes().end());
  const NodeId owner = closed->owner;
  const std::size_t boxes = window.scene().boxes().size();
  window.clickDrawing(expandButton(*closed).center());
  QTRY_VERIFY(window.scene().frameOfBody(owner).has_value());
  QVERIFY(window.graphIsSettled());
  QVERIFY(window.scene().boxes().size() > boxes);

  // What is inside is a layer as any other.
  const Block& inner =
      window->session()
          .snapshot()
          ->graph()[window->session().snapshot()->graph()[owner].bodies.front().second];
  QVERIFY(!inner.nodes.empty());
  std::size_t layer = 0;
  while (layer < window.layerCount() && window.layer(layer).node != inner.nodes.front()) ++layer;
  if (layer < window.layerCount()) {
    QVERIFY(window.click(Spot::Graph, layer));
    QCOMPARE(window.selectedLayer(), std::optional(layer));
    QCOMPARE(window.shownBy(Spot::Layers), std::optional(layer));
    QCOMPARE(window.shownBy(Spot::Outline), std::optional(layer));
  }

  QVERIFY(window.bringUp(Spot::Graph));
  const std::size_t frame = window.scene().frameOfBody(owner).value();
  window.clickDrawing(collapseButton(window.scene().frames()[frame]).center());
  QTRY_VERIFY(!window.scene().frameOfBody(owner).has_value());
  QCOMPARE(window.scene().boxes().size(), boxes);
}

void IfBodiesTest::whatABodyHidesIsBroughtToTheMiddle() {
  const QTemporaryDir folder;
  const Workbench window;
  AnalysisRequest request;
  request.model = writeFile(folder, QStringLiteral("if.onnx"), modelWithAnIf());
  request.data = "random:4";
  window->session().open(request);
  window.waitForEnd();
  QVERIFY2(window->session().snapshot()->stage == AnalysisSnapshot::Stage::Complete,
           qPrintable(window.messages()));
  std::size_t layer = 0;
  while (layer < window.layerCount() && window.layer(layer).op != "Neg") ++layer;
  QVERIFY(layer < window.layerCount());
  QVERIFY(window.bringUp(Spot::Graph));
  const std::size_t boxes = window.scene().boxes().size();
  QVERIFY(window.click(Spot::Layers, layer));
  window.action(ActionId::Centre)->trigger();
  QVERIFY(window.bringUp(Spot::Graph));
  QTRY_VERIFY(window.scene().boxes().size() > boxes);
  QCOMPARE(window.shownBy(Spot::Graph), std::optional(layer));
  const std::size_t box = window.scene().boxOfLayer(layer).value();
  QTRY_VERIFY(window.canvas().camera().visible().contains(window.scene().boxes()[box].rect));
}

QUANTSCOPE_TEST(IfBodiesTest)
#include "test_if_bodies.moc"
