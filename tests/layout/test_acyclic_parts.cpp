#include <QtTest>
#include <map>
#include <random>
#include <set>

#include "layout/acyclic_parts.h"
#include "support/test_main.h"

using namespace quantscope;

namespace {

using PartEdges = std::vector<LayoutEdge>;

// Items as letters, '.' for one that stands alone: the parts in their order, by item number.
QString partsText(const std::string& groups, const PartEdges& edges) {
  std::vector<std::size_t> numbers;
  for (const char c : groups) {
    numbers.push_back(c == '.' ? kAlone : static_cast<std::size_t>(c));
  }
  const std::vector<std::size_t> parts = acyclicParts(numbers, edges);
  std::map<std::size_t, QString> words;
  for (std::size_t i = 0; i < parts.size(); ++i) words[parts[i]] += QString::number(i);
  QStringList list;
  for (const auto& [part, items] : words) list << items;
  return list.join(' ');
}

}  // namespace

class AcyclicPartsTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void cuts_data();
  void cuts();
  void randomGraphsStayFreeOfCycles();
};

void AcyclicPartsTest::cuts_data() {
  QTest::addColumn<QString>("groups");
  QTest::addColumn<PartEdges>("edges");
  QTest::addColumn<QString>("parts");
  QTest::newRow("nothing") << "" << PartEdges{} << "";
  QTest::newRow("alone") << "..." << PartEdges{{2, 1}, {1, 0}} << "2 1 0";
  QTest::newRow("whole groups") << "aabb" << PartEdges{{0, 1}, {1, 2}, {2, 3}} << "01 23";
  QTest::newRow("a group without edges") << "aa.a" << PartEdges{} << "013 2";
  QTest::newRow("around an item") << "a.a" << PartEdges{{0, 1}, {1, 2}} << "0 1 2";
  QTest::newRow("beside an item") << "a.a" << PartEdges{{0, 2}, {1, 2}} << "1 02";
  QTest::newRow("two groups across") << "aabb" << PartEdges{{0, 2}, {3, 1}} << "0 23 1";
  // Cutting a after 0 leaves b whole; cutting b first would cost both.
  QTest::newRow("the group of which most can be taken is cut")
      << "aaab.b" << PartEdges{{0, 1}, {1, 3}, {4, 3}, {4, 5}, {5, 2}} << "4 01 35 2";
}

void AcyclicPartsTest::cuts() {
  QFETCH(QString, groups);
  QFETCH(PartEdges, edges);
  QFETCH(QString, parts);
  QCOMPARE(partsText(groups.toStdString(), edges), parts);
}

void AcyclicPartsTest::randomGraphsStayFreeOfCycles() {
  for (unsigned seed = 0; seed < 50; ++seed) {
    std::mt19937 random(seed);
    const std::size_t items = 2 + seed * 3;
    std::vector<std::size_t> groups;
    PartEdges edges;
    for (std::size_t i = 0; i < items; ++i) {
      groups.push_back(random() % 4 == 0 ? kAlone : random() % 5);
      if (i == 0) continue;
      for (int k = 0; k < 2; ++k) edges.push_back({random() % i, i});
    }
    const std::vector<std::size_t> parts = acyclicParts(groups, edges);
    QCOMPARE(parts.size(), items);
    for (const LayoutEdge& edge : edges) QVERIFY(parts[edge.from] <= parts[edge.to]);
    std::map<std::size_t, std::multiset<std::size_t>> groupsOfPart;
    for (std::size_t i = 0; i < items; ++i) groupsOfPart[parts[i]].insert(groups[i]);
    for (const auto& [part, found] : groupsOfPart) {
      QCOMPARE(found.count(*found.begin()), found.size());
      QVERIFY(*found.begin() != kAlone || found.size() == 1);
    }
  }
}

QUANTSCOPE_TEST(AcyclicPartsTest)
#include "test_acyclic_parts.moc"
