#include <QtTest>
#include <cmath>
#include <random>

#include "base/error.h"
#include "layout/compound_layout.h"
#include "layout/layering.h"
#include "support/test_main.h"

using namespace quantscope;

namespace {

struct NestedDrawing {
  std::vector<CompoundGroup> groups;
  std::vector<CompoundBox> boxes;
  std::vector<LayoutEdge> edges;
};

CompoundGroup groupIn(std::size_t parent) {
  return {.parent = parent, .before = 30, .after = 10, .left = 12, .right = 14};
}

NestedDrawing nestedDrawing(std::vector<std::size_t> parents, std::vector<std::size_t> groupOfBox,
                            std::vector<LayoutEdge> edges) {
  NestedDrawing drawing{{{}}, {}, std::move(edges)};
  for (const std::size_t parent : parents) drawing.groups.push_back(groupIn(parent));
  for (std::size_t i = 0; i < groupOfBox.size(); ++i) {
    const double growth = static_cast<double>(i % 4);
    drawing.boxes.push_back(
        {.size = {.width = 40 + 30 * growth, .height = 20 + 9 * growth}, .group = groupOfBox[i]});
  }
  return drawing;
}

// Boxes in chapters of two levels, one after the other, so that no order of edges makes a cycle.
NestedDrawing randomNestedDrawing(unsigned seed) {
  std::mt19937 random(seed);
  const std::size_t chapters = 1 + random() % 4;
  std::vector<std::size_t> parents;
  std::vector<std::size_t> groupOfBox;
  std::vector<LayoutEdge> edges;
  for (std::size_t chapter = 0; chapter < chapters; ++chapter) {
    const std::size_t outer = parents.size() + 1;
    parents.push_back(0);
    for (std::size_t section = 0; section < 1 + random() % 3; ++section) {
      parents.push_back(outer);
      const std::size_t boxes = 1 + random() % 8;
      groupOfBox.insert(groupOfBox.end(), boxes, random() % 3 == 0 ? outer : parents.size());
    }
    groupOfBox.push_back(0);
  }
  for (std::size_t to = 1; to < groupOfBox.size(); ++to) {
    for (std::size_t k = 0; k < 1 + random() % 2; ++k) {
      // Mostly short ones; boxes of one list lie in one group, so edges go forward between groups.
      edges.push_back({to - 1 - random() % std::min<std::size_t>(to, 6), to});
    }
  }
  return nestedDrawing(parents, groupOfBox, edges);
}

bool contains(const LayoutRect& outer, const LayoutRect& inner) {
  return inner.left >= outer.left && inner.top >= outer.top &&
         inner.left + inner.width <= outer.left + outer.width &&
         inner.top + inner.height <= outer.top + outer.height;
}

bool apart(const LayoutRect& a, const LayoutRect& b) {
  return a.left + a.width <= b.left || b.left + b.width <= a.left || a.top + a.height <= b.top ||
         b.top + b.height <= a.top;
}

QString badNesting(const NestedDrawing& drawing, const CompoundLayout& layout) {
  // Everything that stands in a group, as rectangles.
  std::vector<std::vector<LayoutRect>> contents(drawing.groups.size());
  for (std::size_t i = 1; i < drawing.groups.size(); ++i) {
    contents[drawing.groups[i].parent].push_back(layout.groups[i]);
  }
  for (std::size_t i = 0; i < drawing.boxes.size(); ++i) {
    contents[drawing.boxes[i].group].push_back(layout.boxes[i]);
  }
  for (std::size_t group = 0; group < contents.size(); ++group) {
    for (std::size_t i = 0; i < contents[group].size(); ++i) {
      if (!contains(layout.groups[group], contents[group][i])) {
        return QString("something stands outside of group %1").arg(group);
      }
      for (std::size_t k = 0; k < i; ++k) {
        if (!apart(contents[group][i], contents[group][k])) {
          return QString("things in group %1 overlap").arg(group);
        }
      }
    }
  }
  return {};
}

QString badNestedRoute(const NestedDrawing& drawing, const CompoundLayout& layout) {
  constexpr double kRounding = 1e-6;
  for (std::size_t i = 0; i < drawing.edges.size(); ++i) {
    const LayoutRect& from = layout.boxes[drawing.edges[i].from];
    const LayoutRect& to = layout.boxes[drawing.edges[i].to];
    const std::vector<LayoutPoint>& route = layout.routes[i];
    if (route.size() < 2) return QString("edge %1 has no way").arg(i);
    if (std::abs(route.front().y - from.top - from.height) > kRounding ||
        std::abs(route.front().x - from.left - from.width / 2) > kRounding ||
        std::abs(route.back().y - to.top) > kRounding ||
        std::abs(route.back().x - to.left - to.width / 2) > kRounding) {
      return QString("edge %1 does not join its boxes").arg(i);
    }
    for (std::size_t k = 1; k < route.size(); ++k) {
      if (route[k].y < route[k - 1].y) return QString("edge %1 turns upward").arg(i);
    }
  }
  return {};
}

}  // namespace

class CompoundLayoutTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void keepsChainsStraight();
  void sharesPlacesOnTheBorder();
  void respectsMargins();
  void lateBoxesStandAtTheLowerBorder();
  void drawsCleanly_data();
  void drawsCleanly();
  void refusesCyclesOfGroups();
  void pinsRows();
};

void CompoundLayoutTest::keepsChainsStraight() {
  // 0 → [1 → [2 → 3]] → 4
  const NestedDrawing drawing =
      nestedDrawing({0, 1}, {0, 1, 2, 2, 0}, {{0, 1}, {1, 2}, {2, 3}, {3, 4}});
  const CompoundLayout layout = layoutCompound(drawing.groups, drawing.boxes, drawing.edges);
  for (const std::vector<LayoutPoint>& route : layout.routes) {
    QCOMPARE(route.size(), std::size_t{2});
    QVERIFY(std::abs(route.front().x - layout.routes.front().front().x) < 1e-6);
  }
}

void CompoundLayoutTest::sharesPlacesOnTheBorder() {
  // Box 0 feeds two boxes of a group, box 1 feeds one of them, too.
  const NestedDrawing drawing = nestedDrawing({0}, {0, 0, 1, 1}, {{0, 2}, {0, 3}, {1, 3}});
  const CompoundLayout layout = layoutCompound(drawing.groups, drawing.boxes, drawing.edges);
  const double border = layout.groups[1].top;
  const auto crossing = [&](std::size_t edge) {
    for (const LayoutPoint& point : layout.routes[edge]) {
      if (std::abs(point.y - border) < 1e-6) return point.x;
    }
    return std::nan("");
  };
  QCOMPARE(crossing(0), crossing(1));
  QVERIFY(std::abs(crossing(2) - crossing(1)) > 10);
}

void CompoundLayoutTest::respectsMargins() {
  NestedDrawing drawing = nestedDrawing({0, 0}, {1, 2}, {});
  drawing.groups[2].minWidth = 300;
  drawing.groups[2].minHeight = 200;
  const CompoundLayout layout = layoutCompound(drawing.groups, drawing.boxes, drawing.edges);
  QCOMPARE(layout.boxes[0].left - layout.groups[1].left, 12.0);
  QCOMPARE(layout.boxes[0].top - layout.groups[1].top, 30.0);
  QCOMPARE(layout.groups[1].width, 12.0 + 40 + 14);
  QCOMPARE(layout.groups[1].height, 30.0 + 20 + 10);
  QCOMPARE(layout.groups[2].width, 300.0);
  QCOMPARE(layout.groups[2].height, 200.0);
}

void CompoundLayoutTest::lateBoxesStandAtTheLowerBorder() {
  // 0 → 2, with 1 feeding 2 from beside 0, which is taller.
  const std::vector<LayoutBox> boxes{{.width = 50, .height = 200},
                                     {.width = 50, .height = 20, .pin = LayoutPin::Late},
                                     {.width = 50, .height = 20}};
  const GraphLayout layout = layoutGraph(boxes, {{0, 2}, {1, 2}});
  QCOMPARE(layout.centres[0].y, 100.0);
  QCOMPARE(layout.centres[1].y, 190.0);
}

void CompoundLayoutTest::drawsCleanly_data() {
  QTest::addColumn<NestedDrawing>("drawing");
  QTest::newRow("nothing") << nestedDrawing({}, {}, {});
  QTest::newRow("an empty group") << nestedDrawing({0}, {0}, {});
  QTest::newRow("out of two groups and into two")
      << nestedDrawing({0, 1, 0, 3}, {2, 2, 4, 4}, {{0, 1}, {1, 2}, {0, 3}, {2, 3}});
  for (unsigned seed = 0; seed < 40; ++seed)
    QTest::addRow("random %u", seed) << randomNestedDrawing(seed);
}

void CompoundLayoutTest::drawsCleanly() {
  QFETCH(NestedDrawing, drawing);
  const CompoundLayout layout = layoutCompound(drawing.groups, drawing.boxes, drawing.edges);
  QCOMPARE(badNesting(drawing, layout), QString());
  QCOMPARE(badNestedRoute(drawing, layout), QString());
}

void CompoundLayoutTest::refusesCyclesOfGroups() {
  const NestedDrawing drawing = nestedDrawing({0}, {1, 0, 1}, {{0, 1}, {1, 2}});
  QVERIFY_EXCEPTION_THROWN(layoutCompound(drawing.groups, drawing.boxes, drawing.edges), Error);
}

void CompoundLayoutTest::pinsRows() {
  using enum LayoutPin;
  //   0 (first) → 1 → 2 → 3 (last),  4 (late) → 2,  5 is fed by nothing and feeds the last row
  const std::vector<LayoutBox> boxes{{.pin = First}, {.pin = Early}, {.pin = Early},
                                     {.pin = Last},  {.pin = Late},  {.pin = Early}};
  const std::vector<LayoutEdge> edges{{0, 1}, {1, 2}, {2, 3}, {4, 2}, {5, 3}};
  QCOMPARE(pinnedLayers(boxes, edges), (std::vector<std::size_t>{0, 1, 2, 3, 1, 1}));
}

QUANTSCOPE_TEST(CompoundLayoutTest)
#include "test_compound_layout.moc"
