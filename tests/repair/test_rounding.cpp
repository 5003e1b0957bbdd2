#include <Eigen/Cholesky>
#include <QtTest>
#include <numeric>
#include <random>

#include "repair/repair_case.h"
#include "repair/rounding/data_free_rounding.h"
#include "repair/rounding/gram_rounding.h"
#include "repair/rounding/rounding.h"
#include "support/test_main.h"

using namespace quantscope;
using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

namespace {

struct Problem {
  MatrixXd weights;
  MatrixXd gram;
  WeightCodes grid;
};

// Correlated inputs: their second moments from few random vectors, damped.
Problem makeProblem(Index inputs, Index outputs, double lowest, double highest, unsigned seed) {
  std::mt19937 generator(seed);
  std::normal_distribution<double> normal;
  const auto random = [&](Index rows, Index columns) {
    MatrixXd matrix(rows, columns);
    for (double& each : matrix.reshaped()) each = normal(generator);
    return matrix;
  };
  Problem problem;
  problem.weights = random(inputs, outputs);
  const MatrixXd mixed = random(inputs, inputs / 2) * random(inputs / 2, 100);
  problem.gram = mixed * mixed.transpose() / 100;
  problem.gram.diagonal().array() += 0.01 * problem.gram.diagonal().mean();
  const double largest = problem.weights.cwiseAbs().maxCoeff();
  problem.grid.scale = MatrixXd::Constant(inputs, outputs, largest / highest);
  problem.grid.zero = MatrixXd::Zero(inputs, outputs);
  problem.grid.lowest = lowest;
  problem.grid.highest = highest;
  return problem;
}

double lossOf(const Problem& problem, const MatrixXd& codes) {
  return roundingLoss(codes, problem.weights, problem.grid, problem.gram).sum();
}

// The least loss of all 2^inputs ways to round each weight down or up.
double bruteForce(const Problem& problem) {
  const Index inputs = problem.weights.rows();
  double best = INFINITY;
  for (int bits = 0; bits < (1 << inputs); ++bits) {
    MatrixXd codes(inputs, 1);
    for (Index i = 0; i < inputs; ++i) {
      const double down = std::floor(problem.weights(i, 0) / problem.grid.scale(i, 0));
      codes(i, 0) = std::clamp(down + ((bits >> i) & 1), problem.grid.lowest, problem.grid.highest);
    }
    best = std::min(best, lossOf(problem, codes));
  }
  return best;
}

constexpr const char* kConvolutions = R"(
  input x:float[1,4,8,8]
  w:float[8,4,3,3]
  b:float[8]
  a = Conv(x, w, b) pads=[1,1,1,1] @first
  c = Relu(a)
  d:float[8,1,3,3]
  e = Conv(c, d) pads=[1,1,1,1] group=8 @depthwise
  f = Relu(e)
  g:float[8,4,1,1]
  h = Conv(f, g) group=2 @grouped
  output h
)";

// Neighbours are alike, so that errors of neighbouring taps can cancel.
constexpr const char* kTransposedPair = R"(
  input x:float[1,4,8,8]
  p = AveragePool(x) kernel_shape=[3,3] pads=[1,1,1,1]
  w:float[4,8,3,3]
  b:float[8]
  a = ConvTranspose(p, w, b) strides=[2,1] pads=[1,1,1,1] @first
  c = Relu(a)
  g:float[8,2,2,2]
  h = ConvTranspose(c, g) group=2 @grouped
  output h
)";

// Both read the same weight, with biases of their own.
constexpr const char* kShared = R"(
  input x:float[1,6,8,8]
  w:float[6,6,3,3]
  b:float[6]
  v:float[6]
  a = Conv(x, w, b) pads=[1,1,1,1] @first
  c = Relu(a)
  y = Conv(c, w, v) pads=[1,1,1,1] @second
  output y
)";

constexpr const char* kDense = R"(
  input x:float[1,8,12]
  w:float[12,6]
  a = MatMul(x, w) @product
  output a
)";

QByteArray fourBits(const char* granularity) {
  return QByteArray(R"({"quantscope": 1, "backend": "generic", "default": {"weight": )"
                    R"({"type": "int4", "granularity": ")") +
         granularity + R"("}}})";
}

}  // namespace

