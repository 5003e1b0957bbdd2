#include <QAbstractItemModelTester>
#include <QSignalSpy>
#include <QtTest>

#include "support/sample_snapshot.h"
#include "support/test_main.h"
#include "widgets/layers/layers_model.h"
#include "widgets/layers/layers_order.h"

using namespace quantscope;
using namespace quantscope::test;

namespace {

int columnOf(const QString& heading) {
  for (int section = 0; const LayerColumn& column : layerColumns()) {
    if (column.heading() == heading) return section;
    ++section;
  }
  qFatal("no column %s", qPrintable(heading));
}

QVariantList cells(const QAbstractItemModel& model, int column) {
  QVariantList result;
  for (int row = 0; row < model.rowCount(); ++row)
    result << model.index(row, column).data(kExactRole);
  return result;
}

// Values in the wanted order, and behind the first absent one only absent ones.
bool ordered(const QVariantList& cells, Qt::SortOrder order) {
  for (qsizetype i = 1; i < cells.size(); ++i) {
    if (!cells[i].isValid()) continue;
    if (!cells[i - 1].isValid()) return false;
    const double step = cells[i].toDouble() - cells[i - 1].toDouble();
    if (order == Qt::AscendingOrder ? step < 0 : step > 0) return false;
  }
  return true;
}

}  // namespace

class LayersModelTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void everyStepIsSound();
  void newFiguresKeepTheRows();
  void cellsAreRaw();
  void absentIsLastInBothOrders();
  void textIsSortedAsText();
};

void LayersModelTest::everyStepIsSound() {
  LayersModel model;
  LayersOrder order;
  order.setSourceModel(&model);
  const QAbstractItemModelTester tester(&model,
                                        QAbstractItemModelTester::FailureReportingMode::QtTest);
  const QAbstractItemModelTester orderTester(
      &order, QAbstractItemModelTester::FailureReportingMode::QtTest);
  order.sort(columnOf(QStringLiteral("Local error: SQNR (dB)")));
  for (const SnapshotPtr& snapshot : sampleSnapshots(sampleRequest("digits_mobilenet", 2)))
    model.setSnapshot(snapshot);
  QVERIFY(model.rowCount() > 10);
  order.setFilter(LayerFilter(QStringLiteral("conv"), ErrorKind::Local));
  QVERIFY(order.rowCount() > 1 && order.rowCount() < model.rowCount());
  model.setSnapshot(nullptr);
  QCOMPARE(model.rowCount(), 0);
}

void LayersModelTest::newFiguresKeepTheRows() {
  LayersModel model;
  const auto snapshots = sampleSnapshots(sampleRequest("digits_mobilenet", 2));
  model.setSnapshot(snapshots.front());
  const int sqnr = columnOf(QStringLiteral("Local error: SQNR (dB)"));
  QVERIFY(!model.index(0, sqnr).data(kExactRole).isValid());
  const QSignalSpy reset(&model, &QAbstractItemModel::modelReset);
  const QSignalSpy changed(&model, &QAbstractItemModel::dataChanged);
  model.setSnapshot(snapshots.back());
  QCOMPARE(reset.count(), 0);
  QCOMPARE(changed.count(), 1);
  QVERIFY(model.index(0, sqnr).data(kExactRole).isValid());
}

void LayersModelTest::cellsAreRaw() {
  LayersModel model;
  model.setSnapshot(sampleSnapshot());
  const LayerResult& layer = model.layer(0);
  const auto cell = [&](const char* heading, int role) {
    return model.index(0, columnOf(QLatin1String(heading))).data(role);
  };
  QCOMPARE(cell("#", kExactRole).toInt(), 1);
  QCOMPARE(cell("Layer", kExactRole).toString().toStdString(), layer.name);
  QCOMPARE(cell("Operators", kExactRole).toString(), QStringLiteral("Conv + BN + Clip"));
  QCOMPARE(cell("Local error: SQNR (dB)", kExactRole).toDouble(), *layer.local->total.sqnrDb);
  QCOMPARE(cell("Output range: Max", Qt::DisplayRole).toDouble(), *layer.observedMax);
  QCOMPARE(cell("Parameters", kExactRole).toLongLong(), layer.parameters);
  QVERIFY(
      cell("Local error: SQNR (dB)", Qt::ToolTipRole).toString().endsWith(QStringLiteral(" dB")));
  QVERIFY(cell("Local error: SQNR (dB)", Qt::AccessibleTextRole).toString().size() <= 5);
}

void LayersModelTest::absentIsLastInBothOrders() {
  LayersModel model;
  model.setSnapshot(sampleSnapshot());
  LayersOrder order;
  order.setSourceModel(&model);
  const int sqnr = columnOf(QStringLiteral("Local error: SQNR (dB)"));
  QVERIFY(!ordered(cells(order, sqnr), Qt::AscendingOrder));
  for (const Qt::SortOrder direction : {Qt::AscendingOrder, Qt::DescendingOrder}) {
    order.sort(sqnr, direction);
    QVERIFY(ordered(cells(order, sqnr), direction));
    QVERIFY(!cells(order, sqnr).back().isValid());
  }
  order.sort(-1);
  QVERIFY(ordered(cells(order, 0), Qt::AscendingOrder));
}

void LayersModelTest::textIsSortedAsText() {
  LayersModel model;
  model.setSnapshot(sampleSnapshot());
  LayersOrder order;
  order.setSourceModel(&model);
  order.sort(columnOf(QStringLiteral("Operators")));
  QCOMPARE(order.index(0, columnOf(QStringLiteral("Operators"))).data().toString(),
           QStringLiteral("Add"));
}

QUANTSCOPE_TEST(LayersModelTest)
#include "test_layers_model.moc"
