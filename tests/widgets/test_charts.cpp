#include <QTemporaryDir>
#include <QtCharts/QValueAxis>
#include <QtTest>

#include "support/test_main.h"
#include "widgets/charts/chart_ticks.h"
#include "widgets/charts/histogram_chart.h"
#include "widgets/charts/histogram_data.h"
#include "widgets/charts/histogram_panel.h"

using namespace quantscope;

namespace {

QString joinedLabels(const std::vector<ChartTick>& ticks) {
  QStringList texts;
  for (const ChartTick& tick : ticks) texts << tick.text;
  return texts.join(QLatin1Char(' '));
}

// Ten numbers on a grid of steps of 0.5 from −1 to 1.
LayerResult someLayer() {
  LayerResult layer;
  layer.histogram = OutputHistogram{-1, 1, {1, 0, 8, 1}, {2, 0, 7, 1}};
  layer.representableMin = -1;
  layer.representableMax = 1;
  layer.outputScale = 0.5;
  layer.output.emplace().type = QuantType::Int4;
  return layer;
}

}  // namespace

class ChartsTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void valueTicksAreRound_data();
  void valueTicksAreRound();
  void countTicksFollowTheScale();
  void emptyBinsHaveAPlaceOnALogarithmicScale();
  void observedBinsMerge();
  void levelsInView();
  void panelShowsWhatThereIs();
  void thePictureHasItsLegend();
  void twoChartsShareAnAxis();
};

void ChartsTest::valueTicksAreRound_data() {
  QTest::addColumn<double>("low");
  QTest::addColumn<double>("high");
  QTest::addColumn<int>("count");
  QTest::addColumn<QString>("ticks");
  QTest::newRow("unit") << 0.0 << 1.0 << 5 << "0 0.200 0.400 0.600 0.800 1.00";
  QTest::newRow("both signs") << -1.3 << 1.3 << 3 << "−1.00 0 1.00";
  QTest::newRow("tiny") << 0.0 << 3e-6 << 3 << "0 1.00e-06 2.00e-06 3.00e-06";
  QTest::newRow("nothing") << 1.0 << 1.0 << 3 << "";
}

void ChartsTest::valueTicksAreRound() {
  QFETCH(double, low);
  QFETCH(double, high);
  QFETCH(int, count);
  QFETCH(QString, ticks);
  QCOMPARE(joinedLabels(valueTicks(low, high, count)), ticks);
}

void ChartsTest::countTicksFollowTheScale() {
  QCOMPARE(joinedLabels(countTicks(20000, true)), QStringLiteral("0 1 10 100 1k 10k"));
  QCOMPARE(joinedLabels(countTicks(3e7, true)), QStringLiteral("0 1 100 10k 1M"));
  QCOMPARE(joinedLabels(countTicks(20000, false)), QStringLiteral("0 5k 10k 15k 20k"));
  QCOMPARE(joinedLabels(countTicks(0, true)), QStringLiteral("0"));
}

void ChartsTest::emptyBinsHaveAPlaceOnALogarithmicScale() {
  QCOMPARE(countHeight(0, true), 0.0);
  QCOMPARE(countHeight(1, true), 1.0);
  QCOMPARE(countHeight(1000, true), 4.0);
  QCOMPARE(countHeight(1000, false), 1000.0);
}

void ChartsTest::observedBinsMerge() {
  const HistogramData data =
      observedHistogram({.low = -1, .width = 0.5, .counts = {1, 2, 3, 4, 5}}, 2);
  QCOMPARE(data.reference, (std::vector<double>{6, 9}));
  QCOMPARE(data.low, -1.0);
  QCOMPARE(data.high, 2.0);
  QVERIFY(observedHistogram({}, 2).empty());
}

void ChartsTest::levelsInView() {
  const HistogramData data = outputHistogram(someLayer());
  QCOMPARE(gridLevels(data, -5, 5, 64), (std::vector<double>{-1, -0.5, 0, 0.5, 1}));
  QCOMPARE(gridLevels(data, 0.2, 0.9, 64), (std::vector<double>{0, 0.5, 1}));
  QVERIFY(gridLevels(data, -5, 5, 4).empty());
}

void ChartsTest::panelShowsWhatThereIs() {
  HistogramPanel panel;
  panel.setData(outputHistogram(someLayer()));
  QVERIFY(panel.logarithmic());
  QCOMPARE(panel.readOut(2), QStringLiteral("0 … 0.500: 8 float, 7 quantized"));
  QVERIFY(panel.asText().startsWith(QStringLiteral("from\tto\tfloat\tquantized\n-1")) ||
          panel.asText().startsWith(QStringLiteral("from\tto\tfloat\tquantized\n−1")));
  panel.setData({});
  QVERIFY(panel.isHidden());
}

void ChartsTest::thePictureHasItsLegend() {
  HistogramPanel panel;
  panel.resize(320, 260);
  panel.setData(outputHistogram(someLayer()));
  panel.show();
  panel.setPictureName(QStringLiteral("distribution"));
  const ViewPicture picture = panel.picture();
  QVERIFY(picture.size.height() > panel.chart().height());
  const QTemporaryDir folder;
  const QString file = folder.filePath(QStringLiteral("distribution.svg"));
  savePicture(picture, file);
  QFile svg(file);
  QVERIFY(svg.open(QIODevice::ReadOnly));
  const QByteArray content = svg.readAll();
  for (const char* label : {"float", "int4 (quantized)", "range"}) {
    QVERIFY2(content.contains(label), label);
  }
  panel.setData({});
  QVERIFY(panel.picture().size.isEmpty());
}

// All of both is in sight, also when one of them is given other data later.
void ChartsTest::twoChartsShareAnAxis() {
  HistogramChart first;
  HistogramChart second;
  const auto span = [](const HistogramChart& chart) {
    const auto* axis = qobject_cast<QValueAxis*>(chart.chart()->axes(Qt::Horizontal).constFirst());
    return std::pair(axis->min(), axis->max());
  };
  HistogramData wide = outputHistogram(someLayer());
  wide.low = -10;
  wide.high = 10;
  first.setData(outputHistogram(someLayer()));
  const auto alone = span(first);
  second.setData(wide);
  HistogramChart::shareAxis(first, second);
  QCOMPARE(span(first), span(second));
  QVERIFY(span(first).second > alone.second);
  second.setData(outputHistogram(someLayer()));
  HistogramChart::shareAxis(first, second);
  QCOMPARE(span(first), alone);
}

QUANTSCOPE_TEST(ChartsTest)
#include "test_charts.moc"
