#include <QAbstractItemModelTester>
#include <QSignalSpy>
#include <QtTest>

#include "support/sample_snapshot.h"
#include "support/test_main.h"
#include "widgets/findings/finding_filters.h"
#include "widgets/findings/findings_model.h"
#include "widgets/look/text.h"
#include "widgets/made_findings.h"
#include "widgets/words/finding_places.h"
#include "widgets/words/finding_words.h"

using namespace quantscope;
using namespace quantscope::test;

Q_DECLARE_METATYPE(quantscope::FindingsQuery)

namespace {

// "Critical: a1 | Warnings: b1 b2"
QString listing(const FindingsModel& model) {
  QStringList groups;
  for (int row = 0; row < model.rowCount(); ++row) {
    const QModelIndex heading = model.index(row, 0);
    QString words = heading.data().toString() + u':';
    for (int i = 0; i < model.rowCount(heading); ++i) {
      const QModelIndex index = model.index(i, 0, heading);
      const Finding* finding = model.finding(index);
      words += u' ' + text((finding == nullptr ? model.mended(index) : finding)->id);
    }
    groups << words;
  }
  return groups.join(QStringLiteral(" | "));
}

QString gain(const FindingsModel& model, const char* id) {
  return model.find(std::string(id))
      .siblingAtColumn(FindingsModel::kGain)
      .data(FindingsModel::kGainTextRole)
      .toString();
}

QString layerName(std::size_t layer) {
  return text(sampleSnapshot()->result->layers[layer].name);
}

}  // namespace

class FindingsModelTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void staysSound();
  void groups_data();
  void groups();
  void filters_data();
  void filters();
  void sorts_data();
  void sorts();
  void gainsComeInWhereTheRowsAre();
  void otherRowsAreAReset();
  void cellsSayWhatTheyAre();
  void gainsOfEachOutput();
  void whatIsNewAndWhatIsMended();
};

void FindingsModelTest::staysSound() {
  FindingsModel model;
  const QAbstractItemModelTester tester(&model,
                                        QAbstractItemModelTester::FailureReportingMode::QtTest);
  model.show(snapshotWith(fourFindings()), {}, {});
  model.setPending(true);
  model.sort(FindingsModel::kGain, Qt::DescendingOrder);
  FindingsQuery query;
  query.grouping = FindingGrouping::Layer;
  model.show(snapshotWith(fourFindings()), {"a1"}, query);
  query.words = QStringLiteral("nowhere");
  model.show(snapshotWith(fourFindings()), {}, query);
  QCOMPARE(model.rowCount(), 0);
  model.show(nullptr, {}, {});
  QCOMPARE(model.rowCount(), 0);
}

void FindingsModelTest::groups_data() {
  QTest::addColumn<FindingGrouping>("grouping");
  QTest::addColumn<QString>("expected");
  QTest::newRow("severity") << FindingGrouping::Severity
                            << "Critical: a1 | Warnings: b1 b2 | Notes: c1";
  QTest::newRow("layer") << FindingGrouping::Layer
                         << layerName(2) + ": a1 b1 | " + layerName(5) + ": b2 | " + layerName(0) +
                                ": c1";
  QTest::newRow("detector") << FindingGrouping::Detector
                            << "Outliers: a1 b2 | Saturation: b1 | One-sided data: c1";
  QTest::newRow("none") << FindingGrouping::None << "All: a1 b1 b2 c1";
}

void FindingsModelTest::groups() {
  QFETCH(FindingGrouping, grouping);
  FindingsModel model;
  FindingsQuery query;
  query.grouping = grouping;
  model.show(snapshotWith(fourFindings()), {}, query);
  QTEST(listing(model), "expected");
  QCOMPARE(model.listed().size(), std::size_t{4});
}

void FindingsModelTest::filters_data() {
  QTest::addColumn<FindingsQuery>("query");
  QTest::addColumn<QString>("expected");
  const auto row = [](const char* name, const QString& expected, auto change) {
    FindingsQuery query;
    query.grouping = FindingGrouping::None;
    change(query);
    QTest::newRow(name) << query << expected;
  };
  row("words", "All: b2", [](FindingsQuery& query) { query.words = "SENTENCE b2"; });
  row("the layer's name", "All: a1 b1", [](FindingsQuery& query) { query.words = layerName(2); });
  row("the detector's title", "All: b1", [](FindingsQuery& query) { query.words = "saturation"; });
  row("detector", "All: a1 b2", [](FindingsQuery& query) { query.detector = "outlier"; });
  row("severity", "All: b1 b2", [](FindingsQuery& query) { query.severity = Severity::Warning; });
  row("layer", "All: a1 b1", [](FindingsQuery& query) {
    query.place = placeOfLayers(*sampleSnapshot(), layerName(2), {2});
  });
  row("scope without layers", "", [](FindingsQuery& query) {
    query.place = {"nowhere", {NodeId(1000000)}};
  });
}

