#include <QClipboard>
#include <QLabel>
#include <QLineEdit>
#include <QSignalSpy>
#include <QTableView>
#include <QTemporaryDir>
#include <QToolButton>
#include <QtTest>
#include <set>

#include "support/sample_snapshot.h"
#include "support/test_main.h"
#include "widgets/charts/channel_chart.h"
#include "widgets/look/theme.h"
#include "widgets/ranges/range_picture.h"
#include "widgets/ranges/ranges_model.h"
#include "widgets/ranges/ranges_view.h"

using namespace quantscope;
using namespace quantscope::test;

namespace {

struct RangesFixture {
  Selection selection;
  DisplayOptions options;
  RangesView view{ViewContext{&selection, &options}};
  QTableView& table = *view.findChild<QTableView*>();
  QLineEdit& filter = *view.findChild<QLineEdit*>();

  explicit RangesFixture(SnapshotPtr snapshot = sampleSnapshot()) {
    view.resize(1100, 700);
    view.setSnapshot(std::move(snapshot));
  }
  void click(int row, bool twice = false) {
    const QPoint at = table.visualRect(table.model()->index(row, RangesModel::kChart)).center();
    QTest::mouseClick(table.viewport(), Qt::LeftButton, {}, at);
    if (twice) QTest::mouseDClick(table.viewport(), Qt::LeftButton, {}, at);
  }
  QString currentName() const {
    return table.currentIndex().siblingAtColumn(RangesModel::kValue).data().toString();
  }
  ChannelChart& chart(const QString& name) const {
    for (ChannelChart* chart : view.findChildren<ChannelChart*>()) {
      if (chart->accessibleName() == name) return *chart;
    }
    qFatal("no chart %s", qPrintable(name));
  }
  QToolButton& button(const QString& text) const {
    for (QToolButton* button : view.findChildren<QToolButton*>()) {
      if (button->text() == text) return *button;
    }
    qFatal("no button %s", qPrintable(text));
  }
  bool says(const QString& part) const {
    for (const QLabel* label : view.findChildren<QLabel*>()) {
      if (label->isVisible() && label->text().contains(part)) return true;
    }
    return false;
  }
};

}  // namespace

class RangesViewTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void hiddenItDoesNotWork();
  void emptyStatesSayWhy();
  void clickSelectsLayersAndInputs();
  void followsTheSelection();
  void innerValuesStayPicked();
  void lowViewsLeaveSentencesOut();
  void filteringKeepsTheSelection();
  void aChannelIsSelected();
  void channelsBySizeOrIndex();
  void sharedAxisIsAChoice();
  void barsKeepTheirRoom();
  void unobservedIsSaid();
  void thePictureHasItsLegend();
  void differencesToAnotherResult();
};

void RangesViewTest::hiddenItDoesNotWork() {
  RangesFixture fixture;
  QCOMPARE(fixture.table.model()->rowCount(), 0);
  fixture.view.show();
  QVERIFY(fixture.table.model()->rowCount() > 10);
}

void RangesViewTest::emptyStatesSayWhy() {
  RangesFixture none(nullptr);
  none.view.show();
  QVERIFY(none.says(QStringLiteral("Open a model")));
  AnalysisRequest request = sampleRequest("digits_mobilenet", 1);
  const SnapshotPtr calibrating = sampleSnapshots(request).front();
  none.view.setSnapshot(calibrating);
  QVERIFY(none.says(QStringLiteral("Calibrating")));
  request.data.clear();
  request.labels.clear();
  none.view.setSnapshot(sampleSnapshots(request).back());
  QVERIFY(none.says(QStringLiteral("No data yet")));
  none.view.setSnapshot(sampleSnapshot());
  QVERIFY(none.table.isVisible());
  QVERIFY(none.says(QStringLiteral("Select a value")));
}

void RangesViewTest::clickSelectsLayersAndInputs() {
  RangesFixture fixture;
  fixture.view.show();
  const QSignalSpy centre(&fixture.selection, &Selection::graphRequested);
  fixture.click(1, true);
  QVERIFY(fixture.selection.current().node == sampleSnapshot()->result->layers[0].node);
  QCOMPARE(centre.count(), 1);
  fixture.click(0);
  QVERIFY(!fixture.selection.current().node.valid());
  QVERIFY(fixture.selection.current().value == sampleSnapshot()->graph().inputs()[0]);
}

