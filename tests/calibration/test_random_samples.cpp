#include <QtTest>
#include <algorithm>
#include <bit>
#include <cmath>

#include "calibration/open_samples.h"
#include "support/error_text.h"
#include "support/graph_text.h"
#include "support/test_main.h"

using namespace quantscope;
using quantscope::test::graphFromText;

class RandomSamplesTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void sameEverywhereAndInAnyOrder();
  void seedSampleAndInputMatter();
  void floatsAreStandardNormal();
  void integersAreSmall_data();
  void integersAreSmall();
  void unknownExtents();
  void fixedBatches();
  void whatCannotBeMadeUp_data();
  void whatCannotBeMadeUp();
  void counts_data();
  void counts();
};

namespace {

std::unique_ptr<SampleSource> open(const std::string& data, const std::string& graph,
                                   std::uint64_t seed = 0) {
  return openSamples(data, *graphFromText(graph),
                     {.samples = {}, .seed = seed, .preprocessing = {}});
}

Tensor read(const std::string& graph, std::size_t sample, std::uint64_t seed = 0,
            std::size_t input = 0) {
  return open("random:100", graph, seed)->read(sample).inputs[input].second;
}

}  // namespace

// These numbers are what makes a reported result reproducible: they never change.
void RandomSamplesTest::sameEverywhereAndInAnyOrder() {
  const auto source = open("random:8", "input x:float[N,4]\ny = Neg(x)");
  QVERIFY(source->synthetic());
  QCOMPARE(source->description(), std::string("random:8"));
  QCOMPARE(source->sampleCount(), std::size_t{8});
  const Tensor late = source->read(5).inputs[0].second;
  QVERIFY(!identical(source->read(0).inputs[0].second, late));
  QVERIFY(identical(source->read(5).inputs[0].second, late));
  // From the same formulas in another language, with its own logarithm.
  const Tensor first = source->read(0).inputs[0].second;
  const std::vector<std::uint32_t> expected{0xBE8F2C65, 0x3F01B9E4, 0x3F8D1DD5, 0xBFA5647F};
  for (std::size_t i = 0; i < expected.size(); ++i) {
    QCOMPARE(std::bit_cast<std::uint32_t>(first.values<float>()[i]), expected[i]);
  }
}

void RandomSamplesTest::seedSampleAndInputMatter() {
  const std::string graph = "input x:float[N,8]\ninput w:float[N,8]\ny = Add(x, w)";
  const Tensor first = read(graph, 0);
  QVERIFY(!identical(first, read(graph, 1)));
  QVERIFY(!identical(first, read(graph, 0, 1)));
  QVERIFY(!identical(first, read(graph, 0, 0, 1)));
  QVERIFY(identical(first, read(graph, 0)));
}

// Of n = 200,000 numbers the mean deviates by 1 / √n = 0.0022 and the variance by √(2 / n) =
// 0.0032; six times that is allowed. Beyond 1 and 3 lie 31.73 % and 0.27 %.
void RandomSamplesTest::floatsAreStandardNormal() {
  const Tensor tensor = read("input x:float[N,200000]\ny = Neg(x)", 0);
  double sum = 0;
  double squares = 0;
  double cubes = 0;
  for (const float value : tensor.values<float>()) {
    sum += value;
    squares += static_cast<double>(value) * value;
    cubes += static_cast<double>(value) * value * value;
  }
  const auto count = static_cast<double>(tensor.elementCount());
  const auto beyond = [&](float limit) {
    return static_cast<double>(std::ranges::count_if(
               tensor.values<float>(), [=](float v) { return std::abs(v) > limit; })) /
           count;
  };
  QVERIFY(std::abs(sum / count) < 0.0134);
  QVERIFY(std::abs(squares / count - 1) < 0.019);
  QVERIFY(std::abs(cubes / count) < 0.052);  // variance 15 / n
  QVERIFY(std::abs(beyond(1) - 0.3173) < 0.0063);
  QVERIFY(std::abs(beyond(3) - 0.0027) < 0.0007);
}

