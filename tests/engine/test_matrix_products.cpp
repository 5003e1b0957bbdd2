#include <QtTest>
#include <cmath>
#include <thread>

#include "engine/operator_runner.h"
#include "support/error_text.h"
#include "support/test_main.h"

using namespace quantscope;
using namespace quantscope::test;

namespace {

struct Product {
  Shape shape;
  std::vector<double> values;
  std::vector<double> bounds;
};

/// A stack of matrices as the broadcast index sees it.
std::size_t offsetOf(const Shape& operand, const Shape& stack, std::int64_t index) {
  std::int64_t offset = 0;
  std::int64_t stride = operand[operand.rank() - 1] * operand[operand.rank() - 2];
  for (std::size_t i = stack.rank(); i-- > 0;) {
    const std::int64_t place = index % stack[i];
    index /= stack[i];
    const std::size_t behind = stack.rank() - i;
    if (operand.rank() < behind + 2) continue;
    const std::int64_t extent = operand[operand.rank() - 2 - behind];
    if (extent > 1) offset += place * stride;
    stride *= extent;
  }
  return static_cast<std::size_t>(offset);
}

/// Both operands with at least two axes. The bound is that of test_convolution.cpp.
Product multiply(const Tensor& a, const Tensor& b, const Shape& stack) {
  const std::int64_t m = a.shape()[a.shape().rank() - 2];
  const std::int64_t k = a.shape().back();
  const std::int64_t n = b.shape().back();
  Product expected;
  expected.shape = stack;
  expected.shape.append(m);
  expected.shape.append(n);
  const std::vector<double> left = elements(a);
  const std::vector<double> right = elements(b);
  for (std::int64_t i = 0; i < stack.elementCount() * m * n; ++i) {
    const std::int64_t matrix = i / (m * n);
    const double* row = left.data() + offsetOf(a.shape(), stack, matrix) + i / n % m * k;
    const double* column = right.data() + offsetOf(b.shape(), stack, matrix) + i % n;
    double sum = 0;
    double magnitude = 0;
    for (std::int64_t p = 0; p < k; ++p) {
      sum += row[p] * column[p * n];
      magnitude += std::abs(row[p] * column[p * n]);
    }
    expected.values.push_back(sum);
    expected.bounds.push_back(2 * static_cast<double>(k + 1) * 0x1p-24 * magnitude);
  }
  return expected;
}

/// The first `rows` rows of a matrix.
Tensor firstRows(const Tensor& matrix, std::int64_t rows) {
  const Shape shape{rows, matrix.shape()[1]};
  return Tensor::of<float>(
      shape, matrix.values<float>().first(static_cast<std::size_t>(shape.elementCount())));
}

Tensor floats(const Shape& shape, std::initializer_list<float> values) {
  return Tensor::of<float>(shape, values);
}

}  // namespace

class MatrixProductsTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void matMulMatchesItsDefinition_data();
  void matMulMatchesItsDefinition();
  void vectorsLoseTheirAxis();
  void rowsDoNotDependOnTheirNumber_data();
  void rowsDoNotDependOnTheirNumber();
  void integersWrap();
  void lateBiasIsAdded_data();
  void lateBiasIsAdded();
  void threadsShareOneKernel();
  void gemmByHand_data();
  void gemmByHand();
  void einsumByHand_data();
  void einsumByHand();
  void badShapesAreErrors();
};

void MatrixProductsTest::matMulMatchesItsDefinition_data() {
  QTest::addColumn<QString>("a");
  QTest::addColumn<QString>("b");
  QTest::addColumn<QString>("stack");
  QTest::newRow("small") << "3,4"
                         << "4,5"
                         << "";
  QTest::newRow("large") << "17,300"
                         << "300,90"
                         << "";
  QTest::newRow("one row") << "1,784"
                           << "784,64"
                           << "";
  QTest::newRow("one column") << "9,64"
                              << "64,1"
                              << "";
  QTest::newRow("shared weights") << "2,3,7,20"
                                  << "20,12"
                                  << "2,3";
  QTest::newRow("shared large weights") << "2,3,7,200"
                                        << "200,120"
                                        << "2,3";
  QTest::newRow("weights with an axis of one") << "2,7,20"
                                               << "1,20,12"
                                               << "2";
  QTest::newRow("pairs") << "4,7,20"
                         << "4,20,12"
                         << "4";
  QTest::newRow("broadcast to the left") << "7,20"
                                         << "4,20,12"
                                         << "4";
  QTest::newRow("both broadcast") << "3,1,7,20"
                                  << "4,20,12"
                                  << "3,4";
  QTest::newRow("attention of one query") << "2,4,1,16"
                                          << "2,4,16,9"
                                          << "2,4";
}

