#include <QtTest>

#include "precision/config/configuration.h"
#include "search/advice/node_changes.h"
#include "support/graph_text.h"
#include "support/test_main.h"

using namespace quantscope;

namespace {

constexpr const char* kLayers = R"(
  input x:float[1,8,6,6]
  a = Relu(x) @one
  b = Relu(a) @two
  c = Relu(b) @three
  d = Relu(c) @four
  e = Relu(d) @five
  f = Relu(e) @six
  output f
)";

Configuration withNodes(const std::string& nodes) {
  return parseConfiguration(R"({"quantscope": 1, "nodes": {)" + nodes + "}}", "config");
}

std::string half(const std::string& node) {
  const std::string type = "{\"type\": \"fp16\"}";
  return "\"" + node + "\": {\"weight\": " + type + ", \"activation\": " + type +
         ", \"output\": " + type + "}";
}

}  // namespace

/// What an advice of many layers says that it changes.
class NodeChangesTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void inWords_data();
  void inWords();
  void splitsInWords();
};

void NodeChangesTest::inWords_data() {
  QTest::addColumn<QString>("before");
  QTest::addColumn<QString>("after");
  QTest::addColumn<QString>("lines");
  QTest::addColumn<int>("count");
  const auto row = [](const char* name, const char* before, const char* after, const char* lines,
                      int count) { QTest::newRow(name) << before << after << lines << count; };
  row("nothing", R"("one": "fp32")", R"("one": "fp32")", "", 0);
  row("one", "", R"("two": "fp32")", "Set two to float", 1);
  row("two types", R"("one": "fp32")", (half("one") + R"(, "two": "fp32", )" + half("six")).c_str(),
      "Set 2 layers to FP16: one, six; Set two to float", 3);
  row("four are named", "", R"("one": "fp32", "two": "fp32", "three": "fp32", "four": "fp32")",
      "Set 4 layers to float: one, two, three, four", 4);
  row("more are counted", "",
      R"("one": "fp32", "two": "fp32", "three": "fp32", "four": "fp32", "five": "fp32")",
      "Set 5 layers to float: one, two, three and 2 more", 5);
  row("a part", "", R"("one": {"activation": {"observer": "mse"}})", "Set one to activations mse",
      1);
  row("an entry of the same", "", R"("one": {"activation": {"observer": "minmax"}})", "", 0);
}

void NodeChangesTest::inWords() {
  QFETCH(const QString, before);
  QFETCH(const QString, after);
  QFETCH(const int, count);
  const auto graph = test::graphFromText(kLayers);
  const std::vector<NodeChange> changes =
      nodeChanges(*graph, withNodes(before.toStdString()), withNodes(after.toStdString()));
  QCOMPARE(static_cast<int>(changes.size()), count);
  QStringList lines;
  std::size_t counted = 0;
  for (const AdvisedChange& change : inGroups(changes)) {
    lines << QString::fromStdString(change.text);
    counted += change.count;
  }
  QTEST(lines.join(QStringLiteral("; ")), "lines");
  QCOMPARE(static_cast<int>(counted), count);
}

void NodeChangesTest::splitsInWords() {
  const auto graph = test::graphFromText(kLayers);
  const auto with = [](const char* groups) {
    return parseConfiguration(R"({"quantscope": 1, "groups": )" + std::string(groups) + "}",
                              "config");
  };
  const std::vector<NodeChange> changes =
      nodeChanges(*graph, with(R"({"join": [["one", "two"]], "part": ["five"]})"),
                  with(R"({"part": ["five", ["three", "four"]]})"));
  QCOMPARE(changes.size(), std::size_t{3});
  const std::vector<AdvisedChange> lines = inGroups(changes);
  QCOMPARE(lines.size(), std::size_t{2});
  QCOMPARE(lines[0].text, std::string("Split off the edge from 'three' to 'four'"));
  QCOMPARE(lines[1].text,
           std::string("No longer merge 2 points: the output of 'one', the output of 'two'"));
}

QUANTSCOPE_TEST(NodeChangesTest)
#include "test_node_changes.moc"
