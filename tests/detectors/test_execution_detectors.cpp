#include <QTemporaryDir>
#include <QtTest>
#include <cmath>
#include <limits>

#include "detectors/changes/apply_changes.h"
#include "detectors/detector_case.h"
#include "jobs/quantize_model.h"
#include "support/test_main.h"
#include "support/write_file.h"

using namespace quantscope;
using quantscope::test::DetectorCase;
using quantscope::test::filled;
using quantscope::test::writeFile;

/// Detectors of faults in how a network is run: their figures worked by hand, where they keep
/// silent, and that following a suggestion makes the fault go away.
class ExecutionDetectorsTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void nonFiniteStartsOnce();
  void masksGoNowhere();
  void skippedBranchIsOneFinding();
  void halfTypesOverflow_data();
  void halfTypesOverflow();
  void overfitFigure();
  void sameDataIsNoOverfit();
  void accumulatorFigures_data();
  void accumulatorFigures();
  void groupsAddUpTheirOwn();
  void narrowAccumulator();
  void holes_data();
  void holes();
  void holeIsClosed();
  void closedHolesJoinTheirPattern();
  void lonelyLayer();
  void nearestIsAccepted();
  void tornPattern();
};

namespace {

bool roughlyEqual(double a, double b) {
  return std::abs(a - b) <= 1e-5 * std::abs(b);
}

Tensor ramp(const Shape& shape, double from, double to) {
  const double steps = static_cast<double>(Tensor(ElementType::Float32, shape).elementCount()) - 1;
  return filled(shape,
                [&](std::size_t i) { return from + (to - from) * static_cast<double>(i) / steps; });
}

/// The findings after a suggestion was accepted.
std::vector<Finding> afterwards(const char* text, const std::vector<Tensor>& samples,
                                const DetectorCase& before, const Finding& finding) {
  const Configuration changed =
      editOf(before.config, *before.graph, finding.suggestion->changes, {}).apply(before.config);
  return DetectorCase(text, samples, toJson(changed)).findings(finding.detector);
}

}  // namespace

// Of 5 numbers, 0 alone has no logarithm.
void ExecutionDetectorsTest::nonFiniteStartsOnce() {
  const DetectorCase testCase(R"(
    input x:float[1,5]
    a = Identity(x) @before
    b = Log(a) @log
    c = Neg(b) @after
    output c
  )",
                              {ramp({1, 5}, 0, 4)});
  const std::vector<Finding> findings = testCase.findings("non_finite");
  QCOMPARE(findings.size(), std::size_t{1});
  QCOMPARE(findings[0].id, std::string("non_finite/log"));
  QVERIFY(roughlyEqual(findings[0].statistic, 0.2));
  QCOMPARE(findings[0].severity, Severity::Critical);
}

// As masks of attention do: what is −∞ before is 0 after.
void ExecutionDetectorsTest::masksGoNowhere() {
  const DetectorCase testCase(R"(
    input x:float[1,5]
    b = Log(x) @log
    c = Softmax(b) axis=1 @softmax
    output c
  )",
                              {ramp({1, 5}, 0, 4)});
  const std::vector<Finding> findings = testCase.findings("non_finite");
  QCOMPARE(findings.size(), std::size_t{1});
  QCOMPARE(findings[0].severity, Severity::Warning);
}

// Whatever stands inside it, nested branches too; a branch inside an entered one is told by itself.
void ExecutionDetectorsTest::skippedBranchIsOneFinding() {
  const DetectorCase testCase(R"(
    input x:float[1,4]
    w:float[4,4]
    m = ReduceMax(x) keepdims=0
    c = Greater(m, limit:float[]{100})
    r = If(c) @choice then={
      p = MatMul(x, w) @first
      q = If(c) @inner then={
        i = MatMul(p, w) @deep
        output i
      } else={
        j = MatMul(p, w) @deeper
        output j
      }
      output q
    } else={
      s = MatMul(x, w) @taken
      e = If(c) @missed then={
        k = MatMul(s, w) @skipped
        output k
      } else={
        l = MatMul(s, w) @run
        output l
      }
      output e
    }
    output r
  )",
                              {ramp({1, 4}, 0, 4)});
  const std::vector<Finding> findings = testCase.findings("not_calibrated");
  QCOMPARE(findings.size(), std::size_t{2});
  QCOMPARE(findings[0].id, std::string("not_calibrated/choice/then/first"));
  QCOMPARE(findings[0].statistic, 3.0);
  QVERIFY(findings[0].text.find("3 layers stay in float") == 0);
  QVERIFY(findings[0].text.find("'choice/then'") != std::string::npos);
  QCOMPARE(findings[1].id, std::string("not_calibrated/choice/else/missed/then/skipped"));
  QCOMPARE(findings[1].statistic, 1.0);
  QVERIFY(findings[1].text.find("'choice/else/missed/then'") != std::string::npos);
}

