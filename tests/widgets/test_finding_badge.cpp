#include <QSignalSpy>
#include <QtTest>

#include "support/test_main.h"
#include "widgets/graph/painting/finding_badge.h"
#include "widgets/look/severity_sign.h"
#include "widgets/look/text.h"
#include "widgets/made_findings.h"
#include "widgets/shown_graph.h"

using namespace quantscope;
using namespace quantscope::test;

namespace {

struct Shown : ShownGraph {
  explicit Shown(const SnapshotPtr& snapshot = snapshotWith(fourFindings()))
      : ShownGraph(snapshot) {}

  FindingSum sumAt(std::size_t layer) {
    return canvas().content().looks->boxes[boxOf(layer)].findings;
  }
  QRectF badge(std::size_t layer) {
    return badgeRect(scene().boxes()[boxOf(layer)], sumAt(layer),
                     detailAt(canvas().camera().scale()));
  }
  // The middle of a badge on screen, after it was brought there.
  QPoint bringUp(std::size_t layer, double scale = 1) {
    canvas().setView(scene().boxes()[boxOf(layer)].rect.center(), scale);
    settle();
    return canvas().camera().toView(badge(layer).center()).toPoint();
  }
  // How many pixels of a picture of the badge have a severity's colour.
  int pixelsOf(Severity severity, std::size_t layer) {
    const QPoint middle = bringUp(layer);
    const QImage image = canvas().grab(QRect(middle - QPoint(16, 9), QSize(32, 18))).toImage();
    const QColor colour = colourOf(severity, canvas().content().looks->theme);
    int pixels = 0;
    for (int y = 0; y < image.height(); ++y) {
      for (int x = 0; x < image.width(); ++x) pixels += image.pixelColor(x, y) == colour ? 1 : 0;
    }
    return pixels;
  }
};

}  // namespace

class FindingBadgeTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void countsAndShowsTheWorst();
  void dismissedOnesDoNotCount();
  void aCardShowsTheSum();
  void staysClearOfTheButton();
  void isLargerFromAfarAndGoneFarAway();
  void aClickListsItsFindings();
  void gainsPaintNothingAnew();
  void searchGoesToFindings();
};

void FindingBadgeTest::countsAndShowsTheWorst() {
  Shown shown;
  QCOMPARE(shown.sumAt(2), (FindingSum{2, Severity::Critical}));
  QCOMPARE(shown.sumAt(5), (FindingSum{1, Severity::Warning}));
  QCOMPARE(shown.sumAt(1).count, std::size_t{0});
  QVERIFY(shown.badge(1).isEmpty());
  QVERIFY(shown.pixelsOf(Severity::Critical, 2) > 20);
  QCOMPARE(shown.pixelsOf(Severity::Warning, 2), 0);
  QVERIFY(shown.pixelsOf(Severity::Warning, 5) > 10);
  QCOMPARE(shown.pixelsOf(Severity::Critical, 5), 0);
}

void FindingBadgeTest::dismissedOnesDoNotCount() {
  Shown shown;
  shown.view.setDismissed({"a1", "b2"});
  shown.settle();
  QCOMPARE(shown.sumAt(2), (FindingSum{1, Severity::Warning}));
  QCOMPARE(shown.sumAt(5).count, std::size_t{0});
  QCOMPARE(shown.pixelsOf(Severity::Critical, 2), 0);
  shown.view.setDismissed({});
  shown.settle();
  QCOMPARE(shown.sumAt(2), (FindingSum{2, Severity::Critical}));
}

void FindingBadgeTest::aCardShowsTheSum() {
  Shown shown;
  shown.view.setDrawingOptions(collapseAll(shown.view.drawingOptions(), *shown.view.snapshot()));
  shown.settle();
  std::size_t sum = 0;
  std::size_t cards = 0;
  for (std::size_t i = 0; i < shown.scene().boxes().size(); ++i) {
    const DrawnBox& box = shown.scene().boxes()[i];
    const FindingSum findings = shown.canvas().content().looks->boxes[i].findings;
    sum += findings.count;
    if (box.kind != DrawnBox::Kind::Scope || findings.count == 0) continue;
    ++cards;
    QVERIFY(std::ranges::find(box.layers, std::size_t{2}) == box.layers.end() ||
            findings.worst == Severity::Critical);
  }
  QCOMPARE(sum, std::size_t{4});
  QVERIFY(cards > 0);
}

