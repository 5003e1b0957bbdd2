#include <QComboBox>
#include <QHeaderView>
#include <QLineEdit>
#include <QTableView>
#include <QToolButton>
#include <QTreeView>
#include <QtTest>

#include "app/gui/window/appearance.h"
#include "support/test_main.h"
#include "ui/workbench.h"
#include "widgets/controls/command_palette.h"
#include "widgets/look/theme.h"
#include "widgets/outline/outline_model.h"

using namespace quantscope;
using namespace quantscope::test;

namespace {

// Clicks on a column's title.
void clickHeader(const QHeaderView& header, int column) {
  const QPoint at(header.sectionViewportPosition(column) + header.sectionSize(column) / 3,
                  header.height() - 6);
  QTest::mouseClick(header.viewport(), Qt::LeftButton, {}, at);
}

// The numbers of a column from top to bottom; rows without one are left out.
std::vector<double> numbersOf(const QAbstractItemView& view, int column,
                              const QModelIndex& parent = {}) {
  std::vector<double> numbers;
  for (int row = 0; row < view.model()->rowCount(parent); ++row) {
    const QVariant number = view.model()->index(row, column, parent).data();
    if (number.isValid()) numbers.push_back(number.toDouble());
  }
  return numbers;
}

int columnTitled(const QTableView& table, const QString& title) {
  for (int column = 0; column < table.model()->columnCount(); ++column) {
    if (table.isColumnHidden(column)) continue;
    const QString words = table.model()->headerData(column, Qt::Horizontal).toString();
    if (words.contains(title)) return column;
  }
  return -1;
}

bool inOrder(std::vector<double> numbers, bool rising) {
  if (!rising) std::ranges::reverse(numbers);
  return std::ranges::is_sorted(numbers);
}

QAction* menuEntry(const TestWindow& window, const QString& title) {
  for (const PaletteCommand& command : menuCommands(*window->menuBar())) {
    if (command.action->text() == title) return command.action;
  }
  return nullptr;
}

QColor canvasColour(const Workbench& window) {
  return window.canvas().grab(QRect(2, 2, 1, 1)).toImage().pixelColor(0, 0);
}

// Of a layer, as the views of the window colour it.
Figure drawnFigure(const Workbench& window, std::size_t layer) {
  const std::size_t box = window.scene().boxOfLayer(layer).value();
  return window.canvas().content().looks->boxes[box].figure.value();
}

}  // namespace

class FindAndSortTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void cleanup() { Appearance::instance().choose(ThemeChoice::System); }

  void searchFindsAndJumps_data();
  void searchFindsAndJumps();
  void searchWithoutAMatchSaysSo();
  void aButtonCollapsesAScope();
  void layersAreSortedByTheirHeads();
  void theOutlineIsSortedByItsHeads();
  void theHeatmapIsSortedByItsHeads();
  void metricAndKindReachEveryView();
  void everythingFollowsTheTheme();
};

void FindAndSortTest::searchFindsAndJumps_data() {
  QTest::addColumn<Spot>("front");
  QTest::newRow("from the graph") << Spot::Graph;
  QTest::newRow("from the layers") << Spot::Layers;
  QTest::newRow("from the heatmap") << Spot::Heatmap;
}

void FindAndSortTest::searchFindsAndJumps() {
  QFETCH(Spot, front);
  const Workbench window;
  QVERIFY(window.bringUp(Spot::Graph));
  QVERIFY(window.bringUp(front));
  QLineEdit* search = window->toolBar().search();
  window.action(ActionId::Find)->trigger();
  QTest::keyClicks(search, QStringLiteral("gEMM"));
  QTest::keyClick(search, Qt::Key_Return);
  const auto found = window.selectedLayer();
  QVERIFY(found.has_value());
  QCOMPARE(window.layer(*found).op, std::string("Gemm"));
  QCOMPARE(window.shownBy(front), found);
  // It lies at the end of the drawing, which is out of sight at first.
  QVERIFY(window.bringUp(Spot::Graph));
  const std::size_t box = window.scene().boxOfLayer(*found).value();
  QTRY_VERIFY(window.canvas().camera().visible().contains(window.scene().boxes()[box].rect));
}

