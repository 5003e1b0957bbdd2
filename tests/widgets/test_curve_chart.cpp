#include <QSignalSpy>
#include <QtCharts/QChart>
#include <QtCharts/QChartView>
#include <QtTest>

#include "support/test_main.h"
#include "widgets/charts/curve_chart.h"

using namespace quantscope;

/// A curve's axes and choice.
class CurveChartTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void titlesGiveWay();
  void keysPick();

 private:
  static CurveChart::Content content() {
    return {.horizontal = "Bytes of all constants (kB)",
            .vertical = "Worst output (dB)",
            .second = {},
            .points = {{65, 28}, {100, 40}, {190, 80}},
            .seconds = {}};
  }
};

// Else Qt writes three dots instead of the numbers.
void CurveChartTest::titlesGiveWay() {
  CurveChart chart;
  QFont font = chart.font();
  font.setPixelSize(20);
  chart.setFont(font);
  chart.setContent(content());
  chart.show();
  const auto shows = [&](Qt::Orientation orientation) {
    return chart.findChild<QChartView*>()->chart()->axes(orientation).front()->isTitleVisible();
  };
  for (const int height : {400, 120, 400}) {
    chart.resize(340, height);
    QCOMPARE(shows(Qt::Horizontal), height > 200);
    QCOMPARE(shows(Qt::Vertical), height > 200);
  }
}

void CurveChartTest::keysPick() {
  CurveChart chart;
  chart.setContent(content());
  QSignalSpy picked(&chart, &CurveChart::picked);
  for (const Qt::Key key : {Qt::Key_End, Qt::Key_Left, Qt::Key_Home, Qt::Key_Left}) {
    QTest::keyClick(&chart, key);
  }
  QList<int> points;
  for (const QVariantList& each : picked) points += each.front().toInt();
  QCOMPARE(points, (QList<int>{2, 1, 0}));
}

QUANTSCOPE_TEST(CurveChartTest)
#include "test_curve_chart.moc"
