#include <QAction>
#include <QtTest>
#include <cmath>

#include "support/test_main.h"
#include "widgets/graph/drawing/build_drawing.h"
#include "widgets/graph/drawing/edge_curve.h"
#include "widgets/graph/graph_legend.h"
#include "widgets/graph/graph_words.h"
#include "widgets/graph/painting/graph_painter.h"
#include "widgets/graph/painting/observer_marks.h"
#include "widgets/look/text.h"
#include "widgets/shown_graph.h"

using namespace quantscope;
using namespace quantscope::test;
using Mark = ObserverMarks::Mark;

namespace {

// The edges into the additions of a sample, which read what two layers make.
struct Drawn {
  SnapshotPtr snapshot;
  GraphScenePtr scene;
  ObserverMarksPtr marks;

  explicit Drawn(const HandSharing& sharing = {}, const DrawingOptions& options = {}) {
    AnalysisRequest request = sampleRequest("digits_mobilenet", 2);
    request.config.precision.edit([&](PrecisionConfig& config) { config.groups = sharing; });
    snapshot = sampleSnapshots(request).back();
    scene = std::make_shared<const GraphScene>(buildDrawing(*snapshot, options), options);
    marks = makeObserverMarks(*scene, *snapshot, LayerIndex(*snapshot->result));
  }

  const Graph& graph() const { return snapshot->graph(); }
  const LayerResult& layerOf(std::size_t box) const {
    return snapshot->result->layers[scene->boxes()[box].layers.front()];
  }
  // The edge of the drawing between the layers of two nodes.
  std::size_t edge(const std::string& from, const std::string& to) const {
    for (std::size_t i = 0; i < scene->edges().size(); ++i) {
      const DrawnEdge& edge = scene->edges()[i];
      if (nameOf(edge.from) == from && nameOf(edge.to) == to) return i;
    }
    qFatal("no edge from %s to %s", from.c_str(), to.c_str());
  }
  std::string nameOf(std::size_t box) const {
    const DrawnBox& drawn = scene->boxes()[box];
    return drawn.layers.empty() ? graph()[drawn.value].name : layerOf(box).name;
  }
};

// A value that two layers read: its layer and the two.
struct Fork {
  std::string maker, first, second;
  PointName firstEdge, secondEdge;
};

Fork forkOf(const Drawn& drawn) {
  const LayerIndex index(*drawn.snapshot->result);
  for (const LayerResult& layer : drawn.snapshot->result->layers) {
    if (!layer.quantized) continue;
    const ValueId value = drawn.graph()[layer.members.back()].outputs[0];
    const std::vector<NodeId>& readers = drawn.graph()[value].consumers;
    if (readers.size() != 2) continue;
    const auto nameOf = [&](NodeId node) {
      return drawn.snapshot->result->layers[index.find(node).value()].name;
    };
    const auto edgeTo = [&](NodeId node) {
      return PointName{producerName(drawn.graph(), value), drawn.graph()[node].name};
    };
    return {layer.name, nameOf(readers[0]), nameOf(readers[1]), edgeTo(readers[0]),
            edgeTo(readers[1])};
  }
  qFatal("no fork");
}

QImage painted(const Drawn& drawn, const ObserverMarksPtr& marks, double scale) {
  const DisplayOptions options;
  const GraphContent content{
      drawn.scene, makeLooks(*drawn.scene, *drawn.snapshot, {}, options, Theme::day(), QFont()),
      makeHighlight(*drawn.scene, {}, {}), marks};
  const QRectF area = drawn.scene->bounds();
  QImage image((area.size() * scale).toSize(), QImage::Format_RGB32);
  image.fill(Qt::white);
  QPainter painter(&image);
  painter.scale(scale, scale);
  painter.translate(-area.topLeft());
  paintGraph(painter, content, area, scale);
  return image;
}

}  // namespace

/// Where the graph says that observers sit.
class ObserverMarksTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void everyQuantizedOutputHasOne();
  void edgesReuseTheOutput();
  void theInputIsObservedOnceForAll();
  void partedEdgesHaveTheirOwn();
  void joinedEdgesReuseEachOther();
  void collapsedScopesHaveNone();
  void onlyCloseTo();
  void placeOnTheEdge_data();
  void placeOnTheEdge();
  void edgesSayWhichTheyReuse();
  void theToggleIsKept();
  void theLegendGrows();
  void aClickOnAnEdgeSelectsIt();
};