void ExecutionDetectorsTest::halfTypesOverflow_data() {
  QTest::addColumn<double>("largest");
  QTest::addColumn<QString>("type");
  QTest::addColumn<bool>("found");
  QTest::newRow("the last to be rounded down") << 65519.0 << "fp16" << false;
  QTest::newRow("the first beyond") << 65520.0 << "fp16" << true;
  QTest::newRow("bf16 reaches further") << 65520.0 << "bf16" << false;
}

void ExecutionDetectorsTest::halfTypesOverflow() {
  QFETCH(double, largest);
  QFETCH(QString, type);
  QFETCH(bool, found);
  const char* text = R"(
    input x:float[1,4]
    w:float[4,2]{0, 0, 0, 0, 0, 0, 0.5, 0}
    y = MatMul(x, w) @product
    output y
  )";
  const std::vector<Tensor> samples{ramp({1, 4}, 0, largest)};
  const std::string config = R"({"quantscope": 1, "nodes": {"product": {"activation": {"type": ")" +
                             type.toStdString() + R"("}}}})";
  const DetectorCase testCase(text, samples, config);
  const std::vector<Finding> findings = testCase.findings("non_finite");
  QCOMPARE(findings.size(), std::size_t{found ? 1U : 0U});
  if (!found) return;
  QVERIFY(roughlyEqual(findings[0].statistic, largest) && findings[0].threshold == 65504);
  // The backend has no bf16.
  const std::vector<ConfigChange>& changes = findings[0].suggestion->changes;
  QVERIFY(!changes.empty() && std::ranges::all_of(changes, &ConfigChange::float32));
  QVERIFY(afterwards(text, samples, testCase, findings[0]).empty());
}

// The output spans 0 … 1, s = 1/255. Of the 4 values of the analysed sample one is at 2, 1 beyond:
// c = 1/4 against s²/12.
void ExecutionDetectorsTest::overfitFigure() {
  const char* text = R"(
    input x:float[1,1,2,2]
    w:float[1,1,1,1]{1}
    y = Conv(x, w) @conv
    output y
  )";
  const auto sample = [](double last) {
    return filled({1, 1, 2, 2}, [&](std::size_t i) { return i == 3 ? last : 0.25 * double(i); });
  };
  const DetectorCase testCase(text, {sample(2)}, "", DetectorMode::Quantscope, 1, 2, {sample(1)});
  const std::vector<Finding> findings = testCase.findings("calibration_overfit");
  QCOMPARE(findings.size(), std::size_t{1});
  const double rounding = 1 / (255.0 * 255 * 12);
  QVERIFY(roughlyEqual(findings[0].statistic, 10 * std::log10((rounding + 0.25) / rounding)));
  QCOMPARE(testCase.detected("calibration_overfit")[0].severity, Severity::Critical);
  QVERIFY(roughlyEqual(findings[0].confidence, 1.0 / 8));
  const Configuration wider =
      editOf(testCase.config, *testCase.graph, findings[0].suggestion->changes, {})
          .apply(testCase.config);
  QVERIFY(wider.precision->nodes[0].second.output.range == (Range{0, 2, false}));
  const DetectorCase again(text, {sample(2)}, toJson(wider), DetectorMode::Quantscope, 1, 2,
                           {sample(1)});
  QVERIFY(again.findings("calibration_overfit").empty());
}

void ExecutionDetectorsTest::sameDataIsNoOverfit() {
  const char* text = R"(
    input x:float[1,1,2,2]
    w:float[1,1,1,1]{1}
    y = Conv(x, w) @conv
    output y
  )";
  const DetectorCase clipped(
      text, {ramp({1, 1, 2, 2}, 0, 2)},
      R"({"quantscope": 1, "nodes": {"conv": {"output": {"range": [0, 1]}}}})");
  QVERIFY(clipped.findings("calibration_overfit").empty());
}

