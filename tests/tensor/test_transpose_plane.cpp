#include <QtTest>
#include <vector>

#include "support/test_main.h"
#include "tensor/tensor.h"
#include "tensor/transpose_plane.h"

using namespace quantscope;

class TransposePlaneTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void movesEveryElement_data();
  void movesEveryElement();
  void layoutsThereAndBack_data();
  void layoutsThereAndBack();
};

void TransposePlaneTest::movesEveryElement_data() {
  QTest::addColumn<int>("bytes");
  QTest::addColumn<int>("rows");
  QTest::addColumn<int>("columns");
  QTest::addColumn<int>("gap");
  for (const int bytes : {1, 2, 4, 8}) {
    // None, parts of a block, whole blocks, whole tiles and one more.
    for (const int rows : {0, 1, 3, 4, 7, 32, 33, 70}) {
      for (const int columns : {1, 3, 4, 8, 9, 21}) {
        for (const int gap : {0, 2}) {
          QTest::addRow("%d x %d of %d bytes, gap %d", rows, columns, bytes, gap)
              << bytes << rows << columns << gap;
        }
      }
    }
  }
}

// Strides are as long as the plane or longer; what lies between and behind stays as it is.
void TransposePlaneTest::movesEveryElement() {
  QFETCH(int, bytes);
  QFETCH(int, rows);
  QFETCH(int, columns);
  QFETCH(int, gap);
  const int sourceStride = rows + gap;
  const int targetStride = columns + gap;
  const auto at = [bytes](int element, int byte) {
    return static_cast<std::size_t>(element * bytes + byte);
  };
  std::vector<std::byte> source(at(sourceStride * columns, 0));
  for (std::size_t i = 0; i < source.size(); ++i)
    source[i] = static_cast<std::byte>(i * 37 + i / 251);
  const std::byte untouched{0xEE};
  std::vector<std::byte> target(at(rows * targetStride + 4, 0), untouched);
  std::vector<std::byte> expected = target;
  for (int row = 0; row < rows; ++row) {
    for (int column = 0; column < columns; ++column) {
      for (int byte = 0; byte < bytes; ++byte) {
        expected[at(row * targetStride + column, byte)] =
            source[at(row + column * sourceStride, byte)];
      }
    }
  }
  transposePlane(source.data(), target.data(), static_cast<std::size_t>(bytes),
                 {.rows = rows,
                  .columns = columns,
                  .sourceStride = sourceStride,
                  .targetStride = targetStride});
  QVERIFY(target == expected);
}

void TransposePlaneTest::layoutsThereAndBack_data() {
  QTest::addColumn<QList<int>>("extents");
  QTest::newRow("images") << QList<int>{2, 19, 5, 7};
  QTest::newRow("colours") << QList<int>{2, 3, 5, 7};
  QTest::newRow("series") << QList<int>{3, 33, 40};
  QTest::newRow("volumes") << QList<int>{1, 2, 3, 4, 5};
  QTest::newRow("one channel") << QList<int>{2, 1, 5, 7};
  QTest::newRow("one position") << QList<int>{2, 5, 1, 1};
  QTest::newRow("no items") << QList<int>{0, 5, 4, 4};
  QTest::newRow("no positions") << QList<int>{2, 5, 0, 4};
}

void TransposePlaneTest::layoutsThereAndBack() {
  QFETCH(QList<int>, extents);
  Shape shape;
  for (const int extent : extents) shape.append(extent);
  Tensor plain(ElementType::Int32, shape);
  int next = 0;
  for (std::int32_t& element : plain.mutableValues<std::int32_t>()) element = next++;
  const Tensor turned = toLayout(plain, Layout::ChannelsLast);
  QVERIFY(turned.layout() == Layout::ChannelsLast);
  const std::int64_t channels = shape[1];
  const std::int64_t positions = shape.elementCount(2, shape.rank());
  const auto values = turned.values<std::int32_t>();
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto element = static_cast<std::int64_t>(i);
    const std::int64_t item = element / (channels * positions);
    const std::int64_t position = element / channels % positions;
    const std::int64_t channel = element % channels;
    QCOMPARE(std::int64_t{values[i]}, (item * channels + channel) * positions + position);
  }
  QVERIFY(identical(toLayout(turned, Layout::Plain), plain));
}

QUANTSCOPE_TEST(TransposePlaneTest)
#include "test_transpose_plane.moc"
