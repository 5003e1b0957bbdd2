#include <QtTest>
#include <cmath>

#include "precision/config/configuration.h"
#include "precision/quantized_case.h"
#include "support/test_main.h"

using namespace quantscope;
using namespace quantscope::test;

namespace {

// Both inputs lie on steps of 0.01.
std::vector<Tensor> input() {
  return {Tensor::of<float>(Shape{1, 1, 1, 2}, {0.0F, 2.55F})};
}

std::string convText(const std::string& weights, const std::string& biases, int channels) {
  const std::string count = std::to_string(channels);
  return "input x:float[1,1,1,2]\nw:float[" + count + ",1,1,1]{" + weights + "}\nbias:float[" +
         count + "]{" + biases + "}\ny = Conv(x, w, bias) @c\noutput y\n";
}

struct BiasedLayer : QuantizedCase {
  BiasedLayer(const std::string& weights, const std::string& biases, int channels,
              const std::string& keys)
      : QuantizedCase(convText(weights, biases, channels).c_str(), input(),
                      "{\"quantscope\": 1, " + keys + "}") {}

  const Tensor& constant(std::size_t slot) const {
    for (const auto& [input, tensor] : model.applied[NodeId(0)].constants) {
      if (input == slot) return tensor;
    }
    throw std::out_of_range("no such constant");
  }
  float bias(std::size_t channel = 0) const { return constant(2).values<float>()[channel]; }
  double weightScale(std::size_t channel = 0) const {
    return model.layers.at(0).weight->grids.at(channel).scale;
  }
  std::size_t overflows() const { return biasOverflows(model.layers.at(0)); }
};

constexpr double kInputScale = 0.01;
// The largest bias that ONNX Runtime lets a step of 1 have.
constexpr double kFitting = 4294967294.0 / (2 * 1.0001);

bool near(double found, double expected, double tolerance) {
  return std::abs(found - expected) <= tolerance * std::abs(expected);
}

}  // namespace

/// The effect of each rule on a bias, on layers whose numbers are computed by hand.
class BiasTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void weightsOfNothing_data();
  void weightsOfNothing();
  void theConfigurationDecides();
  void onItsOwnGrid();
  void beyondInt32IsCounted();
  void scalesGrowUntilItFits();
  void oneScaleFitsTheLargest();
  void whatFitsStaysAsItIs();
  void sixteenBitsHaveNoOverflow_data();
  void sixteenBitsHaveNoOverflow();
};

void BiasTest::weightsOfNothing_data() {
  QTest::addColumn<QString>("backend");
  QTest::addColumn<float>("expected");
  for (const char* backend : {"x86", "fbgemm", "onednn"}) QTest::newRow(backend) << backend << 5.0F;
  QTest::newRow("qnnpack") << "qnnpack" << 0.0F;
  for (const char* backend : {"onnxruntime", "generic"}) QTest::newRow(backend) << backend << 5.0F;
}

// A layer of weight 1e-10 and bias 5 gives 5 in PyTorch's oneDNN and 0 in its QNNPACK: there the
// bias is 2^31 − 1 steps of 0.01 · 1e-10/127 at most, which is 1.7e-5.
void BiasTest::weightsOfNothing() {
  QFETCH(QString, backend);
  const BiasedLayer layer("1e-10", "5", 1, "\"backend\": \"" + backend.toStdString() + "\"");
  QTEST(layer.run("y").at(0), "expected");
  QTEST(layer.run("y").at(1), "expected");
}

void BiasTest::theConfigurationDecides() {
  QVERIFY(BiasedLayer("1e-10", "5", 1, R"("backend": "qnnpack", "bias": "float")").bias() == 5);
  QVERIFY(BiasedLayer("1e-10", "5", 1, R"("backend": "x86", "bias": "int32")").bias() < 1e-4F);
}