/// Rounding in the Gram domain: the search by itself, and layer after layer.
class RoundingTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void gptqIdentity();
  void nearBruteForce();
  void neverAboveNearest();
  void descentIsMonotone();
  void layers_data();
  void layers();
  void sharedWeightsStayShared();
  void whatCannotShareARounding_data();
  void whatCannotShareARounding();
  void codesSurviveRequantizing();
  void refusesFloatWeights();
  void fewColumnsNeedNoSamples();
};

// In the order of the sweep w − ŵ = Uᵀ·e with U the upper factor of the inverse: no step loses more
// than half a code, |e_j·U_jj| ≤ s/2, and Σe² = δᵀHδ.
void RoundingTest::gptqIdentity() {
  const Workers workers(2);
  const JobContext job(workers);
  constexpr Index kInputs = 12;
  Problem problem = makeProblem(kInputs, 5, -1000, 1000, 3);
  problem.grid.scale.setConstant(0.25);
  const MatrixXd codes = gptqCodes(problem.weights, problem.grid, problem.gram, job);
  const VectorXd losses = roundingLoss(codes, problem.weights, problem.grid, problem.gram);
  std::vector<Index> order(kInputs);
  std::iota(order.begin(), order.end(), Index{0});
  std::ranges::stable_sort(order, std::greater(), [&](Index i) { return problem.gram(i, i); });
  const MatrixXd ordered = problem.gram(order, order);
  const MatrixXd inverse = ordered.llt().solve(MatrixXd::Identity(kInputs, kInputs));
  const MatrixXd factor = inverse.llt().matrixU();
  for (Index output = 0; output < 5; ++output) {
    VectorXd error(kInputs);
    for (Index j = 0; j < kInputs; ++j) {
      const Index i = order[static_cast<std::size_t>(j)];
      error(j) = problem.weights(i, output) - problem.grid.real(codes(i, output), i, output);
    }
    const VectorXd e = factor.transpose().triangularView<Eigen::Lower>().solve(error);
    const double relative = std::abs(e.squaredNorm() - losses(output)) / losses(output);
    QVERIFY2(relative < 1e-9, qPrintable(QString::number(relative)));
    for (Index j = 0; j < kInputs; ++j) {
      QVERIFY(std::abs(e(j) * factor(j, j)) <= 0.125 * (1 + 1e-9));
    }
  }
}

void RoundingTest::nearBruteForce() {
  const Workers workers(1);
  const JobContext job(workers);
  double found = 0;
  double least = 0;
  double nearest = 0;
  for (unsigned seed = 0; seed < 20; ++seed) {
    const Problem problem = makeProblem(8, 1, -8, 7, seed);
    found += lossOf(problem,
                    roundInGram(problem.weights, problem.weights, problem.grid, problem.gram, job));
    least += bruteForce(problem);
    nearest += lossOf(problem, nearestCodes(problem.weights, problem.grid));
  }
  // The search may take codes further away than the next, so it may even be below.
  QVERIFY2(found < 1.35 * least, qPrintable(QString("%1 of %2").arg(found).arg(least)));
  QVERIFY2(found < 0.7 * nearest, qPrintable(QString("%1 of %2").arg(found).arg(nearest)));
}

void RoundingTest::neverAboveNearest() {
  const Workers one(1);
  const Workers many(8);
  for (unsigned seed = 0; seed < 5; ++seed) {
    const Problem problem = makeProblem(40, 33, -8, 7, seed);
    const MatrixXd codes =
        roundInGram(problem.weights, problem.weights, problem.grid, problem.gram, JobContext(one));
    const VectorXd losses = roundingLoss(codes, problem.weights, problem.grid, problem.gram);
    const VectorXd nearest = roundingLoss(nearestCodes(problem.weights, problem.grid),
                                          problem.weights, problem.grid, problem.gram);
    for (Index i = 0; i < losses.size(); ++i) QVERIFY(losses(i) <= nearest(i) * (1 + 1e-12));
    QVERIFY(codes.minCoeff() >= -8 && codes.maxCoeff() <= 7);
    QVERIFY(codes == roundInGram(problem.weights, problem.weights, problem.grid, problem.gram,
                                 JobContext(many)));
  }
}

