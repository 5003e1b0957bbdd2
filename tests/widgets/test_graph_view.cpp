#include <QAction>
#include <QLabel>
#include <QLineEdit>
#include <QSignalSpy>
#include <QToolTip>
#include <QtTest>

#include "support/test_main.h"
#include "widgets/graph/canvas/minimap.h"
#include "widgets/graph/graph_legend.h"
#include "widgets/shown_graph.h"

using namespace quantscope;
using namespace quantscope::test;

namespace {

SnapshotPtr transformer() {
  static const SnapshotPtr snapshot =
      sampleSnapshots(sampleRequest("digits_transformer", 2)).back();
  return snapshot;
}

}  // namespace

class GraphViewTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void clickSelectsAndEscapeClears();
  void clickBesideClears();
  void arrowsWalkAlongEdges();
  void selectionLightsThePath();
  void wheelZoomsAtThePointer();
  void dragPans();
  void fitShowsEverything();
  void centreRequestBringsTheSelectionToTheMiddle();
  void whatIsSelectedElsewhereComesIntoSightOnce();
  void theBeginningStaysInSightUntilSomebodyMoves();
  void onALowCanvasTheOverlaysStepAside();
  void overviewCoversNoBoxAtTheBeginning();
  void unseenChangesOfSizePlaceTheOverlays();
  void searchJumps();
  void newSnapshotKeepsTheLayout();
  void aToolTipFollowsTheSnapshot();
  void aHiddenViewDoesNotLayOut();
  void theNextModelIsLaidOut();
  void clicksWaitForTheNewDrawing();
  void withoutAModelNothingIsShown();
  void coloursFollowTheMetric();
  void theButtonCollapsesAScopeAndOpensItAgain();
  void centreRequestOpensWhatHidesTheSelection();
  void actionsDoWhatTheySay();
  void searchFieldCountsAndCloses();
  void thePictureIsNotBlank();
};

void GraphViewTest::clickSelectsAndEscapeClears() {
  ShownGraph shown;
  QTest::mouseClick(&shown.canvas(), Qt::LeftButton, {}, shown.positionOf(shown.boxOf(0)));
  QCOMPARE(shown.selection.current().node.index, shown.nodeOf(0).index);
  QCOMPARE(shown.canvas().selectedBoxes(), std::vector{shown.boxOf(0)});
  QTest::keyClick(&shown.canvas(), Qt::Key_Escape);
  QVERIFY(shown.selection.current().empty());
  QVERIFY(shown.canvas().selectedBoxes().empty());
}

void GraphViewTest::clickBesideClears() {
  ShownGraph shown;
  shown.selection.selectNode(shown.nodeOf(0));
  QTest::mouseClick(&shown.canvas(), Qt::LeftButton, {}, QPoint(3, 3));
  QVERIFY(shown.selection.current().empty());
}

void GraphViewTest::arrowsWalkAlongEdges() {
  ShownGraph shown;
  shown.selection.selectNode(shown.nodeOf(0));
  QTest::keyClick(&shown.canvas(), Qt::Key_Down);
  QCOMPARE(shown.selection.current().node.index, shown.nodeOf(1).index);
  QTest::keyClick(&shown.canvas(), Qt::Key_Up);
  QTest::keyClick(&shown.canvas(), Qt::Key_Up);
  QVERIFY(!shown.selection.current().node.valid());
  QVERIFY(shown.selection.current().value == shown.view.snapshot()->graph().inputs()[0]);
}

void GraphViewTest::selectionLightsThePath() {
  ShownGraph shown;
  shown.selection.selectNode(shown.nodeOf(0));
  const GraphHighlight& highlight = *shown.canvas().content().highlight;
  QVERIFY(highlight.active);
  // The network has one way in, so all that follows is lit.
  const std::size_t last = shown.view.snapshot()->result->layers.size() - 1;
  QVERIFY(highlight.lit(*shown.scene().boxOfLayer(last)));
  shown.selection.clear();
  QVERIFY(!shown.canvas().content().highlight->active);
}

