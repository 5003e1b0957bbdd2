#include <QtTest>
#include <cmath>

#include "detectors/changes/apply_changes.h"
#include "detectors/detector_case.h"
#include "support/test_main.h"

using namespace quantscope;
using quantscope::test::DetectorCase;
using quantscope::test::filled;

/// Detectors of grids, channels and biases: their figures worked by hand, and that what they
/// suggest mends the fault.
class GridDetectorsTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void figures_data();
  void figures();
  void hiddenBias();
  void rootsAreSteepAndSquaresAreNot();
  void aLogarithmOfWhatIsRoundedTo0();
};

namespace {

constexpr const char* kInt32Bias = R"({"quantscope": 1, "bias": "int32"})";
constexpr const char* kPlain = R"(
  input x:float[1,1,1,4]
  w:float[1,1,1,1]{1}
  y = Conv(x, w) @layer
  output y
)";

std::vector<Tensor> sampleOf(std::vector<double> values) {
  const auto width = static_cast<std::int64_t>(values.size());
  return {filled({1, 1, 1, width}, [&](std::size_t i) { return values[i]; })};
}

}  // namespace

void GridDetectorsTest::figures_data() {
  QTest::addColumn<QString>("detector");
  QTest::addColumn<QString>("text");
  QTest::addColumn<QString>("config");
  QTest::addColumn<double>("figure");
  QTest::addColumn<bool>("mended");  ///< by the configuration that is suggested

  // A step of 2 / 255 for a range of 0.02.
  QTest::newRow("range mismatch") << "range_mismatch"
                                  << R"(
    input x:float[1,1,1,4]
    w:float[1,1,1,1]{0.01}
    a = Conv(x, w)
    y = Concat(x, a) axis=1 @layer
    output y
  )"
                                  << "" << 0.02 / (2.0 / 255) << true;
  // Of −1, 1, 0.5 and 0 two lie beyond ±0.75.
  QTest::newRow("saturation")
      << "saturation" << kPlain
      << R"({"quantscope": 1, "nodes": {"layer": {"output": {"range": [-0.75, 0.75]}}}})" << 0.5
      << true;
  // −1 … 1 on −10 … 10.
  QTest::newRow("unused range")
      << "unused_range" << kPlain
      << R"({"quantscope": 1, "nodes": {"layer": {"output": {"range": [-10, 10]}}}})" << 0.9
      << true;
  // −0.05 … 1.
  QTest::newRow("one-sided")
      << "one_sided"
      << R"(
    input x:float[1,1,1,4]
    w:float[1,1,1,1]{1}
    c = Conv(x, w) @layer
    y = Clip(c, low:float[]{-0.05}, high:float[]{2})
    output y
  )"
      << R"({"quantscope": 1, "nodes": {"layer": {"output": {"type": "int8", "symmetric": true}}}})"
      << 0.05 << true;
  // Steps of the input 2 / 255, of the weights 1e-9 / 127.
  QTest::newRow("bias overflow") << "bias_overflow"
                                 << R"(
    input x:float[1,1,1,4]
    w:float[2,1,1,1]{1, 1e-9}
    b:float[2]{0.5, 3}
    y = Conv(x, w, b) @layer
    output y
  )" << kInt32Bias << 3 / (2.0 / 255 * 1e-9 / 127 * 2147483648)
                                 << true;
  QTest::newRow("channel dominance")
      << "channel_dominance"
      << R"(
    input x:float[1,1,1,4]
    w:float[5,1,1,1]{1, -2, 40, 1, 3}
    y = Conv(x, w) @layer
    output y
  )"
      << R"({"quantscope": 1, "nodes": {"layer": {"weight": {"granularity": "per-tensor"},
            "output": {"type": "fp32"}}}})"
      << 20.0 << true;
  // The second widest over that of the lower quartile.
  QTest::newRow("depthwise disparity")
      << "depthwise_disparity"
      << R"(
    input x:float[1,1,1,4]
    v:float[6,1,1,1]{1, 1, 1, 1, 1, 1}
    w:float[6,1,1,1]{1, 2, 50, 60, 70, 50}
    a = Conv(x, v)
    y = Conv(a, w) group=6 @layer
    output y
  )"
      << R"({"quantscope": 1, "nodes": {"layer": {"weight": {"granularity": "per-tensor"}}}})"
      << 30.0 << true;
  QTest::newRow("dead channels") << "dead_channels"
                                 << R"(
    input x:float[1,1,1,4]
    w:float[4,1,1,1]{1, 0, 2, 1}
    y = Conv(x, w) @layer
    output y
  )"
                                 << "" << 0.25 << false;
}

