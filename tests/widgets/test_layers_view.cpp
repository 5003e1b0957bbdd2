#include <QClipboard>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QSignalSpy>
#include <QTableView>
#include <QtTest>

#include "support/sample_snapshot.h"
#include "support/test_main.h"
#include "widgets/layers/layers_view.h"

using namespace quantscope;
using namespace quantscope::test;

namespace {

struct LayersFixture {
  Selection selection;
  DisplayOptions options;
  LayersView view{ViewContext{&selection, &options}};
  QTableView& table = *view.findChild<QTableView*>();
  QLineEdit& filter = *view.findChild<QLineEdit*>();

  LayersFixture() {
    view.resize(1200, 500);
    view.setSnapshot(sampleSnapshot());
  }
  void click(int row, bool twice = false) {
    const QPoint at = table.visualRect(table.model()->index(row, 1)).center();
    QTest::mouseClick(table.viewport(), Qt::LeftButton, {}, at);
    if (twice) QTest::mouseDClick(table.viewport(), Qt::LeftButton, {}, at);
  }
  // Keys reach a widget of an active window only.
  bool focusTable() {
    view.activateWindow();
    if (!QTest::qWaitForWindowActive(&view)) return false;
    table.setFocus();
    return true;
  }
  int currentPosition() const { return table.currentIndex().siblingAtColumn(0).data().toInt(); }
};

NodeId nodeAt(std::size_t layer) {
  return sampleSnapshot()->result->layers[layer].node;
}

}  // namespace

class LayersViewTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void hiddenItDoesNotWork();
  void clickSelects();
  void doubleClickAndReturnCentre();
  void followsTheSelection();
  void whatIsSelectedIsInView();
  void aScopeSelectsItsLayers();
  void filteringKeepsTheSelection();
  void partialResultsKeepSelectionAndOrder();
  void copiesWithFullPrecision();
  void stateComesBack();
};

void LayersViewTest::hiddenItDoesNotWork() {
  LayersFixture fixture;
  QCOMPARE(fixture.table.model()->rowCount(), 0);
  fixture.view.show();
  QVERIFY(fixture.table.model()->rowCount() > 10);
}

void LayersViewTest::clickSelects() {
  LayersFixture fixture;
  fixture.view.show();
  fixture.click(3);
  QVERIFY(fixture.selection.current().node == nodeAt(3));
  fixture.table.sortByColumn(0, Qt::DescendingOrder);
  fixture.click(0);
  QVERIFY(fixture.selection.current().node == sampleSnapshot()->result->layers.back().node);
}

void LayersViewTest::doubleClickAndReturnCentre() {
  LayersFixture fixture;
  fixture.view.show();
  const QSignalSpy centre(&fixture.selection, &Selection::graphRequested);
  fixture.click(2, true);
  QCOMPARE(centre.count(), 1);
  QVERIFY(fixture.focusTable());
  QTest::keyClick(&fixture.table, Qt::Key_Return);
  QCOMPARE(centre.count(), 2);
}

void LayersViewTest::followsTheSelection() {
  LayersFixture fixture;
  fixture.view.show();
  fixture.selection.selectNode(nodeAt(7));
  QCOMPARE(fixture.currentPosition(), 8);
  fixture.selection.clear();
  QVERIFY(!fixture.table.selectionModel()->hasSelection());
  fixture.view.hide();
  fixture.selection.selectNode(nodeAt(2));
  QVERIFY(!fixture.table.selectionModel()->hasSelection());
  fixture.view.show();
  QCOMPARE(fixture.currentPosition(), 3);
}

void LayersViewTest::whatIsSelectedIsInView() {
  LayersFixture fixture;
  fixture.view.resize(800, 260);
  const int last = static_cast<int>(sampleSnapshot()->result->layers.size()) - 1;
  fixture.selection.selectNode(nodeAt(static_cast<std::size_t>(last)));
  fixture.view.show();
  const auto inView = [&] {
    return fixture.table.viewport()->rect().intersects(
        fixture.table.visualRect(fixture.table.currentIndex()));
  };
  QTRY_VERIFY(inView());
  fixture.selection.selectNode(nodeAt(0));
  QTRY_VERIFY(inView());
}

