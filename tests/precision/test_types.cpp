#include <QtTest>
#include <cmath>

#include "precision/quantized_case.h"
#include "support/test_main.h"

using namespace quantscope;
using quantscope::test::QuantizedCase;

namespace {

std::string config(const std::string& weight, const std::string& activation) {
  return R"({"quantscope": 1, "bias": "int32", "default": {"weight": )" + weight +
         R"(, "activation": )" + activation + R"(, "output": {"type": "fp32"}}})";
}

std::string type(QuantType type) {
  return R"({"type": ")" + std::string(name(type)) + "\"}";
}

std::string gemmText(const std::string& weight, const std::string& bias, std::size_t inputs) {
  const std::string width = std::to_string(inputs);
  return "input x:float[1," + width + "]\nw:float[" + width + ",1]{" + weight +
         "}\nbias:float[1]{" + bias + "}\ny = Gemm(x, w, bias) @g\noutput y\n";
}

std::vector<Tensor> samplesOf(const std::vector<std::vector<float>>& rows) {
  std::vector<Tensor> samples;
  for (const std::vector<float>& row : rows) {
    const Shape shape{1, static_cast<std::int64_t>(row.size())};
    samples.push_back(Tensor::of<float>(shape, std::span<const float>(row)));
  }
  return samples;
}

/// y = x · w + bias, calibrated on its samples.
struct GemmLayer : QuantizedCase {
  GemmLayer(const std::string& weight, const std::string& bias,
            const std::vector<std::vector<float>>& rows, const std::string& configuration)
      : QuantizedCase(gemmText(weight, bias, rows.front().size()).c_str(), samplesOf(rows),
                      configuration) {}

  float y(std::size_t sample = 0) const { return run("y", sample)[0]; }
};

constexpr const char* kFloat = R"({"type": "fp32"})";

}  // namespace

/// Layers whose weights or inputs have a type that is no integer.
class TypesTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void weights_data();
  void weights();
  void activations_data();
  void activations();
  void dynamicMagnitudesFollowEachSample();
  void biasStaysFloat_data();
  void biasStaysFloat();
  void everyPairOfTypes();
};

// All inputs are 1, so that the layer adds its weights up.
void TypesTest::weights_data() {
  QTest::addColumn<QString>("weight");
  QTest::addColumn<QString>("precision");
  QTest::addColumn<float>("expected");
  const auto row = [](const char* name, const char* weight, const char* precision, double sum) {
    QTest::newRow(name) << QString(weight) << QString(precision) << static_cast<float>(sum);
  };
  // absmax 448, so that the scale is 1; 17 ties to 16, 0.3 is nearest to 0.3125.
  row("fp8e4m3", "448, 17, -0.3", R"({"type": "fp8e4m3"})", 448 + 16 - 0.3125);
  row("fp8e5m2", "57344, 9, -3.4", R"({"type": "fp8e5m2"})", 57344 + 8 - 3.5);
  row("bf16", "1.00390625, 0.5, 3", R"({"type": "bf16"})", 1 + 0.5 + 3);
  row("fp16", "2049, 0.5, 3", R"({"type": "fp16"})", 2048 + 0.5 + 3);
  // mean|w| = 2, threshold 1.4, beyond it 4 and -1.5, whose mean is 2.75.
  row("ternary", "4, 0.5, -1.5", R"({"type": "ternary"})", 2.75 - 2.75);
  row("binary", "4, 0.5, -1.5", R"({"type": "binary"})", 2 + 2 - 2);
  row("binary per group", "4, 2, -1.5", R"({"type": "binary", "granularity": "per-group:0:2"})",
      3 + 3 - 1.5);
}

void TypesTest::weights() {
  QFETCH(QString, weight);
  QFETCH(QString, precision);
  QFETCH(float, expected);
  const GemmLayer layer(weight.toStdString(), "0", {{1, 1, 1}},
                        config(precision.toStdString(), kFloat));
  const float sum = layer.y();
  QVERIFY2(std::abs(sum - expected) <= 1e-6F * std::abs(expected), QByteArray::number(sum));
}

