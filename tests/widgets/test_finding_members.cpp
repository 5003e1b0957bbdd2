#include <QLabel>
#include <QTreeView>
#include <QtTest>

#include "support/test_main.h"
#include "widgets/findings/findings_model.h"
#include "widgets/findings/findings_view.h"
#include "widgets/look/text.h"
#include "widgets/made_findings.h"

using namespace quantscope;
using namespace quantscope::test;

/// Findings that are true of several layers.
class FindingMembersTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void eachLayerHasItsChannels();
  void theSameChannelsAreNotRepeated();
};

namespace {

/// The finding a1, of the layers 2, 5 and 7, in front.
struct MergedFinding {
  Selection selection;
  DisplayOptions options;
  FindingsView view{ViewContext{&selection, &options}};

  explicit MergedFinding(const std::vector<std::int64_t>& ofSecond) {
    const SnapshotPtr made = snapshotWith(fourFindings());
    auto report = std::make_shared<DetectorReport>(*made->detected);
    Finding& finding = report->findings.front();
    const auto& layers = made->result->layers;
    finding.members = {layers[5].node, layers[7].node};
    finding.memberChannels = {{layers[5].node, ofSecond}};
    auto snapshot = std::make_shared<AnalysisSnapshot>(*made);
    snapshot->detected = std::move(report);
    view.resize(1400, 600);
    view.setSnapshot(snapshot);
    view.show();
    QCoreApplication::processEvents();
    view.choose("a1");
  }

  QLabel& channels() const {
    for (QLabel* label : view.findChildren<QLabel*>()) {
      if (label->accessibleName() == QStringLiteral("Channels of its layers")) return *label;
    }
    qFatal("nothing tells the channels");
  }
  const LayerResult& layer(std::size_t index) const {
    return view.snapshot()->result->layers[index];
  }
  QString chosen() const { return view.chosen() == nullptr ? QString() : text(view.chosen()->id); }
};

}  // namespace

void FindingMembersTest::eachLayerHasItsChannels() {
  MergedFinding merged({1, 8, 9});
  QCOMPARE(merged.chosen(), QStringLiteral("a1"));
  QLabel& channels = merged.channels();
  QVERIFY(channels.isVisible());
  const auto link = [&](int index, std::size_t layer, const QString& numbers) {
    return QStringLiteral("<a href=\"%1\">%2</a>: channels %3")
        .arg(QString::number(index), text(merged.layer(layer).name).toHtmlEscaped(), numbers);
  };
  QCOMPARE(channels.text(), link(0, 2, QStringLiteral("3, 4")) + QStringLiteral("<br>") +
                                link(1, 5, QStringLiteral("1, 8, 9")));
  // Its own channel; the finding stays, though the layer has one of its own.
  Q_EMIT channels.linkActivated(QStringLiteral("1"));
  QVERIFY(merged.selection.current().node == merged.layer(5).node);
  QCOMPARE(merged.selection.current().channel, 1);
  QCOMPARE(merged.chosen(), QStringLiteral("a1"));
  Q_EMIT channels.linkActivated(QStringLiteral("0"));
  QVERIFY(merged.selection.current().node == merged.layer(2).node);
  QCOMPARE(merged.selection.current().channel, 3);
  // Elsewhere, a layer without a finding of its own.
  merged.selection.selectNode(merged.layer(7).node);
  QCOMPARE(merged.chosen(), QStringLiteral("a1"));
}

void FindingMembersTest::theSameChannelsAreNotRepeated() {
  MergedFinding merged({3, 4});
  QVERIFY(!merged.channels().isVisible());
  merged.selection.selectNode(merged.layer(5).node);
  QCOMPARE(merged.chosen(), QStringLiteral("b2"));
}

QUANTSCOPE_TEST(FindingMembersTest)
#include "test_finding_members.moc"
