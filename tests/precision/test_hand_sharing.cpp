#include <QtTest>
#include <cmath>

#include "precision/point_text.h"
#include "precision/quantized_case.h"
#include "support/error_text.h"
#include "support/test_main.h"

using namespace quantscope;
using namespace quantscope::test;

namespace {

// c1 doubles, c2 takes ten times: their outputs reach to 5.1 and 25.5, steps 0.02 and 0.1.
constexpr const char* kAddition = R"(
  input x:float[1,1,1,2]
  w1:float[1,1,1,1]{2}
  w2:float[1,1,1,1]{10}
  a = Conv(x, w1) @c1
  b = Conv(x, w2) @c2
  y = Add(a, b) @add
  output y
)";

constexpr const char* kFused = R"(
  input x:float[1,1,1,2]
  w1:float[1,1,1,1]{2}
  w2:float[1,1,1,1]{5}
  a = Conv(x, w1) @c1
  r = Relu(a) @relu
  y = Conv(r, w2) @c2
  output y
)";

constexpr const char* kSoftmax = R"(
  input x:float[1,1,1,2]
  w:float[1,1,1,1]{1}
  s = Softmax(x) @s
  y = Conv(s, w) @c
  output y
)";

// The value a comes to the concatenation on two ways, of which one only moves it.
constexpr const char* kTwoWays = R"(
  input x:float[1,1,1,2]
  w1:float[1,1,1,1]{2}
  a = Conv(x, w1) @c1
  m = Identity(a) @move
  y = Concat(a, m) axis=1 @cat
  output y
)";

constexpr const char* kShared = R"(
  input x:float[1,1,1,2]
  w:float[1,1,1,1]{2}
  a = Conv(x, w) @c1
  y = Conv(a, w) @c2
  z = Conv(a, w) @c3
  output y
  output z
)";

QuantizedCase calibrated(const QByteArray& text, const QString& keys) {
  std::vector<Tensor> samples{Tensor::of<float>(Shape{1, 1, 1, 2}, {0.0F, 2.55F})};
  return {text.constData(), std::move(samples),
          ("{\"quantscope\": 1, " + keys + "}").toStdString()};
}

QString placeText(const QuantizedCase& testCase, std::size_t point) {
  return pointText(pointName(*testCase.graph, testCase.model.groups.points[point]));
}

// "c1 c1>add | add": members in execution order.
QString sharedGroups(const QuantizedCase& testCase) {
  QStringList groups;
  for (const std::vector<std::size_t>& members : testCase.model.groups.members) {
    QStringList names;
    for (const std::size_t member : members) names << placeText(testCase, member);
    groups << names.join(' ');
  }
  return groups.join(" | ");
}

QString linksText(const QuantizedCase& testCase) {
  static const QStringList causes{"same value", "backend", "by hand"};
  QStringList links;
  for (const SharingLink& link : testCase.model.groups.links) {
    links << placeText(testCase, link.first) + " and " + placeText(testCase, link.second) + ": " +
                 causes[static_cast<int>(link.cause)];
  }
  return links.join(", ");
}

}  // namespace

/// Observers that a configuration joins and parts.
class HandSharingTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void groups_data();
  void groups();
  void grids_data();
  void grids();
  void numbersFollow();
  void causes();
  void contradictions_data();
  void contradictions();
  void withoutEffect_data();
  void withoutEffect();
  void mistakesAreNamed_data();
  void mistakesAreNamed();
  void isWrittenAndReadAgain();
};

