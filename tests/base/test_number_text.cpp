#include <QtTest>
#include <cmath>
#include <cstdlib>
#include <limits>

#include "base/number_text.h"
#include "support/test_main.h"

using namespace quantscope;

class NumberTextTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void threeDigits_data();
  void threeDigits();
  void briefNumbersEndWithoutZeros();
  void signsAreShown();
  void exactNumbersComeBack();
  void shares_data();
  void shares();
  void bytes_data();
  void bytes();
  void nounsAreCounted();
  void alternativesAreListed();
};

void NumberTextTest::threeDigits_data() {
  QTest::addColumn<double>("value");
  QTest::addColumn<QString>("text");
  QTest::newRow("zero") << 0.0 << "0";
  QTest::newRow("tens") << 31.249 << "31.2";
  QTest::newRow("ones") << -1.2345 << "−1.23";
  QTest::newRow("rounds up to tens") << 9.996 << "10.0";
  QTest::newRow("hundreds") << 123.456 << "123";
  QTest::newRow("thousands") << 12345.6 << "12,346";
  QTest::newRow("below one") << 0.98765 << "0.988";
  QTest::newRow("small") << 0.0123456 << "0.0123";
  QTest::newRow("smallest plain") << 0.0001 << "0.000100";
  QTest::newRow("smaller") << 0.0000123 << "1.23e-05";
  QTest::newRow("large") << -2.5e7 << "−2.50e+07";
  QTest::newRow("infinite") << std::numeric_limits<double>::infinity() << "∞";
  QTest::newRow("minus infinite") << -std::numeric_limits<double>::infinity() << "−∞";
  QTest::newRow("not a number") << std::nan("") << "–";
  QTest::newRow("denormal") << std::numeric_limits<double>::denorm_min() << "4.94e-324";
}

void NumberTextTest::threeDigits() {
  QFETCH(double, value);
  QFETCH(QString, text);
  QCOMPARE(QString::fromStdString(shortNumber(value)), text);
}

void NumberTextTest::briefNumbersEndWithoutZeros() {
  QCOMPARE(briefNumber(4), std::string("4"));
  QCOMPARE(briefNumber(0.5), std::string("0.5"));
  QCOMPARE(briefNumber(-31.249), std::string("−31.2"));
  QCOMPARE(briefNumber(1830.4), std::string("1830"));
  QCOMPARE(briefNumber(2.5e7), std::string("2.5e+07"));
  QCOMPARE(briefPercent(0.04), std::string("4 %"));
}

void NumberTextTest::signsAreShown() {
  QCOMPARE(signedNumber(3, 0), std::string("+3"));
  QCOMPARE(signedNumber(-1.25, 2), std::string("-1.25"));
  QCOMPARE(decibelText(31.249), std::string("31.2 dB"));
  QCOMPARE(decibelText(-2, 2), std::string("-2.00 dB"));
  QCOMPARE(decibelText(std::numeric_limits<double>::infinity()), std::string("∞ dB"));
  QCOMPARE(decibelText(std::optional<double>()), std::string("–"));
  QCOMPARE(computedDecibels(12.345), std::string("12.3 dB"));
  QCOMPARE(computedDecibels(std::nullopt), std::string("not computed"));
}

void NumberTextTest::exactNumbersComeBack() {
  for (const double value : {0.1, 1.0 / 3, 1e300, 5e-324, 31.249999999999996}) {
    QVERIFY(std::strtod(exactNumber(value).c_str(), nullptr) == value);
  }
  QCOMPARE(QString::fromStdString(exactNumber(-0.5)), QString("−0.5"));
}

void NumberTextTest::shares_data() {
  QTest::addColumn<double>("share");
  QTest::addColumn<QString>("text");
  QTest::newRow("none") << 0.0 << "0.00 %";
  QTest::newRow("hardly any") << 0.00005 << "under 0.01 %";
  QTest::newRow("few") << 0.00021 << "0.02 %";
  QTest::newRow("most") << 0.9583 << "95.8 %";
  QTest::newRow("all") << 1.0 << "100.0 %";
}

void NumberTextTest::shares() {
  QFETCH(double, share);
  QFETCH(QString, text);
  QCOMPARE(QString::fromStdString(percent(share)), text);
}

void NumberTextTest::bytes_data() {
  QTest::addColumn<double>("size");
  QTest::addColumn<QString>("text");
  QTest::newRow("none") << 0.0 << "0 B";
  QTest::newRow("bytes") << 812.0 << "812 B";
  QTest::newRow("rounds up to the next unit") << 999.7 << "1.00 kB";
  QTest::newRow("kilobytes") << 239'000.0 << "239 kB";
  QTest::newRow("megabytes") << 1'240'000.0 << "1.24 MB";
  QTest::newRow("more than saved") << -1'500.0 << "−1.50 kB";
}

void NumberTextTest::bytes() {
  QFETCH(double, size);
  QFETCH(QString, text);
  QCOMPARE(QString::fromStdString(byteSize(size)), text);
}

void NumberTextTest::nounsAreCounted() {
  QCOMPARE(counted(1, "value"), std::string("1 value"));
  QCOMPARE(counted(0, "value"), std::string("0 values"));
  QCOMPARE(counted(12, "sample"), std::string("12 samples"));
}

void NumberTextTest::alternativesAreListed() {
  QCOMPARE(alternatives({}), std::string());
  QCOMPARE(alternatives({"int8"}), std::string("int8"));
  QCOMPARE(alternatives({"int8", "fp16"}), std::string("int8 or fp16"));
  QCOMPARE(alternatives({"int8", "fp16", "fp32"}), std::string("int8, fp16 or fp32"));
}

QUANTSCOPE_TEST(NumberTextTest)
#include "test_number_text.moc"
