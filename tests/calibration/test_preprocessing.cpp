#include <QtTest>
#include <cmath>
#include <string>

#include "calibration/images/preprocessing.h"
#include "calibration/images/resize.h"
#include "support/error_text.h"
#include "support/test_main.h"
#include "support/test_paths.h"
#include "support/write_file.h"
#include "tensor/npy.h"

using namespace quantscope;

class PreprocessingTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void resizesAsPillow_data();
  void resizesAsPillow();
  void resizesHandWorkedPixels();
  void sizesOfEveryMode_data();
  void sizesOfEveryMode();
  void letterboxIsBlackAround();
  void cropsTheCentre();
  void cropLargerThanThePicture();
  void thinPictureDoesNotExplode();
  void colours_data();
  void colours();
  void scaleMeanAndStd();
  void parsesEveryKey();
  void everythingMayBeLeftOut();
  void writtenAndReadBack_data();
  void writtenAndReadBack();
  void readsAFile();
  void badConfigurations_data();
  void badConfigurations();
};

namespace {

// The picture of tests/data/images/make.py.
RgbPicture gradient() {
  RgbPicture picture({.height = 8, .width = 12});
  for (int y = 0; y < 8; ++y) {
    for (int x = 0; x < 12; ++x) {
      picture.at(y, x)[0] = static_cast<std::uint8_t>(20 * x);
      picture.at(y, x)[1] = static_cast<std::uint8_t>(30 * y);
      picture.at(y, x)[2] = static_cast<std::uint8_t>(255 - 10 * x - 15 * y);
    }
  }
  return picture;
}

RgbPicture onePixel(std::uint8_t red, std::uint8_t green, std::uint8_t blue) {
  RgbPicture picture({.height = 1, .width = 1});
  picture.rgb = {red, green, blue};
  return picture;
}

Tensor prepare(const RgbPicture& picture, const char* json) {
  return preprocess(picture, parsePreprocessing(json));
}

// Equal up to the rounding of a handful of float operations on codes up to 255.
bool nearlyEqual(float a, double b) {
  return std::abs(a - b) <= 1e-4;
}

}  // namespace

void PreprocessingTest::resizesAsPillow_data() {
  QTest::addColumn<int>("height");
  QTest::addColumn<int>("width");
  QTest::newRow("smaller") << 4 << 5;
  QTest::newRow("taller, narrower") << 20 << 3;
  QTest::newRow("wider, shorter") << 7 << 30;
  QTest::newRow("unchanged") << 8 << 12;
  QTest::newRow("one pixel") << 1 << 1;
}

void PreprocessingTest::resizesAsPillow() {
  QFETCH(int, height);
  QFETCH(int, width);
  const Tensor expected = readNpy(QString("%1/images/resized_%2x%3.npy")
                                      .arg(QUANTSCOPE_TEST_DATA)
                                      .arg(height)
                                      .arg(width)
                                      .toStdString());
  const FloatPicture resized = resizeBilinear(gradient(), {.height = height, .width = width});
  const std::span<const float> values = expected.values<float>();
  QCOMPARE(resized.rgb.size(), values.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    QVERIFY2(nearlyEqual(resized.rgb[i], values[i]), std::to_string(i).c_str());
  }
}

// 4 pixels → 2: the window of output 0 is centred at 1.0 and 2 wide to each side, so that the
// weights of the pixels at 0.5, 1.5 and 2.5 are ¾, ¾ and ¼ before they are normalized.
void PreprocessingTest::resizesHandWorkedPixels() {
  RgbPicture picture({.height = 1, .width = 4});
  for (std::size_t i = 0; i < 12; ++i) picture.rgb[i] = static_cast<std::uint8_t>(70 * (i / 3));
  const FloatPicture resized = resizeBilinear(picture, {.height = 1, .width = 2});
  QVERIFY(nearlyEqual(resized.rgb[0], (0.75 * 70 + 0.25 * 140) / 1.75));
  QVERIFY(nearlyEqual(resized.rgb[3], (0.25 * 70 + 0.75 * 140 + 0.75 * 210) / 1.75));
}