void GraphViewTest::wheelZoomsAtThePointer() {
  ShownGraph shown;
  const QPointF at(250, 320);
  const QPointF before = shown.canvas().camera().toScene(at);
  const double scale = shown.canvas().camera().scale();
  QWheelEvent wheel(at, shown.canvas().mapToGlobal(at), {}, QPoint(0, 120), Qt::NoButton, {},
                    Qt::NoScrollPhase, false);
  QApplication::sendEvent(&shown.canvas(), &wheel);
  QVERIFY(shown.canvas().camera().scale() > scale);
  const QPointF moved = shown.canvas().camera().toScene(at) - before;
  // Positions are rounded to whole pixels.
  QVERIFY(moved.manhattanLength() * shown.canvas().camera().scale() <= 2);
}

void GraphViewTest::dragPans() {
  ShownGraph shown;
  const QPointF corner = shown.canvas().camera().toView(QPointF(0, 0));
  QTest::mousePress(&shown.canvas(), Qt::LeftButton, {}, QPoint(20, 300));
  QTest::mouseMove(&shown.canvas(), QPoint(20, 280));
  QTest::mouseMove(&shown.canvas(), QPoint(20, 200));
  QTest::mouseRelease(&shown.canvas(), Qt::LeftButton, {}, QPoint(20, 200));
  const QPointF way = shown.canvas().camera().toView(QPointF(0, 0)) - corner;
  QVERIFY2(std::abs(way.y() + 100) <= 1, qPrintable(QString::number(way.y())));
  QVERIFY(shown.selection.current().empty());
}

void GraphViewTest::fitShowsEverything() {
  ShownGraph shown;
  QTest::keyClick(&shown.canvas(), Qt::Key_F);
  QVERIFY(shown.canvas().camera().visible().contains(shown.scene().bounds()));
  shown.settle();
}

void GraphViewTest::centreRequestBringsTheSelectionToTheMiddle() {
  ShownGraph shown;
  const std::size_t last = shown.view.snapshot()->result->layers.size() - 1;
  shown.selection.selectNode(shown.nodeOf(last));
  shown.selection.requestCentre();
  const QPointF centre = shown.scene().boxes()[*shown.scene().boxOfLayer(last)].rect.center();
  QVERIFY(shown.canvas().camera().visible().contains(centre));
  QVERIFY(shown.canvas().camera().scale() >= 1);
}

void GraphViewTest::whatIsSelectedElsewhereComesIntoSightOnce() {
  ShownGraph shown;
  const std::size_t last = shown.view.snapshot()->result->layers.size() - 1;
  const QRectF first = shown.scene().boxes()[*shown.scene().boxOfLayer(0)].rect;
  const QRectF area = shown.scene().boxes()[*shown.scene().boxOfLayer(last)].rect;
  shown.canvas().setView(first.center(), 2);
  QVERIFY(!shown.canvas().camera().visible().intersects(area));
  shown.selection.selectNode(shown.nodeOf(last));
  QVERIFY(shown.canvas().camera().visible().contains(area.center()));
  // Who moves on is left alone when there is something new to show.
  shown.canvas().setView(first.center(), 2);
  shown.options.setKind(ErrorKind::Accumulated);
  QVERIFY(!shown.canvas().camera().visible().intersects(area));
}

void GraphViewTest::theBeginningStaysInSightUntilSomebodyMoves() {
  ShownGraph shown;
  const QRectF first = std::ranges::min_element(shown.scene().boxes(), {}, [](const DrawnBox& box) {
                         return box.rect.top();
                       })->rect;
  const double top = shown.canvas().camera().toView(first).top();
  shown.view.resize(900, 400);
  QVERIFY(std::abs(shown.canvas().camera().toView(first).top() - top) <= 1);
  const std::size_t last = shown.view.snapshot()->result->layers.size() - 1;
  const QRectF area = shown.scene().boxes()[*shown.scene().boxOfLayer(last)].rect;
  shown.canvas().centreOn(area.center());
  shown.view.resize(900, 700);
  QVERIFY(shown.canvas().camera().visible().contains(area.center()));
}

void GraphViewTest::onALowCanvasTheOverlaysStepAside() {
  ShownGraph shown;
  QTest::keyClick(&shown.canvas(), Qt::Key_Plus);  // so that there is more than is shown
  const auto& legend = *shown.view.findChild<GraphLegend*>();
  const auto& map = *shown.view.findChild<GraphMinimap*>();
  int before = 0;
  for (const int height : {100, 180, 260, 420, 700}) {
    shown.view.resize(900, height);
    QCOMPARE(map.isVisible(), height >= 260);
    QCOMPARE(legend.isVisible(), height >= 180);
    if (!legend.isVisible()) continue;
    QVERIFY(legend.height() <= height / 3);
    QVERIFY(legend.height() >= before);
    before = legend.height();
    // In a row with the tools where the canvas is low.
    QCOMPARE(legend.geometry().top() < height / 2, height < 480);
    QVERIFY(shown.view.rect().contains(legend.geometry()));
    QVERIFY(!map.isVisible() || !legend.geometry().intersects(map.geometry()));
  }
  QVERIFY(before > 120);  // with the keys below it
}

