#include <QtTest>
#include <bit>

#include "engine/operators/normalization/packet_sum.h"
#include "kernels/kernel_fixture.h"
#include "kernels/network/packet_columns.h"
#include "support/test_main.h"

using namespace quantscope;
using namespace quantscope::test;

namespace {

std::uint32_t bits(float x) {
  return std::bit_cast<std::uint32_t>(x);
}

std::vector<float> columnOf(const std::vector<float>& matrix, std::size_t columns, std::size_t c) {
  std::vector<float> column;
  for (std::size_t i = c; i < matrix.size(); i += columns) column.push_back(matrix[i]);
  return column;
}

}  // namespace

class PacketColumnsTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void columnsAreSummedLikeRows_data() { addKernelModes(); }
  void columnsAreSummedLikeRows();
  void theOrderShows();
};

void PacketColumnsTest::columnsAreSummedLikeRows() {
  const KernelMode mode = kernelModeOfRow();
  for (const std::size_t rows : {4U, 8U, 12U, 64U, 68U, 72U, 1004U}) {
    for (const std::size_t columns : {1U, 3U, 5U, 16U, 21U, 64U, 71U}) {
      const std::vector<float> matrix = tameNumbers(rows * columns, 1);
      const std::vector<float> means = tameNumbers(columns, 2);
      std::vector<float> sums(columns);
      std::vector<float> squares(columns);
      packetColumnSums(matrix.data(), rows, sums);
      packetColumnSquares(matrix.data(), rows, means, squares);
      for (std::size_t c = 0; c < columns; ++c) {
        const std::vector<float> column = columnOf(matrix, columns, c);
        const auto plain = [](float x) { return x; };
        QCOMPARE(bits(sums[c]), bits(packetSum(column, 0, plain)));
        const auto square = [&](float x) { return (x - means[c]) * (x - means[c]); };
        QCOMPARE(bits(squares[c]), bits(packetSum(column, 0, square)));
      }
    }
  }
}

// Plainly one after the other gives other bits, so that the test above can tell them apart.
void PacketColumnsTest::theOrderShows() {
  const std::vector<float> column = tameNumbers(1000, 1);
  float inTurn = 0;
  for (const float x : column) inTurn += x;
  std::vector<float> sum(1);
  packetColumnSums(column.data(), column.size(), sum);
  QVERIFY(bits(sum[0]) != bits(inTurn));
}

QUANTSCOPE_TEST(PacketColumnsTest)
#include "test_packet_columns.moc"
