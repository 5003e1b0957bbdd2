#include <QDockWidget>
#include <QHeaderView>
#include <QMenu>
#include <QScrollArea>
#include <QScrollBar>
#include <QTabWidget>
#include <QTableView>
#include <QToolButton>
#include <QToolTip>
#include <QTreeView>
#include <QtTest>

#include "support/test_main.h"
#include "ui/workbench.h"
#include "widgets/controls/fitting_tabs.h"
#include "widgets/findings/findings_view.h"
#include "widgets/graph/graph_legend.h"
#include "widgets/heatmap/channel_strip.h"
#include "widgets/heatmap/heatmap_readout.h"
#include "widgets/inspector/inspector_view.h"
#include "widgets/inspector/quantized/group_section.h"
#include "widgets/ranges/range_detail.h"
#include "widgets/ranges/ranges_view.h"
#include "widgets/shell/headline_bar.h"

using namespace quantscope;
using namespace quantscope::test;

namespace {

QScrollBar& inspectorBar(const Workbench& bench) {
  return *bench.view<InspectorView>().findChild<QScrollArea*>()->verticalScrollBar();
}

// The place of a widget in the window.
QRect placeOf(const Workbench& bench, const QWidget& widget) {
  return {widget.mapTo(bench.window.get(), QPoint()), widget.size()};
}

// The first edge whose value a layer makes.
Selected someEdge(const Workbench& bench) {
  const AnalysisSnapshot& shown = *bench->session().snapshot();
  for (const QuantizationPoint& point : shown.quantized->groups.points) {
    if (!point.isOutput() && shown.graph()[point.value].producer.valid()) {
      return {.node = point.consumer, .scope = {}, .value = point.value};
    }
  }
  qFatal("no edge");
}

}  // namespace

/// A requested item becomes visible, and nothing covers it.
class InSightTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void sortingShowsTheTop();
  void anEdgeShowsItsGroup();
  void anotherLayerIsShownFromItsTop();
  void aPanelThatIsAskedForIsRaised();
  void aMenuSilencesTooltips();
  void nothingLiesOverTheHeatmap_data();
  void nothingLiesOverTheHeatmap();
  void namesOfTheHeatmapDoNotMeet();
  void theLegendLeavesALowGraphFree();
  void theLegendCoversNoBoxAtFirst();
  void theLegendSaysStretched();
  void theWorstLayerIsOffered();
  void anOpenedScopeShowsWhatIsInIt();
  void ctrlClickInTheHeatmapExtends();
  void theFindingsBarFitsASmallWindow();
  void theTabsFitASmallWindow_data();
  void theTabsFitASmallWindow();
  void figuresAreWholeOrInTheMenu_data();
  void figuresAreWholeOrInTheMenu();
  void numbersOfKeysFollowTheTabs();
  void anEmptyDetailLeavesTheRoomToTheRanges();
};

void InSightTest::sortingShowsTheTop() {
  const Workbench bench;
  bench->resize(900, 560);
  QVERIFY(bench.bringUp(Spot::Layers));
  QTableView& table = bench.layers();
  QVERIFY(bench.click(Spot::Layers, bench.layerCount() - 1));
  QVERIFY(table.verticalScrollBar()->value() > 0);
  table.sortByColumn(1, Qt::DescendingOrder);
  QCOMPARE(table.verticalScrollBar()->value(), 0);
  QTreeView& outline = bench.outline();
  outline.scrollToBottom();
  QVERIFY(outline.verticalScrollBar()->value() > 0);
  outline.sortByColumn(1, Qt::DescendingOrder);
  QCOMPARE(outline.verticalScrollBar()->value(), 0);
}

void InSightTest::anEdgeShowsItsGroup() {
  const Workbench bench;
  bench->resize(1280, 800);
  bench->session().selection().select(someEdge(bench));
  QTest::qWait(20);
  const auto& group = *bench->findChild<GroupSection*>();
  const QWidget& viewport = *bench.view<InspectorView>().findChild<QScrollArea*>()->viewport();
  const int top = group.mapTo(&viewport, QPoint()).y();
  QVERIFY2(top >= 0 && top < viewport.height() / 2, QByteArray::number(top));
}