// But where it would have to be less than half as large for that.
void GraphViewTest::overviewCoversNoBoxAtTheBeginning() {
  ShownGraph shown(transformer());
  const auto& map = *shown.view.findChild<GraphMinimap*>();
  int smaller = 0;
  for (const int width : {420, 560, 700, 840, 980}) {
    for (const int height : {300, 420, 560, 700}) {
      shown.view.resize(width, height);
      QVERIFY(shown.canvas().atBeginning());
      if (!map.isVisible()) continue;
      const QSize largest = map.sizeWithin(QSize(200, 320).boundedTo({width / 5, 2 * height / 5}));
      const QSize least =
          map.sizeWithin(QSize(200, 320).boundedTo({width / 5, 2 * height / 5}) / 2);
      QVERIFY(map.size() == least || !shown.canvas().hasBoxIn(map.geometry()));
      if (map.size() != largest && map.size() != least) ++smaller;
      QVERIFY(shown.view.rect().contains(map.geometry()));
    }
  }
  QVERIFY(smaller > 0);
}

// As it happens behind another page.
void GraphViewTest::unseenChangesOfSizePlaceTheOverlays() {
  ShownGraph shown(transformer());
  const auto& legend = *shown.view.findChild<GraphLegend*>();
  const auto& map = *shown.view.findChild<GraphMinimap*>();
  for (const QSize& size : {QSize(420, 500), QSize(600, 560), QSize(1000, 700), QSize(1300, 560)}) {
    shown.view.resize(size);
    const QRect legendBefore = legend.geometry();
    const QRect mapBefore = map.geometry();
    shown.view.resize(500, 300);
    shown.view.hide();
    shown.view.resize(size);
    shown.view.show();
    QCOMPARE(legend.geometry(), legendBefore);
    QCOMPARE(map.geometry(), mapBefore);
  }
}

void GraphViewTest::searchJumps() {
  ShownGraph shown;
  shown.view.setSearch(QStringLiteral("aDD"));
  QVERIFY(shown.view.matchCount() >= 2);
  shown.view.findNext();
  const Selected first = shown.selection.current();
  const std::vector<LayerResult>& layers = shown.view.snapshot()->result->layers;
  const auto layer =
      std::ranges::find_if(layers, [&](const auto& each) { return each.node == first.node; });
  QVERIFY(layer != layers.end());
  QCOMPARE(layer->op, std::string("Add"));
  const auto index = static_cast<std::size_t>(layer - layers.begin());
  const std::size_t box = *shown.scene().boxOfLayer(index);
  QVERIFY(shown.canvas().camera().visible().contains(shown.scene().boxes()[box].rect));
  QVERIFY(shown.canvas().content().highlight->match(box));
  shown.view.findNext();
  QVERIFY(shown.selection.current().node != first.node);
  shown.view.findPrevious();
  QVERIFY(shown.selection.current() == first);
  shown.view.setSearch(QStringLiteral("no such name"));
  QCOMPARE(shown.view.matchCount(), std::size_t{0});
}

void GraphViewTest::newSnapshotKeepsTheLayout() {
  const std::vector<SnapshotPtr> snapshots = sampleSnapshots(sampleRequest("digits_mobilenet", 4));
  ShownGraph shown(snapshots.front());
  const GraphScene* scene = &shown.scene();
  const BoxLook before = shown.canvas().content().looks->boxes[shown.boxOf(0)];
  QVERIFY(before.position < 0);
  shown.view.setSnapshot(snapshots.back());
  shown.settle();
  QCOMPARE(shown.view.layoutsBegun(), 1);
  QCOMPARE(&shown.scene(), scene);
  QVERIFY(shown.canvas().content().looks->boxes[shown.boxOf(0)].position >= 0);
}

