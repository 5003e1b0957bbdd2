#include <QtTest>
#include <cmath>
#include <limits>

#include "base/error.h"
#include "engine/fake_quantize_tensor.h"
#include "support/test_main.h"

using namespace quantscope;

namespace {

QuantParams int8Params(int axis, int groupSize, std::size_t grids) {
  QuantParams params;
  params.axis = axis;
  params.groupSize = groupSize;
  for (std::size_t i = 0; i < grids; ++i) {
    params.grids.push_back({0.25F + 0.125F * static_cast<float>(i % 7), 0, 0});
  }
  return params;
}

Tensor ramp(const Shape& shape) {
  Tensor tensor(ElementType::Float32, shape);
  std::size_t i = 0;
  for (float& x : tensor.mutableValues<float>()) x = static_cast<float>(i++ * 37 % 101) - 50.3F;
  return tensor;
}

/// The place of the grid of each element, from its index by hand: grids are row-major over the
/// shape with the axis divided by the group size, or over the axis alone.
std::size_t gridOf(const Shape& shape, std::size_t element, std::size_t axis, int groupSize) {
  std::vector<std::size_t> index(shape.rank());
  for (std::size_t a = shape.rank(); a-- > 0;) {
    index[a] = element % static_cast<std::size_t>(shape[a]);
    element /= static_cast<std::size_t>(shape[a]);
  }
  if (groupSize == 0) return index[axis];
  const auto size = static_cast<std::size_t>(groupSize);
  std::size_t place = 0;
  for (std::size_t a = 0; a < shape.rank(); ++a) {
    const auto extent = static_cast<std::size_t>(shape[a]);
    place = a == axis ? place * ((extent + size - 1) / size) + index[a] / size
                      : place * extent + index[a];
  }
  return place;
}

float twin(float x, const Grid& grid) {
  const double steps = std::nearbyint(static_cast<float>(double{x} / double{grid.scale}));
  return static_cast<float>(std::clamp(steps, -128.0, 127.0) * double{grid.scale});
}

std::size_t gridCount(const Shape& shape, std::size_t axis, int groupSize) {
  const auto extent = static_cast<std::size_t>(shape[axis]);
  if (groupSize == 0) return extent;
  const auto size = static_cast<std::size_t>(groupSize);
  return static_cast<std::size_t>(shape.elementCount(0, axis) *
                                  shape.elementCount(axis + 1, shape.rank())) *
         ((extent + size - 1) / size);
}

QString refusal(const Tensor& tensor, const QuantParams& params) {
  try {
    fakeQuantize(tensor, params);
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

}  // namespace

class FakeQuantizeTensorTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void everyAxis_data();
  void everyAxis();
  void channelsLast();
  void nothingToQuantize_data();
  void nothingToQuantize();
  void dynamicConstantsComeBack();
  void refusals_data();
  void refusals();
};

void FakeQuantizeTensorTest::everyAxis_data() {
  QTest::addColumn<QList<qint64>>("extents");
  QTest::newRow("3 axes") << QList<qint64>{3, 5, 7};
  QTest::newRow("4 axes") << QList<qint64>{2, 5, 3, 4};
  QTest::newRow("5 axes") << QList<qint64>{2, 3, 4, 3, 2};
  QTest::newRow("6 axes") << QList<qint64>{2, 1, 3, 2, 5, 3};
  QTest::newRow("long last axis") << QList<qint64>{2, 3, 67};
}

void FakeQuantizeTensorTest::everyAxis() {
  QFETCH(QList<qint64>, extents);
  const Shape shape(std::vector<std::int64_t>(extents.begin(), extents.end()));
  const Tensor in = ramp(shape);
  for (std::size_t axis = 0; axis < shape.rank(); ++axis) {
    for (const int groupSize : {0, 1, 2, 3, 32, 1000}) {
      QuantParams params =
          int8Params(static_cast<int>(axis), groupSize, gridCount(shape, axis, groupSize));
      const Tensor out = fakeQuantize(in, params);
      for (std::size_t i = 0; i < in.elementCount(); ++i) {
        const Grid& grid = params.grids[gridOf(shape, i, axis, groupSize)];
        QVERIFY(out.values<float>()[i] == twin(in.values<float>()[i], grid));
      }
    }
  }
}

void FakeQuantizeTensorTest::channelsLast() {
  const Tensor in = ramp(Shape{2, 3, 4, 5});
  const QuantParams params = int8Params(1, 0, 3);
  const Tensor expected = fakeQuantize(in, params);
  const Tensor out = fakeQuantize(toLayout(in, Layout::ChannelsLast), params);
  QVERIFY(identical(toLayout(out, Layout::Plain), expected));
}

void FakeQuantizeTensorTest::nothingToQuantize_data() {
  QTest::addColumn<QList<qint64>>("extents");
  QTest::addColumn<int>("axis");
  QTest::addColumn<int>("groupSize");
  QTest::addColumn<int>("grids");
  QTest::newRow("per tensor") << QList<qint64>{0} << -1 << 0 << 1;
  QTest::newRow("no rows") << QList<qint64>{0, 3, 2} << 1 << 0 << 3;
  QTest::newRow("no channels") << QList<qint64>{2, 0, 2} << 1 << 0 << 0;
  QTest::newRow("no columns") << QList<qint64>{2, 3, 0} << 1 << 0 << 3;
  QTest::newRow("no groups") << QList<qint64>{2, 0, 4, 1} << 1 << 4 << 0;
  QTest::newRow("groups of nothing") << QList<qint64>{2, 3, 0} << 1 << 2 << 0;
  QTest::newRow("rows of no groups") << QList<qint64>{0, 3, 2, 1, 1, 1} << 1 << 2 << 0;
}

void FakeQuantizeTensorTest::nothingToQuantize() {
  QFETCH(QList<qint64>, extents);
  QFETCH(int, axis);
  QFETCH(int, groupSize);
  QFETCH(int, grids);
  const Shape shape(std::vector<std::int64_t>(extents.begin(), extents.end()));
  const Tensor in(ElementType::Float32, shape);
  const Tensor out = fakeQuantize(in, int8Params(axis, groupSize, static_cast<std::size_t>(grids)));
  QVERIFY(out.shape() == shape && out.elementCount() == 0);
  QuantParams dynamic = int8Params(-1, 0, 0);
  dynamic.dynamic = true;
  QVERIFY(fakeQuantizeValue(in, dynamic, 1).shape() == shape);
}

// Within 1 ulp, where the range is that of the sample itself.
void FakeQuantizeTensorTest::dynamicConstantsComeBack() {
  for (const float constant : {0.1F, -3.3333333F, 1e30F, -1e-30F, 0.0F, 255.99F}) {
    for (const bool symmetric : {false, true}) {
      QuantParams params = int8Params(-1, 0, 0);
      params.dynamic = true;
      params.symmetric = symmetric;
      const Tensor in = Tensor::of<float>(Shape{1, 3}, {constant, constant, constant});
      const float back = fakeQuantizeValue(in, params, 1).values<float>()[2];
      QVERIFY(back == constant || back == std::nextafterf(constant, back));
    }
  }
}

void FakeQuantizeTensorTest::refusals_data() {
  QTest::addColumn<int>("axis");
  QTest::addColumn<int>("groupSize");
  QTest::addColumn<int>("grids");
  QTest::addColumn<float>("scale");
  QTest::addColumn<QString>("words");
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const float infinity = std::numeric_limits<float>::infinity();
  QTest::newRow("more channels than the tensor has")
      << 1 << 0 << 4 << 1.0F << "3 channels;4 scales";
  QTest::newRow("fewer channels") << 1 << 0 << 2 << 1.0F << "3 channels;2 scales";
  QTest::newRow("too many groups") << 1 << 2 << 17 << 1.0F << "17 scales;16 groups";
  QTest::newRow("axis beyond the last") << 3 << 0 << 3 << 1.0F << "axis 3";
  QTest::newRow("scale of 0") << -1 << 0 << 1 << 0.0F << "scale 0 ";
  QTest::newRow("scale of NaN") << 1 << 0 << 3 << nan << "scale nan ";
  QTest::newRow("infinite scale") << 1 << 3 << 8 << infinity << "scale inf ";
  QTest::newRow("denormal scale") << -1 << 0 << 1 << 1e-40F << "scale 1e-40 ";
  QTest::newRow("negative scale") << -1 << 0 << 1 << -2.5F << "scale -2.5 ";
}

// One sentence that names what is wrong.
void FakeQuantizeTensorTest::refusals() {
  QFETCH(int, axis);
  QFETCH(int, groupSize);
  QFETCH(int, grids);
  QFETCH(float, scale);
  QFETCH(QString, words);
  QuantParams params = int8Params(axis, groupSize, static_cast<std::size_t>(grids));
  params.grids.back().scale = scale;
  const QString message = refusal(ramp(Shape{2, 3, 4}), params);
  for (const QString& word : words.split(';')) {
    QVERIFY2(message.contains(word), qPrintable(message));
  }
}

QUANTSCOPE_TEST(FakeQuantizeTensorTest)
#include "test_fake_quantize_tensor.moc"
