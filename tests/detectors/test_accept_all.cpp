#include <QtTest>
#include <cmath>
#include <random>

#include "base/error.h"
#include "detectors/changes/accept_all.h"
#include "detectors/detector_case.h"
#include "precision/backend/backend_check.h"
#include "support/test_main.h"

using namespace quantscope;
using quantscope::test::DetectorCase;
using quantscope::test::filled;

/// All suggestions accepted: the first way that PyTorch's DetectorQConfigInfo would try and the
/// backend can run, and nothing that the backend or a group refuses.
class AcceptAllTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void ways_data();
  void ways();
  void whatTheUserAskedForStays();
  void clippedRangesReachTheGroup();
  void nothingToAccept();
  void nearestOfTheBackend();
  void lossesAreLeftOut();
  void anEstimateProvesNoEqualization();
  void whatIsPutAsideIsNotFollowed();
  void whatIsRefusedStandsAlone();
  void stopsWhenAskedTo();
};

namespace {

/// Samples whose reach grows by `growth` from one to the next.
std::vector<Tensor> growing(const Shape& shape, double growth) {
  std::mt19937 generator(3);
  std::normal_distribution<double> normal;
  std::vector<Tensor> samples;
  for (int s = 0; s < 8; ++s) {
    const double scale = std::pow(growth, s);
    samples.push_back(filled(shape, [&](std::size_t) { return scale * normal(generator); }));
  }
  return samples;
}

std::string layerText(const std::string& op) {
  return op == "Conv"
             ? "input x:float[1,4,5,5]\nw:float[3,4,1,1]\ny = Conv(x, w) @layer\noutput y\n"
             : "input x:float[1,40]\nw:float[40,3]\ny = Gemm(x, w) @layer\noutput y\n";
}

/// Whatever the suggestions gain.
Configuration accepted(const DetectorCase& testCase) {
  DetectorReport report = testCase.report();
  for (Finding& finding : report.findings) {
    if (finding.suggestion) finding.suggestion->gainDb.reset();
  }
  return acceptAll(*testCase.engine, testCase.config, report, JobContext(testCase.workers));
}

NodePrecision precisionOf(const DetectorCase& testCase, const Configuration& config,
                          const char* node) {
  return ResolvedConfig(*testCase.graph, *config.precision)[testCase.graph->findNode(node)];
}

bool backendAccepts(const DetectorCase& testCase, const Configuration& config) {
  return validateConfig(*testCase.engine, *config.precision,
                        *findBackend(config.precision->backend))
      .empty();
}

}  // namespace

void AcceptAllTest::ways_data() {
  QTest::addColumn<QString>("op");
  QTest::addColumn<QString>("backend");
  QTest::addColumn<double>("growth");
  QTest::addColumn<bool>("dynamic");
  QTest::addColumn<bool>("perChannel");
  QTest::newRow("dynamic, per channel") << "Gemm"
                                        << "x86" << 3.0 << true << true;
  QTest::newRow("static, per channel") << "Gemm"
                                       << "x86" << 1.0 << false << true;
  // x86 has no convolution on dynamic ranges: the third way.
  QTest::newRow("no dynamic kernel") << "Conv"
                                     << "x86" << 3.0 << false << true;
  QTest::newRow("steady convolution") << "Conv"
                                      << "x86" << 1.0 << false << true;
  QTest::newRow("qnnpack") << "Gemm"
                           << "qnnpack" << 3.0 << true << true;
}

void AcceptAllTest::ways() {
  QFETCH(QString, op);
  QFETCH(QString, backend);
  QFETCH(double, growth);
  QFETCH(bool, dynamic);
  QFETCH(bool, perChannel);
  const std::string text = layerText(op.toStdString());
  const Shape shape = op == "Conv" ? Shape{1, 4, 5, 5} : Shape{1, 40};
  const std::string config = R"({"quantscope": 1, "backend": ")" + backend.toStdString() +
                             R"(", "default": {"weight": {"granularity": "per-tensor"}}})";
  const DetectorCase testCase(text.c_str(), growing(shape, growth), config);
  const Configuration all = accepted(testCase);
  const NodePrecision layer = precisionOf(testCase, all, "layer");
  QCOMPARE(layer.activation.dynamic, dynamic);
  QCOMPARE(layer.weight.granularity.kind == Granularity::Kind::PerChannel, perChannel);
  QVERIFY(backendAccepts(testCase, all));
  const DetectorCase after(text.c_str(), growing(shape, growth), toJson(all));
  QVERIFY(after.findings("per_channel").empty());
  QVERIFY(after.findings("backend_support").empty());
}