void PreprocessingTest::sizesOfEveryMode_data() {
  QTest::addColumn<int>("height");
  QTest::addColumn<int>("width");
  QTest::addColumn<QByteArray>("json");
  QTest::addColumn<std::string>("shape");
  const auto row = [](const char* what, int height, int width, const char* json,
                      const char* shape) {
    QTest::newRow(what) << height << width << QByteArray(json) << std::string(shape);
  };
  row("own size", 5, 7, "{}", "[1, 3, 5, 7]");
  row("stretch", 5, 7, R"({"size":[4,9]})", "[1, 3, 4, 9]");
  // torchvision: int(4 · 50 / 30) = 6
  row("shorter side, wide", 30, 50, R"({"size":[4,4],"resize":"shorter-side"})", "[1, 3, 4, 6]");
  row("shorter side, tall", 50, 30, R"({"size":[4,4],"resize":"shorter-side"})", "[1, 3, 6, 4]");
  row("shorter side, enlarged", 3, 4, R"({"size":[9,9],"resize":"shorter-side"})", "[1, 3, 9, 12]");
  row("covers an oblong size", 10, 10, R"({"size":[4,8],"resize":"shorter-side"})", "[1, 3, 8, 8]");
  row("shorter side and crop", 30, 50, R"({"size":[4,4],"resize":"shorter-side","crop":[4,4]})",
      "[1, 3, 4, 4]");
  row("letterbox, wide", 30, 50, R"({"size":[8,6],"resize":"letterbox"})", "[1, 3, 8, 6]");
  row("letterbox, thin", 2, 500, R"({"size":[4,4],"resize":"letterbox"})", "[1, 3, 4, 4]");
  row("crop alone", 9, 9, R"({"crop":[2,3]})", "[1, 3, 2, 3]");
  row("channels last", 5, 7, R"({"layout":"nhwc"})", "[1, 5, 7, 3]");
  row("gray", 5, 7, R"({"color":"gray"})", "[1, 1, 5, 7]");
  row("gray, channels last", 5, 7, R"({"color":"gray","layout":"nhwc"})", "[1, 5, 7, 1]");
}

void PreprocessingTest::sizesOfEveryMode() {
  QFETCH(int, height);
  QFETCH(int, width);
  QFETCH(QByteArray, json);
  QFETCH(std::string, shape);
  const RgbPicture picture({.height = height, .width = width});
  QCOMPARE(toString(prepare(picture, json.constData()).shape()), shape);
}

// [2, 4] into [5, 4]: one black row above, two below; they go through scale and mean as well.
void PreprocessingTest::letterboxIsBlackAround() {
  RgbPicture picture({.height = 2, .width = 4});
  std::ranges::fill(picture.rgb, std::uint8_t{200});
  const Tensor tensor = prepare(
      picture, R"({"size":[5,4],"resize":"letterbox","color":"gray","scale":0.5,"mean":[1]})");
  const std::span<const float> values = tensor.values<float>();
  for (std::size_t i = 0; i < values.size(); ++i) {
    const bool inside = i / 4 == 1 || i / 4 == 2;
    QVERIFY2(nearlyEqual(values[i], inside ? 99 : -1), std::to_string(i).c_str());
  }
}

void PreprocessingTest::cropsTheCentre() {
  // 8 × 12 to 3 × 5: rows 2 … 4, columns 3 … 7.
  const Tensor tensor = prepare(gradient(), R"({"crop":[3,5]})");
  const std::span<const float> values = tensor.values<float>();
  QVERIFY(nearlyEqual(values[0], 20 * 3));
  QVERIFY(nearlyEqual(values[14], 20 * 7));
  QVERIFY(nearlyEqual(values[15], 30 * 2));
  QVERIFY(nearlyEqual(values[29], 30 * 4));
}

void PreprocessingTest::cropLargerThanThePicture() {
  VERIFY_ERROR(prepare(gradient(), R"({"crop":[9,4]})"), "[9, 4] is larger than the picture");
  VERIFY_ERROR(prepare(gradient(), R"({"crop":[4,13]})"), "which is [8, 12]");
}