void HandSharingTest::groups_data() {
  QTest::addColumn<QByteArray>("model");
  QTest::addColumn<QString>("keys");
  QTest::addColumn<QString>("expected");
  const auto row = [](const char* name, const char* text, const char* keys, const char* expected) {
    QTest::newRow(name) << QByteArray(text) << QString(keys) << QString(expected);
  };
  row("nothing by hand", kAddition, R"("groups": {})", "x>c1 x>c2 | c1 c1>add | c2 c2>add | add");
  row("two outputs", kAddition, R"("groups": {"join": [["c1", "c2"]]})",
      "x>c1 x>c2 | c1 c2 c1>add c2>add | add");
  row("two edges bring their outputs along", kAddition,
      R"("groups": {"join": [[["c1", "add"], ["c2", "add"]]]})",
      "x>c1 x>c2 | c1 c2 c1>add c2>add | add");
  row("transitive over lists", kAddition,
      R"("groups": {"join": [["c1", "c2"], [["c2", "add"], "add"]]})",
      "x>c1 x>c2 | c1 c2 c1>add c2>add add");
  row("three in one list", kAddition, R"("groups": {"join": [["c1", "c2", "add"]]})",
      "x>c1 x>c2 | c1 c2 c1>add c2>add add");
  row("with an edge of a graph input", kAddition, R"("groups": {"join": [[["x", "c1"], "c1"]]})",
      "x>c1 c1 x>c2 c1>add | c2 c2>add | add");
  row("what is merged already", kAddition, R"("groups": {"join": [["c1", ["c1", "add"]]]})",
      "x>c1 x>c2 | c1 c1>add | c2 c2>add | add");

  row("an edge split from its producer", kAddition, R"("groups": {"part": [["c1", "add"]]})",
      "x>c1 x>c2 | c1 | c2 c2>add | c1>add | add");
  row("an output split from its reader", kAddition, R"("groups": {"part": ["c1"]})",
      "x>c1 x>c2 | c1 | c2 c2>add | c1>add | add");
  row("readers of a split output stay together", kShared, R"("groups": {"part": ["c1"]})",
      "x>c1 | c1 | c1>c2 c1>c3 | c2 | c3");
  row("one of two readers", kShared, R"("groups": {"part": [["c1", "c3"]]})",
      "x>c1 | c1 c1>c2 | c2 | c1>c3 | c3");
  row("both readers, each for itself", kShared,
      R"("groups": {"part": [["c1", "c2"], ["c1", "c3"]]})", "x>c1 | c1 | c1>c2 | c2 | c1>c3 | c3");
  row("both readers, merged with each other", kShared,
      R"("groups": {"part": [["c1", "c2"], ["c1", "c3"]],
                    "join": [[["c1", "c2"], ["c1", "c3"]]]})",
      "x>c1 | c1 | c1>c2 c1>c3 | c2 | c3");
  row("split here and merged there", kAddition,
      R"("groups": {"part": [["c1", "add"]], "join": [[["c1", "add"], "c2"]]})",
      "x>c1 x>c2 | c1 | c2 c1>add c2>add | add");
  row("one way into a node that reads a value twice",
      "input x:float[1,1,1,2]\nw:float[1,1,1,1]{2}\na = Conv(x, w) @c1\ny = Mul(a, a) @square\n"
      "output y",
      R"("groups": {"part": [["c1", "square"]]})", "x>c1 | c1 | c1>square c1>square | square");

  row("the pattern by its first node", kFused, R"("groups": {"join": [["c1", "c2"]]})",
      "x>c1 | relu relu>c2 c2");
  row("the pattern by its last node", kFused, R"("groups": {"join": [["relu", "c2"]]})",
      "x>c1 | relu relu>c2 c2");
  row("the pattern split by its first node", kFused, R"("groups": {"part": ["c1"]})",
      "x>c1 | relu | relu>c2 | c2");

  row("the backend's group is merged as a whole", kAddition,
      R"("backend": "qnnpack", "groups": {"join": [["c1", "add"]]})",
      "x>c1 x>c2 | c1 c2 c1>add c2>add add");
  row("an output split from the backend's group", kAddition,
      R"("backend": "qnnpack", "groups": {"part": ["c1"]})",
      "x>c1 x>c2 | c1 | c2 c1>add c2>add | add");
  row("an edge split stays with what the backend forces", kAddition,
      R"("backend": "qnnpack", "groups": {"part": [["c1", "add"]]})",
      "x>c1 x>c2 | c1 | c2 c1>add c2>add | add");
  row("what was moved, split from its reader", kTwoWays,
      R"("groups": {"part": [["c1", "cat"], ["move", "cat"]]})",
      "x>c1 | c1 move | c1>cat move>cat cat");
}

void HandSharingTest::groups() {
  QFETCH(QByteArray, model);
  QFETCH(QString, keys);
  QFETCH(QString, expected);
  QCOMPARE(sharedGroups(calibrated(model, keys)), expected);
}

