#include <QtTest>
#include <cmath>
#include <random>

#include <QTemporaryDir>

#include "detectors/changes/apply_changes.h"
#include "detectors/detector_case.h"
#include "jobs/analysis/simulate_gains.h"
#include "support/test_main.h"
#include "support/write_file.h"

using namespace quantscope;
using quantscope::test::DetectorCase;
using quantscope::test::filled;
using quantscope::test::of;

/// The four detectors that PyTorch has too, in our own mode: where they speak up, where they keep
/// silent, and where they differ from PyTorch.
class PublishedDetectorsTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void perTensorWeights();
  void transposedWeightsAndProducts();
  void nonStationary_data();
  void nonStationary();
  void staticWouldDo();
  void perChannelOfOtherBackends();
  void oneScaleInAll();
  void constantBatches();
  void equalizationFigures();
  void otherAxesAreNotEqualized();
  void balancedLayersAreLeftAlone();
  void constantInput();
  void groupsRepeatTheirWeights();
  void outliers_data();
  void outliers();
  void sparseChannels();
  void suggestionsReachTheWholeGroup();
  void thresholdsOfTheConfiguration();
  void onlyMissingDataWithoutData();
};

namespace {

constexpr const char* kConvolution = R"(
  input x:float[1,3,4,4]
  w:float[2,3,1,1]{-1, 1, 1, -100, 100, 100}
  y = Conv(x, w) @conv
  output y
)";

/// `count` samples of normal noise; change(sample, index of element, value) alters it.
template <class Change>
std::vector<Tensor> changedNoise(const Shape& shape, std::size_t count, Change&& change) {
  std::mt19937 generator(7);
  std::normal_distribution<float> normal;
  std::vector<Tensor> samples;
  for (std::size_t s = 0; s < count; ++s) {
    samples.push_back(
        filled(shape, [&](std::size_t i) { return change(s, i, normal(generator)); }));
  }
  return samples;
}

std::vector<Tensor> plainNoise(const Shape& shape, std::size_t count = 8) {
  return changedNoise(shape, count, [](std::size_t, std::size_t, float x) { return x; });
}

bool nearlyEqual(double a, double b) {
  return std::abs(a - b) <= 1e-6 * std::abs(b);
}

}  // namespace

void PublishedDetectorsTest::perTensorWeights() {
  const std::vector<Tensor> samples = plainNoise({1, 3, 4, 4});
  const DetectorCase fine(kConvolution, samples);
  QVERIFY(fine.findings("per_channel").empty());
  QVERIFY(of(fine.report().statistics.perChannel, "conv").supported);
  QVERIFY(of(fine.report().statistics.perChannel, "conv").used);

  const DetectorCase coarse(
      kConvolution, samples,
      R"({"quantscope": 1, "default": {"weight": {"granularity": "per-tensor"}}})");
  QVERIFY(!of(coarse.report().statistics.perChannel, "conv").used);
  const std::vector<Finding> findings = coarse.findings("per_channel");
  QCOMPARE(findings.size(), std::size_t{1});
  QCOMPARE(findings[0].id, std::string("per_channel/conv"));
  QVERIFY(nearlyEqual(findings[0].statistic, 100));
  QCOMPARE(findings[0].suggestion->changes.size(), std::size_t{1});
  QCOMPARE(findings[0].suggestion->changes[0].weight->granularity.kind,
           Granularity::Kind::PerChannel);
}

void PublishedDetectorsTest::transposedWeightsAndProducts() {
  constexpr const char* kText = R"(
    input x:float[1,3,4,4]
    w:float[3,2,2,2]
    m:float[48,4]
    y = ConvTranspose(x, w) @up
    f = Flatten(x)
    z = MatMul(f, m) @product
    output y
    output z
  )";
  const std::vector<Tensor> samples = plainNoise({1, 3, 4, 4});
  const DetectorCase ours(kText, samples);
  const DetectorStatistics statistics = ours.report().statistics;
  QCOMPARE(statistics.perChannel.size(), std::size_t{2});
  QCOMPARE(of(statistics.equalization, "up").s.size(), std::size_t{3});
  QCOMPARE(of(statistics.equalization, "product").s.size(), std::size_t{48});
  const DetectorCase theirs(kText, samples, "", DetectorMode::PyTorch);
  QCOMPARE(theirs.report().statistics.perChannel.size(), std::size_t{1});
}