void RoundingTest::descentIsMonotone() {
  const Workers workers(2);
  const JobContext job(workers);
  const Problem problem = makeProblem(30, 4, -8, 7, 9);
  MatrixXd codes = MatrixXd::Zero(30, 4);
  const double before = lossOf(problem, codes);
  descend(codes, problem.weights, problem.grid, problem.gram, job);
  const double after = lossOf(problem, codes);
  QVERIFY(after < before / 2);
  const MatrixXd still = codes;
  descend(codes, problem.weights, problem.grid, problem.gram, job);
  QVERIFY(codes == still);
}

void RoundingTest::layers_data() {
  QTest::addColumn<QByteArray>("network");
  QTest::addColumn<QByteArray>("config");
  QTest::addColumn<double>("gain");
  QTest::newRow("convolutions per channel")
      << QByteArray(kConvolutions) << fourBits("per-channel") << 3.0;
  QTest::newRow("convolutions per tensor")
      << QByteArray(kConvolutions) << fourBits("per-tensor") << 2.0;
  QTest::newRow("convolutions in groups")
      << QByteArray(kConvolutions) << fourBits("per-group:1:2") << 1.0;
  QTest::newRow("transposed convolutions")
      << QByteArray(kTransposedPair) << fourBits("per-channel") << 1.0;
  QTest::newRow("product") << QByteArray(kDense) << fourBits("per-channel") << -0.5;
}

// On white noise there is little to win for a single product, and much behind quantized layers.
void RoundingTest::layers() {
  QFETCH(const QByteArray, network);
  QFETCH(const QByteArray, config);
  QFETCH(const double, gain);
  test::RepairCase repaired(network.constData(), config.constData(), 24);
  const RepairState folded = repaired.folded();
  RepairTools tools = repaired.tools();
  const RepairProposal proposal = proposeRounding(folded, repaired.layers(), tools, 1);
  QCOMPARE(proposal.nodes, repaired.layers().layers.size());
  const RepairState after = withOverlay(folded, proposal.overlay, OverlayEffect::Fitted, tools);
  const auto reference = repaired.outputs(repaired.state, false);
  const double before = test::sqnrOf(reference, repaired.outputs(repaired.state, true));
  const double now = test::sqnrOf(reference, repaired.outputs(after, true));
  QVERIFY2(now > before + gain, qPrintable(QString("%1 → %2 dB").arg(before).arg(now)));
}

void RoundingTest::sharedWeightsStayShared() {
  test::RepairCase repaired(kShared, fourBits("per-channel").constData(), 24);
  const RepairState& start = repaired.state;
  RepairTools tools = repaired.tools();
  const LinearLayers layers = repaired.layers();
  QCOMPARE(layers.layers.size(), std::size_t{0});
  QCOMPARE(layers.shared.size(), std::size_t{2});
  QCOMPARE(leftAlone(start.engine->graph(), layers).size(), std::size_t{0});
  const RepairProposal proposal = proposeRounding(start, layers, tools, 1);
  QCOMPARE(proposal.nodes, std::size_t{2});
  const RepairState after = withOverlay(start, proposal.overlay, OverlayEffect::Fitted, tools);
  const Graph& graph = after.engine->graph();
  const Node& first = graph[graph.findNode("first")];
  const Node& second = graph[graph.findNode("second")];
  QVERIFY(first.inputs[1] == second.inputs[1]);
  QVERIFY(first.inputs[2] != second.inputs[2]);
  QCOMPARE(findLinearLayers(*after.engine, *after.model).shared.size(), std::size_t{2});

  const auto reference = repaired.outputs(start, false);
  const double before = test::sqnrOf(reference, repaired.outputs(start, true));
  const double now = test::sqnrOf(reference, repaired.outputs(after, true));
  QVERIFY2(now > before + 1.5, qPrintable(QString("%1 → %2 dB").arg(before).arg(now)));
  // Fitted to one of the two alone, it would not suit the other.
  LinearLayers one = layers;
  one.shared.pop_back();
  for (const ChangedConstant& change : proposeRounding(start, one, tools, 1).overlay.constants) {
    QCOMPARE(change.suffix, std::string("bias"));
  }
}

