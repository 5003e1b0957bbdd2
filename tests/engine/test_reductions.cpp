#include <QtTest>
#include <cmath>
#include <map>
#include <numeric>

#include "engine/operator_case.h"
#include "engine/operator_runner.h"
#include "support/test_main.h"

using namespace quantscope;
using namespace quantscope::test;

namespace {

const OperatorCase kReductionCases[] = {
    {"all axes", "y = ReduceSum(x)", "int32[2, 2]{1, 2, 3, 4}", "int32[1, 1]{10}"},
    {"no axes at all", "y = ReduceSum(x, x1) noop_with_empty_axes=1", "float[2]{1, 2}; int64[0]{}",
     "float[2]{1, 2}"},
    {"axes as an input", "y = ReduceMax(x, x1) keepdims=0", "float[2, 2]{1, 2, 3, 0}; int64[1]{-1}",
     "float[2]{2, 3}", 18},
    {"an axis that is not there", "y = ReduceSum(x, x1)", "float[2]; int64[1]{1}", "error: axis 1"},
    {"sum of nothing", "y = ReduceSum(x, x1)", "float[2, 0]{}; int64[1]{1}", "float[2, 1]{0, 0}"},
    {"product of nothing", "y = ReduceProd(x) keepdims=0", "float[0]{}", "float[]{1}"},
    {"largest of nothing", "y = ReduceMax(x) keepdims=0", "float[0]{}", "float[]{-inf}"},
    {"smallest of no integers", "y = ReduceMin(x) keepdims=0", "int8[0]{}", "int8[]{127}"},
    {"mean of nothing", "y = ReduceMean(x) keepdims=0", "float[0]{}", "float[]{nan}"},
    {"sum of nothing, of any size", "y = ReduceSum(x, x1)",
     "float[0, 4611686018427387904, 4]{}; int64[2]{1, 2}", "error: too large"},
    {"mean of no integers", "y = ReduceMean(x) keepdims=0", "int32[0]{}", "error: no mean"},
    {"mean of integers", "y = ReduceMean(x) keepdims=0", "int32[2]{-4, -3}", "int32[]{-3}"},
    {"integers wrap around", "y = ReduceSum(x) keepdims=0", "int32[2]{2147483647, 1}",
     "int32[]{-2147483648}"},
    {"NaN is the largest", "y = ReduceMax(x) keepdims=0", "float[9]{1, 2, 3, 4, nan, 6, 7, 8, 9}",
     "float[]{nan}"},
    {"NaN is the smallest", "y = ReduceMin(x) keepdims=0", "float[2]{nan, 1}", "float[]{nan}"},
    {"any", "y = ReduceMax(x) keepdims=0", "bool[3]{0, 1, 0}", "bool[]{1}", 20},
    {"norm of integers", "y = ReduceL1(x) keepdims=0", "int32[2]{-3, 4}", "int32[]{7}"},
    {"length", "y = ReduceL2(x) keepdims=0", "float[2]{3, 4}", "float[]{5}"},
    {"exponents beyond the range", "y = ReduceLogSumExp(x) keepdims=0", "float[2]{-inf, 1000}",
     "float[]{1000}"},
    {"exponents of zeros", "y = ReduceLogSumExp(x) keepdims=0", "float[2]{-inf, -inf}",
     "float[]{-inf}"},
    {"argmax takes the first", "y = ArgMax(x) axis=1", "float[2, 3]{1, 3, 3, nan, 1, nan}",
     "int64[2, 1]{1, 0}"},
    {"argmax takes the last", "y = ArgMax(x) axis=1 select_last_index=1 keepdims=0",
     "float[2, 3]{1, 3, 3, nan, 1, nan}", "int64[2]{2, 2}"},
    {"argmin along columns", "y = ArgMin(x) axis=0 keepdims=0", "int8[2, 3]{1, 5, 3, 1, 4, 9}",
     "int64[3]{0, 1, 0}"},
    {"last argmin along columns", "y = ArgMin(x) axis=0 select_last_index=1",
     "int8[2, 3]{1, 5, 3, 1, 4, 9}", "int64[1, 3]{1, 1, 0}"},
    {"argmax of nothing", "y = ArgMax(x) axis=0", "float[0, 2]{}", "error: without elements"},
    {"nothing of argmax", "y = ArgMax(x) axis=0", "float[2, 0]{}", "int64[1, 0]{}"},
    {"running sums", "y = CumSum(x, x1) exclusive=1 reverse=1",
     "float[2, 3]{1, 2, 3, 4, 5, 6}; int32[]{-1}", "float[2, 3]{5, 3, 0, 11, 6, 0}"},
    {"running sums along rows", "y = CumSum(x, x1)", "int32[2, 2]{1, 2, 3, 4}; int64[1]{0}",
     "int32[2, 2]{1, 2, 4, 6}"},
    {"running sums along two axes", "y = CumSum(x, x1)", "float[2]; int64[2]{0, 0}",
     "error: one integer"},
    {"best two, ties in order", "values, indices = TopK(x, x1)",
     "float[5]{1, 3, nan, 3, 2}; int64[1]{4}", "float[4]{nan, 3, 3, 2}; int64[4]{2, 1, 3, 4}"},
    {"worst two along columns", "values, indices = TopK(x, x1) axis=0 largest=0",
     "int8[3, 2]{3, 1, 1, 2, 2, 3}; int64[1]{2}",
     "int8[2, 2]{1, 1, 2, 2}; int64[2, 2]{1, 0, 2, 1}"},
    {"k as an attribute", "values, indices = TopK(x) k=1", "float[2]{1, 2}",
     "float[1]{2}; int64[1]{1}", 9},
    {"best none", "values, indices = TopK(x, x1)", "float[2]; int64[1]{0}",
     "float[0]{}; int64[0]{}"},
    {"more than there are", "values, indices = TopK(x, x1)", "float[2]; int64[1]{3}",
     "error: best 3 of 2"},
};

/// What a reduction is by definition, in double.
using Definition = double (*)(const std::vector<double>&);

double total(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0);
}

