#include <QtTest>
#include <bit>
#include <vector>

#include "engine/operators/normalization/packet_sum.h"
#include "support/test_main.h"

using namespace quantscope;

namespace {

/// Numbers whose float sum depends on the order.
std::vector<float> unevenNumbers(std::size_t count) {
  std::vector<float> values(count);
  for (std::size_t i = 0; i < count; ++i) {
    values[i] = 1.0F / static_cast<float>(3 + i * 7 % 11) + static_cast<float>(i % 5) * 100.0F;
  }
  return values;
}

float identity(float x) {
  return x;
}

std::uint32_t bits(float x) {
  return std::bit_cast<std::uint32_t>(x);
}

}  // namespace

class PacketSumTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void keepsItsOrder();
  void theOrderShows();
  void shortSumsAreSequential();
};

// From the second number on: two pairs of vectors, one vector, two numbers left over.
void PacketSumTest::keepsItsOrder() {
  const std::vector<float> x = unevenNumbers(23);
  std::vector<float> lanes(x.begin() + 1, x.begin() + 9);
  for (std::size_t lane = 0; lane < 8; ++lane) lanes[lane] += x[9 + lane];
  for (std::size_t lane = 0; lane < 4; ++lane) lanes[lane] += lanes[4 + lane];
  for (std::size_t lane = 0; lane < 4; ++lane) lanes[lane] += x[17 + lane];
  float sum = (lanes[0] + lanes[2]) + (lanes[1] + lanes[3]);
  sum += x[0];
  sum += x[21];
  sum += x[22];
  QCOMPARE(bits(packetSum(x, 1, identity)), bits(sum));
}

void PacketSumTest::theOrderShows() {
  const std::vector<float> x = unevenNumbers(1000);
  float inTurn = 0;
  for (const float value : x) inTurn += value;
  QVERIFY(bits(packetSum(x, 0, identity)) != bits(inTurn));
}

void PacketSumTest::shortSumsAreSequential() {
  const std::vector<float> x = unevenNumbers(3);
  QCOMPARE(bits(packetSum(x, 2, identity)), bits((x[0] + x[1]) + x[2]));
  QCOMPARE(bits(packetSum(x, 3, identity)), bits((x[0] + x[1]) + x[2]));
  QCOMPARE(bits(packetSum(std::span<const float>(), 1, identity)), bits(0.0F));
}

QUANTSCOPE_TEST(PacketSumTest)
#include "test_packet_sum.moc"