void PublishedDetectorsTest::nonStationary_data() {
  QTest::addColumn<double>("growth");
  QTest::addColumn<QString>("op");
  QTest::addColumn<bool>("found");
  QTest::addColumn<bool>("dynamic");
  QTest::newRow("product, growing") << 3.0 << "Gemm(x, w)" << true << true;
  QTest::newRow("product, steady") << 1.0 << "Gemm(x, w)" << false << false;
  QTest::newRow("convolution, growing") << 3.0 << "Conv(x, w)" << true << false;
}

void PublishedDetectorsTest::nonStationary() {
  QFETCH(double, growth);
  QFETCH(QString, op);
  QFETCH(bool, found);
  QFETCH(bool, dynamic);
  const bool convolution = op.startsWith("Conv");
  const std::string text = std::string("input x:float[1,8") + (convolution ? ",5,5]\n" : "]\n") +
                           "w:float[8,8" + (convolution ? ",1,1]\n" : "]\n") +
                           "y = " + op.toStdString() + " @layer\noutput y\n";
  const Shape shape = convolution ? Shape{1, 8, 5, 5} : Shape{1, 8};
  const DetectorCase testCase(text.c_str(),
                              changedNoise(shape, 8, [&](std::size_t s, std::size_t, float x) {
                                return x * static_cast<float>(std::pow(growth, s));
                              }));
  const std::vector<Finding> findings = testCase.findings("dynamic_static");
  QCOMPARE(!findings.empty(), found);
  QCOMPARE(of(testCase.report().statistics.dynamicStatic, "layer").dynamicRecommended, found);
  if (!found) return;
  QVERIFY(findings[0].statistic <= 0.5 && findings[0].threshold == 0.5);
  QCOMPARE(findings[0].evidence, Evidence::BatchRanges);
  QCOMPARE(!findings[0].suggestion->changes.empty(), dynamic);
  if (dynamic) QVERIFY(findings[0].suggestion->changes[0].activation->dynamic);
}

// Dynamic beside data that all batches are alike in.
void PublishedDetectorsTest::staticWouldDo() {
  const char* text = "input x:float[1,8]\nw:float[8,8]\ny = Gemm(x, w) @layer\noutput y\n";
  const std::string config = R"({"quantscope": 1, "default": {"activation": {"mode": "dynamic"},
                                "output": {"type": "fp32"}}})";
  for (const DetectorMode mode : {DetectorMode::Quantscope, DetectorMode::PyTorch}) {
    const DetectorCase steady(text, plainNoise({1, 8}), config, mode);
    const std::vector<Finding> findings = steady.findings("dynamic_static");
    QCOMPARE(findings.size(), std::size_t{1});
    QVERIFY(findings[0].text.find("static would do") != std::string::npos);
    const ConfigChange& change = findings[0].suggestion->changes.at(0);
    QVERIFY(!change.activation->dynamic && change.output->type == QuantType::UInt8);
    const Configuration better =
        editOf(steady.config, *steady.graph, {&change, 1}, {}).apply(steady.config);
    QVERIFY(DetectorCase(text, plainNoise({1, 8}), toJson(better), mode)
                .findings("dynamic_static")
                .empty());
  }
}

// A backend that ModelReport does not know is asked.
void PublishedDetectorsTest::perChannelOfOtherBackends() {
  const QTemporaryDir folder;
  const std::string backend = test::writeFile(folder, "coarse.json", R"({
    "quantscope_backend": 1, "name": "coarse",
    "tensors": {"t": {"types": ["int8", "uint8"]}},
    "ways": [{"operators": ["Conv"], "mode": "static", "weight": "t", "activation": "t"}]})");
  const std::string weight = R"("default": {"weight": {"granularity": "per-tensor"}}})";
  for (const DetectorMode mode : {DetectorMode::Quantscope, DetectorMode::PyTorch}) {
    const DetectorCase coarse(kConvolution, plainNoise({1, 3, 4, 4}),
                              R"({"quantscope": 1, "backend": ")" + backend + "\", " + weight,
                              mode);
    QVERIFY(!of(coarse.report().statistics.perChannel, "conv").supported);
    QVERIFY(coarse.findings("per_channel").empty());
    const DetectorCase known(kConvolution, plainNoise({1, 3, 4, 4}),
                             R"({"quantscope": 1, "backend": "qnnpack", )" + weight, mode);
    QVERIFY(of(known.report().statistics.perChannel, "conv").supported);
  }
}