void MatrixProductsTest::matMulMatchesItsDefinition() {
  QFETCH(QString, a);
  QFETCH(QString, b);
  QFETCH(QString, stack);
  const Tensor left = randomTensor(shapeOf(a.toStdString()), 1);
  const Tensor right = randomTensor(shapeOf(b.toStdString()), 2);
  const Product expected = multiply(left, right, shapeOf(stack.toStdString()));
  for (const char* text : {"y = MatMul(x, w)", "y = MatMul(x, x2)"}) {
    const OperatorRunner runner(text);
    const std::string found =
        difference(runner({left, right}), expected.shape, expected.values, expected.bounds);
    QVERIFY2(found.empty(), found.c_str());
    const Tensor precise =
        runner({fromFloat32(left, ElementType::Float64), fromFloat32(right, ElementType::Float64)});
    const std::string inDouble = difference(precise, expected.shape, expected.values, {1e-11});
    QVERIFY2(inDouble.empty(), inDouble.c_str());
  }
}

void MatrixProductsTest::vectorsLoseTheirAxis() {
  const OperatorRunner runner("y = MatMul(x, x2)");
  const Tensor matrix = floats({2, 3}, {1, 2, 3, 4, 5, 6});
  const Tensor pair = floats({2}, {1, 10});
  const Tensor triple = floats({3}, {1, 10, 100});
  QVERIFY(identical(runner({matrix, triple}), floats({2}, {321, 654})));
  QVERIFY(identical(runner({pair, matrix}), floats({3}, {41, 52, 63})));
  QVERIFY(identical(runner({triple, triple}), floats({}, {10101})));
}

void MatrixProductsTest::rowsDoNotDependOnTheirNumber_data() {
  QTest::addColumn<int>("k");
  QTest::addColumn<int>("n");
  QTest::addColumn<bool>("constantWeights");
  for (const bool constantWeights : {true, false}) {
    for (const auto& [k, n] : {std::pair{3, 5},
                               {16, 16},
                               {64, 200},
                               {100, 81},
                               {257, 31},
                               {784, 64},
                               {512, 512},
                               {1000, 129},
                               {3000, 40}}) {
      QTest::addRow("%d x %d, %s", k, n, constantWeights ? "constant" : "computed")
          << k << n << constantWeights;
    }
  }
}

// What batching rests on: a row gives the same bits alone and among others.
void MatrixProductsTest::rowsDoNotDependOnTheirNumber() {
  QFETCH(int, k);
  QFETCH(int, n);
  QFETCH(bool, constantWeights);
  const OperatorRunner runner(constantWeights ? "y = MatMul(x, w)" : "y = MatMul(x, x2)");
  const Tensor x = randomTensor(Shape{70, k}, 1);
  const Tensor w = randomTensor(Shape{k, n}, 2);
  const Tensor all = runner({x, w});
  for (const std::int64_t rows : {1, 2, 3, 5, 8, 17, 64}) {
    QVERIFY(identical(runner({firstRows(x, rows), w}), firstRows(all, rows)));
  }
}

void MatrixProductsTest::integersWrap() {
  const OperatorRunner runner("y = MatMul(x, x2)");
  const Tensor a = Tensor::of<std::int32_t>({1, 2}, {1 << 30, 1});
  const Tensor b = Tensor::of<std::int32_t>({2, 1}, {4, -7});
  QVERIFY(identical(runner({a, b}), Tensor::of<std::int32_t>({1, 1}, {-7})));
  const Tensor wide = Tensor::of<std::int64_t>({1, 2}, {std::int64_t{1} << 40, 1});
  const Tensor other = Tensor::of<std::int64_t>({2, 1}, {4, -7});
  QVERIFY(identical(runner({wide, other}),
                    Tensor::of<std::int64_t>({1, 1}, {(std::int64_t{1} << 42) - 7})));
}

void MatrixProductsTest::lateBiasIsAdded_data() {
  QTest::addColumn<QString>("a");
  QTest::addColumn<QString>("b");
  QTest::newRow("small weights") << "3,4"
                                 << "4,5";
  QTest::newRow("large weights") << "3,200"
                                 << "200,90";
  QTest::newRow("stack") << "2,3,4"
                         << "2,4,5";
}