void ObserverMarksTest::everyQuantizedOutputHasOne() {
  const Drawn drawn;
  int marked = 0;
  for (std::size_t box = 0; box < drawn.scene->boxes().size(); ++box) {
    if (drawn.scene->boxes()[box].layers.empty()) {
      QCOMPARE(drawn.marks->boxes[box], std::uint8_t{0});
      continue;
    }
    const LayerResult& layer = drawn.layerOf(box);
    if (layer.quantized) QCOMPARE(drawn.marks->boxes[box], std::uint8_t{1});
    marked += drawn.marks->boxes[box];
  }
  QVERIFY(marked > 10);
}

void ObserverMarksTest::edgesReuseTheOutput() {
  const Drawn drawn;
  const Fork fork = forkOf(drawn);
  QVERIFY(drawn.marks->edges[drawn.edge(fork.maker, fork.first)] == Mark::ReusesOutput);
  QVERIFY(drawn.marks->edges[drawn.edge(fork.maker, fork.second)] == Mark::ReusesOutput);
}

void ObserverMarksTest::theInputIsObservedOnceForAll() {
  const Drawn drawn;
  const std::string input = drawn.graph()[drawn.graph().inputs()[0]].name;
  const std::string first = drawn.snapshot->result->layers[0].name;
  QVERIFY(drawn.marks->edges[drawn.edge(input, first)] == Mark::OnEdge);
}

void ObserverMarksTest::partedEdgesHaveTheirOwn() {
  const Fork fork = forkOf(Drawn());
  const Drawn drawn({{}, {fork.secondEdge}});
  QVERIFY(drawn.marks->edges[drawn.edge(fork.maker, fork.first)] == Mark::ReusesOutput);
  QVERIFY(drawn.marks->edges[drawn.edge(fork.maker, fork.second)] == Mark::OnEdge);
}

void ObserverMarksTest::joinedEdgesReuseEachOther() {
  const Fork fork = forkOf(Drawn());
  const Drawn drawn({{{fork.firstEdge, fork.secondEdge}}, {fork.firstEdge, fork.secondEdge}});
  const Mark first = drawn.marks->edges[drawn.edge(fork.maker, fork.first)];
  const Mark second = drawn.marks->edges[drawn.edge(fork.maker, fork.second)];
  QVERIFY(std::min(first, second) == Mark::ReusesEdge);
  QVERIFY(std::max(first, second) == Mark::OnEdge);
}

void ObserverMarksTest::collapsedScopesHaveNone() {
  DrawingOptions options;
  options.collapsed = allScopes(*Drawn().snapshot);
  QVERIFY(!options.collapsed.empty());
  const Drawn drawn({}, options);
  for (std::size_t box = 0; box < drawn.scene->boxes().size(); ++box) {
    if (drawn.scene->boxes()[box].kind != DrawnBox::Kind::Scope) continue;
    QCOMPARE(drawn.marks->boxes[box], std::uint8_t{0});
    for (const std::uint32_t edge : drawn.scene->edgesTo(box)) {
      QVERIFY(drawn.marks->edges[edge] == Mark::None);
    }
  }
}

void ObserverMarksTest::onlyCloseTo() {
  const Drawn drawn;
  QVERIFY(painted(drawn, drawn.marks, 1) != painted(drawn, nullptr, 1));
  QVERIFY(painted(drawn, drawn.marks, 0.4) == painted(drawn, nullptr, 0.4));
  // Reused and own ones look different, too.
  auto others = std::make_shared<ObserverMarks>(*drawn.marks);
  for (Mark& mark : others->edges) {
    if (mark == Mark::ReusesOutput) mark = Mark::OnEdge;
  }
  QVERIFY(painted(drawn, others, 1) != painted(drawn, drawn.marks, 1));
}

void ObserverMarksTest::placeOnTheEdge_data() {
  QTest::addColumn<QList<QPointF>>("points");
  QTest::addColumn<bool>("leftToRight");
  QTest::addColumn<QPointF>("expected");
  QTest::newRow("straight down") << QList<QPointF>{{5, 0}, {5, 100}} << false << QPointF(5, 83);
  QTest::newRow("straight to the right")
      << QList<QPointF>{{0, 5}, {100, 5}} << true << QPointF(83, 5);
  QTest::newRow("the last of several steps")
      << QList<QPointF>{{80, 0}, {5, 60}, {5, 200}} << false << QPointF(5, 183);
  QTest::newRow("half way of a short one")
      << QList<QPointF>{{0, 0}, {0, 20}} << false << QPointF(0, 10);
  // t = 1 − 17 / 150: y = 50 · 3 t² (1 − t) + 50 · 3 t (1 − t)² + 100 t³, the way sideways likewise
  const double left = 17.0 / 150;
  const double t = 1 - left;
  const double across = 40 * (3 * t * t * left + t * t * t);
  const double along = 150 * t * left * left + 150 * t * t * left + 100 * t * t * t;
  QTest::newRow("a curve") << QList<QPointF>{{0, 0}, {40, 100}} << false << QPointF(across, along);
}