// Two input channels for the one output channel of each group: axis 1 has a single index.
void PublishedDetectorsTest::oneScaleInAll() {
  const char* text = R"(
    input x:float[1,4,3,3]
    w:float[4,1,2,2]
    y = ConvTranspose(x, w) group=2 @up
    output y
  )";
  const std::vector<Finding> findings =
      DetectorCase(text, plainNoise({1, 4, 3, 3})).findings("grouped_scales");
  QCOMPARE(findings.size(), std::size_t{1});
  QVERIFY(findings[0].text.find("one scale in all") != std::string::npos);
  const std::string depthwise =
      std::string(text).replace(std::string(text).find("group=2"), 7, "group=4");
  QVERIFY(
      DetectorCase(depthwise.c_str(), plainNoise({1, 4, 3, 3})).findings("grouped_scales").empty());
}

void PublishedDetectorsTest::constantBatches() {
  constexpr const char* kText = R"(
    input x:float[1,3,2,2]
    w:float[2,3,1,1]
    y = Conv(x, w) @conv
    output y
  )";
  // Channel 1 holds one number in the second and third batch, channel 2 always the same.
  const std::vector<Tensor> samples =
      changedNoise({1, 3, 2, 2}, 4, [](std::size_t s, std::size_t i, float x) {
        if (i >= 8) return 0.5F;
        return i >= 4 && (s == 1 || s == 2) ? static_cast<float>(s) : x;
      });
  const std::vector<Finding> ours = DetectorCase(kText, samples).findings("constant_batches");
  QCOMPARE(ours.size(), std::size_t{1});
  QVERIFY(ours[0].channels == std::vector<std::int64_t>{1});
  QVERIFY(ours[0].statistic == 0.5);
  QVERIFY(ours[0].text.find("2 of 4 batches") != std::string::npos);
  QVERIFY(ours[0].suggestion->text.find("Look at the data") != std::string::npos);
  const std::vector<Finding> theirs =
      DetectorCase(kText, samples, "", DetectorMode::PyTorch).findings("constant_batches");
  QCOMPARE(theirs.size(), std::size_t{1});
  QVERIFY(theirs[0].channels == (std::vector<std::int64_t>{1, 2}));
  QVERIFY(theirs[0].statistic == 1);
  QVERIFY(DetectorCase(kText, plainNoise({1, 3, 2, 2})).findings("constant_batches").empty());
}

// I = 4 (channel 1: −1 … 3, all), i = 2, 4; weights by input channel: 1 … 3 and −2 … 2, W = 5.
void PublishedDetectorsTest::equalizationFigures() {
  constexpr const char* kText = R"(
    input x:float[1,2,1,2]
    w:float[2,2,1,1]{1, -2, 3, 2}
    y = Conv(x, w) @conv
    output y
  )";
  const DetectorCase testCase(kText, {filled({1, 2, 1, 2}, [](std::size_t i) {
                                const float values[] = {0, 2, -1, 3};
                                return values[i];
                              })});
  const EqualizationStatistics statistics = of(testCase.report().statistics.equalization, "conv");
  QCOMPARE(statistics.s.size(), std::size_t{2});
  QVERIFY(nearlyEqual(statistics.s[0], std::sqrt(2.0 / 5) / std::sqrt(2.0 / 4)));
  QVERIFY(nearlyEqual(statistics.s[1], std::sqrt(4.0 / 5) / std::sqrt(4.0 / 4)));
  QVERIFY(statistics.recommended[0] && statistics.recommended[1]);
}

// The channels of the convolution lie on another axis than the one that the product sums over,
// although both are of the same length.
void PublishedDetectorsTest::otherAxesAreNotEqualized() {
  constexpr const char* kText = R"(
    input x:float[1,2,3]
    w:float[3,2,1]{1, -2, 3, 2, 5, 1}
    m:float[3,3]{1, 2, 30, 4, 5, 6, 7, 8, 90}
    c = Conv(x, w) @conv
    y = MatMul(c, m) @product
    output y
  )";
  const DetectorCase testCase(kText, plainNoise({1, 2, 3}));
  const auto& statistics = testCase.report().statistics.equalization;
  QCOMPARE(statistics.size(), std::size_t{1});
  QCOMPARE(statistics[0].first, std::string("conv"));
}

