#include <QtTest>

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
  QTest::addColumn<int>("side");
  QTest::newRow("512 to 64, 13 rows") << 512 << 64 << 13;
  QTest::newRow("384 to 48, 13 rows") << 384 << 48 << 13;
  QTest::newRow("512 to 1000, 13 rows") << 512 << 1000 << 13;
  QTest::newRow("64 to 16, 113 rows") << 64 << 16 << 113;
}

// The order of weights that suits the first tile may have no kernel for a smaller last one.
void TiledConvolutionTest::everyTileHasAKernel() {
  QFETCH(int, channels);
  QFETCH(int, filters);
  QFETCH(int, side);
  const Shape x{1, channels, side, side};
  const ConvolutionShapes shapes =
      convolutionShapes(WindowAttributes{Node{}}, 1, x, {filters, channels, 1, 1}, {});
  const auto tiled = TiledConvolution::make(shapes, x, false, false);
  QVERIFY(tiled.has_value());
  QVERIFY(!tiled->hasReferenceTile());
}

QUANTSCOPE_TEST(TiledConvolutionTest)
#include "test_tiled_convolution.moc"