void PreprocessingTest::thinPictureDoesNotExplode() {
  const RgbPicture thin({.height = 1, .width = 100'000});
  VERIFY_ERROR(prepare(thin, R"({"size":[9000,9000],"resize":"shorter-side"})"),
               "[9000, 900000000]");
}

void PreprocessingTest::colours_data() {
  QTest::addColumn<QByteArray>("json");
  QTest::addColumn<QList<double>>("expected");
  QTest::newRow("rgb") << QByteArray(R"({"color":"rgb"})") << QList<double>{10, 20, 40};
  QTest::newRow("bgr") << QByteArray(R"({"color":"bgr"})") << QList<double>{40, 20, 10};
  QTest::newRow("gray") << QByteArray(R"({"color":"gray"})")
                        << QList<double>{0.299 * 10 + 0.587 * 20 + 0.114 * 40};
}

void PreprocessingTest::colours() {
  QFETCH(QByteArray, json);
  QFETCH(QList<double>, expected);
  const Tensor tensor = prepare(onePixel(10, 20, 40), json.constData());
  const std::span<const float> values = tensor.values<float>();
  QCOMPARE(static_cast<qsizetype>(values.size()), expected.size());
  for (qsizetype i = 0; i < expected.size(); ++i) {
    QVERIFY(nearlyEqual(values[static_cast<std::size_t>(i)], expected[i]));
  }
}

// Mean and std are per channel of the output, here in the order blue, green, red.
void PreprocessingTest::scaleMeanAndStd() {
  const Tensor tensor =
      prepare(onePixel(10, 20, 40),
              R"({"color":"bgr","scale":0.5,"mean":[1,2,3],"std":[2,4,8],"layout":"nhwc"})");
  QVERIFY(identical(tensor, Tensor::of<float>({1, 1, 1, 3}, {9.5F, 2.0F, 0.25F})));
  const Tensor shared = prepare(onePixel(10, 20, 40), R"({"mean":[10],"std":[0.5]})");
  QVERIFY(identical(shared, Tensor::of<float>({1, 3, 1, 1}, {0.0F, 20.0F, 60.0F})));
}

void PreprocessingTest::parsesEveryKey() {
  const Preprocessing parsed = parsePreprocessing(
      R"({"size":[256,320],"resize":"shorter-side","crop":[224,200],"color":"bgr",
          "scale":0.00392,"mean":[0.1,0.2,0.3],"std":[1,2,3.5],"layout":"nhwc"})");
  QVERIFY(parsed.size == PictureSize({.height = 256, .width = 320}));
  QVERIFY(parsed.resize == Preprocessing::Resize::ShorterSide);
  QVERIFY(parsed.crop == PictureSize({.height = 224, .width = 200}));
  QVERIFY(parsed.color == Preprocessing::Color::Bgr);
  QVERIFY(parsed.scale == 0.00392);
  QVERIFY(parsed.mean == std::vector<double>({0.1, 0.2, 0.3}));
  QVERIFY(parsed.std == std::vector<double>({1, 2, 3.5}));
  QVERIFY(parsed.order == Preprocessing::Order::Nhwc);
}

void PreprocessingTest::everythingMayBeLeftOut() {
  QVERIFY(
      identical(prepare(onePixel(1, 2, 255), "{}"), Tensor::of<float>({1, 3, 1, 1}, {1, 2, 255})));
}

void PreprocessingTest::writtenAndReadBack_data() {
  QTest::addColumn<QByteArray>("json");
  for (const char* json :
       {R"({"resize":"stretch","color":"rgb","scale":1.0,"layout":"nchw"})",
        R"({"size":[256,192],"resize":"shorter-side","crop":[224,160],"color":"bgr",)"
        R"("scale":0.00392156862745098,"mean":[0.1,0.2,0.3],"std":[0.5],"layout":"nhwc"})",
        R"({"size":[1,1],"resize":"letterbox","color":"gray","scale":-1e-300,"layout":"nchw"})"}) {
    QTest::newRow(json) << QByteArray(json);
  }
}

void PreprocessingTest::writtenAndReadBack() {
  QFETCH(QByteArray, json);
  const Preprocessing preprocessing = parsePreprocessing(json.constData());
  QCOMPARE(QByteArray::fromStdString(toJson(preprocessing)), json);
  QVERIFY(parsePreprocessing(toJson(preprocessing)) == preprocessing);
}

void PreprocessingTest::readsAFile() {
  const QTemporaryDir folder;
  const std::string file = test::writeFile(folder, "prepare.json", R"({"scale":0.5})");
  QCOMPARE(readPreprocessing(file).scale, 0.5);
  test::writeFile(folder, "prepare.json", R"({"colour":"rgb"})");
  VERIFY_ERROR(readPreprocessing(file), "\"colour\" (" + file + ")");
  VERIFY_ERROR(readPreprocessing(file + "x"), file + "x");
}

void PreprocessingTest::badConfigurations_data() {
  QTest::addColumn<QByteArray>("json");
  QTest::addColumn<std::string>("message");
  const auto row = [](const char* json, const char* message) {
    QTest::newRow(json) << QByteArray(json) << std::string(message);
  };
  row("", "not a JSON object");
  row("[1]", "not a JSON object");
  row("{\"size\":", "not a JSON object");
  row(R"({"siez":[1,1]})", "unknown key \"siez\"");
  row(R"({"size":224})", "\"size\"");
  row(R"({"size":[224]})", "\"size\"");
  row(R"({"size":[0,1]})", "\"size\"");
  row(R"({"size":[1.5,1]})", "\"size\"");
  row(R"({"size":[16384,16384]})", "\"size\"");
  row(R"({"crop":[-1,1]})", "\"crop\"");
  row(R"({"resize":"fit"})", "\"stretch\", \"shorter-side\", \"letterbox\"");
  row(R"({"color":1})", "\"color\"");
  row(R"({"layout":"chw"})", "\"nchw\", \"nhwc\"");
  row(R"({"scale":"1/255"})", "\"scale\"");
  row(R"({"scale":1e999})", "JSON");
  row(R"({"mean":0.5})", "\"mean\"");
  row(R"({"mean":[]})", "\"mean\"");
  row(R"({"mean":[1,2]})", "each of the 3 channels");
  row(R"({"mean":[1,2,3],"color":"gray"})", "each of the 1 channels");
  row(R"({"std":[1,"2",3]})", "\"std\"");
  row(R"({"std":[1,0,1]})", "numbers above 0");
}

void PreprocessingTest::badConfigurations() {
  QFETCH(QByteArray, json);
  QFETCH(std::string, message);
  const auto parse = [&] {
    parsePreprocessing(json.constData(), {.file = "prepare.json", .node = {}, .value = {}});
  };
  VERIFY_ERROR(parse(), message);
  VERIFY_ERROR(parse(), "(prepare.json): ");
}

QUANTSCOPE_TEST(PreprocessingTest)
#include "test_preprocessing.moc"