void FindingsModelTest::filters() {
  QFETCH(FindingsQuery, query);
  FindingsModel model;
  model.show(snapshotWith(fourFindings()), {}, query);
  QTEST(listing(model), "expected");
  QVERIFY(query.filters());
  model.show(snapshotWith(fourFindings()), {}, query.unfiltered());
  QCOMPARE(listing(model), QStringLiteral("All: a1 b1 b2 c1"));
  // What is dismissed is listed where that is asked for, and marked.
  FindingsQuery whole = query.unfiltered();
  model.show(snapshotWith(fourFindings()), {"a1", "b2"}, whole);
  QCOMPARE(listing(model), QStringLiteral("All: b1 c1"));
  whole.withDismissed = true;
  model.show(snapshotWith(fourFindings()), {"a1", "b2"}, whole);
  QCOMPARE(listing(model), QStringLiteral("All: a1 b1 b2 c1"));
  QVERIFY(model.find(std::string("a1")).data(FindingsModel::kDismissedRole).toBool());
  QVERIFY(!model.find(std::string("b1")).data(FindingsModel::kDismissedRole).toBool());
}

void FindingsModelTest::sorts_data() {
  QTest::addColumn<int>("column");
  QTest::addColumn<Qt::SortOrder>("direction");
  QTest::addColumn<QString>("expected");
  const auto row = [](const char* name, int column, Qt::SortOrder direction, const char* expected) {
    QTest::newRow(name) << column << direction << QString::fromLatin1(expected);
  };
  row("as found", -1, Qt::AscendingOrder, "All: a1 b1 b2 c1");
  row("mild first", FindingsModel::kSentence, Qt::AscendingOrder, "All: c1 b1 b2 a1");
  row("layer", FindingsModel::kLayer, Qt::AscendingOrder, "All: c1 a1 b1 b2");
  row("layer, last first", FindingsModel::kLayer, Qt::DescendingOrder, "All: b2 a1 b1 c1");
  row("statistic", FindingsModel::kStatistic, Qt::DescendingOrder, "All: b1 b2 a1 c1");
  row("gain, absent ones last", FindingsModel::kGain, Qt::DescendingOrder, "All: b1 b2 a1 c1");
  row("loss, absent ones last", FindingsModel::kGain, Qt::AscendingOrder, "All: b2 b1 a1 c1");
}

void FindingsModelTest::sorts() {
  QFETCH(int, column);
  QFETCH(Qt::SortOrder, direction);
  FindingsModel model;
  FindingsQuery query;
  query.grouping = FindingGrouping::None;
  model.show(snapshotWith(fourFindings()), {}, query);
  model.sort(column, direction);
  QTEST(listing(model), "expected");
  // Severities stay in their order, whatever their findings are sorted by.
  query.grouping = FindingGrouping::Severity;
  model.show(snapshotWith(fourFindings()), {}, query);
  QVERIFY(listing(model).startsWith(QStringLiteral("Critical: a1 | Warnings: b")));
}

void FindingsModelTest::gainsComeInWhereTheRowsAre() {
  FindingsModel model;
  std::vector<MadeFinding> findings = fourFindings();
  model.show(snapshotWith(findings), {}, {});
  model.setPending(true);
  QCOMPARE(gain(model, "a1"), QStringLiteral("…"));
  QCOMPARE(gain(model, "b1"), QStringLiteral("+3.21"));
  QCOMPARE(gain(model, "c1"), QStringLiteral("–"));
  const QPersistentModelIndex row = model.find(std::string("a1"));
  const QSignalSpy reset(&model, &QAbstractItemModel::modelReset);
  const QSignalSpy changed(&model, &QAbstractItemModel::dataChanged);
  findings[0].gainDb = 12;
  model.show(snapshotWith(findings), {}, {});
  QCOMPARE(reset.count(), 0);
  QVERIFY(changed.count() > 0);
  QVERIFY(row.isValid());
  QCOMPARE(gain(model, "a1"), u'+' + shortText(12));
  findings[0].gainDb = -1.5;
  model.show(snapshotWith(findings), {}, {});
  QCOMPARE(gain(model, "a1"), shortText(-1.5));
  findings[0].gainDb = 0.01;
  findings[0].gainEstimated = true;
  model.show(snapshotWith(findings), {}, {});
  QCOMPARE(gain(model, "a1"), QStringLiteral("≈ 0.0"));
  findings[0].gainEstimated = false;
  findings[0].gainDb.reset();
  model.setPending(false);
  model.show(snapshotWith(findings), {}, {});
  QCOMPARE(gain(model, "a1"), QStringLiteral("–"));
}

void FindingsModelTest::otherRowsAreAReset() {
  FindingsModel model;
  model.show(snapshotWith(fourFindings()), {}, {});
  const QSignalSpy reset(&model, &QAbstractItemModel::modelReset);
  model.show(snapshotWith(fourFindings()), {"b1"}, {});
  QCOMPARE(reset.count(), 1);
  std::vector<MadeFinding> findings = fourFindings();
  findings[1].severity = Severity::Critical;
  model.show(snapshotWith(findings), {}, {});
  QCOMPARE(reset.count(), 2);
  QCOMPARE(listing(model), QStringLiteral("Critical: a1 b1 | Warnings: b2 | Notes: c1"));
}

