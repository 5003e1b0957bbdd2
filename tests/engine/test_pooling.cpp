#include <QtTest>
#include <algorithm>
#include <cmath>

#include "engine/operator_runner.h"
#include "support/error_text.h"
#include "support/test_main.h"

using namespace quantscope;
using namespace quantscope::test;

namespace {

/// Two spatial axes; pads are [top, left, bottom, right].
struct PoolingCase {
  const char* name;
  const char* x;
  const char* kernel;
  const char* strides;
  const char* pads;
  const char* dilations;
  bool ceil;
  const char* output;  ///< extents, worked out by hand
};

const PoolingCase kPools[] = {
    {"3x3", "2,3,7,6", "3,3", "1,1", "0,0,0,0", "1,1", false, "5,4"},
    {"stride", "1,5,7,6", "3,2", "2,2", "0,0,0,0", "1,1", false, "3,3"},
    {"pads", "1,5,7,6", "3,3", "2,2", "1,1,1,1", "1,1", false, "4,3"},
    {"asymmetric pads", "1,5,7,6", "3,2", "2,1", "0,0,2,1", "1,1", false, "4,6"},
    {"rounded up", "1,5,8,6", "3,3", "2,2", "0,0,0,0", "1,1", true, "4,3"},
    // (6 + 2 − 2) / 3 = 2: a third window would start behind the input and its first pad.
    {"rounded up, but no window of padding", "1,5,6,6", "2,2", "3,3", "1,1,1,1", "1,1", true,
     "3,3"},
    {"no third window", "1,5,4,4", "1,1", "3,3", "0,0,1,1", "1,1", true, "2,2"},
    {"dilation", "1,5,9,8", "3,2", "1,2", "1,0,1,1", "2,3", false, "7,3"},
    {"one channel", "1,1,9,8", "3,3", "2,2", "1,1,1,1", "1,1", false, "5,4"},
    {"wide, mostly inside", "2,21,9,11", "3,2", "1,2", "1,1,1,1", "2,1", false, "7,6"},
    {"many channels", "1,37,5,5", "2,2", "1,1", "0,0,0,0", "1,1", false, "4,4"},
};

/// The elements under the window of output (row, column) of a plane, in row-major order, as
/// indices; `counted` is how many places lie inside the input or its padding.
struct View {
  std::vector<std::size_t> inside;
  int counted = 0;
};

View look(const PoolingCase& row, const Shape& x, std::int64_t outRow, std::int64_t outColumn) {
  const auto kernel = numbers(row.kernel);
  const auto strides = numbers(row.strides);
  const auto pads = numbers(row.pads);
  const auto dilations = numbers(row.dilations);
  View view;
  for (std::int64_t i = 0; i < kernel[0]; ++i) {
    for (std::int64_t j = 0; j < kernel[1]; ++j) {
      const std::int64_t h = outRow * strides[0] - pads[0] + i * dilations[0];
      const std::int64_t w = outColumn * strides[1] - pads[1] + j * dilations[1];
      if (h >= x[2] + pads[2] || w >= x[3] + pads[3]) continue;
      ++view.counted;
      if (h < 0 || w < 0 || h >= x[2] || w >= x[3]) continue;
      view.inside.push_back(static_cast<std::size_t>(h * x[3] + w));
    }
  }
  return view;
}

/// reduce(plane, view) for every output.
template <class Reduce>
std::vector<double> pool(const PoolingCase& row, const Tensor& x, const Reduce& reduce) {
  const auto extents = numbers(row.output);
  const std::vector<double> values = elements(x);
  const auto plane = static_cast<std::size_t>(x.shape()[2] * x.shape()[3]);
  std::vector<double> result;
  for (std::size_t first = 0; first < values.size(); first += plane) {
    for (std::int64_t i = 0; i < extents[0] * extents[1]; ++i) {
      const View view = look(row, x.shape(), i / extents[1], i % extents[1]);
      result.push_back(reduce(values.data() + first, view, first));
    }
  }
  return result;
}

Shape outputShape(const PoolingCase& row, const Tensor& x) {
  const auto extents = numbers(row.output);
  return {x.shape()[0], x.shape()[1], extents[0], extents[1]};
}

std::string poolingAttributes(const PoolingCase& row) {
  const auto list = [](const char* name, const char* values) {
    return std::string(" ") + name + "=[" + values + "]";
  };
  return list("kernel_shape", row.kernel) + list("strides", row.strides) + list("pads", row.pads) +
         list("dilations", row.dilations) + " ceil_mode=" + (row.ceil ? "1" : "0");
}

double largest(const double* plane, const View& view) {
  double best = -2;
  for (const std::size_t i : view.inside) best = std::max(best, plane[i]);
  return best;
}

void addPoolingCases() {
  QTest::addColumn<int>("index");
  for (int i = 0; i < static_cast<int>(std::size(kPools)); ++i) {
    QTest::newRow(kPools[i].name) << i;
  }
}

}  // namespace

class PoolingTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void maxPoolTakesTheLargest_data() { addPoolingCases(); }
  void maxPoolTakesTheLargest();
  void maxPoolFindsThePlace_data() { addPoolingCases(); }
  void maxPoolFindsThePlace();
  void maxPoolOfOtherTypes();
  void averagePoolTakesTheMean_data() { addPoolingCases(); }
  void averagePoolTakesTheMean();
  void lpPoolTakesTheNorm_data() { addPoolingCases(); }
  void lpPoolTakesTheNorm();
  void globalPoolsSeeEverything();
  void longMeansStayExact();
  void otherRanks();
  void unpoolingPutsBack();
  void badShapesAreErrors();
};

void PoolingTest::maxPoolTakesTheLargest() {
  QFETCH(int, index);
  const PoolingCase& row = kPools[index];
  const Tensor x = randomTensor(shapeOf(row.x), 1);
  const OperatorRunner runner("y = MaxPool(x)" + poolingAttributes(row));
  const Tensor actual = runner({x});
  const std::vector<double> expected =
      pool(row, x,
           [](const double* plane, const View& view, std::size_t) { return largest(plane, view); });
  const std::string found = difference(actual, outputShape(row, x), expected, {0});
  QVERIFY2(found.empty(), found.c_str());
  QVERIFY(identical(actual, runner({toLayout(x, Layout::ChannelsLast)})));
}

void PoolingTest::maxPoolFindsThePlace() {
  QFETCH(int, index);
  const PoolingCase& row = kPools[index];
  // Few different values, so that the first of equal ones must be found.
  Tensor x = randomTensor(shapeOf(row.x), 1);
  for (float& value : x.mutableValues<float>()) value = std::floor(value * 2);
  const auto width = static_cast<std::size_t>(x.shape()[3]);
  const auto height = static_cast<std::size_t>(x.shape()[2]);
  const auto place = [&](bool columnsFirst) {
    return pool(row, x, [&](const double* plane, const View& view, std::size_t first) {
      const double best = largest(plane, view);
      const std::size_t at =
          *std::ranges::find_if(view.inside, [&](std::size_t i) { return plane[i] == best; });
      return static_cast<double>(first + (columnsFirst ? at % width * height + at / width : at));
    });
  };
  for (const bool columnsFirst : {false, true}) {
    const OperatorRunner runner("y, i = MaxPool(x)" + poolingAttributes(row) +
                                (columnsFirst ? " storage_order=1" : ""));
    const std::vector<Tensor> outputs = runner.run({x});
    QCOMPARE(outputs[1].type(), ElementType::Int64);
    const std::string found = difference(outputs[1], outputShape(row, x), place(columnsFirst), {0});
    QVERIFY2(found.empty(), found.c_str());
  }
}

void PoolingTest::maxPoolOfOtherTypes() {
  const OperatorRunner runner("y = MaxPool(x) kernel_shape=[2,2]");
  const Tensor bytes = Tensor::of<std::uint8_t>({1, 1, 2, 3}, {1, 200, 3, 4, 5, 255});
  QVERIFY(identical(runner({bytes}), Tensor::of<std::uint8_t>({1, 1, 1, 2}, {200, 255})));
  const Tensor negative = Tensor::of<std::int8_t>({1, 1, 2, 2}, {-5, -128, -7, -9});
  QVERIFY(identical(runner({negative}), Tensor::of<std::int8_t>({1, 1, 1, 1}, {-5})));
  VERIFY_ERROR(runner({Tensor::of<std::int32_t>({1, 1, 2, 2}, {1, 2, 3, 4})}), "int32");
}

void PoolingTest::averagePoolTakesTheMean() {
  QFETCH(int, index);
  const PoolingCase& row = kPools[index];
  const Tensor x = randomTensor(shapeOf(row.x), 1);
  for (const bool countPadding : {false, true}) {
    const std::vector<double> expected =
        pool(row, x, [&](const double* plane, const View& view, std::size_t) {
          double sum = 0;
          for (const std::size_t i : view.inside) sum += plane[i];
          return sum / (countPadding ? view.counted : static_cast<int>(view.inside.size()));
        });
    // Version 19 brought the dilations.
    const OperatorRunner runner("y = AveragePool(x) count_include_pad=" +
                                    std::to_string(countPadding ? 1 : 0) + poolingAttributes(row),
                                19);
    const Tensor actual = runner({x});
    // At most 9 elements below 1 are added and the sum is divided.
    const std::string found = difference(actual, outputShape(row, x), expected, {10 * 0x1p-24});
    QVERIFY2(found.empty(), found.c_str());
    QVERIFY(identical(actual, runner({toLayout(x, Layout::ChannelsLast)})));
  }
}

void PoolingTest::lpPoolTakesTheNorm() {
  QFETCH(int, index);
  const PoolingCase& row = kPools[index];
  const Tensor x = randomTensor(shapeOf(row.x), 1);
  for (const int p : {1, 2, 3}) {
    const std::vector<double> expected =
        pool(row, x, [&](const double* plane, const View& view, std::size_t) {
          double sum = 0;
          for (const std::size_t i : view.inside) sum += std::pow(std::abs(plane[i]), p);
          return std::pow(sum, 1.0 / p);
        });
    const OperatorRunner runner("y = LpPool(x) p=" + std::to_string(p) + poolingAttributes(row),
                                18);
    // 9 powers below 1, each off by some ulp, and a root that shrinks relative errors.
    const std::string found = difference(runner({x}), outputShape(row, x), expected, {1e-5});
    QVERIFY2(found.empty(), found.c_str());
  }
}