void RangesViewTest::followsTheSelection() {
  RangesFixture fixture;
  fixture.view.show();
  const LayerResult& layer = sampleSnapshot()->result->layers[6];
  fixture.selection.selectNode(layer.node);
  QCOMPARE(fixture.currentName().toStdString(), layer.name);
  QVERIFY(fixture.says(QStringLiteral("set the range")) ||
          fixture.says(QStringLiteral("sets the range")));
  fixture.selection.clear();
  QVERIFY(!fixture.table.selectionModel()->hasSelection());
}

// All but those that stand for a chart; a view that is lower still is the table alone.
void RangesViewTest::lowViewsLeaveSentencesOut() {
  RangesFixture fixture(sampleSnapshots(sampleRequest("digits_transformer", 2)).back());
  fixture.view.resize(1100, 400);
  fixture.view.show();
  const auto& output = fixture.chart(QStringLiteral("Channels of the output"));
  std::set<bool> seen;
  for (int row = 0; row < fixture.table.model()->rowCount(); ++row) {
    fixture.table.selectRow(row);
    QCOMPARE(fixture.says(QStringLiteral("has no channels")), output.isHidden());
    QVERIFY(!fixture.says(QStringLiteral("set the range")));
    seen.insert(output.isHidden());
  }
  QCOMPARE(seen.size(), std::size_t{2});
  fixture.view.setMinimumSize(1, 1);
  fixture.view.resize(1100, 200);
  QTRY_VERIFY(!output.isVisible() && !fixture.says(QStringLiteral("has no channels")));
}

void RangesViewTest::innerValuesStayPicked() {
  RangesFixture fixture;
  fixture.view.show();
  fixture.button(QStringLiteral("Inside fused layers")).click();
  fixture.click(1);
  const QString inner = fixture.currentName();
  const QModelIndex current = fixture.table.currentIndex();
  QVERIFY(fixture.selection.current().node == sampleSnapshot()->result->layers[0].node);
  QCOMPARE(current.row(), 1);
  fixture.click(2);
  QCOMPARE(fixture.table.currentIndex().row(), 2);
  QVERIFY(fixture.currentName() != inner);
}

void RangesViewTest::filteringKeepsTheSelection() {
  RangesFixture fixture;
  fixture.view.show();
  fixture.click(2);
  const Selected before = fixture.selection.current();
  const QString name = fixture.currentName();
  fixture.filter.setText(QStringLiteral("gemm"));
  QCOMPARE(fixture.table.model()->rowCount(), 1);
  QVERIFY(fixture.selection.current() == before);
  fixture.filter.clear();
  QCOMPARE(fixture.currentName(), name);
}

void RangesViewTest::aChannelIsSelected() {
  RangesFixture fixture;
  fixture.view.show();
  fixture.click(1);
  ChannelChart& chart = fixture.chart(QStringLiteral("Channels of the output"));
  QVERIFY(chart.isVisible());
  const std::size_t third = chart.order()[2];
  QTest::mouseClick(&chart, Qt::LeftButton, {}, chart.positionOf(third));
  QCOMPARE(fixture.selection.current().channel, static_cast<int>(third));
  QVERIFY(fixture.selection.current().node == sampleSnapshot()->result->layers[0].node);
  QTest::keyClick(&chart, Qt::Key_Right);
  QCOMPARE(fixture.selection.current().channel, static_cast<int>(chart.order()[3]));
  QTest::keyClick(&chart, Qt::Key_Left);
  QCOMPARE(fixture.selection.current().channel, static_cast<int>(third));
}

void RangesViewTest::channelsBySizeOrIndex() {
  RangesFixture fixture;
  fixture.view.show();
  fixture.click(1);
  ChannelChart& chart = fixture.chart(QStringLiteral("Channels of the weights"));
  QVERIFY(!std::ranges::is_sorted(chart.order()));
  QVERIFY(chart.order() == channelsBySize(chart.series()));
  fixture.button(QStringLiteral("Largest first")).click();
  QVERIFY(std::ranges::is_sorted(chart.order()));
}

