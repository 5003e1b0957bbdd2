#include <QElapsedTimer>
#include <QtTest>
#include <algorithm>
#include <cmath>
#include <random>

#include "base/error.h"
#include "layout/graph_layout.h"
#include "layout/layering.h"
#include "support/test_main.h"

using namespace quantscope;

namespace {

struct Drawing {
  std::vector<LayoutBox> boxes;
  std::vector<LayoutEdge> edges;
};
using EdgeList = std::vector<LayoutEdge>;

// Boxes of different sizes, so that a layout which ignores them shows.
Drawing drawingOf(std::size_t boxes, EdgeList edges) {
  Drawing drawing{{}, std::move(edges)};
  for (std::size_t i = 0; i < boxes; ++i) {
    drawing.boxes.push_back({.width = 40.0 + 35.0 * static_cast<double>(i % 5),
                             .height = 16.0 + 13.0 * static_cast<double>(i % 4)});
  }
  return drawing;
}

Drawing randomDrawing(unsigned seed, std::size_t boxes, std::size_t edges, std::size_t reach) {
  std::mt19937 random(seed);
  EdgeList list;
  for (std::size_t i = 0; i < edges; ++i) {
    const std::size_t from = random() % (boxes - 1);
    list.push_back({from, from + 1 + random() % std::min(reach, boxes - from - 1)});
  }
  return drawingOf(boxes, list);
}

Drawing chain(std::size_t boxes, std::size_t skips) {
  EdgeList edges;
  for (std::size_t i = 0; i + 1 < boxes; ++i) edges.push_back({i, i + 1});
  for (std::size_t i = 0; i < skips; ++i) {
    const std::size_t from = i * 17 % (boxes / 2);
    edges.push_back({from, from + 40 + i * 11 % (boxes / 2 - 40)});
  }
  return drawingOf(boxes, edges);
}

// True where the segment from `a` to `b`, which goes straight down, runs through the box.
bool crosses(LayoutPoint a, LayoutPoint b, LayoutPoint centre, LayoutBox box) {
  return std::abs(a.x - centre.x) < box.width / 2 && a.y < centre.y + box.height / 2 &&
         b.y > centre.y - box.height / 2;
}

QString overlap(const Drawing& drawing, const GraphLayout& layout) {
  std::vector<std::size_t> order(drawing.boxes.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  const auto top = [&](std::size_t i) { return layout.centres[i].y - drawing.boxes[i].height / 2; };
  std::ranges::sort(order, {}, top);
  for (std::size_t i = 0; i < order.size(); ++i) {
    const std::size_t a = order[i];
    for (std::size_t j = i + 1; j < order.size(); ++j) {
      const std::size_t b = order[j];
      if (top(b) >= top(a) + drawing.boxes[a].height) break;
      const double room = std::abs(layout.centres[a].x - layout.centres[b].x) -
                          (drawing.boxes[a].width + drawing.boxes[b].width) / 2;
      if (room < 4) return QString("boxes %1 and %2 are %3 apart").arg(a).arg(b).arg(room);
    }
  }
  return {};
}

QString badRoute(const Drawing& drawing, const GraphLayout& layout) {
  for (std::size_t e = 0; e < drawing.edges.size(); ++e) {
    const auto [from, to, leave, arrive] = drawing.edges[e];
    const std::vector<LayoutPoint>& route = layout.routes[e];
    const double start = layout.centres[from].y + drawing.boxes[from].height / 2;
    const double end = layout.centres[to].y - drawing.boxes[to].height / 2;
    if (route.size() < 2 || route.front().y != start || route.back().y != end ||
        route.front().x != layout.centres[from].x + leave ||
        route.back().x != layout.centres[to].x + arrive) {
      return QString("edge %1 does not join its boxes").arg(e);
    }
    for (std::size_t i = 1; i < route.size(); ++i) {
      if (route[i].y < route[i - 1].y) return QString("edge %1 turns upward").arg(e);
    }
    if (start >= end) return QString("edge %1 does not lead down").arg(e);
  }
  return {};
}

// Straight pieces are those that share a row with boxes; slanted ones stay between rows.
QString crossedBox(const Drawing& drawing, const GraphLayout& layout) {
  for (std::size_t e = 0; e < drawing.edges.size(); ++e) {
    const std::vector<LayoutPoint>& route = layout.routes[e];
    for (std::size_t i = 1; i < route.size(); ++i) {
      if (route[i].x != route[i - 1].x) continue;
      for (std::size_t box = 0; box < drawing.boxes.size(); ++box) {
        if (crosses(route[i - 1], route[i], layout.centres[box], drawing.boxes[box])) {
          return QString("edge %1 runs through box %2").arg(e).arg(box);
        }
      }
    }
  }
  return {};
}

QString outside(const Drawing& drawing, const GraphLayout& layout) {
  constexpr double kRounding = 1e-6;
  for (std::size_t i = 0; i < drawing.boxes.size(); ++i) {
    const LayoutPoint centre = layout.centres[i];
    const LayoutBox box = drawing.boxes[i];
    if (centre.x - box.width / 2 < -kRounding || centre.y - box.height / 2 < -kRounding ||
        centre.x + box.width / 2 > layout.width + kRounding ||
        centre.y + box.height / 2 > layout.height + kRounding) {
      return QString("box %1 stands outside").arg(i);
    }
  }
  for (const std::vector<LayoutPoint>& route : layout.routes) {
    for (const LayoutPoint point : route) {
      if (point.x < -kRounding || point.x > layout.width + kRounding) return "a route is outside";
    }
  }
  return {};
}

QString firstFault(const Drawing& drawing, const GraphLayout& layout) {
  if (layout.centres.size() != drawing.boxes.size()) return "boxes are missing";
  if (layout.routes.size() != drawing.edges.size()) return "routes are missing";
  for (const QString& fault : {overlap(drawing, layout), badRoute(drawing, layout),
                               crossedBox(drawing, layout), outside(drawing, layout)}) {
    if (!fault.isEmpty()) return fault;
  }
  return {};
}

bool throwsInvalidParameters(const Drawing& drawing) {
  try {
    layoutGraph(drawing.boxes, drawing.edges);
  } catch (const Error& error) {
    return error.code() == ErrorCode::InvalidParameters;
  }
  return false;
}

}  // namespace

class GraphLayoutTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void layersAreLongestPaths();
  void drawsCleanly_data();
  void drawsCleanly();
  void keepsChainsStraight();
  void centresBetweenBranches();
  void refuses_data();
  void refuses();
  void emptyGraph();
  void isRepeatable();
  void largeGraphsAreQuick_data();
  void largeGraphsAreQuick();
};