void TypesTest::activations_data() {
  QTest::addColumn<QString>("precision");
  QTest::addColumn<float>("expected");
  // The input is 4, 0.5, -1.5; all weights are 1.
  QTest::newRow("fp16") << R"({"type": "fp16"})" << 3.0F;
  QTest::newRow("bf16") << R"({"type": "bf16"})" << 3.0F;
  QTest::newRow("ternary, dynamic") << R"({"type": "ternary", "mode": "dynamic"})" << 0.0F;
  QTest::newRow("binary, dynamic") << R"({"type": "binary", "mode": "dynamic"})" << 2.0F;
  QTest::newRow("ternary by hand") << R"({"type": "ternary", "range": [-2, 2]})" << 0.0F;
  QTest::newRow("binary by hand") << R"({"type": "binary", "range": [-2, 2]})" << 2.0F;
  // 4 saturates at 2; -1.5 is 336 steps of 2/448 and ties to 320.
  QTest::newRow("fp8 by hand") << R"({"type": "fp8e4m3", "range": [-2, 2]})"
                               << 2.5F - 320 * 2.0F / 448;
}

void TypesTest::activations() {
  QFETCH(QString, precision);
  QFETCH(float, expected);
  const GemmLayer layer("1, 1, 1", "0", {{4, 0.5F, -1.5F}},
                        config(kFloat, precision.toStdString()));
  const float sum = layer.y();
  QVERIFY2(std::abs(sum - expected) <= 1e-6F, QByteArray::number(sum));
}

void TypesTest::dynamicMagnitudesFollowEachSample() {
  const GemmLayer layer("1, 1", "0", {{1, 3}, {10, 30}},
                        config(kFloat, R"({"type": "binary", "mode": "dynamic"})"));
  QVERIFY(layer.y(0) == 4 && layer.y(1) == 40);
  // Calibrated: one scale for both, the mean of all, within the width of the histogram's bins.
  const GemmLayer fixed("1, 1", "0", {{1, 3}, {10, 30}}, config(kFloat, R"({"type": "binary"})"));
  QVERIFY(std::abs(fixed.y(0) - 22) < 0.4F && fixed.y(0) == fixed.y(1));
}

void TypesTest::biasStaysFloat_data() {
  QTest::addColumn<QString>("weight");
  QTest::addColumn<QString>("activation");
  QTest::addColumn<bool>("stays");
  QTest::newRow("integers") << "int8"
                            << "uint8" << false;
  QTest::newRow("fp8 weights") << "fp8e4m3"
                               << "uint8" << true;
  QTest::newRow("bf16 inputs") << "int8"
                               << "bf16" << true;
  QTest::newRow("ternary weights") << "ternary"
                                   << "int8" << true;
  QTest::newRow("weights alone") << "int4"
                                 << "fp32" << true;
}

// Steps of 1/127 and 2/255: 0.0123456 is no multiple of their product.
void TypesTest::biasStaysFloat() {
  QFETCH(QString, weight);
  QFETCH(QString, activation);
  QFETCH(bool, stays);
  const GemmLayer layer("1, -1", "0.0123456", {{0, 2}},
                        config(R"({"type": ")" + weight.toStdString() + "\"}",
                               R"({"type": ")" + activation.toStdString() + "\"}"));
  const auto& constants = layer.model.applied[NodeId(0)].constants;
  const auto bias = std::ranges::find_if(constants, [](const auto& at) { return at.first == 2; });
  QVERIFY(bias != constants.end());
  QCOMPARE(bias->second.values<float>()[0] == 0.0123456F, stays);
}

void TypesTest::everyPairOfTypes() {
  for (int weight = 0; weight <= static_cast<int>(QuantType::Binary); ++weight) {
    for (int activation = 0; activation <= static_cast<int>(QuantType::Binary); ++activation) {
      const GemmLayer layer(
          "0.5, -0.7, 0.9", "0.1", {{1, 2, -3}, {-1, 0, 2}},
          config(type(static_cast<QuantType>(weight)), type(static_cast<QuantType>(activation))));
      QVERIFY(std::isfinite(layer.y()));
      const LayerQuantization& applied = layer.model.layers.at(0);
      QCOMPARE(applied.weight.has_value(), weight != 0);
      QCOMPARE(applied.activation.has_value(), activation != 0);
    }
  }
}

QUANTSCOPE_TEST(TypesTest)
#include "test_types.moc"