void InSightTest::anotherLayerIsShownFromItsTop() {
  const Workbench bench;
  bench->resize(1280, 800);
  QVERIFY(bench.click(Spot::Outline, 2));
  QTest::qWait(20);
  inspectorBar(bench).setValue(inspectorBar(bench).maximum());
  const int scrolled = inspectorBar(bench).value();
  QVERIFY(scrolled > 0);
  bench->session().selection().selectSample(1);
  QCOMPARE(inspectorBar(bench).value(), scrolled);
  QVERIFY(bench.click(Spot::Outline, 3));
  QTest::qWait(20);
  QCOMPARE(inspectorBar(bench).value(), 0);
}

void InSightTest::aPanelThatIsAskedForIsRaised() {
  const Workbench bench;
  for (const char* name : {"jobs", "log"}) {
    auto* dock = bench->findChild<QDockWidget*>(QString::fromLatin1(name));
    dock->toggleViewAction()->trigger();
    QTRY_VERIFY2(dock->isVisible() && dock->isEnabled(), name);
  }
}

void InSightTest::aMenuSilencesTooltips() {
  const Workbench bench;
  QVERIFY(bench.bringUp(Spot::Graph));
  const QRectF box = bench.scene().boxes()[*bench.scene().boxOfLayer(0)].rect;
  bench.canvas().setView(box.center(), 1);
  QVERIFY(bench.graphIsSettled());
  const QPoint place = bench.canvas().camera().toView(box.center()).toPoint();
  QTest::mouseMove(&bench.canvas(), place);
  QTRY_VERIFY(QToolTip::isVisible());
  bool seen = true;
  QTimer::singleShot(600, this, [&seen] {
    seen = QToolTip::isVisible();
    QApplication::activePopupWidget()->close();
  });
  QTest::mouseMove(&bench.canvas(), place + QPoint(1, 1));
  QContextMenuEvent menu(QContextMenuEvent::Mouse, place, bench.canvas().mapToGlobal(place));
  QCoreApplication::sendEvent(&bench.canvas(), &menu);
  QVERIFY(!seen);
}

void InSightTest::nothingLiesOverTheHeatmap_data() {
  QTest::addColumn<QSize>("size");
  QTest::addColumn<HeatmapMode>("mode");
  for (const QSize size : {QSize(800, 520), QSize(1100, 700), QSize(1280, 800)}) {
    for (const HeatmapMode mode : {HeatmapMode::Metrics, HeatmapMode::Channels}) {
      const QByteArray name = QByteArray::number(size.width()) +
                              (mode == HeatmapMode::Metrics ? " metrics" : " channels");
      QTest::newRow(name) << size << mode;
    }
  }
}

void InSightTest::nothingLiesOverTheHeatmap() {
  QFETCH(QSize, size);
  QFETCH(HeatmapMode, mode);
  const Workbench bench;
  bench->resize(size);
  QVERIFY(bench.bringUp(Spot::Heatmap));
  bench.view<HeatmapView>().setMode(mode);
  QTest::qWait(30);
  const QRect canvas = placeOf(bench, bench.heatmap());
  // Rows have their part of it.
  QVERIFY2(bench.heatmap().cellLayout().cells.height() >= (size.width() < 1100 ? 10 : 40),
           QByteArray::number(bench.heatmap().cellLayout().cells.height()));
  for (const QWidget* below : bench.view<HeatmapView>().findChildren<QWidget*>()) {
    if (!below->isVisible() || bench.heatmap().isAncestorOf(below) || below == &bench.heatmap()) {
      continue;
    }
    const QRect both = placeOf(bench, *below) & canvas;
    QVERIFY2(both.isEmpty(), below->metaObject()->className());
  }
}

