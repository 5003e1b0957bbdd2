#include <QtTest>

#include "base/workers.h"
#include "engine/operators/convolutions/tiled_convolution.h"
#include "support/test_main.h"

using namespace quantscope;
using namespace quantscope::test;

class TiledConvolutionTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void everyTileHasAKernel_data();
  void everyTileHasAKernel();
};

void TiledConvolutionTest::everyTileHasAKernel_data() {
  QTest::addColumn<int>("channels");
  QTest::addColumn<int>("filters");
  QTest::addColumn<int>("kernel");
  QTest::addColumn<int>("side");
  QTest::newRow("1x1, 24 to 512, 41 rows") << 24 << 512 << 1 << 41;
  QTest::newRow("3x3, 48 to 96, 15 rows") << 48 << 96 << 3 << 15;
  QTest::newRow("3x3, 96 to 48, 15 rows") << 96 << 48 << 3 << 15;
  QTest::newRow("1x1, 128 to 256, 26 rows") << 128 << 256 << 1 << 26;
  QTest::newRow("1x1, 512 to 64, 41 rows") << 512 << 64 << 1 << 41;
  QTest::newRow("1x1, 960 to 256, 23 rows") << 960 << 256 << 1 << 23;
}

// With AVX-512, the order of weights that suits the first tile has no kernel for others of these,
// where oneDNN has one thread, as it has inside of items.
void TiledConvolutionTest::everyTileHasAKernel() {
  QFETCH(int, channels);
  QFETCH(int, filters);
  QFETCH(int, kernel);
  QFETCH(int, side);
  const Shape x{1, channels, side, side};
  const ConvolutionShapes shapes =
      convolutionShapes(WindowAttributes{Node{}}, 1, x, {filters, channels, kernel, kernel}, {});
  Workers(1).run([&] {
    const auto tiled = TiledConvolution::make(shapes, x, false, false);
    QVERIFY(tiled.has_value());
    QVERIFY(!tiled->hasReferenceTile());
  });
}

QUANTSCOPE_TEST(TiledConvolutionTest)
#include "test_tiled_convolution.moc"