// Input step 0.01, weight step 0.02 (absmax 2.54): the bias lies on multiples of 0.0002.
void BiasTest::onItsOwnGrid() {
  const BiasedLayer layer("2.54", "0.00051", 1, R"("bias": "int32")");
  QCOMPARE(layer.model.applied[NodeId(0)].constants.size(), std::size_t{2});
  QVERIFY(std::abs(layer.bias() - 0.0006F) < 1e-8F);
  QVERIFY(std::abs(BiasedLayer("2.54", "0.00051", 1, R"("bias": "int32-fit")").bias() - 0.0006F) <
          1e-8F);
  QVERIFY(BiasedLayer("2.54", "0.00051", 1, R"("bias": "float")").bias() == 0.00051F);
}

// 1e9 / (0.01 · 1e-6/127) is far beyond 2^31.
void BiasTest::beyondInt32IsCounted() {
  QCOMPARE(BiasedLayer("1e-6, 127", "1e9, 1", 2, R"("bias": "int32")").overflows(), std::size_t{1});
  QCOMPARE(BiasedLayer("1e-6, 127", "1e9, 1", 2, R"("bias": "int32-fit")").overflows(),
           std::size_t{0});
}

// A step of 0.01 · 1e-10/127 would need 6.4e14 codes for 5. At the least step that holds them the
// weight 1e-10 is less than half a step: 0. The other channel has its own scale.
void BiasTest::scalesGrowUntilItFits() {
  const BiasedLayer layer("1e-10, 127", "-5, 1", 2, R"("bias": "int32-fit")");
  const double fitted = 5 / kFitting / kInputScale;
  QVERIFY(near(layer.weightScale(0), fitted, 1e-6));
  QVERIFY(layer.weightScale(1) == 1);
  QVERIFY(layer.constant(1).values<float>()[0] == 0);
  QVERIFY(near(layer.bias(0), -5, 1e-7));
}

void BiasTest::oneScaleFitsTheLargest() {
  const BiasedLayer layer(
      "1e-10, 1e-10", "3, -5", 2,
      R"("bias": "int32-fit", "default": {"weight": {"granularity": "per-tensor"}})");
  QVERIFY(near(layer.weightScale(), 5 / kFitting / kInputScale, 1e-6));
  QVERIFY(near(layer.bias(0), 3, 1e-7) && near(layer.bias(1), -5, 1e-7));
}

// Just inside the limit, and just beyond it: of a step of 0.01, as the weight's is 1.
void BiasTest::whatFitsStaysAsItIs() {
  const auto with = [](double bias) {
    return BiasedLayer("127", std::to_string(bias), 1, R"("bias": "int32-fit")");
  };
  QVERIFY(with(kFitting * kInputScale * (1 - 1e-6)).weightScale() == 1);
  QVERIFY(near(with(kFitting * kInputScale * 1.5).weightScale(), 1.5, 1e-6));
}

void BiasTest::sixteenBitsHaveNoOverflow_data() {
  QTest::addColumn<QString>("type");
  QTest::addColumn<QString>("rule");
  for (const char* type : {"int16", "uint16"}) {
    for (const char* rule : {"int32", "int32-fit"}) {
      QTest::addRow("%s, %s", type, rule) << type << rule;
    }
  }
}

// Beside inputs of 16 bits the bias has 64: nothing is cut off, and no scale has to grow.
void BiasTest::sixteenBitsHaveNoOverflow() {
  QFETCH(QString, type);
  QFETCH(QString, rule);
  const BiasedLayer layer("1e-10", "5", 1,
                          QString(R"("bias": "%1", "default": {"activation": {"type": "%2"}})")
                              .arg(rule, type)
                              .toStdString());
  QCOMPARE(layer.overflows(), std::size_t{0});
  QVERIFY(near(layer.weightScale(), 1e-10 / 127, 1e-6));
  QVERIFY(near(layer.bias(), 5, 1e-6));
}

QUANTSCOPE_TEST(BiasTest)
#include "test_bias.moc"