void InSightTest::namesOfTheHeatmapDoNotMeet() {
  const Workbench bench("digits_transformer");
  bench->resize(1280, 720);
  QVERIFY(bench.bringUp(Spot::Heatmap));
  QTest::qWait(30);
  const HeatmapLayout& cells = bench.heatmap().cellLayout();
  const HeatmapHeaders headers(bench.heatmap().scene(), cells, Theme::day(), bench->font());
  QVERIFY(headers.rowsPerName() > 1);
  const std::vector<int> named = headers.namedRows({.row = 3});
  QVERIFY(named.size() > 3);
  QVERIFY(std::ranges::find(named, 3) != named.end());
  for (std::size_t i = 0; i < named.size(); ++i) {
    const QRectF rect = headers.nameRect(named[i]);
    const QRectF all = cells.cells;
    QVERIFY(rect.top() >= all.top() && rect.bottom() <= all.bottom());
    const double off = rect.center().y() - cells.rowRect({named[i], named[i] + 1}).center().y();
    const bool movedIn = rect.top() == all.top() || rect.bottom() == all.bottom();
    QVERIFY(std::abs(off) < 1 || (movedIn && std::abs(off) < rect.height() / 2));
    if (i > 0) QVERIFY(rect.top() >= headers.nameRect(named[i - 1]).bottom() - 1);
  }
}

void InSightTest::theLegendLeavesALowGraphFree() {
  const Workbench bench;
  bench->resize(1280, 700);
  QVERIFY(bench.bringUp(Spot::Graph));
  QTest::qWait(20);
  auto& legend = *bench->findChild<GraphLegend*>();
  QVERIFY(bench.canvas().height() < 400);
  QVERIFY(legend.isVisible());
  QVERIFY2(legend.geometry().bottom() < 80, QByteArray::number(legend.geometry().bottom()));
}

// Where neither place has room for it, it is as low as the tools at least.
void InSightTest::theLegendCoversNoBoxAtFirst() {
  const Workbench bench;
  QVERIFY(bench.bringUp(Spot::Graph));
  auto& legend = *bench->findChild<GraphLegend*>();
  const auto covers = [&] {
    constexpr int kStep = 8;
    const QRect place = legend.geometry();
    for (int x = place.left(); x < place.right(); x += kStep) {
      for (int y = place.top(); y < place.bottom(); y += kStep) {
        if (bench.canvas().boxAt({x, y})) return true;
      }
    }
    return false;
  };
  constexpr int kLow = 48;
  for (int width = 900; width <= 1700; width += 100) {
    bench->resize(width, 1100);
    QVERIFY(bench.graphIsSettled());
    QVERIFY(legend.isVisible());
    QVERIFY2(!covers() || legend.height() <= kLow, QByteArray::number(width));
  }
}

void InSightTest::theLegendSaysStretched() {
  const Workbench bench;
  bench->resize(1440, 1000);
  QVERIFY(bench.bringUp(Spot::Graph));
  auto& legend = *bench->findChild<GraphLegend*>();
  const int before = legend.height();
  bench->session().options().setStretch(true);
  QVERIFY(bench.graphIsSettled());
  // A line of its own, not the end of a title that is cut.
  QVERIFY(legend.height() > before);
}

void InSightTest::theWorstLayerIsOffered() {
  const Workbench bench;
  QVERIFY(bench.bringUp(Spot::Graph));
  QToolButton* offer = nullptr;
  for (QToolButton* button : bench.view<GraphView>().findChildren<QToolButton*>()) {
    if (button->text() == QStringLiteral("Go to worst")) offer = button;
  }
  QVERIFY(offer != nullptr && offer->isVisible());
  offer->click();
  QCOMPARE(bench.selectedLayer(), std::optional(bench.worstLayer()));
  QVERIFY(bench.graphIsSettled());
  const auto box = bench.scene().boxOfLayer(bench.worstLayer());
  QVERIFY(bench.canvas().camera().visible().contains(bench.scene().boxes()[*box].rect.center()));
}

