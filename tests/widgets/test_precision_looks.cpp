#include <QImage>
#include <QPainter>
#include <QtTest>
#include <algorithm>
#include <cmath>

#include "support/test_main.h"
#include "widgets/graph/painting/box_painter.h"
#include "widgets/look/theme.h"

using namespace quantscope;

namespace {

// One type of each family and width.
constexpr QuantType kFamilies[] = {
    QuantType::Float32, QuantType::Float16, QuantType::Float8E4M3, QuantType::Int16,
    QuantType::Int8,    QuantType::Int4,    QuantType::Int2,       QuantType::Ternary,
};
// Their twins without a sign, which have the same pattern.
constexpr QuantType kUnsigned[] = {QuantType::UInt16, QuantType::UInt8, QuantType::UInt4,
                                   QuantType::UInt2};

double linear(double channel) {
  return channel <= 0.03928 ? channel / 12.92 : std::pow((channel + 0.055) / 1.055, 2.4);
}

double luminance(const QColor& colour) {
  return 0.2126 * linear(colour.redF()) + 0.7152 * linear(colour.greenF()) +
         0.0722 * linear(colour.blueF());
}

// The contrast as WCAG defines it.
double contrast(const QColor& a, const QColor& b) {
  const auto [low, high] = std::minmax({luminance(a), luminance(b)});
  return (high + 0.05) / (low + 0.05);
}

int distance(const QColor& a, const QColor& b) {
  return std::abs(a.red() - b.red()) + std::abs(a.green() - b.green()) +
         std::abs(a.blue() - b.blue());
}

// Where there is paint, whatever its colour.
QImage pattern(QuantType type, const QSizeF& bar) {
  QImage image(bar.toSize(), QImage::Format_ARGB32_Premultiplied);
  image.fill(Qt::transparent);
  QPainter painter(&image);
  painter.setRenderHint(QPainter::Antialiasing);
  paintPrecision(painter, QRectF(QPointF(), bar), type, Theme::day());
  painter.end();
  return image.convertToFormat(QImage::Format_Alpha8);
}

QByteArray nameOf(QuantType type) {
  return QByteArray::fromStdString(std::string(name(type)));
}

}  // namespace

class PrecisionLooksTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void coloursStandOut_data();
  void coloursStandOut();
  void familiesHaveColours_data() { coloursStandOut_data(); }
  void familiesHaveColours();
  void patternsDiffer_data();
  void patternsDiffer();
};

void PrecisionLooksTest::coloursStandOut_data() {
  QTest::addColumn<bool>("dark");
  QTest::newRow("day") << false;
  QTest::newRow("night") << true;
}

void PrecisionLooksTest::coloursStandOut() {
  QFETCH(bool, dark);
  const Theme& theme = dark ? Theme::night() : Theme::day();
  for (int i = 0; i <= static_cast<int>(QuantType::Binary); ++i) {
    const auto type = static_cast<QuantType>(i);
    for (const QColor& behind : {theme.window, theme.surface, theme.raised}) {
      QVERIFY2(contrast(theme.precision(type), behind) >= 3, nameOf(type).constData());
    }
  }
}

void PrecisionLooksTest::familiesHaveColours() {
  QFETCH(bool, dark);
  const Theme& theme = dark ? Theme::night() : Theme::day();
  constexpr int kClearly = 60;
  QList<QuantType> types(std::begin(kFamilies), std::end(kFamilies));
  types.append(QList<QuantType>(std::begin(kUnsigned), std::end(kUnsigned)));
  for (const QuantType one : types) {
    for (const QuantType other : types) {
      if (one == other) continue;
      const QByteArray pair = nameOf(one) + " and " + nameOf(other);
      QVERIFY2(distance(theme.precision(one), theme.precision(other)) >= kClearly,
               pair.constData());
    }
  }
  QCOMPARE(theme.precision(QuantType::BFloat16), theme.precision(QuantType::Float16));
  QCOMPARE(theme.precision(QuantType::Float8E5M2), theme.precision(QuantType::Float8E4M3));
}

void PrecisionLooksTest::patternsDiffer_data() {
  QTest::addColumn<QSizeF>("bar");
  QTest::newRow("box") << QSizeF(5, 34);
  QTest::newRow("legend") << QSizeF(5, 13);
}

void PrecisionLooksTest::patternsDiffer() {
  QFETCH(QSizeF, bar);
  QList<QuantType> types(std::begin(kFamilies), std::end(kFamilies));
  types << QuantType::Binary;
  for (const QuantType one : types) {
    for (const QuantType other : types) {
      if (one == other) continue;
      const QByteArray pair = nameOf(one) + " and " + nameOf(other);
      QVERIFY2(pattern(one, bar) != pattern(other, bar), pair.constData());
    }
  }
}

QUANTSCOPE_TEST(PrecisionLooksTest)
#include "test_precision_looks.moc"