void GridDetectorsTest::figures() {
  QFETCH(QString, detector);
  QFETCH(QString, text);
  QFETCH(QString, config);
  QFETCH(double, figure);
  QFETCH(bool, mended);
  const std::string graph = text.toStdString();
  const std::string name = detector.toStdString();
  const std::vector<Tensor> samples = sampleOf({-1, 1, 0.5, 0});
  const DetectorCase testCase(graph.c_str(), samples, config.toStdString());
  const std::vector<Finding> findings = testCase.findings(name);
  QCOMPARE(findings.size(), std::size_t{1});
  QCOMPARE(findings[0].nodeName, std::string("layer"));
  // Scales are floats, zero points move a range by up to half a step.
  QVERIFY2(std::abs(findings[0].statistic - figure) <= 5e-3 * figure,
           qPrintable(QString::number(findings[0].statistic)));
  QVERIFY(findings[0].suggestion);
  QCOMPARE(!findings[0].suggestion->changes.empty(), mended);
  if (!mended) return;
  const Configuration better =
      editOf(testCase.config, *testCase.graph, findings[0].suggestion->changes, {})
          .apply(testCase.config);
  const DetectorCase after(graph.c_str(), samples, toJson(better));
  QVERIFY(after.findings(name).empty());
}

// A negative bias that is cut off before a ReLU is as good as before: all there is to say is that
// the channel does nothing.
void GridDetectorsTest::hiddenBias() {
  const auto caseWith = [](const char* bias, const char* config) {
    const std::string text = std::string(R"(
      input x:float[1,1,1,4]
      w:float[2,1,1,1]{1, 1e-9}
      b:float[2]{0.5, )") + bias +
                             R"(}
      c = Conv(x, w, b) @layer
      y = Relu(c)
      output y
    )";
    return DetectorCase(text.c_str(), sampleOf({-1, 1, 0.5, 0}), config);
  };
  const DetectorCase hidden = caseWith("-3", kInt32Bias);
  QVERIFY(hidden.findings("bias_overflow").empty());
  QCOMPARE(hidden.findings("dead_channels").size(), std::size_t{1});
  QVERIFY(hidden.findings("dead_channels")[0].channels == std::vector<std::int64_t>{1});
  QCOMPARE(hidden.findings("dead_channels")[0].severity, Severity::Info);
  const std::vector<Finding> harmful = caseWith("3", kInt32Bias).findings("bias_overflow");
  QCOMPARE(harmful.at(0).severity, Severity::Critical);
  QCOMPARE(harmful[0].suggestion->changes.at(0).bias, std::optional(BiasRule::Int32Fit));
  // Where the bias stays float, or the scale of the weights follows it, nothing overflows.
  QVERIFY(caseWith("3", "").findings("bias_overflow").empty());
  QVERIFY(
      caseWith("3", R"({"quantscope": 1, "bias": "int32-fit"})").findings("bias_overflow").empty());
}

// In front of both lie values near 0, and behind both is a large error.
void GridDetectorsTest::rootsAreSteepAndSquaresAreNot() {
  const auto found = [](const char* exponent) {
    const std::string text = std::string(R"(
      input x:float[1,1,1,8]
      w:float[1,1,1,1]{1}
      a = Conv(x, w) @layer
      p = Mul(a, a)
      y = Pow(p, e:float[]{)") +
                             exponent + R"(}) @power
      output y
    )";
    return DetectorCase(text.c_str(), sampleOf({0.01, 0.02, 0.03, 0.05, 0.06, 0.08, 0.1, 1}),
                        R"({"quantscope": 1, "default": {"activation": {"type": "uint4"}}})")
        .findings("steep_function");
  };
  const std::vector<Finding> root = found("0.5");
  QCOMPARE(root.size(), std::size_t{1});
  QCOMPARE(root[0].nodeName, std::string("power"));
  QVERIFY(found("2").empty());
}

// The error leaves out what is not finite; the finding must not.
void GridDetectorsTest::aLogarithmOfWhatIsRoundedTo0() {
  const DetectorCase with(R"(
      input x:float[1,1,1,8]
      w:float[1,1,1,1]{1}
      a = Conv(x, w) @layer
      p = Mul(a, a)
      y = Log(p) @log
      output y
    )",
                          sampleOf({0.01, 0.02, 0.03, 0.05, 0.06, 0.08, 0.1, 1}),
                          R"({"quantscope": 1, "default": {"activation": {"type": "uint4"}}})");
  const std::vector<Finding> found = with.findings("steep_function");
  QCOMPARE(found.size(), std::size_t{1});
  QCOMPARE(with.detected("steep_function")[0].severity, Severity::Critical);
  QVERIFY(found[0].text.ends_with("behind it 7 values are infinite or not a number."));
}

QUANTSCOPE_TEST(GridDetectorsTest)
#include "test_grid_detectors.moc"