void FindingsModelTest::cellsSayWhatTheyAre() {
  FindingsModel model;
  model.show(snapshotWith(fourFindings()), {}, {});
  const QModelIndex row = model.find(std::string("a1"));
  QCOMPARE(row.data(Qt::AccessibleTextRole).toString(),
           QStringLiteral("Critical: Sentence of a1."));
  QVERIFY(row.data(Qt::ToolTipRole).toString().contains(QStringLiteral("Reason of a1.")));
  const QModelIndex absent = row.siblingAtColumn(FindingsModel::kGain);
  QVERIFY(absent.data(Qt::ToolTipRole).toString().contains(QStringLiteral("not simulated")));
  model.setPending(true);
  QVERIFY(absent.data(Qt::ToolTipRole).toString().contains(QStringLiteral("being simulated")));
  QCOMPARE(row.parent().data(FindingsModel::kCountRole).toInt(), 1);
  for (int column = 0; column < model.columnCount(); ++column)
    QVERIFY(!model.headerData(column, Qt::Horizontal, Qt::ToolTipRole).toString().isEmpty());
}

// The smallest first, and only some of many.
void FindingsModelTest::gainsOfEachOutput() {
  AnalysisSnapshot snapshot = *snapshotWith(fourFindings());
  const auto show = [&](FindingsModel& model, const std::vector<OutputGain>& gains) {
    auto report = std::make_shared<DetectorReport>(*snapshot.detected);
    report->findings[1].suggestion->outputGains = gains;
    snapshot.detected = report;
    model.show(std::make_shared<AnalysisSnapshot>(snapshot), {}, {});
    const QModelIndex cell = model.find(std::string("b1")).siblingAtColumn(FindingsModel::kGain);
    const QString words = outputGainsWords(report->findings[1]);
    const QString tip = cell.data(Qt::ToolTipRole).toString();
    const bool told = suggestionWords(report->findings[1], false).contains(words);
    return tip.contains(words) && told ? words : tip;
  };
  FindingsModel model;
  QCOMPARE(show(model, {}), QString());
  QCOMPARE(show(model, {{"scores", 3.25}, {"state", -0.5}}),
           QStringLiteral("Of each output: state %1 dB, scores +3.25 dB.").arg(shortText(-0.5)));
  QCOMPARE(show(model, {{"a", 6}, {"b", 5}, {"c", 4}, {"d", 3}, {"e", 2}, {"f", 1}}),
           QStringLiteral("Of the outputs that gain least: f +1.00 dB, e +2.00 dB, d +3.00 dB, c "
                          "+4.00 dB, and 2 more."));
}

void FindingsModelTest::whatIsNewAndWhatIsMended() {
  FindingsModel model;
  const QAbstractItemModelTester tester(&model,
                                        QAbstractItemModelTester::FailureReportingMode::QtTest);
  std::vector<MadeFinding> before = fourFindings();
  before.erase(before.begin());
  before.push_back(before.front());
  before.back().id = "gone";
  before.back().text = "Is no more.";
  model.setCompared(snapshotWith(before)->detected);
  model.show(snapshotWith(fourFindings()), {}, {});
  QCOMPARE(listing(model),
           QStringLiteral("Critical: a1 | Warnings: b1 b2 | Notes: c1 | Mended: gone"));
  QVERIFY(model.find(std::string("a1")).data(FindingsModel::kNewRole).toBool());
  QVERIFY(!model.find(std::string("b1")).data(FindingsModel::kNewRole).toBool());
  const QModelIndex mended = model.index(0, 0, model.index(3, 0));
  QVERIFY(model.finding(mended) == nullptr);
  QCOMPARE(mended.data().toString(), QStringLiteral("Is no more."));
  QVERIFY(mended.data(FindingsModel::kDismissedRole).toBool());  // as quiet as those
  QVERIFY(!model.find(std::string("gone")).isValid());
  QCOMPARE(model.listed().size(), std::size_t{4});
  FindingsQuery query;
  query.words = QStringLiteral("b2");
  model.show(snapshotWith(fourFindings()), {}, query);
  QCOMPARE(listing(model), QStringLiteral("Warnings: b2"));
  // Nothing is said where there is nothing to compare with.
  model.setCompared(nullptr);
  model.show(snapshotWith(fourFindings()), {}, {});
  QCOMPARE(listing(model), QStringLiteral("Critical: a1 | Warnings: b1 b2 | Notes: c1"));
  QVERIFY(!model.find(std::string("a1")).data(FindingsModel::kNewRole).toBool());
}

QUANTSCOPE_TEST(FindingsModelTest)
#include "test_findings_model.moc"
