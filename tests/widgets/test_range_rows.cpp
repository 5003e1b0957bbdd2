#include <QAbstractItemModelTester>
#include <QSignalSpy>
#include <QtTest>
#include <numeric>

#include "support/quant_params.h"
#include "support/sample_snapshot.h"
#include "support/test_main.h"
#include "widgets/charts/chart_ticks.h"
#include "widgets/look/text.h"
#include "widgets/ranges/range_axis.h"
#include "widgets/ranges/ranges_model.h"

using namespace quantscope;
using namespace quantscope::test;

namespace {

const RangeRow& rowNamed(const std::vector<RangeRow>& rows, const std::string& name) {
  for (const RangeRow& row : rows) {
    if (row.name == name && !row.inner) return row;
  }
  qFatal("no row %s", name.c_str());
}

}  // namespace

class RangeRowsTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void allObservedValuesInOrder();
  void gridsAreThoseOfTheLayers();
  void mismatch_data();
  void mismatch();
  void shareOutsideCounts();
  void saysWhatThereIs();
  void roundNumbersAre_data();
  void roundNumbersAre();
  void axesKeepTheOrder();
  void ticksDoNotOverlap();
  void everyStepIsSound();
  void newFiguresKeepTheRows();
  void sortsByWidthAndMismatch();
};

void RangeRowsTest::allObservedValuesInOrder() {
  const auto rows = rangeRows(*sampleSnapshot());
  QCOMPARE(rows.size(), sampleSnapshot()->observations->observedCount());
  QCOMPARE(text(rows.front().op), QStringLiteral("Input"));
  QVERIFY(!rows.front().node.valid());
  std::size_t outputs = 0;
  for (std::size_t i = 1; i < rows.size(); ++i) {
    QVERIFY(rows[i - 1].position < rows[i].position);
    if (!rows[i].inner) ++outputs;
  }
  QCOMPARE(outputs, sampleSnapshot()->result->layers.size());
  QVERIFY(rangeRows(*sampleSnapshots(sampleRequest("digits_mobilenet", 1)).front()).empty());
}

void RangeRowsTest::gridsAreThoseOfTheLayers() {
  for (const RangeRow& row : rangeRows(*sampleSnapshot())) {
    if (row.inner) QVERIFY(!row.grid);
    if (row.inner || !row.layer) continue;
    const LayerResult& layer = sampleSnapshot()->result->layers[*row.layer];
    QCOMPARE(row.grid.has_value(), layer.representableMin.has_value());
    if (!row.grid) continue;
    QCOMPARE(static_cast<double>(row.grid->low), *layer.representableMin);
    QCOMPARE(static_cast<double>(row.grid->high), *layer.representableMax);
    QCOMPARE(static_cast<double>(row.observed().high), *layer.observedMax);
  }
}

void RangeRowsTest::mismatch_data() {
  QTest::addColumn<float>("low");
  QTest::addColumn<float>("high");
  QTest::addColumn<double>("expected");
  QTest::newRow("equal") << 0.0F << 4.0F << 0.0;
  QTest::newRow("half of the grid") << 0.0F << 2.0F << 0.5;
  QTest::newRow("twice the grid") << 0.0F << 8.0F << 0.5;
  QTest::newRow("shifted") << 2.0F << 6.0F << 1 - 2.0 / 6;
  QTest::newRow("apart") << 6.0F << 8.0F << 1.0;
}

void RangeRowsTest::mismatch() {
  QFETCH(float, low);
  QFETCH(float, high);
  Observation observation;
  observation.range = rangeFrom(low, high);
  RangeRow row;
  row.observation = &observation;
  QVERIFY(!row.mismatch());
  row.grid = rangeFrom(0, 4);
  QTEST(*row.mismatch(), "expected");
}

void RangeRowsTest::shareOutsideCounts() {
  std::vector<float> numbers(100);
  std::iota(numbers.begin(), numbers.end(), -10.0F);
  Observation observation;
  observation.range = rangeFrom(-10, 89);
  observation.count = numbers.size();
  observation.logLinear.add(numbers);
  QCOMPARE(shareOutside(observation, rangeFrom(-100, 100)), 0.0);
  QCOMPARE(shareOutside(observation, rangeFrom(0, 100)), 0.1);
  QVERIFY(std::abs(shareOutside(observation, rangeFrom(-10, 64.5F)) - 0.25) < 0.03);
}

void RangeRowsTest::saysWhatThereIs() {
  const auto rows = rangeRows(*sampleSnapshot());
  QStringList lines;
  for (const std::string& line : rangeWords(rowNamed(rows, "/stem/conv/Conv"))) lines << text(line);
  QCOMPARE(lines.size(), 4);
  QVERIFY(lines[0].startsWith(QStringLiteral("Observed 0 … ")));
  QVERIFY(lines[0].endsWith(QStringLiteral("over 8 calibration samples.")));
  QVERIFY(lines[2].startsWith(QStringLiteral("The uint8 grid represents 0 … ")));
  QCOMPARE(lines[3], QStringLiteral("No element is clipped."));
}