void RangesViewTest::sharedAxisIsAChoice() {
  RangesFixture fixture;
  fixture.view.show();
  const QImage shared = fixture.table.grab().toImage();
  fixture.button(QStringLiteral("One axis")).click();
  QVERIFY(fixture.table.grab().toImage() != shared);
  fixture.button(QStringLiteral("One axis")).click();
  QVERIFY(fixture.table.grab().toImage() == shared);
}

void RangesViewTest::barsKeepTheirRoom() {
  RangesFixture fixture;
  fixture.view.show();
  QVERIFY(!fixture.table.isColumnHidden(RangesModel::kWidth));
  fixture.view.resize(560, 600);
  QTRY_VERIFY(fixture.table.isColumnHidden(RangesModel::kMismatch));
  QTRY_VERIFY(fixture.table.columnWidth(RangesModel::kChart) >= 96);
}

void RangesViewTest::unobservedIsSaid() {
  RangesFixture fixture;
  fixture.view.show();
  const Graph& graph = sampleSnapshot()->graph();
  for (std::size_t i = 0; i < graph.values().size(); ++i) {
    if (graph.values()[i].constant.defined()) {
      fixture.selection.select({.node = {}, .scope = {}, .value = ValueId(i)});
      break;
    }
  }
  QVERIFY(fixture.says(QStringLiteral("was not observed")));
}

void RangesViewTest::thePictureHasItsLegend() {
  RangesModel model;
  model.setSnapshot(sampleSnapshot());
  const RangeDelegate delegate(&model);
  const QTemporaryDir folder;
  const QString file = folder.filePath(QStringLiteral("ranges.svg"));
  savePicture(rangePicture(model, delegate, {0, 1, 2}, QFont(), Theme::day()), file);
  QFile svg(file);
  QVERIFY(svg.open(QIODevice::ReadOnly));
  const QByteArray content = svg.readAll();
  for (const char* label : {"observed", "99.8 %", "grid", "clipped"}) {
    QVERIFY2(content.contains(label), label);
  }
}

void RangesViewTest::differencesToAnotherResult() {
  const SnapshotPtr snapshot = sampleSnapshot();
  RangesFixture fixture(snapshot);
  fixture.view.show();
  QAbstractItemModel& model = *fixture.table.model();
  const auto cell = [&](int row, int column) { return model.index(row, column).data(kExactRole); };
  int row = 0;  // of an output that a result tells the range of
  const AnalysisResult& result = *snapshot->result;
  while (cell(row, RangesModel::kPosition).toInt() == 0 ||
         !cell(row, RangesModel::kMismatch).isValid()) {
    ++row;
  }
  const auto layer = static_cast<std::size_t>(cell(row, RangesModel::kPosition).toInt() - 1);
  const double mismatch = cell(row, RangesModel::kMismatch).toDouble();
  auto other = std::make_shared<AnalysisResult>(result);
  other->layers[layer].observedMax = *result.layers[layer].observedMax - 2;
  // As wide as what was observed: a grid that fits.
  other->layers[layer].representableMin = other->layers[layer].observedMin;
  other->layers[layer].representableMax = other->layers[layer].observedMax;
  const auto low = cell(row, RangesModel::kLow);
  fixture.options.setOther(other);
  QCOMPARE(cell(row, RangesModel::kLow), low);  // differences have to be asked for
  fixture.options.setDelta(true);
  QCOMPARE(cell(row, RangesModel::kLow).toDouble(), 0.0);
  QVERIFY(std::abs(cell(row, RangesModel::kHigh).toDouble() - 2) < 1e-6);
  QVERIFY(std::abs(cell(row, RangesModel::kMismatch).toDouble() - mismatch) < 1e-6);
  QCOMPARE(model.headerData(RangesModel::kHigh, Qt::Horizontal).toString(),
           QStringLiteral("Δ Max (value)"));
  // Nothing is known there of an input of the model.
  QCOMPARE(cell(0, RangesModel::kPosition).toInt(), 0);
  QVERIFY(!cell(0, RangesModel::kHigh).isValid());
}

QUANTSCOPE_TEST(RangesViewTest)
#include "test_ranges_view.moc"
