#include <QtTest>
#include <cmath>
#include <limits>

#include "support/test_main.h"
#include "widgets/look/error_scale.h"

using namespace quantscope;

namespace {

const MetricDescription& metric(const QString& key) {
  for (const MetricDescription& metric : metricCatalogue()) {
    if (key == QLatin1String(metric.key)) return metric;
  }
  qFatal("no metric %s", qPrintable(key));
}

}  // namespace

class ErrorScaleTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void fixedAnchors_data();
  void fixedAnchors();
  void stretchingSpansTheModel();
  void unitsOfTheValueAlwaysStretch();
  void nothingToStretchTo();
  void noDifferenceHasNoColour();
};

void ErrorScaleTest::fixedAnchors_data() {
  QTest::addColumn<QString>("key");
  QTest::addColumn<double>("figure");
  QTest::addColumn<double>("position");
  const double infinity = std::numeric_limits<double>::infinity();
  QTest::newRow("equal") << "sqnr_db" << infinity << 0.0;
  QTest::newRow("calm") << "sqnr_db" << 50.0 << 0.0;
  QTest::newRow("middle") << "sqnr_db" << 30.0 << 0.5;
  QTest::newRow("hot") << "sqnr_db" << 10.0 << 1.0;
  QTest::newRow("beyond") << "sqnr_db" << -7.0 << 1.0;
  QTest::newRow("nmse of 30 dB") << "nmse" << 1e-3 << 0.5;
  QTest::newRow("nmse of nothing") << "nmse" << 0.0 << 0.0;
  QTest::newRow("cosine of 30 dB") << "cosine" << 1 - 0.5e-3 << 0.5;
  QTest::newRow("cosine 1") << "cosine" << 1.0 << 0.0;
  QTest::newRow("opposite") << "cosine" << -1.0 << 1.0;
  QTest::newRow("ideal rounding") << "rmse_over_scale" << 1 / std::sqrt(12.0) << 0.0;
  QTest::newRow("12 dB above it") << "rmse_over_scale" << std::pow(10, 0.6) / std::sqrt(12.0)
                                  << 0.5;
}

void ErrorScaleTest::fixedAnchors() {
  QFETCH(QString, key);
  QFETCH(double, figure);
  QFETCH(double, position);
  const ErrorScale scale(metric(key), {}, false);
  QVERIFY(!scale.stretched());
  QVERIFY(std::abs(scale.position(figure) - position) < 1e-9);
  QCOMPARE(scale.marks().size(), std::size_t{5});
}

void ErrorScaleTest::stretchingSpansTheModel() {
  const std::vector<Figure> figures{{Figure::Kind::Value, 35},
                                    {Figure::Kind::NotComputed, 0},
                                    {Figure::Kind::Value, 25},
                                    {Figure::Kind::Value, std::numeric_limits<double>::infinity()}};
  const ErrorScale scale(metric("sqnr_db"), figures, true);
  QVERIFY(scale.stretched());
  QCOMPARE(scale.position(35), 0.0);
  QCOMPARE(scale.position(25), 1.0);
  QCOMPARE(scale.position(30), 0.5);
  QCOMPARE(scale.marks().front().text, QStringLiteral("35.0"));
  QCOMPARE(scale.marks().back().text, QStringLiteral("25.0"));
}

void ErrorScaleTest::unitsOfTheValueAlwaysStretch() {
  const std::vector<Figure> figures{{Figure::Kind::Value, 0.01}, {Figure::Kind::Value, -1}};
  const ErrorScale scale(metric("mean_signed"), figures, false);
  QVERIFY(scale.stretched());
  QCOMPARE(scale.position(0.01), 0.0);
  QCOMPARE(scale.position(-0.1), 0.5);
  QCOMPARE(scale.position(1), 1.0);
}

void ErrorScaleTest::nothingToStretchTo() {
  const ErrorScale scale(metric("sqnr_db"), {}, true);
  QVERIFY(std::isfinite(scale.position(20)));
}

// Worse is warm, better is not.
void ErrorScaleTest::noDifferenceHasNoColour() {
  const ErrorScale scale = ErrorScale::ofDifferences(metric("sqnr_db"), {});
  QVERIFY(scale.colour(0).saturationF() < 0.05F);
  QCOMPARE(scale.colour(-20), ErrorScale::ramp(1));
  for (const double most : {1.0, 20.0}) {
    const QColor better = scale.colour(most);
    const QColor worse = scale.colour(-most);
    QVERIFY(better.blue() > better.red());
    QVERIFY(worse.red() > worse.blue());
  }
}

QUANTSCOPE_TEST(ErrorScaleTest)
#include "test_error_scale.moc"