void FindAndSortTest::searchWithoutAMatchSaysSo() {
  const Workbench window;
  QLineEdit* search = window->toolBar().search();
  QTest::keyClicks(search, QStringLiteral("no such layer"));
  QTest::keyClick(search, Qt::Key_Return);
  QVERIFY(!window.selectedLayer());
  QVERIFY2(window.messages().contains(QStringLiteral("no such layer")),
           qPrintable(window.messages()));
}

void FindAndSortTest::aButtonCollapsesAScope() {
  const Workbench window("digits_transformer");
  QVERIFY(window.bringUp(Spot::Graph));
  const DrawnFrame frame = window.scene().frames().front();
  window.clickDrawing(collapseButton(frame).center());
  QTRY_VERIFY(!window.scene().boxesOfScope(frame.scope).empty());
  QVERIFY(window.graphIsSettled());
  const DrawnBox card = window.scene().boxes()[window.scene().boxesOfScope(frame.scope).front()];
  QVERIFY(card.layers.size() > 1);
  // A layer inside is marked on the card, and the card opens again.
  QVERIFY(window.click(Spot::Outline, card.layers.back()));
  QVERIFY(window.bringUp(Spot::Graph));
  QTRY_VERIFY(!window.canvas().selectedBoxes().empty());
  if (const auto cards = window.scene().boxesOfScope(frame.scope); !cards.empty()) {
    window.clickDrawing(expandButton(window.scene().boxes()[cards.front()]).center());
  }
  QTRY_VERIFY(window.scene().boxesOfScope(frame.scope).empty());
  QVERIFY(window.scene().frameOfScope(frame.scope).has_value());
}

void FindAndSortTest::layersAreSortedByTheirHeads() {
  const Workbench window;
  QVERIFY(window.click(Spot::Layers, 2));
  const int sqnr = columnTitled(window.layers(), QStringLiteral("SQNR"));
  QVERIFY(sqnr > 0);
  const QHeaderView& header = *window.layers().horizontalHeader();
  clickHeader(header, sqnr);
  const bool rising = header.sortIndicatorOrder() == Qt::AscendingOrder;
  QCOMPARE(header.sortIndicatorSection(), sqnr);
  QVERIFY(numbersOf(window.layers(), sqnr).size() > 5);
  QVERIFY(inOrder(numbersOf(window.layers(), sqnr), rising));
  clickHeader(header, sqnr);
  QVERIFY(inOrder(numbersOf(window.layers(), sqnr), !rising));
  QCOMPARE(window.shownBy(Spot::Layers), std::optional(std::size_t{2}));
  // The worst layer is the first one or the last one with a figure.
  const std::vector<double> numbers = numbersOf(window.layers(), sqnr);
  QCOMPARE(rising ? numbers.back() : numbers.front(),
           *window.layer(window.worstLayer()).local->total.sqnrDb);
}

void FindAndSortTest::theOutlineIsSortedByItsHeads() {
  const Workbench window;
  const QModelIndexList found = window.outline().model()->match(
      window.outline().model()->index(0, 0), Qt::DisplayRole, QStringLiteral("features"), 1,
      Qt::MatchExactly | Qt::MatchRecursive | Qt::MatchCaseSensitive);
  QCOMPARE(found.size(), 1);
  const QPersistentModelIndex features = found.constFirst();
  clickHeader(*window.outline().header(), OutlineModel::kFigure);
  const bool rising = window.outline().header()->sortIndicatorOrder() == Qt::AscendingOrder;
  QVERIFY(numbersOf(window.outline(), OutlineModel::kFigure, features).size() > 1);
  QVERIFY(inOrder(numbersOf(window.outline(), OutlineModel::kFigure, features), rising));
  clickHeader(*window.outline().header(), OutlineModel::kFigure);
  QVERIFY(inOrder(numbersOf(window.outline(), OutlineModel::kFigure, features), !rising));
}

