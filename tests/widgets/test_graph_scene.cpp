#include <QtTest>

#include "support/test_main.h"
#include "widgets/graph/canvas/graph_camera.h"
#include "widgets/graph/drawing/edge_curve.h"
#include "widgets/graph/drawing/graph_scene.h"
#include "widgets/graph/drawing/spatial_index.h"
#include "widgets/graph/graph_walk.h"

using namespace quantscope;

namespace {

DrawnBox boxAt(double x, double y) {
  DrawnBox box;
  box.rect = QRectF(x, y, 100, 40);
  return box;
}

DrawnEdge edge(std::size_t from, std::size_t to, const GraphDrawing& drawing) {
  const QRectF a = drawing.boxes[from].rect;
  const QRectF b = drawing.boxes[to].rect;
  return {.from = from,
          .to = to,
          .values = {},
          .points = {QPointF(a.center().x(), a.bottom()), QPointF(b.center().x(), b.top())}};
}

//      0
//    1   2
//      3
GraphDrawing diamond() {
  GraphDrawing drawing;
  drawing.boxes = {boxAt(100, 0), boxAt(0, 100), boxAt(200, 100), boxAt(100, 200)};
  for (const auto& [from, to] : {std::pair{0, 1}, {0, 2}, {1, 3}, {2, 3}}) {
    drawing.edges.push_back(
        edge(static_cast<std::size_t>(from), static_cast<std::size_t>(to), drawing));
  }
  drawing.bounds = QRectF(0, 0, 300, 240);
  return drawing;
}

}  // namespace

class GraphSceneTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void indexFindsWhatBruteForceFinds_data();
  void indexFindsWhatBruteForceFinds();
  void findsBoxesAndEdges();
  void curveEndsWhereTheEdgeEnds();
  void walks_data();
  void walks();
  void cameraKeepsWhatIsUnderThePointer();
  void cameraStaysAtTheGraph();
};

void GraphSceneTest::indexFindsWhatBruteForceFinds_data() {
  QTest::addColumn<QRectF>("area");
  QTest::newRow("a corner") << QRectF(0, 0, 300, 300);
  QTest::newRow("everything") << QRectF(-1e6, -1e6, 2e6, 2e6);
  QTest::newRow("one point") << QRectF(2500, 2500, 0, 0);
  QTest::newRow("a long strip") << QRectF(4000, 0, 5, 1e5);
}

void GraphSceneTest::indexFindsWhatBruteForceFinds() {
  QFETCH(const QRectF, area);
  const QRectF bounds(0, 0, 10000, 100000);
  SpatialIndex index(bounds, 2000);
  std::vector<QRectF> rects;
  for (std::uint32_t i = 0; i < 2000; ++i) {
    rects.emplace_back((i * 7919) % 9900, (i * 104729) % 99900, 80 + i % 40, 30 + i % 900);
    index.add(i, rects.back());
  }
  index.finish();
  const std::vector<std::uint32_t> found = index.find(area);
  QVERIFY(std::ranges::is_sorted(found));
  for (std::uint32_t i = 0; i < 2000; ++i) {
    if (rects[i].intersects(area)) QVERIFY(std::ranges::binary_search(found, i));
  }
}

void GraphSceneTest::findsBoxesAndEdges() {
  const GraphScene scene(diamond(), {});
  QCOMPARE(scene.boxAt({250, 120}), std::optional<std::size_t>(2));
  QCOMPARE(scene.boxAt({150, 120}), std::nullopt);
  QCOMPARE(scene.edgeAt({52, 141}, 5), std::optional<std::size_t>(2));
  QCOMPARE(scene.edgeAt({5, 190}, 5), std::nullopt);
  QCOMPARE(scene.edgesFrom(0).size(), std::size_t{2});
  QCOMPARE(scene.edgesTo(3).size(), std::size_t{2});
  QVERIFY(scene.edgesTo(0).empty());
}

void GraphSceneTest::curveEndsWhereTheEdgeEnds() {
  const std::vector<QPointF> points{{0, 0}, {0, 30}, {200, 90}, {200, 400}};
  for (const double scale : {1.0, 0.3, 0.01}) {
    const QPainterPath curve = edgeCurve(points, false, scale);
    QCOMPARE(curve.pointAtPercent(0), points.front());
    QCOMPARE(curve.currentPosition(), points.back());
    QVERIFY(QRectF(-1, -1, 202, 402).contains(curve.boundingRect()));
  }
  QVERIFY(distanceToCurve(edgeCurve(points, false), {203, 300}) < 3.01);
  QVERIFY(distanceToCurve(edgeCurve(points, false), {100, 300}) > 90);
}

void GraphSceneTest::walks_data() {
  QTest::addColumn<int>("from");
  QTest::addColumn<int>("direction");
  QTest::addColumn<int>("to");
  const auto row = [](const char* name, int from, WalkDirection direction, int to) {
    QTest::newRow(name) << from << static_cast<int>(direction) << to;
  };
  row("down", 1, WalkDirection::Down, 3);
  row("up", 2, WalkDirection::Up, 0);
  row("right", 1, WalkDirection::Right, 2);
  row("left", 2, WalkDirection::Left, 1);
  row("above the first", 0, WalkDirection::Up, -1);
  row("below the last", 3, WalkDirection::Down, -1);
  row("beside the last", 2, WalkDirection::Right, -1);
}

void GraphSceneTest::walks() {
  QFETCH(const int, from);
  QFETCH(const int, direction);
  QFETCH(const int, to);
  const GraphScene scene(diamond(), {});
  const auto next =
      walk(scene, static_cast<std::size_t>(from), static_cast<WalkDirection>(direction));
  QCOMPARE(next ? static_cast<int>(*next) : -1, to);
}

void GraphSceneTest::cameraKeepsWhatIsUnderThePointer() {
  GraphCamera camera;
  camera.setView({800, 600}, 2);
  camera.setBounds({0, 0, 4000, 9000});
  camera.setCentre({2000, 3000});
  const QPointF before = camera.toScene(QPointF(600, 150));
  camera.zoomAt({600, 150}, 1.7);
  const QPointF after = camera.toScene(QPointF(600, 150));
  QVERIFY((after - before).manhattanLength() * camera.scale() <= 1);
}

void GraphSceneTest::cameraStaysAtTheGraph() {
  GraphCamera camera;
  camera.setView({800, 600}, 1);
  camera.setBounds({0, 0, 4000, 9000});
  camera.setCentre({-500, 99999});
  QCOMPARE(camera.centre(), QPointF(0, 9000));
  camera.setScale(1e-9);
  QVERIFY(camera.scale() * 9000 > 100);
  camera.setScale(1e9);
  QVERIFY(camera.scale() < 10);
}

QUANTSCOPE_TEST(GraphSceneTest)
#include "test_graph_scene.moc"
