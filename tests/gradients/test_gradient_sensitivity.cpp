#include <QtTest>
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "analysis/errors/worst_output.h"
#include "analysis/sensitivity/rank_correlation.h"
#include "analysis/sensitivity/sensitivity.h"
#include "analysis/sensitivity/sensitivity_estimate.h"
#include "base/error.h"
#include "base/workers.h"
#include "calibration/calibrate.h"
#include "calibration/open_samples.h"
#include "jobs/quantize_model.h"
#include "onnx/import.h"
#include "support/graph_text.h"
#include "support/test_main.h"
#include "support/test_paths.h"

using namespace quantscope;
using namespace quantscope::test;

namespace {

/// The estimates and the measurements for one network.
struct Both {
  std::vector<SensitivityRow> estimated;
  std::vector<SensitivityRow> measured;
};

Both bothOf(const std::shared_ptr<const Graph>& graph, SampleSet& samples, int threads,
            std::size_t budget, const GradientEstimateSettings& settings,
            const std::vector<QuantType>& types = {QuantType::Int8, QuantType::Int4}) {
  const Workers workers(threads);
  JobContext job(workers);
  job.setMemoryBudget(budget);
  const Engine engine(graph, workers);
  const Configuration config;
  const Observations observations = calibrate(engine, samples, observationSettings(config, 1), job);
  AnalysisMemory memory(std::size_t{64} << 20);
  SensitivityRequest request;
  request.types = types;
  Sensitivity sensitivity(engine, config, observations, request, samples, {}, memory, job);
  std::vector<std::size_t> items(sensitivity.items().size());
  std::iota(items.begin(), items.end(), std::size_t{0});
  return {sensitivity.estimate(samples, items, settings), sensitivity.run(items, "Sensitivity")};
}

// Two products, so that an error of the first one passes on linearly.
std::shared_ptr<const Graph> linearNetwork(int outputs) {
  const std::string n = std::to_string(outputs);
  return graphFromText("input x:float[1,6]\nw1:float[6,8]\nw2:float[8," + n +
                       "]\nh = MatMul(x, w1) @first\ny = MatMul(h, w2) @second\noutput y");
}

// `between` makes s of h, of which one element is about 80000.
std::shared_ptr<const Graph> overflowingNetwork(const std::string& between) {
  return graphFromText(
      "input x:float[1,4]\nw1:float[4,3]\nb1:float[3]{80000, 0.3, -0.2}\n"
      "w2:float[3,2]{1, 2, 3, 4, 5, 6}\nh = Gemm(x, w1, b1) @first\n" +
      between + "\ny = MatMul(s, w2) @second\noutput y");
}

SampleSet bundledSamples(const std::string& path, const Graph& graph, std::size_t count) {
  SourceOptions options;
  options.samples = count;
  return SampleSet(openSamples(path + ".npz", graph, options));
}

SampleSet samplesOf(const std::shared_ptr<const Graph>& graph, std::size_t count) {
  return SampleSet(openSamples("random:" + std::to_string(count), *graph, {}));
}

}  // namespace

class GradientSensitivityTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void aLinearNetworkElementByElement();
  void aLinearNetworkByChance();
  void eachOutputByItself();
  void anOutputWithoutGradientIsLeftOut();
  void ofManyOutputsTheFirstAreAsked();
  void whatOverflowsIsInfinitelyWrong();
  void whatOverflowsUnfeltIsNot();
  void ranksAgreeWithMeasurements_data();
  void ranksAgreeWithMeasurements();
  void threadsAndBudgetsChangeNoBit();
  void missingGradientsAreTold();
  void onlyAroundTheFloatNetwork();
  void rankCorrelations_data();
  void rankCorrelations();
};

