#include <QAbstractButton>
#include <QAction>
#include <QCheckBox>
#include <QClipboard>
#include <QGuiApplication>
#include <QScrollBar>
#include <QSignalSpy>
#include <QtTest>

#include "support/sample_snapshot.h"
#include "support/test_main.h"
#include "widgets/controls/elided_label.h"
#include "widgets/heatmap/channel_strip.h"
#include "widgets/heatmap/heatmap_canvas.h"
#include "widgets/heatmap/heatmap_legend.h"
#include "widgets/heatmap/heatmap_view.h"

using namespace quantscope;

namespace {

// One hot cell in a calm table.
std::shared_ptr<const HeatmapData> calmTable(int rows, int columns, int hotRow, int hotColumn) {
  HeatmapColumns heading;
  heading.count = columns;
  heading.noun = QStringLiteral("channel");
  heading.measures = {{QStringLiteral("SQNR"), QStringLiteral("local SQNR"), {}, ErrorScale()}};
  auto data = std::make_shared<HeatmapData>(heading);
  for (int row = 0; row < rows; ++row) {
    std::vector<Figure> figures(static_cast<std::size_t>(columns), {Figure::Kind::Value, 60});
    if (row == hotRow) figures[static_cast<std::size_t>(hotColumn)].value = 3;
    data->addRow({}, figures);
  }
  return data;
}

bool showsColour(const QImage& image, const QRect& rect, const QColor& colour) {
  const double ratio = image.devicePixelRatio();
  for (int y = static_cast<int>(rect.top() * ratio); y < (rect.bottom() + 1) * ratio; ++y) {
    for (int x = static_cast<int>(rect.left() * ratio); x < (rect.right() + 1) * ratio; ++x) {
      if (image.pixelColor(x, y).rgb() == colour.rgb()) return true;
    }
  }
  return false;
}

QPoint centreOf(const HeatmapCanvas& canvas, int row, int column) {
  const HeatmapLayout& layout = canvas.cellLayout();
  return (layout.rowRect({row, row + 1}) & layout.columnRect({column, column + 1}))
      .center()
      .toPoint();
}

QPoint headOf(const HeatmapCanvas& canvas, int column) {
  const HeatmapLayout& layout = canvas.cellLayout();
  return {static_cast<int>(layout.columnRect({column, column + 1}).center().x()),
          layout.headHeight() - 4};
}

}  // namespace

class HeatmapViewTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void init();
  void cleanup();
  void aHotCellNeverVanishes_data();
  void theWordsFollowTheHandle();
  void aHotCellNeverVanishes();
  void scrollingShowsWhatDrawingAnewShows();
  void clickSelectsLayerAndChannel();
  void followsTheSelection();
  void headersSort();
  void cornerSortsByTheWorst();
  void arrowsMoveTheCursor();
  void dragZoomsAndEscapeFits();
  void thresholdGreys();
  void hiddenViewDoesNotCompute();
  void copiesTheTable();
  void channelsInWords();
  void smallViewsKeepTheirControlsWhole();

 private:
  HeatmapCanvas& canvas() { return m_view->canvas(); }
  void click(QPoint place) {
    QTest::mouseClick(canvas().viewport(), Qt::LeftButton, Qt::NoModifier, place);
  }

  std::unique_ptr<Selection> m_selection;
  std::unique_ptr<DisplayOptions> m_options;
  std::unique_ptr<HeatmapView> m_view;
};

void HeatmapViewTest::init() {
  m_selection = std::make_unique<Selection>();
  m_options = std::make_unique<DisplayOptions>();
  m_view = std::make_unique<HeatmapView>(ViewContext{m_selection.get(), m_options.get()});
  m_view->resize(1000, 800);
  m_view->setSnapshot(test::sampleSnapshot());
  m_view->show();
  QVERIFY(QTest::qWaitForWindowExposed(m_view.get()));
}

void HeatmapViewTest::cleanup() {
  m_view.reset();
}

void HeatmapViewTest::aHotCellNeverVanishes_data() {
  QTest::addColumn<int>("rows");
  QTest::addColumn<int>("columns");
  QTest::newRow("rows to a pixel") << 4001 << 20;
  QTest::newRow("both to a pixel") << 2000 << 3001;
  QTest::newRow("large cells") << 10 << 5;
}