void HandSharingTest::grids_data() {
  QTest::addColumn<QByteArray>("model");
  QTest::addColumn<QString>("keys");
  QTest::addColumn<QStringList>("expected");
  const QString byte = number(1.0 / 256);
  const QString observed = number(1 / (1 + std::exp(-2.55)) / 255);

  QTest::newRow("joined outputs have the grid of the wider one")
      << QByteArray(kAddition) << R"("groups": {"join": [["c1", "c2"]]})"
      << QStringList{"c1: in0 uint8 0.01; const1; out uint8 0.1",
                     "c2: in0 uint8 0.01; const1; out uint8 0.1", "add: out uint8 0.12"};
  QTest::newRow("a split edge is brought onto another grid on its way")
      << QByteArray(kAddition)
      << R"("groups": {"part": [["c1", "add"]], "join": [[["c1", "add"], ["c2", "add"]]]})"
      << QStringList{"c1: in0 uint8 0.01; const1; out uint8 0.02",
                     "c2: in0 uint8 0.01; const1; out uint8 0.1",
                     "add: in0 uint8 0.1; out uint8 0.12"};
  QTest::newRow("a producer split from the backend's group keeps its fine grid")
      << QByteArray(kAddition) << R"("backend": "qnnpack", "groups": {"part": ["c1"]})"
      << QStringList{"c1: in0 uint8 0.01; const1; out uint8 0.02",
                     "c2: in0 uint8 0.01; const1; out uint8 0.1",
                     "add: in0 uint8 0.1; out uint8 0.12"};
  QTest::newRow("the grid that the backend sets reaches the reader")
      << QByteArray(kSoftmax) << R"("groups": {})"
      << QStringList{"s: in0 uint8 0.01; out uint8 " + byte, "c: const1; out uint8 " + observed};
  QTest::newRow("but not one that is parted")
      << QByteArray(kSoftmax) << R"("groups": {"part": [["s", "c"]]})"
      << QStringList{"s: in0 uint8 0.01; out uint8 " + byte,
                     "c: in0 uint8 " + observed + "; const1; out uint8 " + observed};
  QTest::newRow("nor the reader of an output that is")
      << QByteArray(kSoftmax) << R"("groups": {"part": ["s"]})"
      << QStringList{"s: in0 uint8 0.01; out uint8 " + byte,
                     "c: in0 uint8 " + observed + "; const1; out uint8 " + observed};
}

void HandSharingTest::grids() {
  QFETCH(QByteArray, model);
  QFETCH(QString, keys);
  QFETCH(QStringList, expected);
  QCOMPARE(describe(calibrated(model, keys)), expected);
}

// 2 · 2.55 = 5.1 is on the step of 0.1 that it is merged to; 2 · 0.13 = 0.26 is not.
void HandSharingTest::numbersFollow() {
  const auto run = [](const char* keys) {
    std::vector<Tensor> samples{Tensor::of<float>(Shape{1, 1, 1, 2}, {0.0F, 2.55F}),
                                Tensor::of<float>(Shape{1, 1, 1, 2}, {0.13F, 2.55F})};
    const std::string json = std::string("{\"quantscope\": 1, ") + keys + "}";
    return QuantizedCase(kAddition, std::move(samples), json).run("a", 1);
  };
  const std::vector<float> apart = run(R"("groups": {})");
  const std::vector<float> together = run(R"("groups": {"join": [["c1", "c2"]]})");
  QVERIFY(std::abs(apart[0] - 0.26F) < 1e-5F);
  QVERIFY(std::abs(together[0] - 0.3F) < 1e-5F);
  QVERIFY(std::abs(together[1] - 5.1F) < 1e-5F);
}