void LayersViewTest::aScopeSelectsItsLayers() {
  LayersFixture fixture;
  fixture.view.show();
  fixture.selection.select({.node = {}, .scope = "/features/features.2", .value = {}});
  QStringList names;
  for (const QModelIndex& index : fixture.table.selectionModel()->selectedRows(1))
    names << index.data().toString();
  QCOMPARE(names.size(), 4);
  for (const QString& name : names)
    QVERIFY(name.startsWith(QStringLiteral("/features/features.2/")));
  QCOMPARE(fixture.selection.current().scope, std::string("/features/features.2"));
}

void LayersViewTest::filteringKeepsTheSelection() {
  LayersFixture fixture;
  fixture.view.show();
  fixture.click(3);
  const Selected before = fixture.selection.current();
  fixture.filter.setText(QStringLiteral("gemm"));
  QCOMPARE(fixture.table.model()->rowCount(), 1);
  QVERIFY(fixture.selection.current() == before);
  fixture.filter.clear();
  QVERIFY(fixture.selection.current() == before);
  QCOMPARE(fixture.currentPosition(), 4);
  fixture.filter.setText(QStringLiteral("nothing like it"));
  QVERIFY(!fixture.table.isVisible());
}

void LayersViewTest::partialResultsKeepSelectionAndOrder() {
  LayersFixture fixture;
  const auto snapshots = sampleSnapshots(sampleRequest("digits_mobilenet", 3));
  QVERIFY(snapshots.size() > 2);
  fixture.view.setSnapshot(snapshots[1]);
  fixture.view.show();
  const int sqnr = 4;
  fixture.table.sortByColumn(sqnr, Qt::AscendingOrder);
  fixture.click(2);
  const Selected selected = fixture.selection.current();
  fixture.view.setSnapshot(snapshots.back());
  QVERIFY(fixture.selection.current() == selected);
  QVERIFY(fixture.table.selectionModel()->isRowSelected(fixture.table.currentIndex().row()));
  const QAbstractItemModel& model = *fixture.table.model();
  for (int row = 1; row < model.rowCount(); ++row) {
    const QVariant before = model.index(row - 1, sqnr).data();
    const QVariant after = model.index(row, sqnr).data();
    QVERIFY(!after.isValid() || before.toDouble() <= after.toDouble());
  }
}

void LayersViewTest::copiesWithFullPrecision() {
  LayersFixture fixture;
  fixture.view.show();
  fixture.click(0);
  QVERIFY(fixture.focusTable());
  QTest::keySequence(&fixture.table, QKeySequence::Copy);
  const QStringList lines = QGuiApplication::clipboard()->text().split(u'\n', Qt::SkipEmptyParts);
  QCOMPARE(lines.size(), 2);
  QVERIFY(
      lines[0].startsWith(QStringLiteral("#\tLayer\tType\tOperators\tLocal error: SQNR (dB)\t")));
  const double sqnr = *sampleSnapshot()->result->layers[0].local->total.sqnrDb;
  QCOMPARE(lines[1].split(u'\t')[4].toDouble(), sqnr);
}

void LayersViewTest::stateComesBack() {
  QByteArray state;
  {
    LayersFixture fixture;
    fixture.view.show();
    fixture.table.setColumnHidden(3, false);
    fixture.table.setColumnWidth(1, 333);
    fixture.table.sortByColumn(0, Qt::DescendingOrder);
    state = fixture.view.saveState();
  }
  LayersFixture fixture;
  QVERIFY(!fixture.view.restoreState("something else"));
  QVERIFY(fixture.view.restoreState(state));
  fixture.view.show();
  QVERIFY(!fixture.table.isColumnHidden(3));
  QCOMPARE(fixture.table.columnWidth(1), 333);
  QCOMPARE(fixture.table.model()->index(0, 0).data().toInt(), fixture.table.model()->rowCount());
}

QUANTSCOPE_TEST(LayersViewTest)
#include "test_layers_view.moc"