// No more outputs than probes: ‖JΔ‖² itself, which is the measured error.
void GradientSensitivityTest::aLinearNetworkElementByElement() {
  const auto graph = linearNetwork(3);
  SampleSet samples = samplesOf(graph, 5);
  const Both both = bothOf(graph, samples, 2, 0, {});
  QCOMPARE(both.estimated.size(), std::size_t{4});
  for (std::size_t i = 0; i < both.estimated.size(); ++i) {
    const double estimated = *worstOutputSqnr(both.estimated[i].outputs);
    const double measured = *worstOutputSqnr(both.measured[i].outputs);
    QVERIFY(both.estimated[i].estimated && !both.measured[i].estimated);
    QVERIFY2(std::abs(estimated - measured) < 1e-4,
             qPrintable(QString("%1, %2 measured").arg(estimated).arg(measured)));
    // The layer's own error is measured in both.
    QCOMPARE(*both.estimated[i].localSqnrDb, *both.measured[i].localSqnrDb);
  }
}

// The power of a signed sum of n terms has a relative deviation of √2 at most: with 5 × 1024 probes
// 0.02, and 0.35 dB is four of them.
void GradientSensitivityTest::aLinearNetworkByChance() {
  const auto graph = linearNetwork(1500);
  SampleSet samples = samplesOf(graph, 5);
  const Both both = bothOf(graph, samples, 2, 0, {.probes = 1024, .seed = 7});
  const Both other = bothOf(graph, samples, 2, 0, {.probes = 1024, .seed = 8});
  for (std::size_t i = 0; i < both.estimated.size(); ++i) {
    const double estimated = *worstOutputSqnr(both.estimated[i].outputs);
    QVERIFY(std::abs(estimated - *worstOutputSqnr(both.measured[i].outputs)) < 0.35);
    QVERIFY(estimated != *worstOutputSqnr(other.estimated[i].outputs));
  }
}

// The probes of one output do not meet the other one, which a layer may not even reach.
void GradientSensitivityTest::eachOutputByItself() {
  const auto graph = graphFromText(R"(
    input x:float[1,6]
    w1:float[6,8]
    w2:float[8,3]
    w3:float[8,2]
    h = MatMul(x, w1) @first
    y = MatMul(h, w2) @second
    z = MatMul(h, w3) @third
    output y
    output z
  )");
  SampleSet samples = samplesOf(graph, 5);
  const Both both = bothOf(graph, samples, 2, 0, {.probes = 3, .seed = 0});
  QCOMPARE(both.estimated.size(), std::size_t{6});
  for (std::size_t i = 0; i < both.estimated.size(); ++i) {
    const SensitivityRow& estimated = both.estimated[i];
    const SensitivityRow& measured = both.measured[i];
    QCOMPARE(estimated.outputs.size(), std::size_t{2});
    for (std::size_t output = 0; output < 2; ++output) {
      QCOMPARE(estimated.outputs[output].value, measured.outputs[output].value);
      const double a = *estimated.outputs[output].error.sqnrDb;
      const double b = *measured.outputs[output].error.sqnrDb;
      QVERIFY2(a == b || std::abs(a - b) < 1e-4,
               qPrintable(QString("%1, %2 measured").arg(a).arg(b)));
    }
  }
  const EstimateQuality quality = compareEstimates(both.estimated, both.measured);
  QCOMPARE(quality.rows, std::size_t{6});
  QVERIFY(*quality.medianErrorDb < 1e-4);
}

void GradientSensitivityTest::anOutputWithoutGradientIsLeftOut() {
  const auto graph = graphFromText(R"(
    input x:float[1,6]
    w1:float[6,8]
    w2:float[8,3]
    h = MatMul(x, w1) @first
    y = LpNormalization(h) @norm
    z = MatMul(h, w2) @second
    output y
    output z
  )");
  SampleSet samples = samplesOf(graph, 3);
  const Both both = bothOf(graph, samples, 2, 0, {});
  for (const SensitivityRow& row : both.estimated) {
    QCOMPARE(row.refused, std::string());
    QCOMPARE(row.outputs.size(), std::size_t{1});
    QCOMPARE(row.outputs[0].value, std::string("z"));
  }
  // Compared with the same output, not with the worse one.
  QVERIFY(*compareEstimates(both.estimated, both.measured).medianErrorDb < 1e-4);
}

