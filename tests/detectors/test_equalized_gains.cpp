#include <QtTest>
#include <cmath>
#include <random>

#include "detectors/detector_case.h"
#include "detectors/fault_suite.h"
#include "support/test_main.h"

using namespace quantscope;
using quantscope::test::DetectorCase;
using quantscope::test::filled;
using quantscope::test::of;

/// The simulated gain of equalization against networks rewritten by hand: the input of the layer
/// multiplied by s_c in a node of its own, the weights divided by s_c.
class EqualizedGainsTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void asRewritten_data();
  void asRewritten();
  void nothingIsGuessed_data();
  void nothingIsGuessed();
};

namespace {

constexpr int kChannels = 4;

/// A network with a layer "layer" whose weights are `%1`; in the network written anew with `%2` for
/// its input, which is called "x" in the text before.
struct Network {
  const char* before;      ///< lines that come first; they make the value `value`
  const char* value;       ///< what the layer reads
  const char* scaleShape;  ///< of the factors, to multiply it by
  const char* weightShape;
  const char* layer;  ///< the lines with the layer; %1 stands for its input
  Shape sample;
  int elementsPerChannel;        ///< of a sample, in a run
  int weightsPerChannel;         ///< likewise of the weights; 0: the channels are innermost
  const char* floatOutput = "";  ///< the node before that is to leave its output in float
};

std::string preciseElements(const std::vector<double>& values) {
  std::string text = "{";
  for (const double value : values) {
    text += (text.size() == 1 ? "" : ", ") + QByteArray::number(value, 'g', 12).toStdString();
  }
  return text + "}";
}

std::string with(const char* text, const std::string& input) {
  return QString(text).arg(QString::fromStdString(input)).toStdString();
}

std::vector<double> uniformWeights(std::size_t count) {
  std::mt19937 random(11);
  std::uniform_real_distribution<double> uniform(-1, 1);
  std::vector<double> weights(count);
  for (double& weight : weights) weight = uniform(random);
  return weights;
}

std::vector<Tensor> unevenSamples(const Network& network) {
  constexpr double kReach[kChannels] = {1, 0.3, 0.45, 0.28};
  std::mt19937 random(5);
  std::uniform_real_distribution<double> uniform(-1, 1);
  std::vector<Tensor> samples;
  for (int s = 0; s < 4; ++s) {
    samples.push_back(filled(network.sample, [&](std::size_t i) {
      const std::size_t channel =
          i / static_cast<std::size_t>(network.elementsPerChannel) % kChannels;
      return kReach[channel] * uniform(random);
    }));
  }
  return samples;
}

std::string originalText(const Network& network, const std::vector<double>& weights) {
  return std::string(network.before) + "w:float" + network.weightShape + preciseElements(weights) +
         "\n" + with(network.layer, network.value);
}

std::string rewrittenText(const Network& network, std::vector<double> weights,
                          const std::vector<double>& s) {
  for (std::size_t i = 0; i < weights.size(); ++i) {
    const auto each = static_cast<std::size_t>(std::max(1, network.weightsPerChannel));
    weights[i] = static_cast<float>(weights[i]) / static_cast<float>(s[i / each % kChannels]);
  }
  return std::string(network.before) + "s:float" + network.scaleShape + preciseElements(s) +
         "\nm = Mul(" + network.value + ", s) @scaling\nw:float" + network.weightShape +
         preciseElements(weights) + "\n" + with(network.layer, "m");
}

std::string rewrittenConfig(const Network& network, const std::string& weight) {
  const std::string before = network.floatOutput;
  return R"({"quantscope": 1, "default": {"weight": {"granularity": ")" + weight +
         R"("}}, "nodes": {"scaling": "fp32")" +
         (before.empty() ? ""
                         : ", \"" + before + R"(": {"weight": {"granularity": ")" + weight +
                               R"("}, "output": {"type": "fp32"}})") +
         "}}";
}

std::optional<double> gainAt(const DetectorCase& testCase, const std::string& node) {
  const DetectorReport report = testCase.report();
  for (const auto* findings : {&report.findings, &report.unproven}) {
    for (const Finding& finding : *findings) {
      if (finding.detector != "equalization" || finding.nodeName != node) continue;
      return finding.suggestion->gainDb;
    }
  }
  throw std::out_of_range("equalization has nothing to say of " + node);
}