const std::map<std::string, Definition> kDefinitions = {
    {"ReduceSum", total},
    {"ReduceMean", [](const auto& v) { return total(v) / static_cast<double>(v.size()); }},
    {"ReduceMax", [](const auto& v) { return *std::ranges::max_element(v); }},
    {"ReduceMin", [](const auto& v) { return *std::ranges::min_element(v); }},
    {"ReduceProd",
     [](const auto& v) { return std::accumulate(v.begin(), v.end(), 1.0, std::multiplies<>()); }},
    {"ReduceL1",
     [](const auto& v) {
       return std::accumulate(v.begin(), v.end(), 0.0,
                              [](double sum, double x) { return sum + std::abs(x); });
     }},
    {"ReduceSumSquare",
     [](const auto& v) { return std::inner_product(v.begin(), v.end(), v.begin(), 0.0); }},
    {"ReduceLogSumExp",
     [](const auto& v) {
       return std::log(std::accumulate(v.begin(), v.end(), 0.0,
                                       [](double sum, double x) { return sum + std::exp(x); }));
     }},
};

/// The reduction spelled out: every element goes to the group of its kept coordinates.
std::vector<double> reduceByDefinition(const Tensor& x, unsigned reducedAxes,
                                       Definition definition) {
  const Shape strides = rowMajorStrides(x.shape());
  std::map<std::vector<std::int64_t>, std::vector<double>> groups;
  const std::vector<double> values = elements(x);
  for (std::size_t i = 0; i < values.size(); ++i) {
    std::vector<std::int64_t> kept;
    for (std::size_t axis = 0; axis < x.shape().rank(); ++axis) {
      if (reducedAxes >> axis & 1U) continue;
      kept.push_back(static_cast<std::int64_t>(i) / strides[axis] % x.shape()[axis]);
    }
    groups[kept].push_back(values[i]);
  }
  std::vector<double> results;
  for (const auto& [kept, group] : groups) results.push_back(definition(group));
  return results;
}

}  // namespace

class ReductionsTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void cases_data() { addCases(kReductionCases); }
  void cases();
  void everyChoiceOfAxes_data();
  void everyChoiceOfAxes();
  void longSumsStayExact();
};

void ReductionsTest::cases() {
  QFETCH(int, row);
  const std::string difference = runCase(kReductionCases[row]);
  QVERIFY2(difference.empty(), difference.c_str());
}

void ReductionsTest::everyChoiceOfAxes_data() {
  QTest::addColumn<QString>("operation");
  QTest::addColumn<QString>("shape");
  for (const auto& [operation, definition] : kDefinitions) {
    for (const char* shape : {"2,3,4,5", "3,1,19,2", "2,300,3", "7"}) {
      QTest::addRow("%s of %s", operation.c_str(), shape)
          << QString::fromStdString(operation) << QString(shape);
    }
  }
}

// The elements are multiples of 1/64 below 1: their sums and the sums of their squares are exact in
// float32, and one rounding of the result (of a double, where it is not a sum; of a denormal at
// worst) is left.
void ReductionsTest::everyChoiceOfAxes() {
  QFETCH(QString, operation);
  QFETCH(QString, shape);
  const Tensor x = tensorsFromText("float[" + shape.toStdString() + "]")[0];
  const Definition definition = kDefinitions.at(operation.toStdString());
  for (unsigned axes = 1; axes < 1U << x.shape().rank(); ++axes) {
    QStringList names;
    Shape kept = x.shape();
    for (std::size_t axis = 0; axis < x.shape().rank(); ++axis) {
      if ((axes >> axis & 1U) == 0) continue;
      names << QString::number(axis);
      kept[axis] = 1;
    }
    const std::vector<double> expected = reduceByDefinition(x, axes, definition);
    std::vector<double> tolerance;
    for (const double value : expected) tolerance.push_back(std::abs(value) * 0x1p-23 + 0x1p-149);
    const QString node = QString("y = %1(x) axes=[%2]").arg(operation, names.join(", "));
    const OperatorRunner runner(node.toStdString(), 12);
    QCOMPARE(difference(runner({x}), kept, expected, tolerance), std::string());
    const Tensor turned = toLayout(x, Layout::ChannelsLast);
    QCOMPARE(difference(runner({turned}), kept, expected, tolerance), std::string());
  }
}

// A million times 0.1 in float32 would drift by 1 %. Columns are added up in float32 for 512 rows
// at a time, whose sum is off by at most 512 halves of its unit in the last place.
void ReductionsTest::longSumsStayExact() {
  const std::int64_t count = 1000000;
  Tensor x(ElementType::Float32, {count, 2});
  std::ranges::fill(x.mutableValues<float>(), 0.1F);
  const double expected = static_cast<double>(0.1F) * static_cast<double>(count);
  const Tensor columns =
      OperatorRunner("y = ReduceSum(x, x1) keepdims=0")({x, Tensor::of<std::int64_t>({1}, {0})});
  QCOMPARE(difference(columns, {2}, {expected, expected}, {expected * 512 * 0x1p-24}),
           std::string());
  const Tensor all = OperatorRunner("y = ReduceSum(x) keepdims=0")({x});
  QCOMPARE(difference(all, {}, {2 * expected}, {expected * 12e-8}), std::string());
}

QUANTSCOPE_TEST(ReductionsTest)
#include "test_reductions.moc"