void InSightTest::anOpenedScopeShowsWhatIsInIt() {
  const Workbench bench("digits_transformer");
  QVERIFY(bench.bringUp(Spot::Graph));
  bench.action(ActionId::ShowGraph)->trigger();
  for (QAction* action : bench.view<GraphView>().graphActions()) {
    if (action->objectName() == QStringLiteral("graph.collapse-all")) action->trigger();
  }
  QVERIFY(bench.graphIsSettled());
  const auto card = std::ranges::find_if(bench.scene().boxes(),
                                         [](const DrawnBox& box) { return canExpand(box); });
  QVERIFY(card != bench.scene().boxes().end());
  const std::string scope = card->scope;
  const QPointF button = expandButton(*card).center();
  bench.canvas().setView(button, 1);
  QVERIFY(bench.graphIsSettled());
  QTest::mouseClick(&bench.canvas(), Qt::LeftButton, {},
                    bench.canvas().camera().toView(button).toPoint());
  QVERIFY(bench.graphIsSettled());
  const auto frame = bench.scene().frameOfScope(scope);
  QVERIFY(frame.has_value());
  const QRectF seen = bench.canvas().camera().visible();
  const QRectF area = bench.scene().frames()[*frame].rect;
  QVERIFY(std::ranges::any_of(bench.scene().boxes(), [&](const DrawnBox& box) {
    return area.contains(box.rect) && seen.contains(box.rect.center());
  }));
}

void InSightTest::ctrlClickInTheHeatmapExtends() {
  const Workbench bench;
  QVERIFY(bench.click(Spot::Heatmap, 1));
  const HeatmapLayout& cells = bench.heatmap().cellLayout();
  const auto ctrlClick = [&](int layer) {
    const int row = bench.heatmap().scene().shownRow(layer);
    const QRectF cell = cells.rowRect({row, row + 1}) & cells.columnRect({1, 2});
    QTest::mouseClick(bench.heatmap().viewport(), Qt::LeftButton, Qt::ControlModifier,
                      cell.center().toPoint());
  };
  ctrlClick(4);
  const std::vector<NodeId> both = {bench.layer(4).node, bench.layer(1).node};
  QVERIFY(bench->session().selection().current().nodes() == both);
  ctrlClick(4);
  QCOMPARE(bench.selectedLayer(), std::optional(std::size_t{1}));
  QVERIFY(!bench->session().selection().current().several());
}

void InSightTest::theFindingsBarFitsASmallWindow() {
  const Workbench bench;
  bench->resize(800, 520);
  QTest::qWait(50);
  const FindingsView& view = bench.view<FindingsView>();
  for (const auto* button : view.findChildren<QAbstractButton*>()) {
    if (!button->isVisible()) continue;
    const QRect place(button->mapTo(&view, QPoint()), button->size());
    QVERIFY2(view.rect().contains(place),
             qPrintable(button->text() +
                        QStringLiteral(" ends at %1 of %2").arg(place.right()).arg(view.width())));
  }
  QVERIFY2(bench->width() == 800, QByteArray::number(bench->width()));
}

void InSightTest::theTabsFitASmallWindow_data() {
  QTest::addColumn<QSize>("size");
  QTest::addColumn<bool>("whole");
  QTest::newRow("large") << QSize(1600, 1000) << true;
  QTest::newRow("of two thirds") << QSize(1280, 800) << true;
  QTest::newRow("full HD at 200 %") << QSize(960, 540) << false;
  QTest::newRow("smallest") << QSize(800, 520) << false;
}

void InSightTest::theTabsFitASmallWindow() {
  QFETCH(QSize, size);
  QFETCH(bool, whole);
  const Workbench bench;
  bench->resize(size);
  QTest::qWait(50);
  const auto& bar = *bench->tabs().findChild<FittingTabBar*>();
  for (const auto* arrow : bar.findChildren<QToolButton*>()) QVERIFY(!arrow->isVisible());
  for (int tab = 0; tab < bar.count(); ++tab) {
    QVERIFY2(bar.rect().contains(bar.tabRect(tab)), qPrintable(bar.tabText(tab)));
    QCOMPARE(bar.tabToolTip(tab), bar.tabText(tab));
  }
  QCOMPARE(bar.look() == FittingTabBar::Look::Whole, whole);
  bench->resize(1600, 1000);
  QTRY_COMPARE(bar.look(), FittingTabBar::Look::Whole);
}

