#include <QtTest>
#include <algorithm>
#include <cmath>
#include <random>

#include "calibration/histograms/bin_masses.h"
#include "calibration/histograms/cumulative_masses.h"
#include "calibration/observed_numbers.h"
#include "calibration/observers/value_observer.h"
#include "calibration/peer_numbers.h"
#include "calibration/range_searches/code_entropy_range.h"
#include "calibration/range_searches/quantizer_levels.h"
#include "support/quant_params.h"
#include "support/test_main.h"

using namespace quantscope;
using namespace quantscope::test;

namespace {

using Masses = std::vector<BinMass>;

// Adds up the masses from the first one on.
double massBelow(const Masses& masses, double bound) {
  double below = 0;
  for (const BinMass& mass : masses) {
    if (mass.high >= bound) {
      if (bound <= mass.low) return below;
      return below + mass.count * (bound - mass.low) / (mass.high - mass.low);
    }
    below += mass.count;
  }
  return below;
}

// Every code by itself.
double entropyOfMasses(const Observation& observation, const Masses& masses, const Range& range,
                       const QuantParams& target) {
  const std::vector<double> levels = levelsOf(target, {});
  const Grid grid = gridFromRange(range, target);
  const auto total = static_cast<double>(observation.count);
  double below = 0;
  double entropy = 0;
  for (std::size_t i = 0; i < levels.size(); ++i) {
    const double middle = i + 1 < levels.size() ? (levels[i] + levels[i + 1]) / 2 : 0;
    const double end =
        i + 1 < levels.size() ? massBelow(masses, (-grid.zeroPoint + middle) * grid.scale) : total;
    if (end > below) entropy -= (end - below) / total * std::log2((end - below) / total);
    below = end;
  }
  return entropy;
}

// The search as range_search.h describes it, with every cost computed.
class PlainSearch {
 public:
  PlainSearch(const Observation& observation, const QuantParams& target)
      : m_observation(observation), m_target(target), m_masses(binMasses(observation)) {
    for (const BinMass& mass : m_masses) {
      for (const double end : {mass.low, mass.high}) {
        if (end < 0) m_lows.push_back(static_cast<float>(end));
        if (end > 0) m_highs.push_back(static_cast<float>(end));
        if (end != 0) m_magnitudes.push_back(static_cast<float>(std::abs(end)));
      }
    }
    for (Numbers* ends : {&m_lows, &m_highs, &m_magnitudes}) makeDense(*ends);
  }

  Range find() {
    const Range whole = m_observation.range;
    take(whole);
    if (m_target.symmetric || !isInteger(m_target.type)) {
      takeSymmetric();
      return m_best;
    }
    takeTurns();
    const Range fromWhole = m_best;
    const double cost = m_cost;
    m_cost = 1;
    take(whole);
    takeSymmetric();
    takeTurns();
    return m_cost < cost ? m_best : fromWhole;
  }

 private:
  static void makeDense(Numbers& ends) {
    const float step = std::exp2(-1.0F / 32);
    std::ranges::sort(ends, [](float a, float b) { return std::abs(a) > std::abs(b); });
    ends.erase(std::unique(ends.begin(), ends.end()), ends.end());
    Numbers dense;
    for (std::size_t i = 0; i < ends.size(); ++i) {
      dense.push_back(ends[i]);
      if (i + 1 == ends.size()) break;
      const float limit = std::abs(ends[i + 1]) / step;
      for (float end = ends[i] * step; std::abs(end) > limit; end *= step) dense.push_back(end);
    }
    ends = dense;
  }

  void take(const Range& range) {
    const double cost = -entropyOfMasses(m_observation, m_masses, range, m_target);
    if (cost >= m_cost) return;
    m_cost = cost;
    m_best = range;
  }

  void takeSymmetric() {
    const Range& whole = m_observation.range;
    for (const float magnitude : m_magnitudes) {
      take({std::max(whole.low, -magnitude), std::min(whole.high, magnitude), false});
    }
  }