void FindAndSortTest::theHeatmapIsSortedByItsHeads() {
  const Workbench window;
  QVERIFY(window.bringUp(Spot::Heatmap));
  const HeatmapLayout& cells = window.heatmap().cellLayout();
  const QPoint head(static_cast<int>(cells.columnRect({0, 1}).center().x()),
                    cells.headHeight() - 4);
  QTest::mouseClick(window.heatmap().viewport(), Qt::LeftButton, {}, head);
  const HeatmapScene& scene = window.heatmap().scene();
  QCOMPARE(static_cast<std::size_t>(scene.order.front()), window.worstLayer());
  for (int row = 1; row < scene.rows(); ++row)
    QVERIFY(scene.heat(row - 1, 0) >= scene.heat(row, 0));
  // Rows stay those of their layers.
  QVERIFY(window.click(Spot::Heatmap, 3));
  QCOMPARE(window.selectedLayer(), std::optional(std::size_t{3}));
}

void FindAndSortTest::metricAndKindReachEveryView() {
  const Workbench window;
  const std::size_t layer = window.worstLayer();
  QVERIFY(window.bringUp(Spot::Graph));
  const DisplayOptions& options = window->session().options();
  const auto outlineFigure = [&] {
    const QModelIndexList rows = window.outline().selectionModel()->selectedRows(1);
    return rows.isEmpty() ? 0.0 : rows.constFirst().data().toDouble();
  };
  QVERIFY(window.click(Spot::Outline, layer));
  const auto agree = [&] {
    const Figure figure = options.figureOf(window.layer(layer));
    return figure.kind == Figure::Kind::Value && drawnFigure(window, layer).value == figure.value &&
           outlineFigure() == figure.value;
  };
  QVERIFY(window.bringUp(Spot::Graph));
  QVERIFY(agree());
  const double local = outlineFigure();
  QComboBox* metrics = window->toolBar().metrics();
  QTest::keyClick(metrics, Qt::Key_Down);
  QCOMPARE(options.metricIndex(), std::size_t{1});
  QVERIFY(outlineFigure() != local);
  QVERIFY(agree());
  const double other = outlineFigure();
  for (QToolButton* button : window->toolBar().findChildren<QToolButton*>()) {
    if (button->text() == QStringLiteral("Accumulated")) button->click();
  }
  QVERIFY(options.kind() == ErrorKind::Accumulated);
  QVERIFY(outlineFigure() != other);
  QVERIFY(agree());
}

void FindAndSortTest::everythingFollowsTheTheme() {
  const Workbench window;
  QVERIFY(window.bringUp(Spot::Graph));
  const auto choose = [&](const char* title) {
    QAction* entry = menuEntry(window, QString::fromLatin1(title));
    if (entry != nullptr) entry->trigger();
    return entry != nullptr;
  };
  QVERIFY(choose("&Dark"));
  QTRY_VERIFY(Theme::of(window->palette()).dark);
  for (const Spot spot : {Spot::Graph, Spot::Heatmap, Spot::Layers, Spot::Ranges}) {
    QVERIFY(window.bringUp(spot));
    QTRY_VERIFY(Theme::of(window->tabs().currentWidget()->palette()).dark);
  }
  QVERIFY(window.bringUp(Spot::Graph));
  QTRY_COMPARE(canvasColour(window), Theme::night().surface);
  QVERIFY(choose("&Light"));
  QTRY_COMPARE(canvasColour(window), Theme::day().surface);
  QVERIFY(choose("As the &Desktop"));
  QCOMPARE(openSettings().value(QStringLiteral("theme")).toString(), QStringLiteral("system"));
  QVERIFY(Appearance::instance().choice() == ThemeChoice::System);
  QTRY_COMPARE(canvasColour(window), Theme::day().surface);
}

QUANTSCOPE_TEST(FindAndSortTest)
#include "test_find_and_sort.moc"