void HeatmapViewTest::aHotCellNeverVanishes() {
  QFETCH(int, rows);
  QFETCH(int, columns);
  HeatmapCanvas alone;
  alone.resize(700, 500);
  for (const double place : {0.0, 0.37, 1.0}) {
    const int row = static_cast<int>(place * (rows - 1));
    const int column = static_cast<int>(place * (columns - 1));
    alone.setData(calmTable(rows, columns, row, column));
    const QImage image = alone.viewport()->grab().toImage();
    QVERIFY(showsColour(image, alone.cellLayout().cells, ErrorScale::ramp(1)));
  }
  alone.setData(calmTable(rows, columns, -1, 0));
  QVERIFY(!showsColour(alone.viewport()->grab().toImage(), alone.cellLayout().cells,
                       ErrorScale::ramp(1)));
}

void HeatmapViewTest::scrollingShowsWhatDrawingAnewShows() {
  m_view->setMode(HeatmapMode::Channels);
  m_view->resize(640, 400);
  canvas().zoomAt(canvas().cellLayout().cells.center(), 50);
  for (const QPoint step : {QPoint(0, 37), QPoint(51, 0), QPoint(-20, -11), QPoint(300, 400)}) {
    QScrollBar* across = canvas().horizontalScrollBar();
    QScrollBar* down = canvas().verticalScrollBar();
    across->setValue(across->value() + step.x());
    down->setValue(down->value() + step.y());
    const QImage scrolled = canvas().viewport()->grab().toImage();
    // The same threshold again draws everything anew.
    canvas().setThreshold(0);
    QCOMPARE(canvas().viewport()->grab().toImage(), scrolled);
  }
}

void HeatmapViewTest::clickSelectsLayerAndChannel() {
  m_view->setMode(HeatmapMode::Channels);
  click(centreOf(canvas(), 0, 2));
  const LayerResult& layer = test::sampleSnapshot()->result->layers.front();
  QVERIFY(m_selection->current().node == layer.node);
  QCOMPARE(m_selection->current().channel, 2);
  const QSignalSpy centred(m_selection.get(), &Selection::graphRequested);
  QTest::mouseDClick(canvas().viewport(), Qt::LeftButton, Qt::NoModifier, centreOf(canvas(), 0, 2));
  QCOMPARE(centred.count(), 1);
}

void HeatmapViewTest::followsTheSelection() {
  m_view->setMode(HeatmapMode::Samples);
  const NodeId node = test::sampleSnapshot()->result->layers[3].node;
  m_selection->select({.node = node, .scope = {}, .value = {}, .sample = 5});
  QCOMPARE(canvas().currentRow(), 3);
  QCOMPARE(canvas().currentColumn(), 5);
  m_selection->clear();
  QCOMPARE(canvas().currentRow(), -1);
}

void HeatmapViewTest::headersSort() {
  const std::vector<int> execution = canvas().scene().order;
  click(headOf(canvas(), 0));
  const HeatmapScene& scene = canvas().scene();
  QVERIFY(scene.order != execution);
  QVERIFY(scene.heat(0, 0) >= scene.heat(1, 0));
  click(headOf(canvas(), 0));
  QVERIFY(scene.heat(0, 0) <= scene.heat(1, 0));
  click(headOf(canvas(), 0));
  QCOMPARE(scene.order, execution);
}

void HeatmapViewTest::cornerSortsByTheWorst() {
  m_view->setMode(HeatmapMode::Channels);
  click({20, 10});
  const HeatmapScene& scene = canvas().scene();
  for (int row = 1; row < scene.rows(); ++row) {
    QVERIFY(scene.rowHeat(row - 1) >= scene.rowHeat(row));
  }
  QVERIFY(scene.bands.empty());
}

void HeatmapViewTest::arrowsMoveTheCursor() {
  m_view->setMode(HeatmapMode::Samples);
  canvas().setFocus();
  QTest::keyClick(&canvas(), Qt::Key_Down);
  QTest::keyClick(&canvas(), Qt::Key_Down);
  QTest::keyClick(&canvas(), Qt::Key_Right);
  QCOMPARE(canvas().currentRow(), 1);
  QCOMPARE(m_selection->current().sample, 1);
  const QSignalSpy centred(m_selection.get(), &Selection::graphRequested);
  QTest::keyClick(&canvas(), Qt::Key_Return);
  QCOMPARE(centred.count(), 1);
  QTest::keyClick(&canvas(), Qt::Key_Escape);
  QVERIFY(m_selection->current().empty());
}

void HeatmapViewTest::dragZoomsAndEscapeFits() {
  m_view->setMode(HeatmapMode::Channels);
  m_view->resize(700, 420);
  const double before = canvas().cellLayout().rowHeight();
  const QPoint from = canvas().cellLayout().cells.topLeft() + QPoint(20, 20);
  QTest::mousePress(canvas().viewport(), Qt::LeftButton, Qt::NoModifier, from);
  QTest::mouseMove(canvas().viewport(), from + QPoint(40, 30));
  QTest::mouseMove(canvas().viewport(), from + QPoint(80, 60));
  QTest::mouseRelease(canvas().viewport(), Qt::LeftButton, Qt::NoModifier, from + QPoint(80, 60));
  QVERIFY(!canvas().fitted());
  QVERIFY(canvas().cellLayout().rowHeight() > before);
  QTest::keyClick(&canvas(), Qt::Key_Escape);
  QVERIFY(canvas().fitted());
  QCOMPARE(canvas().cellLayout().rowHeight(), before);
}