void ObserverMarksTest::placeOnTheEdge() {
  QFETCH(QList<QPointF>, points);
  QFETCH(bool, leftToRight);
  QFETCH(QPointF, expected);
  const std::vector<QPointF> way(points.begin(), points.end());
  const QPointF place = pointBeforeEnd(way, leftToRight, 17);
  QVERIFY2((place - expected).manhattanLength() < 1e-9,
           qPrintable(QStringLiteral("%1, %2").arg(place.x()).arg(place.y())));
  QVERIFY(distanceToCurve(edgeCurve(way, leftToRight), place) < 0.5);
}

void ObserverMarksTest::edgesSayWhichTheyReuse() {
  const Drawn plain;
  const Fork fork = forkOf(plain);
  const auto wordsOf = [&](const Drawn& drawn, const std::string& reader) {
    const DrawnEdge& edge = drawn.scene->edges()[drawn.edge(fork.maker, reader)];
    return edgeWords(edge, drawn.scene->boxes(), *drawn.snapshot);
  };
  const QString reuses = wordsOf(plain, fork.first);
  QVERIFY2(reuses.contains(QStringLiteral("reuses that of the output of ") +
                           text(fork.firstEdge.producer)),
           qPrintable(reuses));
  QVERIFY2(reuses.contains("group of 3"), qPrintable(reuses));
  const Drawn parted({{}, {fork.firstEdge}});
  QVERIFY(wordsOf(parted, fork.first).contains("on this edge"));
}

void ObserverMarksTest::theToggleIsKept() {
  ShownGraph shown;
  GraphView& view = shown.view;
  const auto toggle = [&]() -> QAction& {
    for (QAction* action : view.graphActions()) {
      if (action->objectName() == QLatin1String("graph.observers")) return *action;
    }
    qFatal("no toggle");
  };
  QVERIFY(view.canvas().content().marks != nullptr);
  toggle().trigger();
  QVERIFY(view.canvas().content().marks == nullptr);
  const QByteArray without = view.saveState();
  toggle().trigger();
  QVERIFY(view.canvas().content().marks != nullptr);
  QVERIFY(view.restoreState(without));
  QVERIFY(!toggle().isChecked());
  QVERIFY(view.canvas().content().marks == nullptr);
  QVERIFY(view.restoreState("graph1"));
  QVERIFY(toggle().isChecked());
  QVERIFY(view.canvas().content().marks != nullptr);
  // Out of sight it may have been given another model, which it has not looked at yet.
  view.hide();
  toggle().trigger();
  QVERIFY(view.canvas().content().marks != nullptr);
  view.show();
  QVERIFY(view.canvas().content().marks == nullptr);
}

void ObserverMarksTest::theLegendGrows() {
  GraphLegend legend;
  legend.setMost({300, 600});
  const DisplayOptions options;
  legend.show(*sampleSnapshot()->result, options, false);
  const QSize without = legend.sizeHint();
  const QImage before = legend.grab().toImage();
  legend.show(*sampleSnapshot()->result, options, true);
  QVERIFY(legend.sizeHint().height() > without.height());
  QVERIFY(legend.grab().toImage() != before);
}

void ObserverMarksTest::aClickOnAnEdgeSelectsIt() {
  ShownGraph shown;
  GraphView& view = shown.view;
  const GraphScene& scene = shown.scene();
  const auto layers = sampleSnapshot()->result->layers;
  const std::uint32_t edge = scene.edgesTo(*scene.boxOfLayer(1))[0];
  const QPointF place = pointBeforeEnd(scene.edges()[edge].points, scene.leftToRight(), 17);
  view.canvas().setView(place, 1);
  QTest::mouseClick(&view.canvas(), Qt::LeftButton, {},
                    view.canvas().camera().toView(place).toPoint());
  QCOMPARE(shown.selection.current().node.index, layers[1].node.index);
  QCOMPARE(shown.selection.current().value.index, scene.edges()[edge].values.front().index);
  QCOMPARE(view.canvas().selectedBoxes(), std::vector{*scene.boxOfLayer(1)});
}

QUANTSCOPE_TEST(ObserverMarksTest)
#include "test_observer_marks.moc"