void MatrixProductsTest::lateBiasIsAdded() {
  QFETCH(QString, a);
  QFETCH(QString, b);
  const Tensor left = randomTensor(shapeOf(a.toStdString()), 1);
  const Tensor right = randomTensor(shapeOf(b.toStdString()), 2);
  const std::int64_t n = right.shape().back();
  const Tensor bias = randomTensor(Shape{n}, 3);
  const OperatorRunner runner("y = MatMul(x, w)");
  const Tensor without = runner({left, right});
  std::vector<double> expected = elements(without);
  for (std::size_t i = 0; i < expected.size(); ++i) {
    expected[i] += static_cast<double>(bias.values<float>()[i % static_cast<std::size_t>(n)]);
  }
  // The sum without bias and the one with it are each rounded a few times.
  const std::string found =
      difference(runner({left, right, bias}), without.shape(), expected, {2e-5});
  QVERIFY2(found.empty(), found.c_str());
}

void MatrixProductsTest::threadsShareOneKernel() {
  const OperatorRunner runner("y = MatMul(x, w)");
  std::vector<Tensor> inputs;
  std::vector<Tensor> weights;
  std::vector<Tensor> expected;
  for (unsigned i = 0; i < 6; ++i) {
    inputs.push_back(randomTensor(Shape{1 + i % 3, 128}, i));
    weights.push_back(randomTensor(Shape{128, 100}, 10 + i));
    expected.push_back(OperatorRunner("y = MatMul(x, w)")({inputs[i], weights[i]}));
  }
  std::vector<int> wrong(4, 0);
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < wrong.size(); ++i) {
    threads.emplace_back([&, i] {
      for (std::size_t round = 0; round < 200; ++round) {
        const std::size_t j = (i + round) % inputs.size();
        if (!identical(runner({inputs[j], weights[j]}), expected[j])) ++wrong[i];
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  QCOMPARE(wrong, std::vector<int>(4, 0));
}

void MatrixProductsTest::gemmByHand_data() {
  QTest::addColumn<QString>("attributes");
  QTest::addColumn<QString>("cShape");
  QTest::addColumn<QVector<float>>("c");
  QTest::addColumn<QVector<float>>("expected");
  using Floats = QVector<float>;
  // a = [[1, 2], [3, 4]], b = [[1, 10], [100, 1000]].
  QTest::newRow("product") << ""
                           << "" << Floats{} << Floats{201, 2010, 403, 4030};
  QTest::newRow("alpha") << "alpha=2.0"
                         << "" << Floats{} << Floats{402, 4020, 806, 8060};
  QTest::newRow("transposed a") << "transA=1"
                                << "" << Floats{} << Floats{301, 3010, 402, 4020};
  QTest::newRow("transposed b") << "transB=1"
                                << "" << Floats{} << Floats{21, 2100, 43, 4300};
  QTest::newRow("both transposed") << "transA=1 transB=1"
                                   << "" << Floats{} << Floats{31, 3100, 42, 4200};
  QTest::newRow("row") << ""
                       << "2" << Floats{1, 2} << Floats{202, 2012, 404, 4032};
  QTest::newRow("row as matrix") << ""
                                 << "1,2" << Floats{1, 2} << Floats{202, 2012, 404, 4032};
  QTest::newRow("column") << ""
                          << "2,1" << Floats{1, 2} << Floats{202, 2011, 405, 4032};
  QTest::newRow("one") << ""
                       << "1" << Floats{1} << Floats{202, 2011, 404, 4031};
  QTest::newRow("matrix and beta")
      << "alpha=0.5 beta=2.0"
      << "2,2" << Floats{1, 2, 3, 4} << Floats{102.5F, 1009, 207.5F, 2023};
}

void MatrixProductsTest::gemmByHand() {
  QFETCH(QString, attributes);
  QFETCH(QString, cShape);
  QFETCH(QVector<float>, c);
  QFETCH(QVector<float>, expected);
  const Tensor a = floats({2, 2}, {1, 2, 3, 4});
  const Tensor b = floats({2, 2}, {1, 10, 100, 1000});
  std::vector<Tensor> inputs{a, b};
  std::string text = "y = Gemm(x, w) ";
  if (!c.isEmpty()) {
    inputs.push_back(
        Tensor::of<float>(shapeOf(cShape.toStdString()), {c.data(), std::size_t(c.size())}));
    text = "y = Gemm(x, w, c) ";
  }
  const OperatorRunner runner(text + attributes.toStdString());
  const Tensor wanted = Tensor::of<float>({2, 2}, {expected.data(), std::size_t(expected.size())});
  QVERIFY(identical(runner(inputs), wanted));
  for (Tensor& input : inputs) input = fromFloat32(input, ElementType::Float64);
  QVERIFY(identical(runner(inputs), fromFloat32(wanted, ElementType::Float64)));
}

void MatrixProductsTest::einsumByHand_data() {
  QTest::addColumn<QString>("equation");
  QTest::addColumn<QString>("shape");
  QTest::addColumn<QVector<float>>("expected");
  using Floats = QVector<float>;
  // The operands are a = [[1, 2], [3, 4]], b = [[1, 10], [100, 1000]] and c = [1, −1].
  QTest::newRow("product") << "ij,jk->ik"
                           << "2,2" << Floats{201, 2010, 403, 4030};
  QTest::newRow("product, implicit") << "ij,jk"
                                     << "2,2" << Floats{201, 2010, 403, 4030};
  QTest::newRow("implicit order is alphabetical") << "kj,ji"
                                                  << "2,2" << Floats{201, 403, 2010, 4030};
  QTest::newRow("transposed") << "ij->ji"
                              << "2,2" << Floats{1, 3, 2, 4};
  QTest::newRow("diagonal") << "ii->i"
                            << "2" << Floats{1, 4};
  QTest::newRow("trace") << "ii"
                         << "" << Floats{5};
  QTest::newRow("sum") << "ij->"
                       << "" << Floats{10};
  QTest::newRow("columns") << "ij->j"
                           << "2" << Floats{4, 6};
  QTest::newRow("elementwise") << "ij,ij->ij"
                               << "2,2" << Floats{1, 20, 300, 4000};
  QTest::newRow("chain of three") << "ij,jk,k->i"
                                  << "2" << Floats{-1809, -3627};
  QTest::newRow("ellipsis") << "...j,jk->...k"
                            << "2,2" << Floats{201, 2010, 403, 4030};
  QTest::newRow("sum inside one operand") << "ij,k l->i"
                                          << "2" << Floats{3333, 7777};
}

void MatrixProductsTest::einsumByHand() {
  QFETCH(QString, equation);
  QFETCH(QString, shape);
  QFETCH(QVector<float>, expected);
  const std::vector<Tensor> all{floats({2, 2}, {1, 2, 3, 4}), floats({2, 2}, {1, 10, 100, 1000}),
                                floats({2}, {1, -1})};
  const auto operands = static_cast<std::size_t>(equation.count(',')) + 1;
  const char* inputs[] = {"x", "x, x2", "x, x2, x3"};
  const OperatorRunner runner("y = Einsum(" + std::string(inputs[operands - 1]) + ") equation=\"" +
                              equation.toStdString() + "\"");
  const Tensor wanted = Tensor::of<float>(shapeOf(shape.toStdString()),
                                          {expected.data(), std::size_t(expected.size())});
  QVERIFY(identical(runner({all.begin(), all.begin() + static_cast<std::ptrdiff_t>(operands)}),
                    wanted));
}

void MatrixProductsTest::badShapesAreErrors() {
  const OperatorRunner matMul("y = MatMul(x, w)");
  const Tensor matrix = randomTensor(Shape{2, 3}, 1);
  VERIFY_ERROR(matMul({matrix, matrix}), "cannot be multiplied");
  VERIFY_ERROR(matMul({matrix, randomTensor(Shape{}, 1)}), "scalars");
  VERIFY_ERROR(matMul({matrix}), "input 1 is missing");
  VERIFY_ERROR(matMul({matrix, randomTensor(Shape{3, 4}, 1), randomTensor(Shape{3}, 1)}), "bias");
  VERIFY_ERROR(matMul({matrix, fromFloat32(randomTensor(Shape{3, 4}, 1), ElementType::Float64)}),
               "float64");
  const OperatorRunner gemm("y = Gemm(x, w, c)");
  VERIFY_ERROR(gemm({matrix, matrix, matrix}), "cannot be multiplied");
  VERIFY_ERROR(gemm({matrix, randomTensor(Shape{3, 4}, 1), randomTensor(Shape{3}, 1)}),
               "does not broadcast");
  const OperatorRunner einsum("y = Einsum(x, x2) equation=\"ij,jk->ik\"");
  VERIFY_ERROR(einsum({matrix, matrix}), "does not agree");
  VERIFY_ERROR(einsum({matrix, randomTensor(Shape{3}, 1)}), "axes");
  VERIFY_ERROR(OperatorRunner("y = Einsum(x) equation=\"ij->k\""), "no equation");
}

QUANTSCOPE_TEST(MatrixProductsTest)
#include "test_matrix_products.moc"