void AcceptAllTest::whatTheUserAskedForStays() {
  const std::string text = layerText("Gemm");
  for (const char* precision :
       {R"("fp32")", R"({"weight": {"type": "fp16"}, "activation": {"type": "fp16"}})"}) {
    const std::string config =
        std::string(R"({"quantscope": 1, "nodes": {"layer": )") + precision + "}}";
    const DetectorCase testCase(text.c_str(), growing({1, 40}, 1), config);
    QVERIFY(precisionOf(testCase, accepted(testCase), "layer").float32 ==
            precisionOf(testCase, testCase.config, "layer").float32);
    QVERIFY(precisionOf(testCase, accepted(testCase), "layer").weight ==
            precisionOf(testCase, testCase.config, "layer").weight);
  }
}

void AcceptAllTest::clippedRangesReachTheGroup() {
  const char* text = R"(
    input x:float[1,3,10,10]
    w:float[3,3,1,1]{1, 0, 0, 0, 1, 0, 0, 0, 1}
    a = Conv(x, w) @first
    y = Conv(a, w) @second
    output y
  )";
  std::vector<Tensor> samples = growing({1, 3, 10, 10}, 1);
  for (Tensor& sample : samples) sample.mutableValues<float>()[150] = 40;
  const DetectorCase testCase(text, samples);
  QVERIFY(!testCase.findings("outlier").empty());
  const Configuration all = accepted(testCase);
  using Kind = ObserverSpec::Kind;
  QVERIFY(precisionOf(testCase, all, "first").activation.observer.kind == Kind::Mse);
  QVERIFY(precisionOf(testCase, all, "first").output.observer.kind == Kind::Mse);
  QVERIFY(precisionOf(testCase, all, "second").activation.observer.kind == Kind::Mse);
  QVERIFY(backendAccepts(testCase, all));
  QVERIFY(DetectorCase(text, samples, toJson(all)).findings("outlier")[0].suggestion ==
          std::nullopt);
}

void AcceptAllTest::nothingToAccept() {
  const DetectorCase testCase(layerText("Conv").c_str(), growing({1, 4, 5, 5}, 1));
  QVERIFY(accepted(testCase) == testCase.config);
}

void AcceptAllTest::nearestOfTheBackend() {
  const std::string text = layerText("Conv");
  const DetectorCase testCase(
      text.c_str(), growing({1, 4, 5, 5}, 1),
      R"({"quantscope": 1, "nodes": {"layer": {"weight": {"type": "int4"}}}})");
  QVERIFY(!backendAccepts(testCase, testCase.config));
  const Configuration all = accepted(testCase);
  QVERIFY(backendAccepts(testCase, all));
  QVERIFY(precisionOf(testCase, all, "layer").weight.type == QuantType::Int8);
}

// Neither by its own suggestion nor by what ModelReport makes of the statistics.
void AcceptAllTest::whatIsPutAsideIsNotFollowed() {
  const std::string text = layerText("Gemm");
  const DetectorCase testCase(
      text.c_str(), growing({1, 40}, 3),
      R"({"quantscope": 1, "default": {"weight": {"granularity": "per-tensor"}}})");
  const DetectorReport report = testCase.report();
  const JobContext job(testCase.workers);
  QVERIFY(acceptAll(*testCase.engine, testCase.config, report, job) != testCase.config);
  std::set<std::string> aside;
  for (const Finding& finding : report.findings) aside.insert(finding.id);
  QVERIFY(acceptAll(*testCase.engine, testCase.config, report, job, aside) == testCase.config);
}