const Network kNetworks[] = {
    {"input x:float[1,4,8,8]\n",
     "x",
     "[1,4,1,1]",
     "[6,4,3,3]",
     "y = Conv(%1, w) @layer\noutput y\n",
     {1, 4, 8, 8},
     64,
     9},
    {"input x:float[1,4,8,8]\nv:float[4,4,1,1]{1,0,0,0, 0,1,0,0, 0,0,1,0, 0,0,0,1}\n"
     "c = Conv(x, v) @first\nr = Relu(c)\n",
     "r",
     "[1,4,1,1]",
     "[6,4,1,1]",
     "y = Conv(%1, w) @layer\noutput y\n",
     {1, 4, 8, 8},
     64,
     1,
     "first"},
    {"input x:float[1,4,8,8]\n",
     "x",
     "[1,4,1,1]",
     "[4,1,3,3]",
     "y = Conv(%1, w) group=4 @layer\noutput y\n",
     {1, 4, 8, 8},
     64,
     9},
    {"input x:float[1,4,8,8]\n",
     "x",
     "[1,4,1,1]",
     "[4,3,2,2]",
     "b:float[3]{0.3, -0.2, 0.1}\ny = ConvTranspose(%1, w, b) @layer\noutput y\n",
     {1, 4, 8, 8},
     64,
     12},
    {"input x:float[64,4]\n",
     "x",
     "[1,4]",
     "[5,4]",
     "b:float[5]{0.3, -0.2, 0.1, 0, 1}\ny = Gemm(%1, w, b) transB=1 @layer\noutput y\n",
     {64, 4},
     1,
     0},
    {"input x:float[64,4]\n",
     "x",
     "[1,4]",
     "[4,5]",
     "b:float[5]{0.3, -0.2, 0.1, 0, 1}\np = MatMul(%1, w) @layer\ny = Add(p, b)\noutput y\n",
     {64, 4},
     1,
     5},
    {"input x:float[1,4,8,8]\nv:float[4,4,1,1]{1,0,0,0, 0,1,0,0, 0,0,1,0, 0,0,0,1}\n"
     "c = Conv(x, v) @first\nu:float[6,4,1,1]\no = Conv(c, u) @other\n",
     "c",
     "[1,4,1,1]",
     "[6,4,1,1]",
     "p = Conv(%1, w) @layer\ny = Concat(p, o) axis=1\noutput y\n",
     {1, 4, 8, 8},
     64,
     1,
     "first"},
};

}  // namespace

void EqualizedGainsTest::asRewritten_data() {
  QTest::addColumn<int>("network");
  QTest::addColumn<QString>("weight");
  const QStringList names{"input", "behind a layer", "depthwise",     "transposed",
                          "Gemm",  "MatMul and Add", "read by others"};
  for (const char* weight : {"per-channel", "per-tensor"}) {
    for (int i = 0; i < static_cast<int>(std::size(kNetworks)); ++i) {
      QTest::newRow(qPrintable(names[i] + ", " + weight)) << i << weight;
    }
  }
}

void EqualizedGainsTest::asRewritten() {
  QFETCH(int, network);
  QFETCH(QString, weight);
  const Network& given = kNetworks[network];
  const std::string granularity = weight.toStdString();
  std::size_t count = 1;
  for (const QString& extent :
       QString(given.weightShape).remove('[').remove(']').split(',', Qt::SkipEmptyParts)) {
    count *= extent.toULong();
  }
  const std::vector<double> weights = uniformWeights(count);
  const std::vector<Tensor> samples = unevenSamples(given);
  const DetectorCase original(
      originalText(given, weights).c_str(), samples,
      R"({"quantscope": 1, "default": {"weight": {"granularity": ")" + granularity + R"("}}})");
  const std::optional<double> gain = gainAt(original, "layer");
  QVERIFY(gain.has_value());
  const std::vector<double> s = of(original.report().statistics.equalization, "layer").s;
  QCOMPARE(s.size(), std::size_t{kChannels});
  const DetectorCase rewritten(rewrittenText(given, weights, s).c_str(), samples,
                               rewrittenConfig(given, granularity));
  const double expected =
      *rewritten.result.outputs[0].error.sqnrDb - *original.result.outputs[0].error.sqnrDb;
  qInfo("%.4f dB, written anew %.4f dB", *gain, expected);
  QVERIFY(std::abs(*gain - expected) < 1e-3);
  QVERIFY(std::abs(expected) > 1e-2);  // so that a gain of 0 would be found out
}

void EqualizedGainsTest::nothingIsGuessed_data() {
  QTest::addColumn<QString>("end");
  QTest::addColumn<QString>("activation");
  QTest::addColumn<bool>("told");
  QTest::newRow("plain") << ""
                         << "" << true;
  QTest::newRow("dynamic") << ""
                           << R"("mode": "dynamic")" << true;
  QTest::newRow("another observer") << ""
                                    << R"("observer": "mse")" << false;
  QTest::newRow("range by hand") << ""
                                 << R"("range": [-1, 1])" << false;
  QTest::newRow("an output of the model") << "output c\n"
                                          << "" << false;
}

void EqualizedGainsTest::nothingIsGuessed() {
  QFETCH(QString, end);
  QFETCH(QString, activation);
  QFETCH(bool, told);
  const Network& given = kNetworks[1];
  QString text = QString::fromStdString(originalText(given, uniformWeights(24)));
  text.replace("r = Relu(c)\n", "").replace("Conv(r, w)", "Conv(c, w)");
  const QString config = activation.isEmpty() ? QString()
                                              : R"({"quantscope": 1, "default": {"activation": {)" +
                                                    activation + "}}}";
  const DetectorCase testCase((text + end).toUtf8().constData(), unevenSamples(given),
                              config.toStdString());
  QCOMPARE(gainAt(testCase, "layer").has_value(), told);
}

QUANTSCOPE_TEST(EqualizedGainsTest)
#include "test_equalized_gains.moc"