void RandomSamplesTest::integersAreSmall_data() {
  QTest::addColumn<std::string>("type");
  QTest::addColumn<double>("lowest");
  QTest::addColumn<double>("highest");
  QTest::newRow("uint8") << std::string("uint8") << 0.0 << 255.0;
  QTest::newRow("int8") << std::string("int8") << -128.0 << 127.0;
  for (const char* type : {"bool", "int16", "uint16", "int32", "uint32", "int64", "uint64"}) {
    QTest::newRow(type) << std::string(type) << 0.0 << 1.0;
  }
}

void RandomSamplesTest::integersAreSmall() {
  QFETCH(std::string, type);
  QFETCH(double, lowest);
  QFETCH(double, highest);
  const Tensor tensor = toFloat32(read("input x:" + type + "[N,10000]\ny = Identity(x)", 0));
  const auto [low, high] = std::ranges::minmax(tensor.values<float>());
  QVERIFY(low == lowest);
  QVERIFY(high == highest);
}

void RandomSamplesTest::unknownExtents() {
  const std::string graph =
      "input x:float[batch,3]\ninput state:float[2,batch,4]\ninput rate:int64[]\n"
      "y = Thing(x, state, rate)";
  QVERIFY(read(graph, 0, 0, 0).shape() == Shape({1, 3}));
  QVERIFY(read(graph, 0, 0, 1).shape() == Shape({2, 1, 4}));
  QVERIFY(read(graph, 0, 0, 2).shape() == Shape());
  QVERIFY(read("input x:float[?,3]\ny = Neg(x)", 0).shape() == Shape({1, 3}));
}

void RandomSamplesTest::fixedBatches() {
  const auto batched = open("random:5", "input x:float[2,3]\ninput m:int64[2]\ny = Thing(x, m)");
  QCOMPARE(batched->sampleCount(), std::size_t{5});
  QCOMPARE(batched->feedCount(), std::size_t{3});
  QCOMPARE(batched->read(2).samples, std::size_t{1});
  QVERIFY(batched->read(2).inputs[0].second.shape() == Shape({2, 3}));
  const auto mixed = open("random:5", "input x:float[2,3]\ninput m:int64[4]\ny = Thing(x, m)");
  QCOMPARE(mixed->feedCount(), std::size_t{5});
  QVERIFY(mixed->read(4).inputs[1].second.shape() == Shape({4}));
}

void RandomSamplesTest::whatCannotBeMadeUp_data() {
  QTest::addColumn<std::string>("graph");
  QTest::addColumn<std::string>("message");
  QTest::newRow("unknown length") << std::string("input x:float[N,length]\ny = Neg(x)")
                                  << std::string(
                                         "x float32 [N, length], whose axis 1 may have any");
  QTest::newRow("unknown shape") << std::string("input x:float\ny = Neg(x)")
                                 << std::string("unknown shape (random:100, value x): give real");
  QTest::newRow("huge") << std::string("input x:float[65536,65536,64]\ny = Neg(x)")
                        << std::string("too large");
  QTest::newRow("beyond counting")
      << std::string("input x:float[4294967296,4294967296,16]\ny = Neg(x)") << std::string("more");
}

void RandomSamplesTest::whatCannotBeMadeUp() {
  QFETCH(std::string, graph);
  QFETCH(std::string, message);
  VERIFY_ERROR(read(graph, 0), message);
}

void RandomSamplesTest::counts_data() {
  QTest::addColumn<std::string>("data");
  for (const char* data : {"random:", "random:0", "random:-1", "random:1.5", "random:8x",
                           "random: 8", "random:99999999999999999999"}) {
    QTest::newRow(data) << std::string(data);
  }
}

void RandomSamplesTest::counts() {
  QFETCH(std::string, data);
  VERIFY_ERROR(open(data, "input x:float[N,4]\ny = Neg(x)"), "write it like random:8");
}

QUANTSCOPE_TEST(RandomSamplesTest)
#include "test_random_samples.moc"