void PublishedDetectorsTest::balancedLayersAreLeftAlone() {
  constexpr const char* kText = R"(
    input x:float[1,2,16,16]
    w:float[3,2,1,1]{-1, -1, 1, 1, 0.534, -0.617}
    y = Conv(x, w) @conv
    output y
  )";
  const auto samples = [](double second) {
    std::mt19937 generator(7);
    std::uniform_real_distribution<double> uniform(-1, 1);
    return std::vector<Tensor>{filled({1, 2, 16, 16}, [&](std::size_t i) {
      return (i < 256 ? 1 : second) * uniform(generator);
    })};
  };
  for (const DetectorMode mode : {DetectorMode::Quantscope, DetectorMode::PyTorch}) {
    const DetectorCase balanced(kText, samples(0.9), "", mode);
    QCOMPARE(balanced.findings("equalization").size(),
             std::size_t{mode == DetectorMode::PyTorch ? 1U : 0U});
    QVERIFY(balanced.report().unproven.empty());
    const DetectorCase uneven(kText, samples(0.3), "", mode);
    QCOMPARE(uneven.findings("equalization").size(), std::size_t{1});
    const std::vector<ConfigChange> changes =
        uneven.findings("equalization")[0].suggestion->changes;
    QCOMPARE(changes.size(), std::size_t{1});
    QCOMPARE(changes[0].inputFactors.size(), std::size_t{2});
    QVERIFY(uneven.findings("equalization")[0].suggestion->gainDb > kClearGainDb);
  }
}

void PublishedDetectorsTest::constantInput() {
  constexpr const char* kText = R"(
    input x:float[1,2,1,2]
    w:float[2,2,1,1]{-1, -1, 1, 1}
    y = Conv(x, w) @conv
    output y
  )";
  const std::vector<Tensor> samples{filled({1, 2, 1, 2}, [](std::size_t) { return 2; })};
  const DetectorCase ours(kText, samples);
  QVERIFY(of(ours.report().statistics.equalization, "conv").s.empty());
  QCOMPARE(ours.findings("equalization").size(), std::size_t{1});
  QVERIFY(ours.findings("equalization")[0].text.find("same value") != std::string::npos);
  QVERIFY(std::isnan(of(ours.report().statistics.dynamicStatic, "conv").inputS));
  // PyTorch's stops with an error instead.
  const DetectorCase theirs(kText, samples, "", DetectorMode::PyTorch);
  QVERIFY(theirs.findings("equalization").empty());
}

void PublishedDetectorsTest::groupsRepeatTheirWeights() {
  constexpr const char* kText = R"(
    input x:float[1,4,1,2]
    w:float[2,2,1,1]{-1, -2, 1, 2}
    y = Conv(x, w) group=2 @conv
    output y
  )";
  const DetectorCase testCase(
      kText, {filled({1, 4, 1, 2}, [](std::size_t i) { return i % 2 == 0 ? -1.0 : 1.0; })});
  const std::vector<double> s = of(testCase.report().statistics.equalization, "conv").s;
  QCOMPARE(s.size(), std::size_t{4});
  QVERIFY(nearlyEqual(s[0], std::sqrt(0.5)) && nearlyEqual(s[1], 1) && s[2] == s[0] &&
          s[3] == s[1]);
}

void PublishedDetectorsTest::outliers_data() {
  QTest::addColumn<double>("spike");
  QTest::addColumn<bool>("ours");
  QTest::addColumn<bool>("theirs");
  QTest::newRow("none") << 0.0 << false << false;
  QTest::newRow("above") << 40.0 << true << true;
  // PyTorch looks at the upper end alone.
  QTest::newRow("below") << -40.0 << true << false;
}

void PublishedDetectorsTest::outliers() {
  QFETCH(double, spike);
  QFETCH(bool, ours);
  QFETCH(bool, theirs);
  constexpr const char* kText = R"(
    input x:float[1,3,10,10]
    w:float[2,3,1,1]
    y = Conv(x, w) @conv
    output y
  )";
  const std::vector<Tensor> samples =
      changedNoise({1, 3, 10, 10}, 6, [&](std::size_t, std::size_t i, float x) {
        return i == 150 && spike != 0 ? static_cast<float>(spike) : x;
      });
  for (const DetectorMode mode : {DetectorMode::Quantscope, DetectorMode::PyTorch}) {
    const bool expected = mode == DetectorMode::PyTorch ? theirs : ours;
    const DetectorCase testCase(kText, samples, "", mode);
    std::vector<Finding> findings = testCase.findings("outlier");
    QCOMPARE(findings.size(), std::size_t{expected ? 1U : 0U});
    if (!expected) continue;
    QVERIFY(findings[0].channels == std::vector<std::int64_t>{1});
    QVERIFY(findings[0].statistic > 10 && findings[0].threshold == 3.5);
    QCOMPARE(testCase.detected("outlier")[0].severity, Severity::Warning);
    QVERIFY(findings[0].confidence == 1);
    QCOMPARE(findings[0].suggestion->changes[0].activation->observer.kind, ObserverSpec::Kind::Mse);
  }
}

