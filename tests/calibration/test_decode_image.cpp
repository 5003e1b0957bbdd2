#include <QTemporaryDir>
#include <QtTest>
#include <cstdlib>
#include <string>

#include "base/files/input_file.h"
#include "calibration/images/decode_image.h"
#include "calibration/images/orientation.h"
#include "support/error_text.h"
#include "support/png_bytes.h"
#include "support/test_main.h"
#include "support/test_paths.h"
#include "support/write_file.h"
#include "tensor/npy.h"

using namespace quantscope;
using namespace std::string_literals;
using quantscope::test::exifWithOrientation;
using quantscope::test::pngBytes;
using quantscope::test::PngParts;

class DecodeImageTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void everyKindOfPng_data();
  void everyKindOfPng();
  void jpegAsPillowDecodesIt_data();
  void jpegAsPillowDecodesIt();
  void orientationsOfThePicture_data();
  void orientationsOfThePicture();
  void orientationOfJpeg();
  void damagedExifIsUpright();
  void contentCountsNotTheName();
  void imageNames();
  void hostileFiles_data();
  void hostileFiles();
  void everyTruncationIsAnError_data();
  void everyTruncationIsAnError();

 private:
  RgbPicture decode(const std::string& bytes) const {
    return decodeImage(test::writeFile(m_folder, "image", bytes));
  }
  QTemporaryDir m_folder;
};

namespace {

std::string fixture(const std::string& name) {
  return QUANTSCOPE_TEST_DATA "/images/" + name;
}

// "1,2,3 4,5,6 / 7,8,9 10,11,12"
std::string text(const RgbPicture& picture) {
  std::string result;
  for (int y = 0; y < picture.size.height; ++y) {
    if (y > 0) result += " / ";
    for (int x = 0; x < picture.size.width; ++x) {
      if (x > 0) result += " ";
      const std::uint8_t* const pixel = picture.at(y, x);
      result += std::to_string(pixel[0]);
      for (int c = 1; c < 3; ++c) result.append(",").append(std::to_string(pixel[c]));
    }
  }
  return result;
}

}  // namespace

void DecodeImageTest::everyKindOfPng_data() {
  QTest::addColumn<std::string>("bytes");
  QTest::addColumn<std::string>("expected");
  const auto row = [](const char* what, const PngParts& parts, const char* expected) {
    QTest::newRow(what) << pngBytes(parts) << std::string(expected);
  };
  row("RGB", {.width = 1, .height = 2, .rows = "\x01\x02\x03\xff\x80\x00"s}, "1,2,3 / 255,128,0");
  row("gray", {.width = 2, .colorType = 0, .rows = "\x07\xc8"}, "7,7,7 200,200,200");
  row("1 bit", {.width = 3, .bitDepth = 1, .colorType = 0, .rows = "\xa0"},
      "255,255,255 0,0,0 255,255,255");
  row("2 bits", {.width = 4, .bitDepth = 2, .colorType = 0, .rows = "\x1b"},
      "0,0,0 85,85,85 170,170,170 255,255,255");
  // round(v · 255 / 65535): 128 rounds down, 129 up.
  row("gray, 16 bits",
      {.width = 4, .bitDepth = 16, .colorType = 0, .rows = "\xff\xff\x00\x80\x00\x81\x80\x80"s},
      "255,255,255 0,0,0 1,1,1 128,128,128");
  row("RGB, 16 bits", {.bitDepth = 16, .rows = "\x01\x01\x02\x02\x03\x03"}, "1,2,3");
  row("palette",
      {.width = 2, .colorType = 3, .rows = "\x01\x00"s, .palette = "\x01\x02\x03\x04\x05\x06"},
      "4,5,6 1,2,3");
  row("palette of 4 bits with transparency",
      {.width = 2,
       .bitDepth = 4,
       .colorType = 3,
       .rows = "\x10",
       .palette = "\x01\x02\x03\x04\x05\x06",
       .transparency = "\x00\x80"s},
      "4,5,6 1,2,3");
  row("RGB with alpha", {.colorType = 6, .rows = "\x01\x02\x03\x00"s}, "1,2,3");
  row("gray with alpha, 16 bits", {.bitDepth = 16, .colorType = 4, .rows = "\xff\xff\x00\x00"s},
      "255,255,255");
  row("a transparent colour", {.rows = "\x01\x02\x03", .transparency = "\0\x01\0\x02\0\x03"s},
      "1,2,3");
}