void GraphLayoutTest::layersAreLongestPaths() {
  //   0 → 1 → 2 → 4,  0 → 4,  3 → 2,  5 alone
  const EdgeList edges{{0, 1}, {1, 2}, {2, 4}, {0, 4}, {3, 2}};
  QCOMPARE(longestPathLayers(6, edges), (std::vector<std::size_t>{0, 1, 2, 0, 3, 0}));

  const Drawing drawing = drawingOf(6, edges);
  const GraphLayout layout = layoutGraph(drawing.boxes, drawing.edges);
  QCOMPARE(layout.centres[0].y, layout.centres[3].y);
  QCOMPARE(layout.centres[0].y, layout.centres[5].y);
  QVERIFY(layout.centres[0].y < layout.centres[1].y);
  QVERIFY(layout.centres[1].y < layout.centres[2].y);
  QVERIFY(layout.centres[2].y < layout.centres[4].y);
}

void GraphLayoutTest::drawsCleanly_data() {
  QTest::addColumn<Drawing>("drawing");
  QTest::newRow("one box") << drawingOf(1, {});
  QTest::newRow("boxes without edges") << drawingOf(7, {});
  QTest::newRow("diamond") << drawingOf(4, {{0, 1}, {0, 2}, {1, 3}, {2, 3}});
  QTest::newRow("the same edge twice") << drawingOf(2, {{0, 1}, {0, 1}});
  QTest::newRow("two components") << drawingOf(6, {{0, 1}, {1, 2}, {3, 4}, {4, 5}});
  QTest::newRow("edges against the order of boxes") << drawingOf(3, {{2, 1}, {1, 0}});
  QTest::newRow("skips beside the drawing") << chain(120, 9);
  QTest::newRow("complete bipartite, 20 by 20") << [] {
    EdgeList edges;
    for (std::size_t i = 0; i < 400; ++i) edges.push_back({i / 20, 20 + i % 20});
    return drawingOf(40, edges);
  }();
  QTest::newRow("too dense for igraph") << [] {
    EdgeList edges;
    for (std::size_t i = 0; i < 400 * 400; ++i) edges.push_back({i / 400, 400 + i % 400});
    edges.push_back({0, 800});
    edges.push_back({799, 800});
    return drawingOf(801, edges);
  }();
  for (unsigned seed = 0; seed < 40; ++seed) {
    QTest::addRow("random %u", seed)
        << randomDrawing(seed, 3 + seed * 4, 2 + seed * 5, 1 + seed * 2);
  }
}