void GradientSensitivityTest::ofManyOutputsTheFirstAreAsked() {
  std::string text = "input x:float[1,6]\nw:float[6,4]\nh = MatMul(x, w) @first\n";
  for (int i = 0; i < 12; ++i) {
    const std::string name = "y" + std::to_string(i);
    text += name + " = Mul(h, c" + std::to_string(i) + ":float[]{" + std::to_string(i + 1) +
            "})\noutput " + name + "\n";
  }
  const auto graph = graphFromText(text);
  SampleSet samples = samplesOf(graph, 2);
  const Both both = bothOf(graph, samples, 1, 0, {}, {QuantType::Int8});
  const auto first = std::ranges::find(both.estimated, "first", &SensitivityRow::node);
  QVERIFY(first != both.estimated.end());
  QCOMPARE(first->outputs.size(), kMostEstimatedOutputs);
  QCOMPARE(first->outputs.back().value, std::string("y7"));
}

// 80000 has no place in FP16.
void GradientSensitivityTest::whatOverflowsIsInfinitelyWrong() {
  const auto graph = overflowingNetwork("s = Identity(h) @between");
  SampleSet samples = samplesOf(graph, 3);
  const Both both = bothOf(graph, samples, 2, 0, {}, {QuantType::Float16});
  QVERIFY(!both.estimated.empty());
  for (std::size_t i = 0; i < both.estimated.size(); ++i) {
    QCOMPARE(*worstOutputSqnr(both.measured[i].outputs), -std::numeric_limits<double>::infinity());
    QCOMPARE(*worstOutputSqnr(both.estimated[i].outputs), -std::numeric_limits<double>::infinity());
  }
}

// The sigmoid of 80000 is 1 to the last bit, as that of ∞: the other elements tell the error.
void GradientSensitivityTest::whatOverflowsUnfeltIsNot() {
  const auto graph = overflowingNetwork("s = Sigmoid(h) @between");
  SampleSet samples = samplesOf(graph, 3);
  const Both both = bothOf(graph, samples, 2, 0, {}, {QuantType::Float16});
  const auto first = std::ranges::find(both.estimated, "first", &SensitivityRow::node);
  QVERIFY(first != both.estimated.end());
  const double estimated = *worstOutputSqnr(first->outputs);
  const double measured = *worstOutputSqnr(
      both.measured[static_cast<std::size_t>(first - both.estimated.begin())].outputs);
  QVERIFY(std::isfinite(measured));
  QVERIFY2(std::abs(estimated - measured) < 0.5,
           qPrintable(QString("%1, %2 measured").arg(estimated).arg(measured)));
}

void GradientSensitivityTest::ranksAgreeWithMeasurements_data() {
  QTest::addColumn<QString>("name");
  for (const char* name : {"digits_mobilenet", "digits_transformer"}) {
    QTest::newRow(name) << QString(name);
  }
}

void GradientSensitivityTest::ranksAgreeWithMeasurements() {
  QFETCH(QString, name);
  const std::string path = (QUANTSCOPE_SAMPLES_DIRECTORY "/" + name).toStdString();
  const auto graph = importModel(path + ".onnx");
  SampleSet samples = bundledSamples(path, *graph, 16);
  const Both both = bothOf(graph, samples, 2, 0, {});
  const EstimateQuality quality = compareEstimates(both.estimated, both.measured);
  QCOMPARE(quality.rows, both.measured.size());
  QVERIFY2(*quality.spearman >= 0.9, qPrintable(QString::number(*quality.spearman)));
  QVERIFY2(*quality.medianErrorDb <= 2, qPrintable(QString::number(*quality.medianErrorDb)));
}