void RangeRowsTest::roundNumbersAre_data() {
  QTest::addColumn<double>("low");
  QTest::addColumn<double>("high");
  QTest::addColumn<QString>("numbers");
  QTest::newRow("ones") << 0.0 << 4.0 << "0 1 2 3 4";
  QTest::newRow("twos") << -3.0 << 5.0 << "-2 0 2 4";
  QTest::newRow("fives") << 0.0 << 17.0 << "0 5 10 15";
  QTest::newRow("small") << 0.0 << 0.0004 << "0 0.0001 0.0002 0.0003 0.0004";
  QTest::newRow("nothing") << 1.0 << 1.0 << "";
}

void RangeRowsTest::roundNumbersAre() {
  QFETCH(double, low);
  QFETCH(double, high);
  QStringList numbers;
  for (const double number : roundNumbers(low, high, 4)) numbers << QString::number(number, 'g', 6);
  QTEST(numbers.join(u' '), "numbers");
}

void RangeRowsTest::axesKeepTheOrder() {
  const auto rows = rangeRows(*sampleSnapshot());
  const RangeAxis shared = RangeAxis::shared(rows);
  QVERIFY(shared.logarithmic());
  for (const RangeAxis& axis : {shared, RangeAxis::linear(-2, 7)}) {
    double before = -1;
    for (const double number : {-2.0, -0.5, -0.01, 0.0, 0.01, 0.5, 6.0}) {
      QVERIFY(axis.position(number) > before);
      before = axis.position(number);
    }
    QVERIFY(axis.position(0) > 0 && axis.position(0) < 1);
    QCOMPARE(axis.position(1e9), 1.0);
  }
  QVERIFY(RangeAxis::shared({}).position(0) > 0);
}

void RangeRowsTest::ticksDoNotOverlap() {
  const RangeAxis axis = RangeAxis::shared(rangeRows(*sampleSnapshot()));
  const QFontMetricsF metrics{QFont()};
  const auto ticks = axis.ticksOn(120, metrics);
  QVERIFY(ticks.size() < axis.ticks().size());
  QCOMPARE(ticks.front().number, 0.0);
  for (const auto& a : ticks) {
    for (const auto& b : ticks) {
      if (&a == &b) continue;
      QVERIFY(std::abs(a.position - b.position) * 120 > metrics.horizontalAdvance(a.text) / 2);
    }
  }
}

void RangeRowsTest::everyStepIsSound() {
  RangesModel model;
  RangesOrder order;
  order.setSourceModel(&model);
  const QAbstractItemModelTester tester(&model,
                                        QAbstractItemModelTester::FailureReportingMode::QtTest);
  const QAbstractItemModelTester orderTester(
      &order, QAbstractItemModelTester::FailureReportingMode::QtTest);
  order.sort(RangesModel::kMismatch, Qt::DescendingOrder);
  for (const SnapshotPtr& snapshot : sampleSnapshots(sampleRequest("digits_mobilenet", 2)))
    model.setSnapshot(snapshot);
  const int outer = order.rowCount();
  QVERIFY(outer > 10);
  order.showInner(true);
  QVERIFY(order.rowCount() > outer);
  QCOMPARE(order.rowCount(), model.rowCount());
  order.setFilter(LayerFilter(QStringLiteral("input"), ErrorKind::Local));
  QCOMPARE(order.rowCount(), 1);
  model.setSnapshot(nullptr);
  QCOMPARE(model.rowCount(), 0);
}

void RangeRowsTest::newFiguresKeepTheRows() {
  RangesModel model;
  const auto snapshots = sampleSnapshots(sampleRequest("digits_mobilenet", 3));
  model.setSnapshot(snapshots[1]);
  const Range before = model.inner(1);
  const QSignalSpy reset(&model, &QAbstractItemModel::modelReset);
  model.setSnapshot(snapshots.back());
  QCOMPARE(reset.count(), 0);
  QVERIFY(!(model.inner(1) == before));
}

void RangeRowsTest::sortsByWidthAndMismatch() {
  RangesModel model;
  model.setSnapshot(sampleSnapshot());
  RangesOrder order;
  order.setSourceModel(&model);
  for (const int column : {RangesModel::kWidth, RangesModel::kMismatch, RangesModel::kChart}) {
    order.sort(column, Qt::DescendingOrder);
    const int shown = column == RangesModel::kChart ? RangesModel::kWidth : column;
    for (int row = 1; row < order.rowCount(); ++row) {
      const QVariant a = order.index(row - 1, shown).data();
      const QVariant b = order.index(row, shown).data();
      QVERIFY(!b.isValid() || (a.isValid() && a.toDouble() >= b.toDouble()));
    }
  }
}

QUANTSCOPE_TEST(RangeRowsTest)
#include "test_range_rows.moc"