// Sixteen bits at one place, which x86 cannot run, do not keep the others from what they ask for.
void AcceptAllTest::whatIsRefusedStandsAlone() {
  constexpr const char* kChain = R"(
    input x:float[1,2,2,2]
    w:float[2,2,1,1]
    a = Conv(x, w) @a
    b = Conv(a, w) @b
    c = Conv(b, w) @c
    d = Conv(c, w) @d
    y = Conv(d, w) @e
    output y
  )";
  const DetectorCase testCase(kChain, growing({1, 2, 2, 2}, 2));
  DetectorReport report;
  for (const char* node : {"a", "b", "c", "d", "e"}) {
    const NodePrecision now = precisionOf(testCase, testCase.config, node);
    ConfigChange change{node, now.weight, {}, {}};
    change.weight->observer.kind = ObserverSpec::Kind::Mse;
    if (std::string(node) == "c") change.weight->type = QuantType::Int16;
    Finding finding;
    finding.id = finding.detector = node;
    finding.suggestion = Suggestion{"", {change}, {}};
    report.findings.push_back(finding);
  }
  const Configuration config =
      acceptAll(*testCase.engine, testCase.config, report, JobContext(testCase.workers));
  for (const char* node : {"a", "b", "d", "e"}) {
    QCOMPARE(precisionOf(testCase, config, node).weight.observer.kind, ObserverSpec::Kind::Mse);
  }
  QVERIFY(precisionOf(testCase, config, "c") == precisionOf(testCase, testCase.config, "c"));
}

void AcceptAllTest::stopsWhenAskedTo() {
  const std::string text = layerText("Gemm");
  const DetectorCase testCase(
      text.c_str(), growing({1, 40}, 3),
      R"({"quantscope": 1, "default": {"weight": {"granularity": "per-tensor"}}})");
  JobContext job(testCase.workers);
  job.requestCancel();
  QVERIFY_EXCEPTION_THROWN(acceptAll(*testCase.engine, testCase.config, testCase.report(), job),
                           Cancelled);
}

// The same report with a gain and with a loss: only the gain is taken.
void AcceptAllTest::lossesAreLeftOut() {
  const std::string text = layerText("Gemm");
  const DetectorCase testCase(
      text.c_str(), growing({1, 40}, 3),
      R"({"quantscope": 1, "default": {"weight": {"granularity": "per-tensor"}}})");
  DetectorReport report = testCase.report();
  const auto acceptedWith = [&](double gainDb, double outputSqnrDb = 20) {
    report.outputSqnrDb = outputSqnrDb;
    for (Finding& finding : report.findings) {
      if (finding.suggestion) finding.suggestion->gainDb = gainDb;
    }
    return acceptAll(*testCase.engine, testCase.config, report, JobContext(testCase.workers));
  };
  const Configuration gained = acceptedWith(0.5);
  const NodePrecision better = precisionOf(testCase, gained, "layer");
  QVERIFY(better.activation.dynamic);
  QCOMPARE(better.weight.granularity.kind, Granularity::Kind::PerChannel);
  for (const double noLoss : {0.0, -kNoLossDb}) {
    QVERIFY(acceptedWith(noLoss) == gained);
  }

  // Of a spoilt output a single change tells nothing.
  QVERIFY(acceptedWith(-0.06, kLeastTellingDb - 0.1) == gained);

  QVERIFY(acceptedWith(-0.06) == testCase.config);
}

void AcceptAllTest::anEstimateProvesNoEqualization() {
  const DetectorCase testCase(layerText("Gemm").c_str(), growing({1, 40}, 3));
  DetectorReport report;
  report.outputSqnrDb = 20;
  Finding& finding = report.findings.emplace_back();
  finding.detector = "equalization";
  ConfigChange change;
  change.node = "layer";
  change.inputFactors.assign(40, 2.0);
  finding.suggestion = Suggestion{"Equalize it.", {change}, 0.04};
  const auto accepted = [&] {
    return acceptAll(*testCase.engine, testCase.config, report, JobContext(testCase.workers));
  };
  QCOMPARE(accepted().repairs->equalize.size(), std::size_t{1});
  finding.suggestion->gainEstimated = true;
  QVERIFY(accepted() == testCase.config);
}

QUANTSCOPE_TEST(AcceptAllTest)
#include "test_accept_all.moc"