void GradientSensitivityTest::threadsAndBudgetsChangeNoBit() {
  const std::string path = QUANTSCOPE_SAMPLES_DIRECTORY "/digits_mobilenet";
  const auto graph = importModel(path + ".onnx");
  const auto estimate = [&](int threads, std::size_t budget) {
    SampleSet samples = bundledSamples(path, *graph, 6);
    return bothOf(graph, samples, threads, budget, {.probes = 3, .seed = 0}).estimated;
  };
  const std::vector<SensitivityRow> reference = estimate(1, 0);
  for (const auto& [threads, budget] : {std::pair{4, std::size_t{0}}, std::pair{1, std::size_t{1}},
                                        std::pair{3, std::size_t{1} << 20}}) {
    const std::vector<SensitivityRow> rows = estimate(threads, budget);
    QCOMPARE(rows.size(), reference.size());
    for (std::size_t i = 0; i < rows.size(); ++i) {
      QCOMPARE(rows[i].node, reference[i].node);
      QVERIFY(*worstOutputSqnr(rows[i].outputs) == *worstOutputSqnr(reference[i].outputs));
    }
  }
}

void GradientSensitivityTest::missingGradientsAreTold() {
  const auto graph = graphFromText(R"(
    input x:float[1,6]
    w1:float[6,8]
    w2:float[8,5]
    h = MatMul(x, w1) @first
    l = LpNormalization(h) @norm
    y = MatMul(l, w2) @second
    output y
  )");
  SampleSet samples = samplesOf(graph, 2);
  const Both both = bothOf(graph, samples, 1, 0, {});
  for (const SensitivityRow& row : both.estimated) {
    if (row.node == "first") {
      QVERIFY2(
          row.refused == "gradient not available: LpNormalization 'norm': the operator has none",
          row.refused.c_str());
      QVERIFY(!worstOutputSqnr(row.outputs) && row.localSqnrDb);
    } else if (row.node == "second") {
      QVERIFY(row.refused.empty() && worstOutputSqnr(row.outputs));
    }
  }
}

void GradientSensitivityTest::onlyAroundTheFloatNetwork() {
  const auto graph = linearNetwork(3);
  SampleSet samples = samplesOf(graph, 2);
  const Workers workers(1);
  JobContext job(workers);
  const Engine engine(graph, workers);
  const Configuration config;
  const Observations observations = calibrate(engine, samples, observationSettings(config, 1), job);
  AnalysisMemory memory(std::size_t{16} << 20);
  SensitivityRequest request;
  request.types = {QuantType::Int4};
  request.around = SensitivityRequest::Around::Configuration;
  Sensitivity sensitivity(engine, config, observations, request, samples, {}, memory, job);
  const std::vector<std::size_t> items{0};
  QVERIFY_THROWS_EXCEPTION(Error, sensitivity.estimate(samples, items));
}

void GradientSensitivityTest::rankCorrelations_data() {
  QTest::addColumn<QList<double>>("a");
  QTest::addColumn<QList<double>>("b");
  QTest::addColumn<double>("expected");
  const double inf = std::numeric_limits<double>::infinity();
  QTest::newRow("equal ranks") << QList<double>{1, 5, 9} << QList<double>{-3, 0, inf} << 1.0;
  QTest::newRow("reversed") << QList<double>{1, 5, 9} << QList<double>{3, 2, 1} << -1.0;
  QTest::newRow("one swap of four")
      << QList<double>{1, 2, 3, 4} << QList<double>{1, 3, 2, 4} << 0.8;
  // Ranks 0, 1.5, 1.5, 3 against 0, 1, 2, 3: 4.5 / √(4.5 · 5)
  QTest::newRow("shared") << QList<double>{1, 2, 2, 3} << QList<double>{1, 2, 3, 4}
                          << 0.9486832980505138;
}

void GradientSensitivityTest::rankCorrelations() {
  QFETCH(QList<double>, a);
  QFETCH(QList<double>, b);
  QFETCH(double, expected);
  QVERIFY(std::abs(*rankCorrelation(a, b) - expected) < 1e-12);
  QVERIFY(!rankCorrelation(a, QList<double>(a.size(), 1.0)));
}

QUANTSCOPE_TEST(GradientSensitivityTest)
#include "test_gradient_sensitivity.moc"