void GraphViewTest::aToolTipFollowsTheSnapshot() {
  const std::vector<SnapshotPtr> snapshots = sampleSnapshots(sampleRequest("digits_mobilenet", 4));
  ShownGraph shown(snapshots.front());
  const QPoint box = shown.positionOf(shown.boxOf(0));
  QTest::mouseMove(&shown.canvas(), box);
  QTRY_VERIFY(QToolTip::isVisible());
  const QString before = QToolTip::text();
  QVERIFY(!before.contains(QStringLiteral("SQNR")));
  shown.view.setSnapshot(snapshots.back());
  shown.settle();
  QVERIFY(QToolTip::text().contains(QStringLiteral("SQNR")));
  QToolTip::hideText();
}

void GraphViewTest::aHiddenViewDoesNotLayOut() {
  Selection selection;
  DisplayOptions options;
  GraphView view({&selection, &options});
  view.setSnapshot(sampleSnapshot());
  QTest::qWait(50);
  QCOMPARE(view.layoutsBegun(), 0);
  view.show();
  QCOMPARE(view.layoutsBegun(), 1);
  QTRY_VERIFY(!view.canvas().content().empty());
}

void GraphViewTest::theNextModelIsLaidOut() {
  ShownGraph shown;
  const GraphScene* scene = &shown.scene();
  shown.view.setSnapshot(sampleSnapshots(sampleRequest("digits_transformer", 1)).front());
  // What was there stays until the new drawing is ready.
  QCOMPARE(&shown.scene(), scene);
  QTRY_VERIFY(&shown.scene() != scene);
  QCOMPARE(shown.view.layoutsBegun(), 2);
}

// What is drawn until then is of the model before, which the newest snapshot knows nothing of.
void GraphViewTest::clicksWaitForTheNewDrawing() {
  ShownGraph shown;
  const std::size_t last = shown.view.snapshot()->result->layers.size() - 1;
  shown.canvas().centreOn(shown.scene().boxes()[shown.boxOf(last)].rect.center(), 1);
  const QPoint place = shown.positionOf(shown.boxOf(last));
  const QSignalSpy asked(&shown.view, &GraphView::findingsRequested);
  shown.view.setSnapshot(transformer());
  QTest::mouseClick(&shown.canvas(), Qt::LeftButton, {}, place);
  QTest::mouseDClick(&shown.canvas(), Qt::LeftButton, {}, place);
  Q_EMIT shown.canvas().badgeClicked(shown.boxOf(last));
  Q_EMIT shown.canvas().edgeClicked(shown.scene().edges().size() - 1);
  QTest::keyClick(&shown.canvas(), Qt::Key_Down);
  QVERIFY(shown.selection.current().empty());
  QCOMPARE(asked.count(), 0);
}

void GraphViewTest::withoutAModelNothingIsShown() {
  ShownGraph shown;
  shown.view.setSnapshot(nullptr);
  QVERIFY(shown.canvas().content().empty());
  QTest::keyClick(&shown.canvas(), Qt::Key_F);
  QTest::keyClick(&shown.canvas(), Qt::Key_Down);
  QTest::mouseClick(&shown.canvas(), Qt::LeftButton, {}, QPoint(300, 300));
  shown.selection.requestCentre();
  QVERIFY(shown.selection.current().empty());
}

void GraphViewTest::coloursFollowTheMetric() {
  ShownGraph shown;
  const std::size_t box = shown.boxOf(0);
  const Figure local = *shown.canvas().content().looks->boxes[box].figure;
  shown.options.setMetricIndex(1);
  const Figure other = *shown.canvas().content().looks->boxes[box].figure;
  QVERIFY(local.kind == Figure::Kind::Value && other.kind == Figure::Kind::Value);
  QVERIFY(local.value != other.value);
  QCOMPARE(shown.view.layoutsBegun(), 1);
}

void GraphViewTest::theButtonCollapsesAScopeAndOpensItAgain() {
  ShownGraph shown(transformer());
  const DrawnFrame frame = shown.scene().frames().front();
  shown.canvas().setView(frame.rect.topLeft(), 1);
  shown.settle();
  const auto click = [&](const QRectF& button) {
    const GraphScene* before = &shown.scene();
    QTest::mouseClick(&shown.canvas(), Qt::LeftButton, {},
                      shown.canvas().camera().toView(button.center()).toPoint());
    QTRY_VERIFY(&shown.scene() != before);
  };
  click(collapseButton(frame));
  const std::vector<std::size_t> cards = shown.scene().boxesOfScope(frame.scope);
  QVERIFY(!cards.empty());
  const DrawnBox card = shown.scene().boxes()[cards.front()];
  QVERIFY(card.layers.size() > 1);
  QVERIFY(shown.canvas().content().looks->boxes[cards.front()].position >= 0);
  // It stands where the frame stood.
  const QPointF corner = shown.canvas().camera().toView(card.rect.topLeft());
  QVERIFY(shown.canvas().rect().contains(corner.toPoint()));

  click(expandButton(card));
  QVERIFY(shown.scene().frameOfScope(frame.scope).has_value());
  QVERIFY(shown.scene().boxesOfScope(frame.scope).empty());
}

