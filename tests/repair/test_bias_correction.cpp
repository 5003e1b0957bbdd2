#include <QtTest>
#include <cmath>

#include "repair/biases/bias_correction.h"
#include "repair/repair_case.h"
#include "support/test_main.h"

using namespace quantscope;
using test::RepairCase;

namespace {

// Weights of few bits, so that they have mean errors; the layer's output stays as it comes.
constexpr const char* kFourBitWeights = R"({"quantscope": 1, "backend": "generic", "bias": "float",
    "default": {"weight": {"type": "int4", "granularity": "per-tensor"},
                "activation": {"type": "uint4"}, "output": {"type": "fp32"}}})";

// Means over all samples and places of what is in channel c, of the differences y − x.
std::vector<double> meanErrors(const std::vector<Tensor>& x, const std::vector<Tensor>& y,
                               std::size_t axis) {
  const Shape& shape = x[0].shape();
  const auto channels = static_cast<std::size_t>(shape[axis]);
  const auto inner = static_cast<std::size_t>(shape.elementCount(axis + 1, shape.rank()));
  std::vector<double> means(channels, 0.0);
  for (std::size_t i = 0; i < x.size(); ++i) {
    const auto expected = x[i].values<float>();
    const auto actual = y[i].values<float>();
    for (std::size_t j = 0; j < expected.size(); ++j) {
      means[j / inner % channels] += static_cast<double>(actual[j]) - expected[j];
    }
  }
  const auto each = static_cast<double>(x.size() * x[0].elementCount() / channels);
  for (double& mean : means) mean /= each;
  return means;
}

double largest(const std::vector<double>& values) {
  double most = 0;
  for (const double value : values) most = std::max(most, std::abs(value));
  return most;
}

}  // namespace

class BiasCorrectionTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void noChannelHasAMeanErrorBehindIt_data();
  void noChannelHasAMeanErrorBehindIt();
  void fittedBiasesStayOutOfTheTwin_data();
  void fittedBiasesStayOutOfTheTwin();
};

void BiasCorrectionTest::noChannelHasAMeanErrorBehindIt_data() {
  QTest::addColumn<QByteArray>("network");
  QTest::addColumn<int>("axis");
  QTest::newRow("convolution") << QByteArray(R"(
    input x:float[1,4,9,7]
    w:float[6,4,3,3]
    b:float[6]
    y = Conv(x, w, b) pads=[1,0,2,1] strides=[2,1] dilations=[1,2] @layer
    output y
  )") << 1;
  QTest::newRow("groups, two images") << QByteArray(R"(
    input x:float[2,6,8,8]
    w:float[9,2,3,2]
    b:float[9]
    y = Conv(x, w, b) pads=[1,1,1,1] group=3 @layer
    output y
  )") << 1;
  QTest::newRow("depthwise along time") << QByteArray(R"(
    input x:float[1,5,40]
    w:float[5,1,9]
    b:float[5]
    y = Conv(x, w, b) pads=[4,4] strides=[3] group=5 @layer
    output y
  )") << 1;
  QTest::newRow("transposed") << QByteArray(R"(
    input x:float[1,4,5,6]
    w:float[4,6,3,4]
    b:float[6]
    y = ConvTranspose(x, w, b) pads=[1,0,2,1] strides=[2,3] dilations=[2,1] output_padding=[1,0] @layer
    output y
  )") << 1;
  QTest::newRow("transposed in groups, cut off") << QByteArray(R"(
    input x:float[2,6,7]
    w:float[6,2,3]
    b:float[6]
    y = ConvTranspose(x, w, b) pads=[4,3] strides=[2] group=3 @layer
    output y
  )") << 1;
  QTest::newRow("transposed depthwise, of a given extent") << QByteArray(R"(
    input x:float[1,4,5,5]
    w:float[4,1,3,3]
    y = ConvTranspose(x, w) strides=[2,2] output_shape=[10,11] group=4 @layer
    output y
  )") << 1;
  QTest::newRow("no bias yet") << QByteArray(R"(
    input x:float[1,3,6,6]
    w:float[4,3,1,1]
    y = Conv(x, w) @layer
    output y
  )") << 1;
  QTest::newRow("product and sum") << QByteArray(R"(
    input x:float[1,8,12]
    w:float[12,6]
    b:float[6]
    p = MatMul(x, w) @layer
    y = Add(p, b)
    output y
  )") << 2;
}

