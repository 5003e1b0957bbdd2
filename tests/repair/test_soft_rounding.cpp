#include <QtTest>
#include <cmath>
#include <random>

#include "repair/repair_case.h"
#include "repair/rounding/adaround.h"
#include "repair/rounding/soft_rounding.h"
#include "support/error_text.h"
#include "support/test_main.h"

using namespace quantscope;
using test::RepairCase;

namespace {

constexpr std::size_t kInputs = 8;
constexpr std::size_t kColumns = 512;

// A layer of three outputs on a grid of a quarter, with inputs that depend on each other.
struct ToyLayer {
  ToyLayer() {
    std::mt19937 random(3);
    std::normal_distribution<float> normal;
    for (std::size_t i = 0; i < kColumns; ++i) {
      const float shared = normal(random);
      for (std::size_t k = 0; k < kInputs; ++k) x.push_back(shared + 0.5F * normal(random));
    }
    problem.outputs = 3;
    problem.inputs = kInputs;
    problem.columns = kColumns;
    problem.twin = problem.quantized = x.data();
    problem.lowest = -8;
    problem.highest = 7;
    problem.bias.assign(3, 0.0);
    for (std::size_t i = 0; i < 3 * kInputs; ++i) {
      problem.weights.push_back(normal(random));
      problem.scales.push_back(0.25);
      problem.zeroPoints.push_back(0);
      problem.codes.push_back(std::clamp(std::nearbyint(problem.weights.back() / 0.25), -8.0, 7.0));
    }
  }

  std::vector<float> x;
  RoundingProblem problem;
};

// The least error of output o over all 2⁸ ways to round its weights up or down.
double bestError(const RoundingProblem& problem, std::size_t o) {
  double best = std::numeric_limits<double>::infinity();
  for (unsigned ways = 0; ways < 1U << kInputs; ++ways) {
    double error = 0;
    for (std::size_t column = 0; column < kColumns; ++column) {
      double difference = 0;
      for (std::size_t k = 0; k < kInputs; ++k) {
        const double weight = problem.weights[o * kInputs + k];
        const double code = std::clamp(std::floor(weight / 0.25) + ((ways >> k) & 1U), -8.0, 7.0);
        difference += (0.25 * code - weight) * problem.twin[column * kInputs + k];
      }
      error += difference * difference / kColumns;
    }
    best = std::min(best, error);
  }
  return best;
}

constexpr const char* kTwoConvolutions = R"(
  input x:float[1,3,8,8]
  w:float[8,3,3,3]
  a = Conv(x, w) pads=[1,1,1,1] @first
  b = Relu(a)
  v:float[4,8,3,3]
  y = Conv(b, v) pads=[1,1,1,1] @second
  output y
)";

constexpr const char* kFourBits =
    R"({"quantscope": 1, "backend": "generic", "default": {"weight": {"type": "int4"}}})";

}  // namespace

/// AdaRound: its soft step, and what it finds.
class SoftRoundingTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void stepsGiveFractionsBack();
  void slopesAreDifferences();
  void comesCloseToTheBest();
  void neverWorseThanItsStart();
  void sameForAnyThreads();
  void improvesNearest();
  void onlyFewBits();
};

void SoftRoundingTest::stepsGiveFractionsBack() {
  for (const double fraction : {0.0, 0.01, 0.3, 0.5, 0.99, 1.0}) {
    QVERIFY(std::abs(softStep(softStart(fraction)) - fraction) < 1e-12);
  }
}

void SoftRoundingTest::slopesAreDifferences() {
  for (double v = -2; v <= 2; v += 0.25) {
    const double difference = (softStep(v + 1e-6) - softStep(v - 1e-6)) / 2e-6;
    QVERIFY2(std::abs(difference - softStepSlope(v)) < 1e-6, qPrintable(QString::number(v)));
  }
  QCOMPARE(softStepSlope(5), 0.0);
}

void SoftRoundingTest::comesCloseToTheBest() {
  const Workers workers(2);
  const JobContext job(workers);
  const ToyLayer toy;
  const auto nearest = roundingErrors(toy.problem, toy.problem.codes, job);
  const auto learned = roundingErrors(toy.problem, roundSoftly(toy.problem, {}, job), job);
  for (std::size_t o = 0; o < 3; ++o) {
    const double best = bestError(toy.problem, o);
    QVERIFY(best <= learned[o] * (1 + 1e-6));
    QVERIFY2(learned[o] < 2 * best, qPrintable(QString("%1, the best is %2, the nearest %3")
                                                   .arg(learned[o])
                                                   .arg(best)
                                                   .arg(nearest[o])));
  }
}

void SoftRoundingTest::neverWorseThanItsStart() {
  const Workers workers(2);
  const JobContext job(workers);
  ToyLayer toy;
  SoftRoundingSettings settings;
  settings.steps = 20;
  settings.rate = 1;  // far too fast
  const auto before = roundingErrors(toy.problem, toy.problem.codes, job);
  const auto after = roundingErrors(toy.problem, roundSoftly(toy.problem, settings, job), job);
  for (std::size_t o = 0; o < 3; ++o) QVERIFY(after[o] <= before[o]);
}

void SoftRoundingTest::sameForAnyThreads() {
  const ToyLayer toy;
  const auto with = [&](int threads) {
    const Workers workers(threads);
    const JobContext job(workers);
    SoftRoundingSettings settings;
    settings.steps = 200;
    return roundSoftly(toy.problem, settings, job);
  };
  QVERIFY(with(1) == with(8));
}

void SoftRoundingTest::improvesNearest() {
  RepairCase network(kTwoConvolutions, kFourBits, 32);
  const RepairState before = network.folded();
  RepairTools tools = network.tools();
  const LinearLayers layers = findLinearLayers(*before.engine, *before.model);
  const RepairProposal proposal = proposeAdaRound(before, layers, tools, 0);
  QCOMPARE(proposal.nodes, std::size_t{2});
  const RepairState after = withOverlay(before, proposal.overlay, proposal.effect, tools);
  const auto wanted = network.outputs(before, false);
  const double gain = test::sqnrOf(wanted, network.outputs(after, true)) -
                      test::sqnrOf(wanted, network.outputs(before, true));
  QVERIFY2(gain > 1, qPrintable(QString::number(gain)));
}

void SoftRoundingTest::onlyFewBits() {
  RepairCase network(kTwoConvolutions, R"({"quantscope": 1})");
  const RepairState before = network.folded();
  RepairTools tools = network.tools();
  const RepairProposal proposal =
      proposeAdaRound(before, findLinearLayers(*before.engine, *before.model), tools, 0);
  QVERIFY(test::contains(proposal.reason, "at most 4 bits"));
}

QUANTSCOPE_TEST(SoftRoundingTest)
#include "test_soft_rounding.moc"