void HeatmapViewTest::thresholdGreys() {
  HeatmapCanvas alone;
  alone.resize(500, 400);
  alone.setData(calmTable(8, 8, 2, 2));
  const QRect cells = alone.cellLayout().cells;
  QVERIFY(showsColour(alone.viewport()->grab().toImage(), cells, ErrorScale::ramp(0)));
  auto* legend = m_view->findChild<HeatmapLegend*>();
  legend->setThreshold(0.75);
  QCOMPARE(canvas().scene().threshold, 0.75);
  alone.setThreshold(0.75);
  const QImage image = alone.viewport()->grab().toImage();
  QVERIFY(!showsColour(image, cells, ErrorScale::ramp(0)));
  QVERIFY(showsColour(image, cells, ErrorScale::ramp(1)));
}

void HeatmapViewTest::hiddenViewDoesNotCompute() {
  const std::shared_ptr<const HeatmapData> shown = canvas().scene().data;
  m_view->hide();
  m_options->setStretch(true);
  QCOMPARE(canvas().scene().data, shown);
  m_view->show();
  QVERIFY(canvas().scene().data != shown);
}

void HeatmapViewTest::copiesTheTable() {
  QAction* copy = canvas().actions().constFirst();
  copy->trigger();
  const QStringList lines = QGuiApplication::clipboard()->text().split(u'\n');
  QCOMPARE(lines.size(), canvas().scene().rows() + 2);
  QVERIFY(lines.constFirst().startsWith(QStringLiteral("Layer\tOperators\tlocal SQNR (dB)")));
}

void HeatmapViewTest::channelsInWords() {
  const std::vector<Figure> channels{{Figure::Kind::Value, 40},
                                     {Figure::Kind::NotComputed, 0},
                                     {Figure::Kind::Value, 12.3},
                                     {Figure::Kind::Value, 30}};
  QCOMPARE(channelOrder(channels, ErrorScale(), true), (std::vector{2, 3, 0, 1}));
  QCOMPARE(channelOrder(channels, ErrorScale(), false), (std::vector{0, 1, 2, 3}));
  QCOMPARE(channelWords(channels, ErrorScale()),
           QStringLiteral("worst is channel 2 with 12.3 dB, the middle of 3 has 30.0 dB"));
  QVERIFY(channelWords({}, ErrorScale()).isEmpty());
}

// Where there is little width, controls go to a second line; where there is little height, the
// table goes before the filters.
void HeatmapViewTest::smallViewsKeepTheirControlsWhole() {
  const auto whole = [this] {
    for (const QAbstractButton* button : m_view->findChildren<QAbstractButton*>()) {
      const QRect place(button->mapTo(m_view.get(), QPoint()), button->size());
      const bool fits =
          m_view->rect().contains(place) && button->width() >= button->sizeHint().width();
      if (button->isVisible() && !fits) return false;
    }
    return true;
  };
  const auto boxes = [this] {
    const QList<QCheckBox*> all = m_view->findChildren<QCheckBox*>();
    return std::ranges::count_if(all, &QCheckBox::isVisible);
  };
  m_view->resize(540, 500);
  QVERIFY(QTest::qWaitFor([&] { return m_view->width() == 540 && whole(); }));
  QCOMPARE(boxes(), 2);
  m_view->setMinimumSize(1, 1);  // as a window of many parts does
  m_view->resize(540, 190);
  QVERIFY(QTest::qWaitFor([&] { return m_view->height() == 190 && boxes() == 0; }));
  QVERIFY(whole());
  QVERIFY(canvas().height() > 60);
}

void HeatmapViewTest::theWordsFollowTheHandle() {
  auto& legend = *m_view->findChild<HeatmapLegend*>();
  const auto reads = [this](const QString& words) {
    const auto labels = m_view->findChildren<ElidedLabel*>();
    return std::ranges::any_of(
        labels, [&words](const ElidedLabel* label) { return label->text().contains(words); });
  };
  QTRY_VERIFY(reads(QStringLiteral("worse than 50.0 dB: ")));
  legend.setThreshold(0.5);
  QTRY_VERIFY(reads(QStringLiteral("worse than 30.0 dB: ")));
}

QUANTSCOPE_TEST(HeatmapViewTest)
#include "test_heatmap_view.moc"