void RoundingTest::whatCannotShareARounding_data() {
  QTest::addColumn<QByteArray>("layers");
  QTest::newRow("read as it lies and transposed") << QByteArray(
      "a = Conv(x, w) pads=[1,1,1,1] @first\ny = ConvTranspose(a, w) pads=[1,1,1,1] @second");
  QTest::newRow("with normalizations") << QByteArray(
      "a = Conv(x, w) pads=[1,1,1,1] @first\n"
      "n = BatchNormalization(a, g, b, m, v) @norm\n"
      "c = Conv(n, w) pads=[1,1,1,1] @second\n"
      "y = BatchNormalization(c, g, b, m, v) @norm2");
  QTest::newRow("read by something else") << QByteArray(
      "a = Conv(x, w) pads=[1,1,1,1] @first\nr = ReduceSum(w) keepdims=1\n"
      "c = Conv(a, w) pads=[1,1,1,1] @second\ny = Add(c, r)");
}

void RoundingTest::whatCannotShareARounding() {
  QFETCH(const QByteArray, layers);
  const std::string text =
      "input x:float[1,6,8,8]\nw:float[6,6,3,3]\ng:float[6]{1,2,3,0.1,1,1}\nb:float[6]\n"
      "m:float[6]\nv:float[6]{1,1,2,1,1,0.5}\n" +
      layers.toStdString() + "\noutput y";
  test::RepairCase repaired(text, fourBits("per-tensor").constData(), 8);
  const LinearLayers found = repaired.layers();
  QCOMPARE(found.shared.size(), std::size_t{0});
  QVERIFY(!leftAlone(repaired.state.engine->graph(), found).empty());
}

// The stored weights are s·(q − z), and quantizing them on their grid gives them back.
void RoundingTest::codesSurviveRequantizing() {
  test::RepairCase repaired(kConvolutions, fourBits("per-channel").constData(), 24);
  const RepairState folded = repaired.folded();
  RepairTools tools = repaired.tools();
  const RepairProposal proposal = proposeRounding(folded, repaired.layers(), tools, 0);
  const RepairState after = withOverlay(folded, proposal.overlay, OverlayEffect::Fitted, tools);
  for (const ChangedConstant& change : proposal.overlay.constants) {
    if (change.suffix != "weight") continue;  // a bias has a grid of its own
    const NodeQuantization& applied = after.model->applied[change.node];
    const auto found =
        std::ranges::find(applied.constants, change.input, &std::pair<std::size_t, Tensor>::first);
    QVERIFY(found != applied.constants.end());
    QVERIFY(identical(found->second, change.tensor));
  }
}

void RoundingTest::refusesFloatWeights() {
  test::RepairCase repaired(
      kConvolutions,
      R"({"quantscope": 1, "backend": "generic", "default": {"weight": {"type": "fp8e4m3"}}})");
  RepairTools tools = repaired.tools();
  const RepairProposal proposal = proposeRounding(repaired.folded(), repaired.layers(), tools, 0);
  QVERIFY(proposal.overlay.empty());
  QVERIFY(!proposal.reason.empty());
}

// 24 columns for sums of 40 inputs.
void RoundingTest::fewColumnsNeedNoSamples() {
  test::RepairCase repaired(
      "input x:float[1,40]\nw:float[40,6]\ny = MatMul(x, w) @product\noutput y",
      fourBits("per-channel").constData(), 24);
  RepairTools tools = repaired.tools();
  const LinearLayers layers = repaired.layers();
  const RepairProposal proposal = proposeRounding(repaired.state, layers, tools, 1);
  const RepairProposal free = proposeDataFreeRounding(repaired.state, layers, tools, 0);
  QCOMPARE(proposal.nodes, std::size_t{1});
  QVERIFY(identical(proposal.overlay.constants.at(0).tensor, free.overlay.constants.at(0).tensor));
  // It is rounded, so it is not refused.
  QVERIFY(proposal.refused.empty());
  QVERIFY(proposal.remarks.at(0).starts_with("1 layer rounded without samples, such as product: "));
  // To the nearest it gets a bias alone.
  const RepairProposal nearest = proposeRounding(repaired.state, layers, tools, 3);
  QVERIFY(nearest.overlay.constants.empty() && nearest.refused.empty());
  QCOMPARE(nearest.overlay.biases.size(), std::size_t{1});
}

QUANTSCOPE_TEST(RoundingTest)
#include "test_rounding.moc"