void InSightTest::figuresAreWholeOrInTheMenu_data() {
  QTest::addColumn<QSize>("size");
  QTest::addColumn<bool>("all");
  QTest::newRow("large") << QSize(1600, 1000) << true;
  QTest::newRow("full HD at 200 %") << QSize(960, 540) << false;
  QTest::newRow("smallest") << QSize(800, 520) << false;
}

void InSightTest::figuresAreWholeOrInTheMenu() {
  QFETCH(QSize, size);
  QFETCH(bool, all);
  const Workbench bench;
  bench->resize(size);
  QTest::qWait(50);
  const auto& bar = *bench->findChild<HeadlineBar*>();
  const auto& more = *bar.findChild<QToolButton*>(QString(), Qt::FindDirectChildrenOnly);
  QStringList shown;
  for (const auto* figure :
       bar.findChildren<QAbstractButton*>(QString(), Qt::FindDirectChildrenOnly)) {
    if (figure == &more || figure->isHidden()) continue;
    QVERIFY2(figure->width() >= figure->minimumSizeHint().width(), qPrintable(figure->text()));
    QVERIFY2(bar.rect().contains(figure->geometry()), qPrintable(figure->text()));
    shown << figure->text();
  }
  QStringList hidden;
  for (const QAction* action : more.menu()->actions()) hidden << action->text();
  QCOMPARE(more.isVisible(), !all);
  QCOMPARE(hidden.isEmpty(), all);
  for (const HeadlineItem& item : bar.items()) {
    QVERIFY2(shown.contains(item.text()) != hidden.contains(item.text()), qPrintable(item.text()));
    QVERIFY(!item.sqnrDb || shown.contains(item.text()));
  }
}

void InSightTest::numbersOfKeysFollowTheTabs() {
  const Workbench bench;
  QTabWidget& tabs = bench->tabs();
  for (int tab = 0; tab < tabs.count(); ++tab) {
    const QKeySequence key(QStringLiteral("Ctrl+%1").arg(tab + 1));
    const auto actions = bench->findChildren<QAction*>();
    const auto found = std::ranges::find(actions, key, &QAction::shortcut);
    QVERIFY2(found != actions.end(), qPrintable(key.toString()));
    (*found)->trigger();
    QCOMPARE(tabs.currentIndex(), tab);
  }
}

// What is selected stays in sight when its detail takes room.
void InSightTest::anEmptyDetailLeavesTheRoomToTheRanges() {
  const Workbench bench;
  bench->resize(1280, 800);
  bench->session().selection().reset();
  QVERIFY(bench.bringUp(Spot::Ranges));
  const auto& view = bench.view<RangesView>();
  const auto& detail = *view.findChild<RangeDetail*>();
  const QTableView& table = bench.ranges();
  QTRY_VERIFY(!detail.isVisible() && 2 * table.viewport()->height() > view.height());
  const int whole = table.viewport()->height();
  const auto isWhole = [&](const QModelIndex& row) {
    const QRect place = table.visualRect(row);
    return place.isValid() && table.viewport()->rect().contains(place.center());
  };
  // The lowest row that is seen.
  const QModelIndex low = table.indexAt({10, whole - table.rowHeight(0)});
  QVERIFY(low.isValid());
  QTest::mouseClick(table.viewport(), Qt::LeftButton, {}, table.visualRect(low).center());
  QTRY_VERIFY(table.viewport()->height() < whole);
  QVERIFY(detail.isVisible());
  QTRY_VERIFY(isWhole(table.currentIndex()));
  bench->session().selection().reset();
  QTRY_COMPARE(table.viewport()->height(), whole);
}

QUANTSCOPE_TEST(InSightTest)
#include "test_in_sight.moc"