void DecodeImageTest::everyKindOfPng() {
  QFETCH(std::string, bytes);
  QFETCH(std::string, expected);
  QCOMPARE(text(decode(bytes)), expected);
}

void DecodeImageTest::jpegAsPillowDecodesIt_data() {
  QTest::addColumn<std::string>("name");
  for (const char* name : {"rgb", "subsampled", "progressive", "gray", "cmyk"}) {
    QTest::newRow(name) << std::string(name);
  }
}

// Both stand on libjpeg, whose versions and implementations may differ by one code.
void DecodeImageTest::jpegAsPillowDecodesIt() {
  QFETCH(std::string, name);
  const RgbPicture picture = decodeImage(fixture(name + ".jpg"));
  const Tensor expected = readNpy(fixture(name + ".npy"));
  QVERIFY(expected.shape() == Shape({picture.size.height, picture.size.width, 3}));
  const std::span<const std::uint8_t> codes = expected.values<std::uint8_t>();
  QVERIFY(*std::ranges::max_element(codes) > *std::ranges::min_element(codes) + 100);
  for (std::size_t i = 0; i < codes.size(); ++i) {
    QVERIFY2(std::abs(picture.rgb[i] - codes[i]) <= 1, std::to_string(i).c_str());
  }
}

void DecodeImageTest::orientationsOfThePicture_data() {
  QTest::addColumn<int>("orientation");
  QTest::addColumn<std::string>("seen");
  // Exif says which visual side the stored row 0 and column 0 are.
  const auto row = [](int orientation, const char* sides, const char* seen) {
    QTest::newRow(sides) << orientation << std::string(seen);
  };
  row(1, "top, left", "123/456");
  row(2, "top, right", "321/654");
  row(3, "bottom, right", "654/321");
  row(4, "bottom, left", "456/123");
  row(5, "left, top", "14/25/36");
  row(6, "right, top", "41/52/63");
  row(7, "right, bottom", "63/52/41");
  row(8, "left, bottom", "36/25/14");
}

void DecodeImageTest::orientationsOfThePicture() {
  QFETCH(int, orientation);
  QFETCH(std::string, seen);
  for (const bool bigEndian : {false, true}) {
    const RgbPicture picture =
        decode(pngBytes({.width = 3,
                         .height = 2,
                         .colorType = 0,
                         .rows = "123456",
                         .exif = exifWithOrientation(orientation, bigEndian)}));
    std::string found;
    for (int y = 0; y < picture.size.height; ++y) {
      if (y > 0) found += '/';
      for (int x = 0; x < picture.size.width; ++x) found += static_cast<char>(*picture.at(y, x));
    }
    QCOMPARE(found, seen);
  }
}

void DecodeImageTest::orientationOfJpeg() {
  const std::string jpeg = readFile(fixture("rgb.jpg"), 10000);
  const RgbPicture stored = decode(jpeg);
  const RgbPicture turned = decode(test::withExif(jpeg, exifWithOrientation(6, true)));
  QVERIFY(turned.size == PictureSize({.height = 12, .width = 8}));
  QCOMPARE(text(turned), text(upright(stored, 6)));
  QVERIFY(text(turned) != text(stored));
}