void HandSharingTest::causes() {
  QCOMPARE(linksText(calibrated(kAddition, R"("backend": "qnnpack",
                                              "groups": {"join": [["c1", "add"]]})")),
           QString("x>c1 and x>c2: same value, c1 and c1>add: same value, "
                   "c2 and c2>add: same value, c1>add and c2>add: backend, c1 and add: by hand"));
}

void HandSharingTest::contradictions_data() {
  QTest::addColumn<QByteArray>("model");
  QTest::addColumn<QString>("keys");
  QTest::addColumn<QString>("told");
  const auto row = [](const char* name, const char* text, const char* keys, const char* told) {
    QTest::newRow(name) << QByteArray(text) << QString(keys) << QString(told);
  };
  row("types", kAddition,
      R"("nodes": {"c2": {"output": {"type": "int8", "symmetric": true}}},
         "groups": {"join": [["c1", "c2"]]})",
      "'groups.join[0]' merges the output of 'c1' and the output of 'c2', which ask for different "
      "precisions: uint8 asymmetric per-tensor → int8 symmetric per-tensor: give "
      "both the same precision, or take one of them out of the list");
  row("dynamic-ness", kAddition,
      R"("nodes": {"add": {"activation": {"mode": "dynamic"}, "output": {}}},
         "groups": {"join": [["c1", "c2"], ["add", ["c2", "add"]]]})",
      "'groups.join[1]' merges the output of 'add' and the edge from 'c2' to 'add'");
  row("granularity", kAddition,
      R"("nodes": {"c2": {"output": {"granularity": "per-channel"}}},
         "groups": {"join": [["c1", "c2"]]})",
      "uint8 per-tensor → uint8 per-channel");
  row("a range set by hand is never swallowed", kAddition,
      R"("nodes": {"c2": {"output": {"range": [0, 6]}}}, "groups": {"join": [["c1", "c2"]]})",
      "from 0 to 6");
  row("channels of two values", kAddition,
      R"("default": {"activation": {"granularity": "per-channel"}},
         "groups": {"join": [["c1", "c2"]]})",
      "'groups.join[0]' merges the output of 'c1' and the output of 'c2', whose channels have "
      "grids "
      "of their own: use per-tensor at both, or take one of them out of the list");
  row("a grid that the backend sets", kSoftmax, R"("groups": {"join": [["c", "s"]]})",
      "'groups.join[0]' merges the output of 'c' and the output of 's', but backend x86 sets the "
      "grid of the output of 's': set a range by hand there");

  row("split and joined", kAddition,
      R"("groups": {"join": [["c2", "add"], ["c1", ["c1", "add"]]], "part": ["c1"]})",
      "'groups.part[0]' splits the output of 'c1' from the edge from 'c1' to 'add', but "
      "'groups.join[1]' merges them: remove the entry, or what brings them together");
  row("joined on a way round", kShared,
      R"("groups": {"part": [["c1", "c2"]], "join": [[["c1", "c2"], "c3"], ["c3", "c1"]]})",
      "'groups.part[0]' splits the edge from 'c1' to 'c2' from the output of 'c1', but "
      "'groups.join[1]' merges them");
  row("split and forced", kTwoWays, R"("groups": {"part": [["c1", "cat"]]})",
      "'groups.part[0]' splits the edge from 'c1' to 'cat' from the output of 'c1', but backend "
      "x86 "
      "makes them share");
  row("only the backend makes it share", kTwoWays, R"("groups": {"part": ["cat"]})",
      "'groups.part[0]' splits the output of 'cat', which backend x86 makes share one grid with "
      "the "
      "edge from 'c1' to 'cat'");

  row("no such node", kAddition, R"("groups": {"join": [["c1", "c3"]]})",
      "'groups.join[0][1]' names the output of 'c3', but the model has no node or input of that "
      "name: use a name that `inspect` lists");
  row("no such reader", kAddition, R"("groups": {"part": [["c1", "c3"]]})",
      "'groups.part[0]' names the edge from 'c1' to 'c3', but the model has no node 'c3'");
  row("no such edge", kAddition, R"("groups": {"part": ["c1", ["x", "add"]]})",
      "'groups.part[1]' names the edge from 'x' to 'add', but there is no such edge in the model: "
      "it reads from 'c1', 'c2'");
}

void HandSharingTest::contradictions() {
  QFETCH(QByteArray, model);
  QFETCH(QString, keys);
  QFETCH(QString, told);
  VERIFY_ERROR(calibrated(model, keys), told.toStdString());
}

