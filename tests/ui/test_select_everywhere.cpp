#include <QTableView>
#include <QTreeView>
#include <QtTest>

#include "support/test_main.h"
#include "ui/workbench.h"
#include "widgets/charts/channel_chart.h"
#include "widgets/findings/findings_view.h"
#include "widgets/heatmap/channel_strip.h"
#include "widgets/inspector/inspector_view.h"

using namespace quantscope;
using namespace quantscope::test;

namespace {

constexpr Spot kSpots[] = {Spot::Graph,  Spot::Heatmap, Spot::Layers,
                           Spot::Ranges, Spot::Outline, Spot::Inspector};

const char* nameOf(Spot spot) {
  constexpr const char* kNames[] = {"graph", "heatmap", "layers", "ranges", "outline", "inspector"};
  return kNames[static_cast<std::size_t>(spot)];
}

}  // namespace

/// Whatever is clicked, every view of the window shows it.
class SelectEverywhereTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void aClickIsSeenEverywhere_data();
  void aClickIsSeenEverywhere();
  void clearingIsSeenEverywhere();
  void backAndForwardAreSeenEverywhere();
  void aScopeIsSeenEverywhere();
  void aChannelOfTheHeatmapIsSeenInTheRanges();
  void aChannelOfTheRangesIsSeenInTheHeatmap();
  void aDoubleClickBringsTheLayerToTheMiddle_data();
  void aDoubleClickBringsTheLayerToTheMiddle();
  void theGraphComesWithWhatWasSelectedMeanwhile_data();
  void theGraphComesWithWhatWasSelectedMeanwhile();
  void aFindingOpensItsScope();
};

void SelectEverywhereTest::aClickIsSeenEverywhere_data() {
  QTest::addColumn<Spot>("clicked");
  // The inspector follows; what it is clicked for is tried with its sections.
  for (const Spot spot : kSpots) {
    if (spot != Spot::Inspector) QTest::newRow(nameOf(spot)) << spot;
  }
}

void SelectEverywhereTest::aClickIsSeenEverywhere() {
  QFETCH(Spot, clicked);
  const Workbench window;
  // One layer and then another, so that no view is right by chance.
  for (const std::size_t layer : {std::size_t{3}, std::size_t{2}}) {
    QVERIFY(window.click(clicked, layer));
    QCOMPARE(window.selectedLayer(), std::optional(layer));
    for (const Spot spot : kSpots) {
      QVERIFY2(window.shownBy(spot) == layer, nameOf(spot));
    }
  }
}

void SelectEverywhereTest::clearingIsSeenEverywhere() {
  const Workbench window;
  QVERIFY(window.click(Spot::Layers, 3));
  for (const Spot spot : kSpots) QVERIFY2(window.shownBy(spot).has_value(), nameOf(spot));
  window.action(ActionId::ClearSelection)->trigger();
  for (const Spot spot : kSpots) QVERIFY2(!window.shownBy(spot), nameOf(spot));
}

void SelectEverywhereTest::backAndForwardAreSeenEverywhere() {
  const Workbench window;
  QVERIFY(window.click(Spot::Outline, 1));
  QVERIFY(window.click(Spot::Heatmap, 4));
  window.action(ActionId::Back)->trigger();
  for (const Spot spot : kSpots) QVERIFY2(window.shownBy(spot) == 1, nameOf(spot));
  window.action(ActionId::Forward)->trigger();
  for (const Spot spot : kSpots) QVERIFY2(window.shownBy(spot) == 4, nameOf(spot));
}

void SelectEverywhereTest::aScopeIsSeenEverywhere() {
  const Workbench window("digits_transformer");
  QVERIFY(window.bringUp(Spot::Graph));
  const DrawnFrame frame = window.scene().frames().front();
  window.clickDrawing(titleBar(frame).center());
  QCOMPARE(window->session().selection().current().scope, frame.scope);
  const QModelIndexList rows = window.outline().selectionModel()->selectedRows();
  QCOMPARE(rows.size(), 1);
  QVERIFY(window.outline().model()->hasChildren(rows.constFirst()));
  QVERIFY(window.bringUp(Spot::Layers));
  std::size_t inside = 0;
  for (std::size_t i = 0; i < window.layerCount(); ++i) {
    inside += window.layer(i).scope == frame.scope ||
              window.layer(i).scope.starts_with(frame.scope + "/");
  }
  QVERIFY(inside > 1);
  QCOMPARE(window.layers().selectionModel()->selectedRows().size(), qsizetype(inside));
}

void SelectEverywhereTest::aChannelOfTheHeatmapIsSeenInTheRanges() {
  const Workbench window;
  QVERIFY(window.bringUp(Spot::Heatmap));
  window.view<HeatmapView>().setMode(HeatmapMode::Channels);
  const HeatmapLayout& cells = window.heatmap().cellLayout();
  const QRectF cell = cells.rowRect({0, 1}) & cells.columnRect({2, 3});
  QTest::mouseClick(window.heatmap().viewport(), Qt::LeftButton, {}, cell.center().toPoint());
  QCOMPARE(window->session().selection().current().channel, 2);
  QCOMPARE(window.shownBy(Spot::Ranges), window.selectedLayer());
  QCOMPARE(window.shownBy(Spot::Inspector), window.selectedLayer());
}