void DecodeImageTest::damagedExifIsUpright() {
  const std::string sound = exifWithOrientation(6, false);
  const auto orientation = [](const std::string& exif) {
    return exifOrientation({reinterpret_cast<const std::uint8_t*>(exif.data()), exif.size()});
  };
  QCOMPARE(orientation(sound), 6);
  // The value stands in the bytes 30 and 31.
  for (std::size_t size = 0; size < 32; ++size) QCOMPARE(orientation(sound.substr(0, size)), 1);
  QCOMPARE(orientation(exifWithOrientation(0, false)), 1);
  QCOMPARE(orientation(exifWithOrientation(9, false)), 1);
  std::string farDirectory = sound;
  farDirectory.replace(4, 4, "\xff\xff\xff\xff");
  QCOMPARE(orientation(farDirectory), 1);
}

void DecodeImageTest::contentCountsNotTheName() {
  const std::string path =
      test::writeFile(m_folder, "really.png", readFile(fixture("gray.jpg"), 10000));
  QCOMPARE(decodeImage(path).size.width, 12);
}

void DecodeImageTest::imageNames() {
  for (const char* name : {"a.png", "a.JPG", "b/a.Jpeg"}) QVERIFY(hasImageName(name));
  for (const char* name : {"a.txt", "png", "a.png.bak", "jpg/a"}) QVERIFY(!hasImageName(name));
}

void DecodeImageTest::hostileFiles_data() {
  QTest::addColumn<std::string>("bytes");
  QTest::addColumn<std::string>("message");
  const auto row = [](const char* what, const std::string& bytes, const char* message) {
    QTest::newRow(what) << bytes << std::string(message);
  };
  const std::string png = pngBytes({.rows = "abc"});
  const std::string jpeg = readFile(fixture("rgb.jpg"), 10000);
  row("empty", "", "neither PNG nor JPEG");
  row("text", "hello", "neither PNG nor JPEG");
  row("huge PNG", pngBytes({.width = 60000, .height = 60000, .colorType = 0, .rows = ""}),
      "too many pixels");
  row("no pixels", pngBytes({.width = 0, .rows = "abc"}), "IHDR");
  std::string wrongChecksum = png;
  wrongChecksum[png.size() - 14] = static_cast<char>(wrongChecksum[png.size() - 14] ^ 1);
  row("PNG with a wrong checksum", wrongChecksum, "CRC");
  // The frame header's height and width follow its length and precision.
  std::string huge = jpeg;
  const std::size_t frame = jpeg.find("\xff\xc0");
  huge.replace(frame + 5, 4, "\xff\xdc\xff\xdc");
  row("huge JPEG", huge, "too many pixels");
  std::string noise = jpeg;
  for (std::size_t i = jpeg.find("\xff\xda") + 20; i + 2 < jpeg.size(); ++i) noise[i] = '\x55';
  row("JPEG with damaged data", noise, "does not decode");
  std::string twoComponents = jpeg;
  twoComponents[frame + 9] = '\x02';
  row("JPEG of two components", twoComponents, "does not decode");
}

void DecodeImageTest::hostileFiles() {
  QFETCH(std::string, bytes);
  QFETCH(std::string, message);
  VERIFY_ERROR(decode(bytes), message);
  VERIFY_ERROR(decode(bytes), "/image): replace it");
}

void DecodeImageTest::everyTruncationIsAnError_data() {
  QTest::addColumn<std::string>("bytes");
  QTest::newRow("PNG") << pngBytes({.width = 2, .height = 2, .rows = "abcdefghijkl"});
  QTest::newRow("JPEG") << readFile(fixture("subsampled.jpg"), 10000);
  QTest::newRow("progressive JPEG") << readFile(fixture("progressive.jpg"), 10000);
}

void DecodeImageTest::everyTruncationIsAnError() {
  QFETCH(std::string, bytes);
  decode(bytes);
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    VERIFY_ERROR(decode(bytes.substr(0, size)), "does not decode");
  }
}

QUANTSCOPE_TEST(DecodeImageTest)
#include "test_decode_image.moc"