void GraphLayoutTest::drawsCleanly() {
  QFETCH(Drawing, drawing);
  const GraphLayout layout = layoutGraph(drawing.boxes, drawing.edges);
  QCOMPARE(firstFault(drawing, layout), QString());
}

void GraphLayoutTest::keepsChainsStraight() {
  const Drawing drawing = chain(50, 0);
  const GraphLayout layout = layoutGraph(drawing.boxes, drawing.edges);
  for (const LayoutPoint centre : layout.centres) QVERIFY(centre.x == layout.centres[0].x);
  for (const std::vector<LayoutPoint>& route : layout.routes) {
    QCOMPARE(route.size(), std::size_t{2});
  }
}

void GraphLayoutTest::centresBetweenBranches() {
  const Drawing drawing{std::vector<LayoutBox>(4, {.width = 100, .height = 30}),
                        {{0, 1}, {0, 2}, {1, 3}, {2, 3}}};
  const GraphLayout layout = layoutGraph(drawing.boxes, drawing.edges);
  const double middle = (layout.centres[1].x + layout.centres[2].x) / 2;
  QVERIFY(std::abs(layout.centres[0].x - middle) < 1e-9);
  QVERIFY(std::abs(layout.centres[3].x - middle) < 1e-9);
}

void GraphLayoutTest::refuses_data() {
  QTest::addColumn<Drawing>("drawing");
  QTest::newRow("an edge to itself") << drawingOf(2, {{1, 1}});
  QTest::newRow("a cycle of two") << drawingOf(3, {{0, 1}, {1, 2}, {2, 1}});
  QTest::newRow("source outside") << drawingOf(2, {{2, 1}});
  QTest::newRow("target outside") << drawingOf(2, {{0, 2}});
  QTest::newRow("an edge without boxes") << drawingOf(0, {{0, 0}});
}

void GraphLayoutTest::refuses() {
  QFETCH(Drawing, drawing);
  QVERIFY(throwsInvalidParameters(drawing));
}

void GraphLayoutTest::emptyGraph() {
  const GraphLayout layout = layoutGraph({}, {});
  QVERIFY(layout.centres.empty() && layout.routes.empty());
  QVERIFY(layout.width == 0 && layout.height == 0);
}

void GraphLayoutTest::isRepeatable() {
  const Drawing drawing = randomDrawing(7, 200, 300, 20);
  const GraphLayout first = layoutGraph(drawing.boxes, drawing.edges);
  const GraphLayout second = layoutGraph(drawing.boxes, drawing.edges);
  for (std::size_t i = 0; i < first.centres.size(); ++i) {
    QVERIFY(first.centres[i].x == second.centres[i].x);
    QVERIFY(first.centres[i].y == second.centres[i].y);
  }
}

// The limit only tells linear growth from an explosion of bends: the usual time is far below it.
void GraphLayoutTest::largeGraphsAreQuick_data() {
  QTest::addColumn<Drawing>("drawing");
  QTest::newRow("chain of 5,000 with 200 skips") << chain(5000, 200);
  QTest::newRow("7,000 boxes, short edges") << randomDrawing(1, 7000, 9000, 6);
  QTest::newRow("7,000 boxes, edges of any length") << randomDrawing(2, 7000, 12000, 7000);
  QTest::newRow("20,000 boxes, edges up to 30") << randomDrawing(3, 20000, 30000, 30);
}

void GraphLayoutTest::largeGraphsAreQuick() {
  QFETCH(Drawing, drawing);
  QElapsedTimer timer;
  timer.start();
  const GraphLayout layout = layoutGraph(drawing.boxes, drawing.edges);
  qInfo("%lld ms, %.0f x %.0f", timer.elapsed(), layout.width, layout.height);
  QVERIFY(timer.elapsed() < 30'000);
  QCOMPARE(overlap(drawing, layout) + badRoute(drawing, layout), QString());
}

QUANTSCOPE_TEST(GraphLayoutTest)
#include "test_graph_layout.moc"
