#include <QHelpEvent>
#include <QSignalSpy>
#include <QToolTip>
#include <QtTest>

#include "support/test_main.h"
#include "widgets/charts/item_chart.h"

using namespace quantscope;

namespace {

// Four items of 20 pixels; arrow keys go from the current one, and not beyond the last.
class FourItems : public ItemChart {
 public:
  FourItems() { resize(100, 20); }
  int current = 1;

 protected:
  int itemAt(const QPointF& place) const override {
    const int item = static_cast<int>(place.x()) / 20;
    return item < 4 ? item : -1;
  }
  QString itemWords(int item) const override { return QStringLiteral("item %1").arg(item); }
  int itemBeside(int step) const override {
    const int item = current + step;
    return item < 4 ? item : -1;
  }
};

}  // namespace

class ItemChartTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void aClickPicks_data();
  void aClickPicks();
  void arrowKeysPick_data();
  void arrowKeysPick();
  void restingExplains();
};

void ItemChartTest::aClickPicks_data() {
  QTest::addColumn<int>("x");
  QTest::addColumn<int>("button");
  QTest::addColumn<QList<int>>("picked");
  QTest::newRow("first") << 3 << int(Qt::LeftButton) << QList<int>{0};
  QTest::newRow("third") << 45 << int(Qt::LeftButton) << QList<int>{2};
  QTest::newRow("beside") << 90 << int(Qt::LeftButton) << QList<int>{};
  QTest::newRow("right button") << 45 << int(Qt::RightButton) << QList<int>{};
}

void ItemChartTest::aClickPicks() {
  QFETCH(int, x);
  QFETCH(int, button);
  QFETCH(QList<int>, picked);
  FourItems chart;
  const QSignalSpy spy(&chart, &ItemChart::picked);
  QTest::mouseClick(&chart, Qt::MouseButton(button), {}, QPoint(x, 10));
  QList<int> items;
  for (const QList<QVariant>& signal : spy) items << signal.front().toInt();
  QCOMPARE(items, picked);
}

void ItemChartTest::arrowKeysPick_data() {
  QTest::addColumn<int>("current");
  QTest::addColumn<int>("key");
  QTest::addColumn<QList<int>>("picked");
  QTest::newRow("right") << 1 << int(Qt::Key_Right) << QList<int>{2};
  QTest::newRow("left") << 1 << int(Qt::Key_Left) << QList<int>{0};
  QTest::newRow("at the end") << 3 << int(Qt::Key_Right) << QList<int>{};
  QTest::newRow("another key") << 1 << int(Qt::Key_Up) << QList<int>{};
}

void ItemChartTest::arrowKeysPick() {
  QFETCH(int, current);
  QFETCH(int, key);
  QFETCH(QList<int>, picked);
  FourItems chart;
  chart.current = current;
  const QSignalSpy spy(&chart, &ItemChart::picked);
  QTest::keyClick(&chart, Qt::Key(key));
  QList<int> items;
  for (const QList<QVariant>& signal : spy) items << signal.front().toInt();
  QCOMPARE(items, picked);
}

void ItemChartTest::restingExplains() {
  FourItems chart;
  chart.show();
  const auto rest = [&chart](const QPoint& place) {
    QHelpEvent event(QEvent::ToolTip, place, chart.mapToGlobal(place));
    QCoreApplication::sendEvent(&chart, &event);
  };
  rest({45, 10});
  QCOMPARE(QToolTip::text(), QStringLiteral("item 2"));
  rest({5, 10});
  QCOMPARE(QToolTip::text(), QStringLiteral("item 0"));
  rest({90, 10});
  QTRY_VERIFY(!QToolTip::isVisible());
}

QUANTSCOPE_TEST(ItemChartTest)
#include "test_item_chart.moc"