// 0 at the reference quantile: PyTorch counts it as the largest float, ours does not count it.
void PublishedDetectorsTest::sparseChannels() {
  constexpr const char* kText = R"(
    input x:float[1,1,10,10]
    w:float[2,1,1,1]
    y = Conv(x, w) @conv
    output y
  )";
  const std::vector<Tensor> samples = changedNoise(
      {1, 1, 10, 10}, 4, [](std::size_t, std::size_t i, float) { return i == 3 ? 1.0F : 0.0F; });
  const DetectorCase ours(kText, samples);
  QVERIFY(ours.findings("outlier").empty());
  QVERIFY(of(ours.report().statistics.outlier, "conv").batchesUsed == std::vector<std::size_t>{0});
  const DetectorCase theirs(kText, samples, "", DetectorMode::PyTorch);
  QCOMPARE(theirs.findings("outlier").size(), std::size_t{1});
  QVERIFY(of(theirs.report().statistics.outlier, "conv").ratio[0] > 1e38);
}

// What clips the edge must clip the producer's output too, or its values are rounded twice.
void PublishedDetectorsTest::suggestionsReachTheWholeGroup() {
  constexpr const char* kText = R"(
    input x:float[1,3,10,10]
    w:float[3,3,1,1]{1, 0, 0, 0, 1, 0, 0, 0, 1}
    v:float[2,3,1,1]
    u:float[2,3,1,1]
    a = Conv(x, w) @first
    y = Conv(a, v) @second
    z = Conv(a, u) @third
    output y
    output z
  )";
  const DetectorCase testCase(
      kText, changedNoise({1, 3, 10, 10}, 6, [](std::size_t, std::size_t i, float x) {
        return i == 150 ? 40.0F : x;
      }));
  for (const Finding& finding : testCase.findings("outlier")) {
    QStringList changed;
    for (const ConfigChange& change : finding.suggestion->changes) {
      changed << QString::fromStdString(change.node) + (change.activation ? " in" : "") +
                     (change.output ? " out" : "");
    }
    const QStringList expected = finding.nodeName == "first"
                                     ? QStringList{"first in"}
                                     : QStringList{"first out", "second in", "third in"};
    QCOMPARE(changed, expected);
  }
  // What the second and the third layer read is one value on one grid.
  QCOMPARE(testCase.findings("outlier").size(), std::size_t{2});
}

void PublishedDetectorsTest::thresholdsOfTheConfiguration() {
  constexpr const char* kText = R"(
    input x:float[1,3,10,10]
    w:float[2,3,1,1]
    y = Conv(x, w) @conv
    output y
  )";
  const std::vector<Tensor> samples =
      changedNoise({1, 3, 10, 10}, 8, [](std::size_t, std::size_t i, float x) {
        return i >= 100 && i < 200 ? 3 * x : x;  // one channel sets the range
      });
  QVERIFY(DetectorCase(kText, samples).findings("outlier").empty());
  const DetectorCase strict(kText, samples,
                            R"({"quantscope": 1, "detectors": {"outlier_ratio": 1.1,
                                "dynamic_tolerance": 0.99}})");
  QCOMPARE(strict.findings("outlier").size(), std::size_t{1});
  QVERIFY(strict.findings("outlier")[0].threshold == 1.1);
  QCOMPARE(strict.findings("dynamic_static").size(), std::size_t{1});
}

void PublishedDetectorsTest::onlyMissingDataWithoutData() {
  const DetectorCase testCase(kConvolution, plainNoise({1, 3, 4, 4}, 1));
  DetectorCase blank = DetectorCase(kConvolution, plainNoise({1, 3, 4, 4}, 1));
  blank.observations = Observations();
  blank.model = quantizeModel(*blank.engine, blank.config, blank.observations);
  const DetectorReport report = blank.report();
  QCOMPARE(report.findings.size(), std::size_t{1});
  QCOMPARE(report.findings[0].id, std::string("not_calibrated/conv"));
  QVERIFY(report.statistics.outlier.empty() && report.statistics.equalization.empty());
  QVERIFY(std::isnan(of(report.statistics.dynamicStatic, "conv").inputS));
}

QUANTSCOPE_TEST(PublishedDetectorsTest)
#include "test_published_detectors.moc"