// Weights 1, 1, 1, −1 of one channel are codes ±127; the input has codes 0 … 255 or ±127.
void ExecutionDetectorsTest::accumulatorFigures_data() {
  QTest::addColumn<QString>("weight");
  QTest::addColumn<QString>("activation");
  QTest::addColumn<double>("sum");  // 0 = it fits
  QTest::newRow("int8, uint8") << "int8"
                               << R"({"type": "uint8"})" << 0.0;
  QTest::newRow("int16, uint8") << "int16"
                                << R"({"type": "uint8"})" << 0.0;
  // Inputs from 0 to 1: −1 counts for nothing, 3·32767·65535.
  QTest::newRow("int16, uint16") << "int16"
                                 << R"({"type": "uint16"})" << 3 * 32767.0 * 65535;
  // Observed: 0 … 32767.
  QTest::newRow("int16, int16") << "int16"
                                << R"({"type": "int16", "symmetric": true})" << 3 * 32767.0 * 32767;
}

void ExecutionDetectorsTest::accumulatorFigures() {
  QFETCH(QString, weight);
  QFETCH(QString, activation);
  QFETCH(double, sum);
  const char* text = R"(
    input x:float[1,4]
    w:float[4,1]{1, 1, 1, -1}
    y = MatMul(x, w) @product
    output y
  )";
  // 0, 1/3, 2/3 and 1 add up to 0, so that nothing near the limit was reached.
  const std::vector<Tensor> samples{ramp({1, 4}, 0, 1)};
  const std::string config =
      QString(R"({"quantscope": 1, "nodes": {"product": {"weight": {"type": "%1"},
                  "activation": %2}}})")
          .arg(weight, activation)
          .toStdString();
  const DetectorCase testCase(text, samples, config);
  const std::vector<Finding> findings = testCase.findings("accumulator_overflow");
  QCOMPARE(findings.size(), std::size_t{sum > 0 ? 1U : 0U});
  if (sum == 0) return;
  QVERIFY(roughlyEqual(findings[0].statistic, sum));
  QVERIFY(findings[0].threshold == std::numeric_limits<std::int32_t>::max());
  QCOMPARE(findings[0].severity, Severity::Warning);
  QVERIFY(findings[0].channels == std::vector<std::int64_t>{0});
  QVERIFY(afterwards(text, samples, testCase, findings[0]).empty());
}

// Four inputs into one output channel are 4·32767², two into each of two fit.
void ExecutionDetectorsTest::groupsAddUpTheirOwn() {
  for (const char* groups : {"1", "2"}) {
    const std::string text = std::string("input x:float[1,4,1,1]\nw:float[4,1,1,1]{1, 1, 1, 1}\n") +
                             "y = ConvTranspose(x, w) group=" + groups + " @up\noutput y\n";
    const DetectorCase testCase(text.c_str(), {ramp({1, 4, 1, 1}, -1, 1)},
                                R"({"quantscope": 1, "nodes": {"up": {"weight": {"type": "int16"},
                                    "activation": {"type": "int16", "symmetric": true}}}})");
    const std::vector<Finding> findings = testCase.findings("accumulator_overflow");
    QCOMPARE(findings.size(), std::size_t{groups[0] == '1' ? 1U : 0U});
    if (!findings.empty()) QVERIFY(roughlyEqual(findings[0].statistic, 4 * 32767.0 * 32767));
  }
}