// What a layer adds up is linear in its bias, so the mean error of its output goes as a whole.
void BiasCorrectionTest::noChannelHasAMeanErrorBehindIt() {
  QFETCH(const QByteArray, network);
  QFETCH(const int, axis);
  RepairCase repaired(network.constData(), kFourBitWeights, 12);
  RepairTools tools = repaired.tools();
  const RepairProposal proposal =
      proposeBiasCorrection(repaired.state, repaired.layers(), tools, 0);
  QCOMPARE(proposal.nodes, std::size_t{1});
  const RepairState after =
      withOverlay(repaired.state, proposal.overlay, OverlayEffect::Fitted, tools);

  const std::vector<Tensor> reference = repaired.outputs(repaired.state, false);
  const auto errorsOf = [&](const RepairState& state) {
    return meanErrors(reference, repaired.outputs(state, true), static_cast<std::size_t>(axis));
  };
  const double before = largest(errorsOf(repaired.state));
  const double now = largest(errorsOf(after));
  QVERIFY2(before > 1e-3, qPrintable(QString::number(before)));
  QVERIFY2(now < 1e-6, qPrintable(QString("%1 → %2").arg(before).arg(now)));
}

void BiasCorrectionTest::fittedBiasesStayOutOfTheTwin_data() {
  QTest::addColumn<QString>("name");
  QTest::addColumn<int>("way");
  QTest::newRow("scaled") << "equalize" << 0;
  QTest::newRow("wider") << "split-channels" << 0;
}

// Where channels are scaled behind it, the target is still the network that was given.
void BiasCorrectionTest::fittedBiasesStayOutOfTheTwin() {
  QFETCH(const QString, name);
  QFETCH(const int, way);
  RepairCase network(R"(
    input x:float[1,3,4,4]
    w:float[4,3,1,1]{1, 0.5, -0.5,  40, 20, -30,  0.25, 0.1, 0.2,  1, 3, -2}
    b:float[4]{1, 4, 0.5, 2}
    a = Conv(x, w, b) @first
    c = Relu(a)
    v:float[2,4,1,1]{1, 9, 2, -0.5,  -0.5, -7, 4, 0.25}
    y = Conv(c, v) @second
    output y
  )",
                     kFourBitWeights, 16);
  RepairTools tools = network.tools();
  const RepairState& start = network.state;
  const RepairProposal biases = proposeBiasCorrection(start, network.layers(), tools, 0);
  const RepairState fitted = withOverlay(start, biases.overlay, biases.effect, tools);
  const RepairProposal proposal =
      findRepairStep(name.toStdString())
          ->propose(fitted, findLinearLayers(*fitted.engine, *fitted.model), tools,
                    static_cast<std::size_t>(way));
  QVERIFY2(!proposal.overlay.constants.empty(), proposal.reason.c_str());
  QVERIFY(proposal.effect == OverlayEffect::SameOutputs);
  RepairState after = withOverlay(fitted, proposal.overlay, proposal.effect, tools);
  after.engine = after.twin;
  const std::vector<Tensor> wanted = network.outputs(start, false);
  const std::vector<Tensor> found = network.outputs(after, false);
  const double agreement = test::sqnrOf(wanted, found);
  QVERIFY2(agreement > 110, qPrintable(QString::number(agreement)));
}

QUANTSCOPE_TEST(BiasCorrectionTest)
#include "test_bias_correction.moc"
