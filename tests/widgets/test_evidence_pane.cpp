#include <QLabel>
#include <QtTest>
#include <algorithm>

#include "support/sample_snapshot.h"
#include "support/test_main.h"
#include "widgets/charts/batch_chart.h"
#include "widgets/charts/channel_chart.h"
#include "widgets/charts/histogram_chart.h"
#include "widgets/charts/ratio_chart.h"
#include "widgets/findings/evidence_pane.h"

using namespace quantscope;
using namespace quantscope::test;

namespace {

struct Pane {
  Selection selection;
  DisplayOptions options;
  EvidencePane pane{ViewContext{&selection, &options}};

  // What is shown of a finding with that evidence, about a layer with weights.
  Pane& show(Evidence evidence, bool aboutWeights, double ratio) {
    auto snapshot = std::make_shared<AnalysisSnapshot>(*sampleSnapshot());
    snapshot->request.config.detectors.edit(
        [&](DetectorThresholds& detectors) { detectors.equalizationRatio = ratio; });
    Finding finding;
    finding.id = "made";
    finding.evidence = evidence;
    finding.aboutWeights = aboutWeights;
    for (const auto& [node, statistics] : snapshot->detected->statistics.equalization) {
      if (statistics.s.empty()) continue;
      finding.nodeName = node;
      finding.node = snapshot->graph().findNode(node);
      finding.value = snapshot->graph()[finding.node].outputs.front();
    }
    pane.resize(400, 300);
    pane.show(snapshot, &finding);
    return *this;
  }
  QString caption() const { return pane.findChild<QLabel*>()->text(); }
};

}  // namespace

/// The chart beside a finding that shows what it says.
class EvidencePaneTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void weightsAreShownWhereTheyAreMeant();
  void theCaptionNamesWhatIsDistributed();
  void noCaptionIsCut();
  void everySortOfEvidenceHasItsChart_data();
  void everySortOfEvidenceHasItsChart();
  void histogramsMarkTheGrid();
  void otherThresholdsAreDrawnAnew();
};

void EvidencePaneTest::weightsAreShownWhereTheyAreMeant() {
  Pane fixture;
  QCOMPARE(fixture.show(Evidence::ChannelRanges, true, 0.5).caption(),
           QStringLiteral("Channels of the weights"));
  QVERIFY(qobject_cast<ChannelChart*>(fixture.pane.shown()) != nullptr);
}

void EvidencePaneTest::theCaptionNamesWhatIsDistributed() {
  Pane fixture;
  QCOMPARE(fixture.show(Evidence::LayerError, true, 0.5).caption(),
           QStringLiteral("How the weights are distributed"));
  const auto& chart = *fixture.pane.findChild<HistogramChart*>();
  const double ofWeights = chart.data().high;
  Pane other;
  QCOMPARE(other.show(Evidence::LayerError, false, 0.5).caption(),
           QStringLiteral("How the elements of the output are distributed"));
  QVERIFY(other.pane.findChild<HistogramChart*>()->data().high != ofWeights);
}

void EvidencePaneTest::everySortOfEvidenceHasItsChart_data() {
  QTest::addColumn<Evidence>("evidence");
  QTest::addColumn<const QMetaObject*>("chart");
  QTest::addColumn<QString>("caption");
  QTest::newRow("batches") << Evidence::BatchRanges << &BatchChart::staticMetaObject
                           << "Batch to epoch";
  QTest::newRow("outliers") << Evidence::OutlierRatios << &RatioChart::staticMetaObject
                            << "quantile";
  QTest::newRow("equalization") << Evidence::EqualizationRatios << &RatioChart::staticMetaObject
                                << "Equalization factor";
  QTest::newRow("channels") << Evidence::ChannelRanges << &ChannelChart::staticMetaObject
                            << "Channels of the value";
}

void EvidencePaneTest::everySortOfEvidenceHasItsChart() {
  QFETCH(Evidence, evidence);
  QFETCH(const QMetaObject*, chart);
  QFETCH(QString, caption);
  Pane fixture;
  QVERIFY2(fixture.show(evidence, false, 0.5).caption().contains(caption, Qt::CaseInsensitive),
           qPrintable(fixture.caption()));
  QVERIFY(chart->cast(fixture.pane.shown()) != nullptr);
}

void EvidencePaneTest::noCaptionIsCut() {
  for (const Evidence evidence : {Evidence::BatchRanges, Evidence::OutlierRatios,
                                  Evidence::EqualizationRatios, Evidence::ChannelRanges}) {
    Pane fixture;
    fixture.show(evidence, false, 0.5);
    fixture.pane.resize(180, 240);
    QCoreApplication::processEvents();
    const auto& caption = *fixture.pane.findChild<QLabel*>();
    const QRect words = caption.fontMetrics().boundingRect(
        caption.contentsRect(), Qt::TextWordWrap | Qt::AlignLeft, caption.text());
    QVERIFY2(caption.contentsRect().width() >= words.width() &&
                 caption.contentsRect().height() >= words.height(),
             qPrintable(caption.text()));
  }
}

// Also of a value that is rounded on an edge, not where it is computed.
void EvidencePaneTest::histogramsMarkTheGrid() {
  const SnapshotPtr snapshot = sampleSnapshot();
  const auto& points = snapshot->quantized->groups.points;
  const auto edge = std::ranges::find_if(points, [&](const QuantizationPoint& point) {
    return !point.isOutput() && !snapshot->graph()[point.value].producer.valid();
  });
  QVERIFY(edge != points.end());
  Finding finding;
  finding.id = "clipped";
  finding.evidence = Evidence::Histogram;
  finding.node = edge->consumer;
  finding.value = edge->value;
  Pane fixture;
  fixture.pane.show(snapshot, &finding);
  const HistogramData& data = fixture.pane.findChild<HistogramChart*>()->data();
  const QuantParams& params = *snapshot->quantized->groupParams[edge->group];
  QCOMPARE(data.gridLow, params.representable(params.grids[0]).low);
  QVERIFY(!data.reference.empty());
  QCOMPARE(data.gridHigh, params.representable(params.grids[0]).high);
}

void EvidencePaneTest::otherThresholdsAreDrawnAnew() {
  Pane fixture;
  const QImage before =
      fixture.show(Evidence::EqualizationRatios, false, 0.5).pane.grab().toImage();
  const QImage after = fixture.show(Evidence::EqualizationRatios, false, 0.9).pane.grab().toImage();
  QVERIFY(qobject_cast<RatioChart*>(fixture.pane.shown()) != nullptr);
  QVERIFY(before != after);
}

QUANTSCOPE_TEST(EvidencePaneTest)
#include "test_evidence_pane.moc"