// 3·127·255 = 97155 of which 32767 fit; all ones reach it.
void ExecutionDetectorsTest::narrowAccumulator() {
  const QTemporaryDir folder;
  const std::string backend = writeFile(folder, "narrow.json", R"({
    "quantscope_backend": 1, "name": "narrow", "about": "Sums of 16 bits.",
    "accumulator_bits": 16, "reduce_range": {"onnx": false, "pytorch": false},
    "tensors": {"w": {"types": ["int8"], "granularity": ["per-channel"], "symmetry": ["symmetric"]},
                "a": {"types": ["uint8"], "granularity": ["per-tensor"],
                      "symmetry": ["symmetric", "asymmetric"]}},
    "ways": [{"operators": ["MatMul"], "mode": "static", "weight": "w", "activation": "a"}],
    "share": [], "share_inputs": [], "fixed": [], "patterns": [], "float_regions": []})");
  const char* text = R"(
    input x:float[1,3]
    w:float[3,2]{1, 0.01, 1, 0, 1, 0}
    y = MatMul(x, w) @product
    output y
  )";
  const std::vector<Tensor> samples{ramp({1, 3}, 0, 1), ramp({1, 3}, 1, 1)};
  const std::string config = R"({"quantscope": 1, "backend": ")" + backend + R"("})";
  const DetectorCase testCase(text, samples, config);
  const std::vector<Finding> findings = testCase.findings("accumulator_overflow");
  QCOMPARE(findings.size(), std::size_t{1});
  QVERIFY(roughlyEqual(findings[0].statistic, 3 * 127.0 * 255) && findings[0].threshold == 32767);
  QCOMPARE(findings[0].severity, Severity::Critical);
  QVERIFY(findings[0].confidence == 1);
  // Of channel 1 one weight alone has a code: 127·255 = 32385 fits.
  QVERIFY(findings[0].channels == std::vector<std::int64_t>{0});
  QCOMPARE(findings[0].suggestion->changes[0].weight->highest, std::optional<std::int32_t>(42));
  QVERIFY(afterwards(text, samples, testCase, findings[0]).empty());
}

void ExecutionDetectorsTest::holes_data() {
  QTest::addColumn<QString>("middle");
  QTest::addColumn<int>("converted");  // 0 = no hole
  QTest::newRow("one operator") << "b = Neg(a) @hole" << 2;
  QTest::newRow("two in a row") << "t = Abs(a) @hole\nb = Exp(t)" << 2;
  QTest::newRow("moved about inside") << "t = Abs(a) @hole\ns = Transpose(t) perm=[0,1,3,2]\n"
                                         "b = Exp(s)"
                                      << 2;
  QTest::newRow("two ways in") << "t = Relu(a)\nb = Sub(a, t) @hole" << 3;
  QTest::newRow("quantized") << "b = Sigmoid(a)" << 0;
  QTest::newRow("moved about") << "b = Transpose(a) perm=[0,1,3,2]" << 0;
  QTest::newRow("control flow") << "b = If(c:bool[]{1}) then={\nt = Neg(a)\noutput t\n} else={\n"
                                   "u = Abs(a)\noutput u\n}"
                                << 0;
  QTest::newRow("open to an output") << "b = Neg(a)\noutput b" << 0;
  QTest::newRow("open to the input") << "t = Neg(x)\nb = Sub(a, t)" << 0;
}

void ExecutionDetectorsTest::holes() {
  QFETCH(QString, middle);
  QFETCH(int, converted);
  const std::string text = "input x:float[1,2,4,4]\nw:float[2,2,1,1]\na = Conv(x, w)\n" +
                           middle.toStdString() + "\ny = Conv(b, w)\noutput y\n";
  const DetectorCase testCase(text.c_str(), {ramp({1, 2, 4, 4}, -1, 1)});
  const std::vector<Finding> findings = testCase.findings("conversion_island");
  QCOMPARE(findings.size(), std::size_t{converted > 0 ? 1U : 0U});
  if (converted == 0) return;
  QCOMPARE(findings[0].nodeName, std::string("hole"));
  QVERIFY(findings[0].statistic == converted && findings[0].threshold == 1);
  // x86 has no kernel for any of them.
  QCOMPARE(findings[0].severity, Severity::Info);
  QVERIFY(findings[0].suggestion->changes.empty());
}

void ExecutionDetectorsTest::holeIsClosed() {
  const char* text = R"(
    input x:float[1,2,4,4]
    w:float[2,2,1,1]
    a = Conv(x, w)
    b = Conv(a, w) @kept
    y = Conv(b, w)
    output y
  )";
  const std::vector<Tensor> samples{ramp({1, 2, 4, 4}, -1, 1)};
  const DetectorCase testCase(text, samples, R"({"quantscope": 1, "nodes": {"kept": "fp32"}})");
  const std::vector<Finding> findings = testCase.findings("conversion_island");
  QCOMPARE(findings.size(), std::size_t{1});
  QCOMPARE(testCase.detected("conversion_island").at(0).severity, Severity::Warning);
  QVERIFY(afterwards(text, samples, testCase, findings[0]).empty());
}

