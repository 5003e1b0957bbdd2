#include <QtTest>

#include "compare/matching/axis_order.h"
#include "support/test_main.h"

using namespace quantscope;

/// Tensors are brought from one model's order of axes into the other's, and back.
class AxisOrderTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void moves_data();
  void moves();
  void otherShapesAreRefused();
  void ordersOfEqualExtents();
};

namespace {

Shape shapeOf(const QList<int>& extents) {
  Shape shape;
  for (const int extent : extents) shape.append(extent);
  return shape;
}

Tensor counted(const Shape& shape) {
  Tensor tensor(ElementType::Float32, shape);
  float next = 0;
  for (float& x : tensor.mutableValues<float>()) x = next++;
  return tensor;
}

}  // namespace

void AxisOrderTest::moves_data() {
  QTest::addColumn<QList<int>>("first");
  QTest::addColumn<QList<int>>("second");
  QTest::addColumn<QList<int>>("order");
  QTest::addColumn<QList<int>>("beginning");  // of the second's elements
  QTest::addColumn<QString>("text");
  using L = QList<int>;
  QTest::newRow("channels last") << L{1, 2, 3, 4} << L{1, 3, 4, 2} << L{1, 2, 0} << L{0, 12, 1, 13}
                                 << "[0, 2, 3, 1]";
  QTest::newRow("channels first") << L{1, 3, 4, 2} << L{1, 2, 3, 4} << L{2, 0, 1} << L{0, 2, 4, 6}
                                  << "[0, 3, 1, 2]";
  QTest::newRow("with a batch") << L{5, 2, 3} << L{5, 3, 2} << L{0, 2, 1} << L{0, 3, 1, 4}
                                << "[0, 2, 1]";
  QTest::newRow("without units") << L{1, 2, 1, 3} << L{3, 2} << L{1, 0} << L{0, 3, 1, 4}
                                 << "[1, 0] of the axes longer than 1";
  QTest::newRow("units alone") << L{1, 2, 1, 3} << L{2, 3} << L{0, 1} << L{0, 1, 2, 3} << "";
  QTest::newRow("another shape") << L{2, 6} << L{3, 4} << L{} << L{0, 1, 2, 3} << "";
}

void AxisOrderTest::moves() {
  QFETCH(QList<int>, first);
  QFETCH(QList<int>, second);
  QFETCH(QList<int>, order);
  QFETCH(QList<int>, beginning);
  QFETCH(QString, text);
  const AxisOrder axes(shapeOf(first), shapeOf(second), AxisIndexes(order.begin(), order.end()));
  const Tensor tensor = counted(shapeOf(first));
  const Tensor moved = axes.toSecond(tensor);
  QVERIFY(moved.shape() == shapeOf(second));
  for (qsizetype i = 0; i < beginning.size(); ++i) {
    QCOMPARE(moved.values<float>()[static_cast<std::size_t>(i)], static_cast<float>(beginning[i]));
  }
  QVERIFY(identical(axes.toFirst(moved), tensor));
  QCOMPARE(axes.permutes(), !text.isEmpty());
  if (axes.permutes()) QCOMPARE(QString::fromStdString(axes.text()), text);
}

// With all axes known, another number of samples is no other order; else there is nothing to say.
void AxisOrderTest::otherShapesAreRefused() {
  const AxisOrder whole(Shape{1, 2, 3}, Shape{1, 3, 2}, {1, 0});
  QVERIFY(whole.toSecond(counted(Shape{4, 2, 3})).shape() == (Shape{4, 3, 2}));
  const AxisOrder squeezed(Shape{1, 2, 3}, Shape{3, 2}, {1, 0});
  QVERIFY(!squeezed.toSecond(counted(Shape{4, 2, 3})).defined());
  const AxisOrder flattened(Shape{1, 4, 1, 1}, Shape{1, 4}, {});
  QVERIFY(flattened.toSecond(counted(Shape{3, 4, 1, 1})).shape() == (Shape{3, 4}));
  QVERIFY(flattened.toFirst(counted(Shape{3, 4})).shape() == (Shape{3, 4, 1, 1}));
  const AxisOrder folded(Shape{2, 6}, Shape{3, 4}, {});
  QVERIFY(!folded.toSecond(counted(Shape{4, 6})).defined());
}

void AxisOrderTest::ordersOfEqualExtents() {
  using Orders = std::vector<AxisIndexes>;
  QVERIFY((ascendingOrders(Shape{7, 2, 3}) == Orders{{1, 2, 0}}));
  QVERIFY((ascendingOrders(Shape{5, 2, 5}) == Orders{{1, 0, 2}, {1, 2, 0}}));
  QCOMPARE(ascendingOrders(Shape{4, 4, 4}).size(), std::size_t{6});
  QCOMPARE(ascendingOrders(Shape{2, 2, 2, 2, 2, 2, 2, 2}).size(), std::size_t{24});
}

QUANTSCOPE_TEST(AxisOrderTest)
#include "test_axis_order.moc"
