#include <QtTest>

#include "support/sample_snapshot.h"
#include "support/test_main.h"
#include "widgets/look/text.h"
#include "widgets/made_findings.h"
#include "widgets/words/find_matches.h"

using namespace quantscope;
using namespace quantscope::test;

namespace {

// The matches: layers by their index, findings by their id, values by their name.
QString found(const SnapshotPtr& snapshot, const QString& words, const Dismissed& dismissed = {}) {
  const LayerIndex layers(*snapshot->result);
  QStringList all;
  for (const SearchMatch& match :
       findMatches(*snapshot, LayerFindings(*snapshot, layers, dismissed), words)) {
    if (!match.finding.empty()) {
      all << text(match.finding);
    } else if (match.selected.node.valid()) {
      all << QString::number(*layers.find(match.selected.node));
    } else {
      all << text(snapshot->graph()[match.selected.value].name);
    }
  }
  return all.join(u' ');
}

}  // namespace

class FindMatchesTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void findsWordsOfFindings();
  void findsLayersRatherThanTheirFindings();
  void findsInputsAndOutputs();
  void countsPerLayer();
};

void FindMatchesTest::findsWordsOfFindings() {
  const SnapshotPtr snapshot = snapshotWith(fourFindings());
  QCOMPARE(found(snapshot, {}), QString());
  QCOMPARE(found(snapshot, "sentence OF b"), QStringLiteral("b1 b2"));
  QCOMPARE(found(snapshot, "outliers"), QStringLiteral("a1 b2"));
  // In execution order, which is not that of the report.
  QCOMPARE(found(snapshot, "sentence"), QStringLiteral("c1 a1 b1 b2"));
  QCOMPARE(found(snapshot, "sentence", {"a1"}), QStringLiteral("c1 b1 b2"));
  // The reason is no place to search: it says the same of every layer.
  QCOMPARE(found(snapshot, "reason of"), QString());
}

void FindMatchesTest::findsLayersRatherThanTheirFindings() {
  const std::string name = sampleSnapshot()->result->layers[5].name;
  std::vector<MadeFinding> findings = fourFindings();
  findings[1].text = "Of the sort of " + name + ".";
  QCOMPARE(found(snapshotWith(findings), text(name)), QStringLiteral("b1 5"));
}

void FindMatchesTest::findsInputsAndOutputs() {
  const SnapshotPtr snapshot = sampleSnapshot();
  const QString input = text(snapshot->graph()[snapshot->graph().inputs()[0]].name);
  QVERIFY(found(snapshot, input).split(u' ').contains(input));
}

void FindMatchesTest::countsPerLayer() {
  std::vector<MadeFinding> made = fourFindings();
  const SnapshotPtr snapshot = snapshotWith(made);
  const LayerIndex layers(*snapshot->result);
  const LayerFindings findings(*snapshot, layers, {});
  QCOMPARE(findings.sum(std::vector<std::size_t>{2}), (FindingSum{2, Severity::Critical}));
  QCOMPARE(findings.sum(std::vector<std::size_t>{0, 2, 5}), (FindingSum{4, Severity::Critical}));
  QCOMPARE(findings.sum(std::vector<std::size_t>{0}), (FindingSum{1, Severity::Info}));
  QCOMPARE(findings.sum(std::vector<std::size_t>{1, 99}).count, std::size_t{0});
  const LayerFindings fewer(*snapshot, layers, {"a1", "c1"});
  QCOMPARE(fewer.sum(std::vector<std::size_t>{2}), (FindingSum{1, Severity::Warning}));
  QCOMPARE(fewer.sum(std::vector<std::size_t>{0}).count, std::size_t{0});
  QCOMPARE(fewer.of(2).size(), std::size_t{1});
  QCOMPARE(fewer.of(2)[0], std::size_t{1});
}

QUANTSCOPE_TEST(FindMatchesTest)
#include "test_find_matches.moc"