// With entries of their own they would be quantized one by one.
void ExecutionDetectorsTest::closedHolesJoinTheirPattern() {
  const char* text = R"(
    input x:float[1,2,4,4]
    w:float[2,2,1,1]
    a = Conv(x, w)
    b = Conv(a, w) @kept
    r = Relu(b) @follower
    y = Conv(r, w)
    output y
  )";
  const std::vector<Tensor> samples{ramp({1, 2, 4, 4}, -1, 1)};
  const DetectorCase testCase(
      text, samples, R"({"quantscope": 1, "nodes": {"kept": "fp32", "follower": "fp32"}})");
  const std::vector<Finding> findings = testCase.findings("conversion_island");
  QCOMPARE(findings.size(), std::size_t{1});
  const Configuration closed =
      editOf(testCase.config, *testCase.graph, findings[0].suggestion->changes, {})
          .apply(testCase.config);
  QVERIFY(closed.precision->nodes.empty());
  QVERIFY(afterwards(text, samples, testCase, findings[0]).empty());
}

void ExecutionDetectorsTest::lonelyLayer() {
  const char* text = R"(
    input x:float[1,2,4,4]
    a = Neg(x)
    b = Sigmoid(a) @alone
    y = Exp(b)
    output y
  )";
  const std::vector<Tensor> samples{ramp({1, 2, 4, 4}, -1, 1)};
  const DetectorCase testCase(text, samples);
  const std::vector<Finding> findings = testCase.findings("conversion_island");
  QCOMPARE(findings.size(), std::size_t{1});
  QCOMPARE(findings[0].id, std::string("conversion_island/alone"));
  QVERIFY(findings[0].statistic == 2);
  const Configuration changed =
      editOf(testCase.config, *testCase.graph, findings[0].suggestion->changes, {})
          .apply(testCase.config);
  QVERIFY(changed.precision->nodes[0].second.float32);
  QVERIFY(afterwards(text, samples, testCase, findings[0]).empty());
}

void ExecutionDetectorsTest::nearestIsAccepted() {
  const char* text = R"(
    input x:float[1,2,4,4]
    w:float[2,2,1,1]
    y = Conv(x, w) @conv
    output y
  )";
  const std::vector<Tensor> samples{ramp({1, 2, 4, 4}, -1, 1)};
  QVERIFY(DetectorCase(text, samples).findings("backend_support").empty());
  const DetectorCase testCase(text, samples,
                              R"({"quantscope": 1, "nodes": {"conv": {"weight": {"type": "int4"},
          "activation": {"type": "int8", "symmetric": true}}}})");
  const std::vector<Finding> findings = testCase.findings("backend_support");
  QCOMPARE(findings.size(), std::size_t{1});
  // Weights, activations, and the outputs that follow these.
  QVERIFY(findings[0].statistic == 3);
  QCOMPARE(findings[0].severity, Severity::Warning);
  QVERIFY(findings[0].text.find("int4") != std::string::npos);
  const ConfigChange& change = findings[0].suggestion->changes.at(0);
  QVERIFY(change.weight->type == QuantType::Int8 && change.activation->type == QuantType::UInt8);
  QVERIFY(afterwards(text, samples, testCase, findings[0]).empty());
}

void ExecutionDetectorsTest::tornPattern() {
  const char* text = R"(
    input x:float[1,2,4,4]
    w:float[2,2,1,1]
    a = Conv(x, w) @conv
    y = Relu(a) @relu
    output y
  )";
  const std::vector<Tensor> samples{ramp({1, 2, 4, 4}, -1, 1)};
  const DetectorCase testCase(text, samples,
                              R"({"quantscope": 1, "nodes": {"relu": {"activation":
                                  {"observer": "mse"}}}})");
  const std::vector<Finding> findings = testCase.findings("backend_support");
  QCOMPARE(findings.size(), std::size_t{1});
  QCOMPARE(findings[0].id, std::string("backend_support/conv/fusion"));
  QVERIFY(findings[0].text.find("'relu'") != std::string::npos);
  QVERIFY(afterwards(text, samples, testCase, findings[0]).empty());
}

QUANTSCOPE_TEST(ExecutionDetectorsTest)
#include "test_execution_detectors.moc"
