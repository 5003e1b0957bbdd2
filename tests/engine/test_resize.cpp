#include <QtTest>
#include <cmath>

#include "engine/operator_runner.h"
#include "support/error_text.h"
#include "support/test_main.h"

using namespace quantscope;
using namespace quantscope::test;

namespace {

using Floats = QVector<float>;

Tensor tensorOf(const Shape& shape, const Floats& values) {
  return Tensor::of<float>(shape, {values.data(), static_cast<std::size_t>(values.size())});
}

Tensor scalesOf(const Floats& values) {
  return tensorOf(Shape{values.size()}, values);
}

Tensor sizesOf(const std::vector<std::int64_t>& values) {
  return Tensor::of<std::int64_t>(Shape{static_cast<std::int64_t>(values.size())},
                                  std::span<const std::int64_t>(values));
}

}  // namespace

class ResizeTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void alongOneAxis_data();
  void alongOneAxis();
  void separatesIntoAxes_data();
  void separatesIntoAxes();
  void layoutsGiveTheSameBits_data() { separatesIntoAxes_data(); }
  void layoutsGiveTheSameBits();
  void nearestMovesAnyType();
  void keepsTheAspectRatio_data();
  void keepsTheAspectRatio();
  void cropsAndExtrapolates();
  void oldVersions_data();
  void oldVersions();
  void gridSampleByHand_data();
  void gridSampleByHand();
  void badInputIsAnError();
};

void ResizeTest::alongOneAxis_data() {
  QTest::addColumn<QString>("attributes");
  QTest::addColumn<Floats>("input");
  QTest::addColumn<float>("scale");
  QTest::addColumn<Floats>("expected");
  const Floats ramp{0, 1, 2, 3};
  // Coordinates −0.25, 0.25, 0.75, 1.25 …
  QTest::newRow("linear") << "mode=\"linear\"" << Floats{0, 4, 8} << 2.0F
                          << Floats{0, 1, 3, 5, 7, 8};
  QTest::newRow("linear, corners")
      << "mode=\"linear\" coordinate_transformation_mode=\"align_corners\"" << Floats{0, 10, 20}
      << 2.0F << Floats{0, 4, 8, 12, 16, 20};
  QTest::newRow("linear, asymmetric")
      << "mode=\"linear\" coordinate_transformation_mode=\"asymmetric\"" << Floats{0, 4} << 2.0F
      << Floats{0, 2, 4, 4};
  QTest::newRow("linear, one output")
      << "mode=\"linear\" coordinate_transformation_mode=\"pytorch_half_pixel\"" << ramp << 0.25F
      << Floats{0};
  QTest::newRow("linear, smaller") << "mode=\"linear\"" << ramp << 0.5F << Floats{0.5F, 2.5F};
  // 0.5 / 0.6 − 0.5 + 2·(1 − 2/2.4) = 2/3, then 10/6 more.
  QTest::newRow("linear, symmetric")
      << "mode=\"linear\" coordinate_transformation_mode=\"half_pixel_symmetric\"" << ramp << 0.6F
      << Floats{2 / 3.0F, 7 / 3.0F};
  // A tent of width 4: ⅛, ⅜, ⅜, ⅛ around the middle of two elements, cut at the edge.
  QTest::newRow("linear, antialias") << "mode=\"linear\" antialias=1 exclude_outside=1"
                                     << Floats{0, 0, 8, 0, 0, 0} << 0.5F << Floats{8 / 7.0F, 3, 0};
  QTest::newRow("linear, antialias, edge repeated")
      << "mode=\"linear\" antialias=1" << Floats{8, 0, 0, 0} << 0.5F << Floats{4, 0};
  QTest::newRow("nearest, floor on ties") << "mode=\"nearest\"" << ramp << 0.5F << Floats{0, 2};
  QTest::newRow("nearest, ceil on ties")
      << "mode=\"nearest\" nearest_mode=\"round_prefer_ceil\"" << ramp << 0.5F << Floats{1, 3};
  QTest::newRow("nearest, floor") << "mode=\"nearest\" nearest_mode=\"floor\"" << Floats{0, 1}
                                  << 2.0F << Floats{0, 0, 0, 1};
  QTest::newRow("nearest, ceil") << "mode=\"nearest\" nearest_mode=\"ceil\"" << Floats{0, 1} << 2.0F
                                 << Floats{0, 1, 1, 1};
  // At ½ Keys' weights with −0.75 are −3/32, 19/32, 19/32, −3/32.
  QTest::newRow("cubic") << "mode=\"cubic\"" << Floats{0, 32, 64, 0} << 0.5F << Floats{13, 35};
  QTest::newRow("cubic, outside excluded")
      << "mode=\"cubic\" exclude_outside=1" << Floats{0, 35, 70, 0} << 0.5F << Floats{13, 35};
}