void HandSharingTest::withoutEffect_data() {
  QTest::addColumn<QString>("keys");
  QTest::addColumn<QString>("notice");
  QTest::newRow("a point in float")
      << R"("nodes": {"c2": "fp32"}, "groups": {"join": [["c1", "c2", "add"]]})"
      << "'groups.join[0]' has no effect on the output of 'c2', which is not quantized";
  QTest::newRow("a graph input, which nobody quantizes where it comes in")
      << R"("groups": {"join": [["c1", "x"]]})"
      << "'groups.join[0]' has no effect on the output of 'x', which is not quantized";
  QTest::newRow("dynamic ranges")
      << R"("default": {"activation": {"mode": "dynamic"}},
            "groups": {"join": [[["c1", "add"], ["c2", "add"]]]})"
      << "'groups.join[0]' has no effect: the edge from 'c1' to 'add' is dynamic, so that each "
         "sample brings its own range";
  QTest::newRow("merged twice")
      << R"("groups": {"join": [["c1", "c2"], ["c2", "c1"]]})"
      << "'groups.join[1]' has no effect: the output of 'c2' and the others share one grid "
         "without it";
  QTest::newRow("a split point in float")
      << R"("nodes": {"c1": "fp32"}, "groups": {"part": ["c1"]})"
      << "'groups.part[0]' has no effect on the output of 'c1', which is not quantized";
  QTest::newRow("a split point that shares with nothing")
      << R"("groups": {"part": ["add"]})"
      << "'groups.part[0]' has no effect: the output of 'add' shares with nothing by itself";
}

void HandSharingTest::withoutEffect() {
  QFETCH(QString, keys);
  QFETCH(QString, notice);
  const QuantizedCase testCase = calibrated(kAddition, keys);
  QCOMPARE(testCase.model.groups.notices.size(), std::size_t{1});
  QCOMPARE(QString::fromStdString(testCase.model.notices.at(0)), notice);
}

void HandSharingTest::mistakesAreNamed_data() {
  QTest::addColumn<QByteArray>("groups");
  QTest::addColumn<QString>("told");
  const auto row = [](const char* name, const char* groups, const char* told) {
    QTest::newRow(name) << QByteArray(groups) << QString(told);
  };
  row("no object", "[]", "'groups' is not an object");
  row("unknown key", R"({"joined": []})",
      "'groups' has the unknown key 'joined' (config.json): use one of join, part");
  row("join is no list", R"({"join": {}})", "'groups.join' is not a list");
  row("a list too few", R"({"join": ["a", "b"]})", "'groups.join[0]' is not a list");
  row("one point alone", R"({"join": [["a", "b"], ["c"]]})", "'groups.join[1]' merges nothing");
  row("one twice", R"({"join": [["a", ["x", "a"], "a"]]})",
      "'groups.join[0][2]' names the output of 'a' a second time");
  row("a number", R"({"join": [["a", 1]]})", "'groups.join[0][1]' names no point");
  row("an edge of three", R"({"part": [["a", "b", "c"]]})", "'groups.part[0]' names no point");
  row("half an edge", R"({"part": [["a", ""]]})", "'groups.part[0]' names no point");
  row("an empty name", R"({"part": ["a", ""]})", "'groups.part[1]' is empty");
  row("split twice", R"({"part": ["a", "a"]})", "'groups.part[1]' names the output of 'a'");
}

void HandSharingTest::mistakesAreNamed() {
  QFETCH(QByteArray, groups);
  QFETCH(QString, told);
  VERIFY_ERROR(parseConfiguration("{\"quantscope\": 1, \"groups\": " + groups.toStdString() + "}",
                                  "config.json"),
               told.toStdString());
}

void HandSharingTest::isWrittenAndReadAgain() {
  const Configuration config = parseConfiguration(
      R"({"quantscope": 1, "groups": {"join": [["a", ["x", "b"]], ["c", "d", "e"]],
                                      "part": [["a", "b"], "c"]}})",
      "config");
  const std::string text = toJson(config);
  QVERIFY(parseConfiguration(text, "again") == config);
  QCOMPARE(toJson(parseConfiguration(text, "again")), text);
  PrecisionConfig other = *config.precision;
  other.groups.part.pop_back();
  QVERIFY(!(other == config));
  QVERIFY(toJson(other) != text);
  other.groups = {};
  QVERIFY(!QString::fromStdString(toJson(other)).contains("groups"));
}

QUANTSCOPE_TEST(HandSharingTest)
#include "test_hand_sharing.moc"