void FindingBadgeTest::staysClearOfTheButton() {
  DrawnBox card;
  card.kind = DrawnBox::Kind::Scope;
  card.rect = QRectF(0, 0, 160, 56);
  const QRectF badge = badgeRect(card, {120, Severity::Warning}, detailAt(1));
  QVERIFY(!badge.isEmpty());
  QVERIFY(!badge.intersects(expandButton(card)));
}

void FindingBadgeTest::isLargerFromAfarAndGoneFarAway() {
  DrawnBox box;
  box.rect = QRectF(0, 0, 160, 56);
  const FindingSum findings{3, Severity::Warning};
  const double near = badgeRect(box, findings, detailAt(1)).height();
  const double middle = badgeRect(box, findings, detailAt(0.4)).height();
  QVERIFY(middle > near);
  QVERIFY(badgeRect(box, findings, detailAt(0.1)).isEmpty());
  QVERIFY(badgeRect(box, {}, detailAt(1)).isEmpty());
  // More digits need more room, but only where they are legible.
  const FindingSum many{30, Severity::Warning};
  QVERIFY(badgeRect(box, many, detailAt(1)).width() >
          badgeRect(box, findings, detailAt(1)).width());
  QCOMPARE(badgeRect(box, many, detailAt(0.3)), badgeRect(box, findings, detailAt(0.3)));
}

void FindingBadgeTest::aClickListsItsFindings() {
  Shown shown;
  QSignalSpy asked(&shown.view, &GraphView::findingsRequested);
  QTest::mouseClick(&shown.canvas(), Qt::LeftButton, {}, shown.bringUp(2));
  QCOMPARE(asked.count(), 1);
  const auto place = asked.front().front().value<FindingsPlace>();
  const LayerResult& layer = shown.view.snapshot()->result->layers[2];
  QCOMPARE(place.title, text(layer.name));
  QVERIFY(place.nodes == std::set<NodeId>(layer.members.begin(), layer.members.end()));
  QTest::mouseClick(&shown.canvas(), Qt::LeftButton, {}, shown.bringUp(5, 0.4));
  QCOMPARE(asked.count(), 2);
  QCOMPARE(asked.back().front().value<FindingsPlace>().title,
           text(shown.view.snapshot()->result->layers[5].name));
  // The box beside its badge is still the box.
  const QPoint middle =
      shown.canvas().camera().toView(shown.scene().boxes()[shown.boxOf(5)].rect.center()).toPoint();
  QTest::mouseClick(&shown.canvas(), Qt::LeftButton, {}, middle);
  QCOMPARE(asked.count(), 2);
  QVERIFY(shown.selection.current().node == shown.view.snapshot()->result->layers[5].node);
}

void FindingBadgeTest::gainsPaintNothingAnew() {
  Shown shown;
  const GraphLooksPtr looks = shown.canvas().content().looks;
  std::vector<MadeFinding> findings = fourFindings();
  findings[0].gainDb = 1;
  shown.view.setSnapshot(snapshotWith(findings));
  QVERIFY(shown.canvas().content().looks == looks);
  QVERIFY(shown.view.settled());
  findings.pop_back();
  shown.view.setSnapshot(snapshotWith(findings));
  QTRY_VERIFY(shown.canvas().content().looks != looks);
  QCOMPARE(shown.sumAt(0).count, std::size_t{0});
}

void FindingBadgeTest::searchGoesToFindings() {
  Shown shown;
  QSignalSpy found(&shown.view, &GraphView::findingFound);
  shown.view.setSearch(QStringLiteral("sentence of b"));
  QCOMPARE(shown.view.matchCount(), std::size_t{2});
  shown.view.findNext();
  shown.view.findNext();
  QCOMPARE(found.count(), 2);
  QCOMPARE(found[0][0].value<std::string>(), std::string("b1"));
  QCOMPARE(found[1][0].value<std::string>(), std::string("b2"));
  QVERIFY(shown.selection.current().node == shown.view.snapshot()->result->layers[5].node);
  shown.view.setDismissed({"b2"});
  QCOMPARE(shown.view.matchCount(), std::size_t{1});
}

QUANTSCOPE_TEST(FindingBadgeTest)
#include "test_finding_badge.moc"