void ResizeTest::alongOneAxis() {
  QFETCH(QString, attributes);
  QFETCH(Floats, input);
  QFETCH(float, scale);
  QFETCH(Floats, expected);
  const OperatorRunner runner("y = Resize(x, , s) " + attributes.toStdString(), 19);
  const Tensor actual =
      runner({tensorOf({1, 1, input.size()}, input), Tensor(), scalesOf({1, 1, scale})});
  const std::vector<double> wanted(expected.begin(), expected.end());
  const std::string found = difference(actual, {1, 1, expected.size()}, wanted, {2e-5});
  QVERIFY2(found.empty(), found.c_str());
}

void ResizeTest::separatesIntoAxes_data() {
  QTest::addColumn<QString>("mode");
  for (const char* mode : {"nearest", "linear", "cubic"}) QTest::newRow(mode) << mode;
}

// Both axes at once are one after the other.
void ResizeTest::separatesIntoAxes() {
  QFETCH(QString, mode);
  const OperatorRunner runner("y = Resize(x, , s) mode=\"" + mode.toStdString() + "\"");
  const Tensor x = randomTensor(Shape{2, 3, 7, 5}, 1);
  const Tensor both = runner({x, Tensor(), scalesOf({1, 1, 1.7F, 0.6F})});
  const Tensor first = runner({x, Tensor(), scalesOf({1, 1, 1.7F, 1})});
  const Tensor second = runner({first, Tensor(), scalesOf({1, 1, 1, 0.6F})});
  QVERIFY((both.shape() == Shape{2, 3, 11, 3}));
  QVERIFY(identical(both, second));
}

void ResizeTest::layoutsGiveTheSameBits() {
  QFETCH(QString, mode);
  const OperatorRunner runner("y = Resize(x, , s) mode=\"" + mode.toStdString() + "\"");
  const Tensor x = randomTensor(Shape{2, 3, 7, 5}, 1);
  // The channel axis too.
  const Tensor scales = scalesOf({1, 2, 1.7F, 0.6F});
  QVERIFY(identical(runner({x, Tensor(), scales}),
                    runner({toLayout(x, Layout::ChannelsLast), Tensor(), scales})));
}

void ResizeTest::nearestMovesAnyType() {
  const OperatorRunner runner("y = Resize(x, , s)");
  const Tensor scales = scalesOf({1, 1, 2});
  QVERIFY(identical(runner({Tensor::of<std::uint8_t>({1, 1, 2}, {7, 200}), Tensor(), scales}),
                    Tensor::of<std::uint8_t>({1, 1, 4}, {7, 7, 200, 200})));
  QVERIFY(identical(runner({Tensor::of<std::int64_t>({1, 1, 2}, {-7, 9}), Tensor(), scales}),
                    Tensor::of<std::int64_t>({1, 1, 4}, {-7, -7, 9, 9})));
}

void ResizeTest::keepsTheAspectRatio_data() {
  QTest::addColumn<QString>("policy");
  QTest::addColumn<QString>("expected");
  QTest::newRow("stretch") << "stretch"
                           << "1,1,10,8";
  QTest::newRow("not larger") << "not_larger"
                              << "1,1,4,8";
  QTest::newRow("not smaller") << "not_smaller"
                               << "1,1,10,20";
}

void ResizeTest::keepsTheAspectRatio() {
  QFETCH(QString, policy);
  QFETCH(QString, expected);
  const OperatorRunner runner(
      "y = Resize(x, , , n) axes=[2,3] keep_aspect_ratio_policy=\"" + policy.toStdString() + "\"",
      18);
  const Tensor y =
      runner({randomTensor(Shape{1, 1, 5, 10}, 1), Tensor(), Tensor(), sizesOf({10, 8})});
  QCOMPARE(QString::fromStdString(toString(y.shape())),
           QString::fromStdString(toString(shapeOf(expected.toStdString()))));
}

void ResizeTest::cropsAndExtrapolates() {
  const OperatorRunner runner(
      "y = Resize(x, r, , n) mode=\"linear\" extrapolation_value=9.0 "
      "coordinate_transformation_mode=\"tf_crop_and_resize\"");
  const Tensor x = Tensor::of<float>({1, 1, 5}, {0, 10, 20, 30, 40});
  // From 0.5·4 = 2 to 1.25·4 = 5 in four places: 2, 3, 4 and 5, which lies outside.
  const Tensor roi = Tensor::of<float>({6}, {0, 0, 0.5F, 1, 1, 1.25F});
  QVERIFY(identical(runner({x, roi, Tensor(), sizesOf({1, 1, 4})}),
                    Tensor::of<float>({1, 1, 4}, {20, 30, 40, 9})));
}

void ResizeTest::oldVersions_data() {
  QTest::addColumn<int>("opset");
  QTest::addColumn<QString>("text");
  QTest::addColumn<bool>("hasInput");
  QTest::newRow("Upsample 7") << 7 << "y = Upsample(x) scales=[1.0, 1.0, 2.0]" << false;
  QTest::newRow("Upsample 9") << 9 << "y = Upsample(x, s)" << true;
  QTest::newRow("Resize 10") << 10 << "y = Resize(x, s)" << true;
}