void PoolingTest::globalPoolsSeeEverything() {
  const Tensor x = Tensor::of<float>({1, 2, 2, 2}, {1, -2, 3, -4, 10, 20, 30, 40});
  const OperatorRunner average("y = GlobalAveragePool(x)");
  const OperatorRunner max("y = GlobalMaxPool(x)");
  const OperatorRunner norm("y = GlobalLpPool(x) p=1");
  for (const Tensor& input : {x, toLayout(x, Layout::ChannelsLast)}) {
    QVERIFY(identical(average({input}), Tensor::of<float>({1, 2, 1, 1}, {-0.5F, 25})));
    QVERIFY(identical(max({input}), Tensor::of<float>({1, 2, 1, 1}, {3, 40})));
    QVERIFY(identical(norm({input}), Tensor::of<float>({1, 2, 1, 1}, {10, 100})));
  }
}

// A million equal numbers: a sum in one float would stop growing or drift; partial sums do not.
void PoolingTest::longMeansStayExact() {
  Tensor x(ElementType::Float32, Shape{1, 1, 1000, 1000});
  std::ranges::fill(x.mutableValues<float>(), 0.1F);
  const float mean = OperatorRunner("y = GlobalAveragePool(x)")({x}).values<float>()[0];
  QVERIFY(std::abs(mean - 0.1F) < 1e-5F);
}

void PoolingTest::otherRanks() {
  const Tensor signal = Tensor::of<float>({1, 1, 5}, {1, 5, 2, 4, 3});
  const OperatorRunner one("y = MaxPool(x) kernel_shape=[2] strides=[2]");
  QVERIFY(identical(one({signal}), Tensor::of<float>({1, 1, 2}, {5, 4})));
  const OperatorRunner three("y = AveragePool(x) kernel_shape=[2,2,2]");
  const Tensor volume = Tensor::of<float>({1, 1, 2, 2, 2}, {1, 2, 3, 4, 5, 6, 7, 12});
  QVERIFY(identical(three({volume}), Tensor::of<float>({1, 1, 1, 1, 1}, {5})));
}

void PoolingTest::unpoolingPutsBack() {
  const OperatorRunner pool("y, i = MaxPool(x) kernel_shape=[2,2] strides=[2,2]");
  const Tensor x =
      Tensor::of<float>({1, 1, 4, 4}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 8, 7, 6, 5, 4, 3, 2});
  const std::vector<Tensor> pooled = pool.run({x});
  const OperatorRunner unpool("y = MaxUnpool(x, x2) kernel_shape=[2,2] strides=[2,2]");
  QVERIFY(
      identical(unpool({pooled[0], pooled[1]}),
                Tensor::of<float>({1, 1, 4, 4}, {0, 0, 0, 0, 0, 6, 0, 8, 9, 0, 7, 0, 0, 0, 0, 0})));
  const OperatorRunner shaped("y = MaxUnpool(x, x2, x3) kernel_shape=[2,2] strides=[2,2]");
  const Tensor shape = Tensor::of<std::int64_t>({4}, {1, 1, 5, 5});
  QVERIFY(identical(shaped({pooled[0], pooled[1], shape}),
                    Tensor::of<float>({1, 1, 5, 5}, {0, 0, 0, 0, 0, 0, 6, 0, 8, 0, 9, 0, 7,
                                                     0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0})));
  const Tensor wild = Tensor::of<std::int64_t>({1, 1, 2, 2}, {0, 1, 2, 16});
  VERIFY_ERROR(unpool({pooled[0], wild}), "index 16 lies outside");
}

void PoolingTest::badShapesAreErrors() {
  const OperatorRunner runner("y = MaxPool(x) kernel_shape=[3,3]");
  VERIFY_ERROR(runner({randomTensor(Shape{1, 2, 2, 5}, 1)}), "does not fit into");
  VERIFY_ERROR(runner({randomTensor(Shape{1, 2, 5}, 1)}), "does not fit an input");
  VERIFY_ERROR(runner({randomTensor(Shape{2, 5}, 1)}), "no spatial axes");
  VERIFY_ERROR(OperatorRunner("y = MaxPool(x) kernel_shape=[0,3]"), "kernel_shape");
  VERIFY_ERROR(OperatorRunner("y = MaxPool(x) kernel_shape=[3,3] strides=[0,1]"), "strides");
  VERIFY_ERROR(OperatorRunner("y = MaxPool(x) kernel_shape=[3,3] pads=[0,-1,0,0]"), "pads");
  VERIFY_ERROR(OperatorRunner("y = MaxPool(x) kernel_shape=[3,3] auto_pad=\"SAME\""), "auto_pad");
}

QUANTSCOPE_TEST(PoolingTest)
#include "test_pooling.moc"
