#include <QtTest>
#include <cmath>
#include <limits>

#include "export/pictures/colour_map.h"
#include "support/test_main.h"

using namespace quantscope;

namespace {

// OKLab (Ottosson 2020): distances in it are differences as seen.
struct Lab {
  double lightness;
  double a;
  double b;
};

double linear(double channel) {
  return channel <= 0.04045 ? channel / 12.92 : std::pow((channel + 0.055) / 1.055, 2.4);
}

Lab toLab(Colour colour) {
  const double r = linear(colour.red / 255.0);
  const double g = linear(colour.green / 255.0);
  const double b = linear(colour.blue / 255.0);
  const double l = std::cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b);
  const double m = std::cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b);
  const double s = std::cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b);
  return {0.2104542553 * l + 0.7936177850 * m - 0.0040720468 * s,
          1.9779984951 * l - 2.4285922050 * m + 0.4505937099 * s,
          0.0259040371 * l + 0.7827717662 * m - 0.8086757660 * s};
}

double distance(Lab x, Lab y) {
  return std::hypot(x.lightness - y.lightness, x.a - y.a, x.b - y.b);
}

}  // namespace

class ColourMapTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void anchorsAreFixed_data();
  void anchorsAreFixed();
  void stepsLookEqual();
  void lightnessFalls();
  void textIsLegibleEverywhere();
  void contrastOfBlackAndWhite();
};

void ColourMapTest::anchorsAreFixed_data() {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  QTest::addColumn<double>("sqnrDb");
  QTest::addColumn<QString>("hex");
  QTest::newRow("equal") << kInfinity << "#b9cfe3";
  QTest::newRow("above the scale") << 83.0 << "#b9cfe3";
  QTest::newRow("50 dB") << 50.0 << "#b9cfe3";
  QTest::newRow("40 dB") << 40.0 << "#cdc382";
  QTest::newRow("30 dB") << 30.0 << "#e09437";
  QTest::newRow("20 dB") << 20.0 << "#d75d13";
  QTest::newRow("10 dB") << 10.0 << "#bc262f";
  QTest::newRow("below the scale") << -4.0 << "#bc262f";
  QTest::newRow("minus infinity") << -kInfinity << "#bc262f";
  QTest::newRow("not a number") << std::nan("") << "#bc262f";
  QTest::newRow("between two steps") << 10.5 << "#be292e";
}

void ColourMapTest::anchorsAreFixed() {
  QFETCH(double, sqnrDb);
  QFETCH(QString, hex);
  QCOMPARE(QString::fromStdString(hexText(errorColour(sqnrDb))), hex);
}

// Rounding to 8 bits moves each end of a step by up to about 0.0015 in OKLab.
void ColourMapTest::stepsLookEqual() {
  const auto ramp = errorRamp();
  double smallest = 1;
  double largest = 0;
  for (std::size_t i = 1; i < ramp.size(); ++i) {
    const double step = distance(toLab(ramp[i - 1]), toLab(ramp[i]));
    smallest = std::min(smallest, step);
    largest = std::max(largest, step);
  }
  QVERIFY2(largest - smallest < 2 * 2 * 0.0015, qPrintable(QString::number(largest - smallest)));
}

void ColourMapTest::lightnessFalls() {
  const auto ramp = errorRamp();
  for (std::size_t i = 1; i < ramp.size(); ++i) {
    QVERIFY(toLab(ramp[i]).lightness < toLab(ramp[i - 1]).lightness);
  }
}

void ColourMapTest::textIsLegibleEverywhere() {
  for (double sqnrDb = 5; sqnrDb < 55; sqnrDb += 0.1) {
    const Colour background = errorColour(sqnrDb);
    QVERIFY(contrast(background, textColourOn(background)) >= 4.5);
  }
}

void ColourMapTest::contrastOfBlackAndWhite() {
  QVERIFY(std::abs(contrast({0, 0, 0}, {255, 255, 255}) - 21) < 1e-12);
  QVERIFY(std::abs(contrast({9, 9, 9}, {9, 9, 9}) - 1) < 1e-12);
}

QUANTSCOPE_TEST(ColourMapTest)
#include "test_colour_map.moc"