void ResizeTest::oldVersions() {
  QFETCH(int, opset);
  QFETCH(QString, text);
  QFETCH(bool, hasInput);
  const Tensor x = Tensor::of<float>({1, 1, 2}, {0, 4});
  std::vector<Tensor> inputs{x};
  if (hasInput) inputs.push_back(scalesOf({1, 1, 2}));
  const OperatorRunner nearest(text.toStdString(), opset);
  QVERIFY(identical(nearest(inputs), Tensor::of<float>({1, 1, 4}, {0, 0, 4, 4})));
  const OperatorRunner linear(text.toStdString() + " mode=\"linear\"", opset);
  QVERIFY(identical(linear(inputs), Tensor::of<float>({1, 1, 4}, {0, 2, 4, 4})));
}

void ResizeTest::gridSampleByHand_data() {
  QTest::addColumn<QString>("attributes");
  QTest::addColumn<Floats>("grid");
  QTest::addColumn<Floats>("expected");
  // The image is 0 1 2 / 10 11 12. With aligned corners x = −1, 0, 1 are its columns.
  QTest::newRow("corners") << "align_corners=1" << Floats{-1, -1, 0, 1, 1, 1} << Floats{0, 11, 12};
  QTest::newRow("between") << "align_corners=1" << Floats{-0.5F, -1, 0, 0} << Floats{0.5F, 6};
  // Without, pixel centres lie at −2/3, 0, 2/3 and −½, ½; −1 is half a pixel outside.
  QTest::newRow("half outside, zeros") << "" << Floats{-1, 0.5F, 0, 0.5F} << Floats{5, 11};
  QTest::newRow("half outside, border")
      << "padding_mode=\"border\"" << Floats{-1, 0.5F, -9, 9} << Floats{10, 10};
  QTest::newRow("reflection, aligned") << "padding_mode=\"reflection\" align_corners=1"
                                       << Floats{2, -1, 3, -1, -2, -1} << Floats{1, 0, 1};
  QTest::newRow("nearest") << "mode=\"nearest\"" << Floats{-0.5F, -0.5F, 0.5F, 0.9F}
                           << Floats{0, 12};
  QTest::newRow("nearest outside") << "mode=\"nearest\"" << Floats{-3, 0, 0, 3} << Floats{0, 0};
  QTest::newRow("not a number") << "padding_mode=\"border\""
                                << Floats{std::nanf(""), -0.5F, 1e30F, -0.5F} << Floats{0, 2};
}

void ResizeTest::gridSampleByHand() {
  QFETCH(QString, attributes);
  QFETCH(Floats, grid);
  QFETCH(Floats, expected);
  const OperatorRunner runner("y = GridSample(x, x2) " + attributes.toStdString());
  const Tensor x = Tensor::of<float>({1, 1, 2, 3}, {0, 1, 2, 10, 11, 12});
  const Tensor points = tensorOf({1, 1, grid.size() / 2, 2}, grid);
  const std::vector<double> wanted(expected.begin(), expected.end());
  const std::string found =
      difference(runner({x, points}), {1, 1, 1, expected.size()}, wanted, {1e-5});
  QVERIFY2(found.empty(), found.c_str());
}

void ResizeTest::badInputIsAnError() {
  const Tensor x = randomTensor(Shape{1, 1, 4}, 1);
  const OperatorRunner runner("y = Resize(x, , s)");
  VERIFY_ERROR(runner({x, Tensor(), scalesOf({1, 2})}), "'scales' has 2 entries");
  VERIFY_ERROR(runner({x, Tensor(), scalesOf({1, 1, -2})}), "not positive");
  VERIFY_ERROR(runner({x, Tensor(), scalesOf({1, 1, std::nanf("")})}), "not positive");
  VERIFY_ERROR(runner({x, Tensor(), scalesOf({1, 1, 1e20F})}), "would make an axis");
  VERIFY_ERROR(runner({x}), "neither scales nor sizes");
  VERIFY_ERROR(
      runner({Tensor(ElementType::Float32, Shape{1, 1, 0}), Tensor(), scalesOf({1, 1, 2})}),
      "nothing to resize");
  const OperatorRunner sized("y = Resize(x, , , n)");
  VERIFY_ERROR(sized({x, Tensor(), Tensor(), sizesOf({1, 1, -3})}), "would make an axis");
  VERIFY_ERROR(OperatorRunner("y = Resize(x, , s) mode=\"sharp\""), "sharp");
  const OperatorRunner grid("y = GridSample(x, x2)");
  VERIFY_ERROR(grid({x, x}), "does not fit an input");
}

QUANTSCOPE_TEST(ResizeTest)
#include "test_resize.moc"