void GraphViewTest::centreRequestOpensWhatHidesTheSelection() {
  ShownGraph shown(transformer());
  const std::string scope = shown.scene().frames().front().scope;
  DrawingOptions options = shown.view.drawingOptions();
  options.collapsed.insert(scope);
  shown.view.setDrawingOptions(options);
  QTRY_VERIFY(!shown.scene().boxesOfScope(scope).empty());
  const std::size_t card = shown.scene().boxesOfScope(scope).front();
  const std::size_t layer = shown.scene().boxes()[card].layers.back();
  shown.selection.selectNode(shown.nodeOf(layer));
  QCOMPARE(shown.canvas().selectedBoxes(), std::vector{card});
  shown.selection.requestCentre();
  QTRY_VERIFY(shown.scene().boxesOfScope(scope).empty());
  const std::size_t box = *shown.scene().boxOfLayer(layer);
  QCOMPARE(shown.scene().boxes()[box].layers.size(), std::size_t{1});
  QVERIFY(shown.canvas().camera().visible().contains(shown.scene().boxes()[box].rect));
}

void GraphViewTest::actionsDoWhatTheySay() {
  ShownGraph shown(transformer());
  for (QAction* action : shown.view.graphActions()) {
    QVERIFY2(!action->text().isEmpty() && !action->icon().isNull() && !action->toolTip().isEmpty(),
             qPrintable(action->objectName()));
  }
  const auto trigger = [&](const char* name) {
    const GraphScene* before = &shown.scene();
    shown.view.findChild<QAction*>(QString::fromLatin1(name))->trigger();
    QTRY_VERIFY(&shown.scene() != before);
  };
  const std::size_t boxes = shown.scene().boxes().size();
  trigger("graph.collapse-all");
  QVERIFY(shown.scene().boxes().size() < boxes);
  trigger("graph.expand-all");
  QCOMPARE(shown.scene().boxes().size(), boxes);
  trigger("graph.constants");
  QVERIFY(shown.scene().boxes().size() > boxes);
  const QRectF down = shown.scene().bounds();
  QVERIFY(down.height() > down.width());
  trigger("graph.left-to-right");
  QVERIFY(shown.scene().bounds().width() > shown.scene().bounds().height());
}

void GraphViewTest::searchFieldCountsAndCloses() {
  ShownGraph shown;
  shown.view.activateWindow();
  shown.view.focusSearch();
  auto* field = shown.view.findChild<QLineEdit*>();
  QTest::keyClicks(field, QStringLiteral("add"));
  QVERIFY(shown.view.matchCount() > 0);
  QTest::keyClick(field, Qt::Key_Return);
  QVERIFY(shown.selection.current().node.valid());
  const QString words = QStringLiteral("1 of %1").arg(shown.view.matchCount());
  const QList<QLabel*> labels = shown.view.findChildren<QLabel*>();
  QVERIFY(std::ranges::any_of(labels, [&](const QLabel* label) { return label->text() == words; }));
  QTest::keyClick(field, Qt::Key_Escape);
  QVERIFY(!field->isVisible());
  QCOMPARE(shown.view.matchCount(), std::size_t{0});
  // Esc ended the search, not the selection.
  QVERIFY(shown.selection.current().node.valid());
}

void GraphViewTest::thePictureIsNotBlank() {
  ShownGraph shown;
  const std::size_t box = shown.boxOf(0);
  const QImage image = shown.view.grab().toImage();
  const QPointF inBox =
      shown.canvas().camera().toView(shown.scene().boxes()[box].rect.topRight() + QPointF(-20, 4));
  QCOMPARE(image.pixelColor(inBox.toPoint()), shown.canvas().content().looks->boxes[box].fill);
}

QUANTSCOPE_TEST(GraphViewTest)
#include "test_graph_view.moc"
