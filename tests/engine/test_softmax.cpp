#include <QtTest>
#include <cmath>
#include <limits>

#include "engine/operator_runner.h"
#include "support/error_text.h"
#include "support/infinity.h"
#include "support/test_main.h"

using namespace quantscope;
using namespace quantscope::test;

namespace {

/// [outer, extent, inner] softmax in double.
std::vector<double> softmax(const std::vector<double>& x, std::size_t extent, std::size_t inner,
                            bool logarithm) {
  std::vector<double> y(x.size());
  for (std::size_t i = 0; i < x.size() / extent; ++i) {
    const std::size_t first = i / inner * extent * inner + i % inner;
    double largest = -std::numeric_limits<double>::infinity();
    for (std::size_t k = 0; k < extent; ++k) largest = std::max(largest, x[first + k * inner]);
    double sum = 0;
    for (std::size_t k = 0; k < extent; ++k) sum += std::exp(x[first + k * inner] - largest);
    for (std::size_t k = 0; k < extent; ++k) {
      const double shifted = x[first + k * inner] - largest;
      y[first + k * inner] = logarithm ? shifted - std::log(sum) : std::exp(shifted) / sum;
    }
  }
  return y;
}

}  // namespace

class SoftmaxTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void matchesItsDefinition_data();
  void matchesItsDefinition();
  void extremes();
  void hardmaxTakesTheFirst_data();
  void hardmaxTakesTheFirst();
  void badAxesAreErrors();
};

void SoftmaxTest::matchesItsDefinition_data() {
  QTest::addColumn<int>("opset");
  QTest::addColumn<QString>("axis");
  QTest::addColumn<int>("extent");
  QTest::addColumn<int>("inner");
  // The input is [3, 4, 70]; before version 13 the axes from `axis` on count as one.
  QTest::newRow("last by default") << 13 << "" << 70 << 1;
  QTest::newRow("last") << 13 << " axis=2" << 70 << 1;
  QTest::newRow("middle") << 13 << " axis=1" << 4 << 70;
  QTest::newRow("first") << 13 << " axis=-3" << 3 << 280;
  QTest::newRow("flattened by default") << 11 << "" << 280 << 1;
  QTest::newRow("flattened from the last") << 11 << " axis=-1" << 70 << 1;
  QTest::newRow("all flattened") << 7 << " axis=0" << 840 << 1;
}

void SoftmaxTest::matchesItsDefinition() {
  QFETCH(int, opset);
  QFETCH(QString, axis);
  QFETCH(int, extent);
  QFETCH(int, inner);
  const Tensor x = scaled(randomTensor(Shape{3, 4, 70}, 1), 9);
  const auto along = static_cast<std::size_t>(extent);
  const auto behind = static_cast<std::size_t>(inner);
  const OperatorRunner runner("y = Softmax(x)" + axis.toStdString(), opset);
  // e^x is off by an ulp, the sum and its reciprocal by few; no result exceeds 1.
  const std::string found =
      difference(runner({x}), x.shape(), softmax(elements(x), along, behind, false), {1e-6});
  QVERIFY2(found.empty(), found.c_str());
  const Tensor precise = fromFloat32(x, ElementType::Float64);
  const std::string inDouble =
      difference(runner({precise}), x.shape(), softmax(elements(x), along, behind, false), {1e-15});
  QVERIFY2(inDouble.empty(), inDouble.c_str());
  const OperatorRunner logarithm("y = LogSoftmax(x)" + axis.toStdString(), opset);
  // Values down to −25, each of their two differences rounded to 2⁻²⁰.
  const std::string ofLog =
      difference(logarithm({x}), x.shape(), softmax(elements(x), along, behind, true), {4e-6});
  QVERIFY2(ofLog.empty(), ofLog.c_str());
}

void SoftmaxTest::extremes() {
  const OperatorRunner runner("y = Softmax(x)");
  const Tensor large = Tensor::of<float>({1, 2}, {1e30F, 1e30F});
  QVERIFY(identical(runner({large}), Tensor::of<float>({1, 2}, {0.5F, 0.5F})));
  const Tensor masked = Tensor::of<float>({1, 3}, {-kInfinity, 2, -kInfinity});
  QVERIFY(identical(runner({masked}), Tensor::of<float>({1, 3}, {0, 1, 0})));
  const Tensor invalid = Tensor::of<float>({1, 2}, {std::nanf(""), 0});
  const Tensor nowhere = runner({invalid});
  for (const float value : nowhere.values<float>()) QVERIFY(std::isnan(value));
  QVERIFY(identical(runner({Tensor(ElementType::Float32, Shape{2, 0})}),
                    Tensor(ElementType::Float32, Shape{2, 0})));
  QVERIFY(identical(runner({Tensor::of<float>({}, {3})}), Tensor::of<float>({}, {1})));
}

void SoftmaxTest::hardmaxTakesTheFirst_data() {
  QTest::addColumn<QString>("axis");
  QTest::addColumn<QVector<float>>("expected");
  using Floats = QVector<float>;
  QTest::newRow("rows") << "" << Floats{0, 1, 0, 1, 0, 0};
  QTest::newRow("columns") << " axis=0" << Floats{0, 1, 1, 1, 0, 0};
}

void SoftmaxTest::hardmaxTakesTheFirst() {
  QFETCH(QString, axis);
  QFETCH(QVector<float>, expected);
  const Tensor x = Tensor::of<float>({2, 3}, {1, 3, 3, 2, 2, 1});
  const OperatorRunner runner("y = Hardmax(x)" + axis.toStdString());
  QVERIFY(identical(runner({x}),
                    Tensor::of<float>({2, 3}, {expected.data(), std::size_t(expected.size())})));
}

void SoftmaxTest::badAxesAreErrors() {
  VERIFY_ERROR(OperatorRunner("y = Softmax(x) axis=2")({randomTensor(Shape{2, 3}, 1)}), "axis 2");
  VERIFY_ERROR(OperatorRunner("y = Softmax(x)")({Tensor::of<std::int32_t>({1}, {1})}), "int32");
}

QUANTSCOPE_TEST(SoftmaxTest)
#include "test_softmax.moc"