void SelectEverywhereTest::aChannelOfTheRangesIsSeenInTheHeatmap() {
  const Workbench window;
  window.view<HeatmapView>().setMode(HeatmapMode::Channels);
  QVERIFY(window.click(Spot::Ranges, 0));
  ChannelChart* output = nullptr;
  for (ChannelChart* chart : window->findChildren<ChannelChart*>()) {
    if (chart->accessibleName() == QStringLiteral("Channels of the output")) output = chart;
  }
  QVERIFY(output != nullptr && output->isVisible());
  const std::size_t channel = output->order()[2];
  QTest::mouseClick(output, Qt::LeftButton, {}, output->positionOf(channel));
  QCOMPARE(window->session().selection().current().channel, static_cast<int>(channel));
  QCOMPARE(window.shownBy(Spot::Heatmap), std::optional(std::size_t{0}));
  QCOMPARE(window.heatmap().currentColumn(), static_cast<int>(channel));
}

void SelectEverywhereTest::aDoubleClickBringsTheLayerToTheMiddle_data() {
  QTest::addColumn<Spot>("clicked");
  QTest::newRow("outline") << Spot::Outline;
  QTest::newRow("layers") << Spot::Layers;
}

void SelectEverywhereTest::aDoubleClickBringsTheLayerToTheMiddle() {
  QFETCH(Spot, clicked);
  const Workbench window;
  QVERIFY(window.bringUp(Spot::Graph));
  const std::size_t last = window.layerCount() - 1;
  const QPointF centre =
      window.scene().boxes()[window.scene().boxOfLayer(last).value()].rect.center();
  QVERIFY(!window.canvas().camera().visible().contains(centre));
  QVERIFY(window.click(clicked, last));
  auto& view = clicked == Spot::Outline ? static_cast<QAbstractItemView&>(window.outline())
                                        : static_cast<QAbstractItemView&>(window.layers());
  QTest::mouseDClick(view.viewport(), Qt::LeftButton, {},
                     view.visualRect(view.currentIndex()).center());
  QVERIFY(window.bringUp(Spot::Graph));
  QVERIFY(window.canvas().camera().visible().contains(centre));
}

// What is selected in another tab comes into sight with the graph, out of a closed scope too.
void SelectEverywhereTest::theGraphComesWithWhatWasSelectedMeanwhile_data() {
  QTest::addColumn<bool>("closed");
  QTest::newRow("open") << false;
  QTest::newRow("closed") << true;
}

void SelectEverywhereTest::theGraphComesWithWhatWasSelectedMeanwhile() {
  QFETCH(const bool, closed);
  const Workbench window;
  QVERIFY(window.bringUp(Spot::Graph));
  auto& graph = window.view<GraphView>();
  if (closed) {
    graph.setDrawingOptions(collapseAll(graph.drawingOptions(), *window->session().snapshot()));
    QVERIFY(window.graphIsSettled());
  }
  QVERIFY(window.bringUp(Spot::Layers));
  const std::size_t last = window.layerCount() - 1;
  window->session().selection().selectNode(window.layer(last).node);
  QVERIFY(window.bringUp(Spot::Graph));
  const auto inSight = [&](std::size_t layer) {
    const auto box = window.scene().boxOfLayer(layer);
    if (!box || window.scene().boxes()[*box].kind == DrawnBox::Kind::Scope) return false;
    return window.canvas().camera().visible().contains(window.scene().boxes()[*box].rect.center());
  };
  QTRY_VERIFY(inSight(last));
  // Nothing moves when nothing else was selected.
  window.canvas().setView({0, 0}, 1);
  const QPointF centre = window.canvas().camera().centre();
  QVERIFY(window.bringUp(Spot::Layers));
  QVERIFY(window.bringUp(Spot::Graph));
  QCOMPARE(window.canvas().camera().centre(), centre);
}

// In a closed card its layer is not seen.
void SelectEverywhereTest::aFindingOpensItsScope() {
  const Workbench window;
  QVERIFY(window.bringUp(Spot::Graph));
  auto& graph = window.view<GraphView>();
  graph.setDrawingOptions(collapseAll(graph.drawingOptions(), *window->session().snapshot()));
  QVERIFY(window.graphIsSettled());
  const LayerIndex index(*window->session().snapshot()->result);
  const auto isClosed = [&](const Finding& finding) {
    const auto layer = index.find(finding.node);
    const auto box = layer ? window.scene().boxOfLayer(*layer) : std::nullopt;
    return box && window.scene().boxes()[*box].kind == DrawnBox::Kind::Scope;
  };
  const std::vector<Finding>& all = window->session().snapshot()->detected->findings;
  const auto found = std::ranges::find_if(all, isClosed);
  QVERIFY(found != all.end());
  const Finding finding = *found;
  window.view<FindingsView>().choose(finding.id);
  QTRY_VERIFY(graph.settled() && !isClosed(finding));
}

QUANTSCOPE_TEST(SelectEverywhereTest)
#include "test_select_everywhere.moc"