  void takeTurns() {
    for (int turn = 0; turn < 16; ++turn) {
      const Range before = m_best;
      for (const float high : m_highs) take({before.low, high, false});
      const float high = m_best.high;
      for (const float low : m_lows) take({low, high, false});
      if (m_best == before) break;
    }
  }

  const Observation& m_observation;
  const QuantParams& m_target;
  Masses m_masses;
  Numbers m_lows;
  Numbers m_highs;
  Numbers m_magnitudes;
  Range m_best;
  double m_cost = 1;  // that of any range is below
};

Numbers changed(Numbers numbers, float (*change)(float)) {
  for (float& number : numbers) number = change(number);
  return numbers;
}

}  // namespace

/// The search for the most entropy, which looks at few ranges closely, finds what looking at all of
/// them does, to the last bit.
class CodeEntropySearchTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void equalsPlainSearch_data();
  void equalsPlainSearch();
  void massesBelow();
};

void CodeEntropySearchTest::equalsPlainSearch_data() {
  QTest::addColumn<Numbers>("numbers");
  const Numbers bell = uniformSums(3000, 5, 6);
  QTest::newRow("bell") << bell;
  QTest::newRow("rectified") << changed(bell, [](float x) { return std::max(x, 0.0F); });
  QTest::newRow("negative") << changed(bell, [](float x) { return -0.5F - std::abs(x); });
  QTest::newRow("heavy tails") << changed(bell, [](float x) { return x * x * x; });
  QTest::newRow("uneven sides") << changed(bell, [](float x) { return x > 0 ? x : 20 * x - 3; });
  QTest::newRow("far from 0") << changed(bell, [](float x) { return 40 + x / 8; });
  QTest::newRow("steps") << changed(bell, [](float x) { return std::round(2 * x); });
  QTest::newRow("all magnitudes") << changed(bell,
                                             [](float x) { return std::ldexp(x, int(9 * x)); });
  QTest::newRow("few") << uniformSums(20, 3, 3);
  QTest::newRow("two") << Numbers{-1, 3};
  Numbers outlier = uniformSums(500, 9, 4);
  outlier[77] = -900;
  QTest::newRow("outlier") << outlier;
}

void CodeEntropySearchTest::equalsPlainSearch() {
  QFETCH(Numbers, numbers);
  const Observation observation = observed(numbers);
  const std::pair<const char*, bool> targets[] = {
      {"int8", true},   {"int4", true},  {"int2", true},     {"uint8", false},
      {"uint4", false}, {"int8", false}, {"fp8e4m3", false}, {"fp8e5m2", true}};
  for (const auto& [type, symmetric] : targets) {
    const QuantParams params = paramsFor(type, symmetric);
    const Range expected = PlainSearch(observation, params).find();
    QVERIFY2(codeEntropyRange(observation, params) == expected, type);
  }
}

// At the ends of masses, close to them, inside and outside.
void CodeEntropySearchTest::massesBelow() {
  const Masses some = binMasses(observed(uniformSums(300, 5, 4)));
  Masses positive = some;
  std::erase_if(positive, [](const BinMass& mass) { return mass.low <= 0; });
  for (const Masses& masses :
       {some, positive, Masses{{0, 0, 5}}, Masses{{-2, -1.5, 3}}, Masses{}}) {
    const CumulativeMasses cumulative(masses);
    std::vector<double> bounds{0, -1e-300, 1e-300, 1e300, -1e300, 1e-38, -1e-38, 0.013, -0.77};
    for (const BinMass& mass : masses) {
      for (const double end : {mass.low, mass.high, (mass.low + mass.high) / 2}) {
        for (const double to : {-1e9, 1e9}) bounds.push_back(std::nextafter(end, to));
        bounds.push_back(end);
      }
    }
    for (const double bound : bounds) QCOMPARE(cumulative.below(bound), massBelow(masses, bound));
  }
}

QUANTSCOPE_TEST(CodeEntropySearchTest)
#include "test_code_entropy_search.moc"
