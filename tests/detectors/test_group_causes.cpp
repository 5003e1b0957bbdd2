#include <QtTest>
#include <algorithm>

#include "detectors/detector_case.h"
#include "detectors/findings/group_causes.h"
#include "precision/backend/backend.h"
#include "support/test_main.h"

using namespace quantscope;
using namespace quantscope::test;

/// One cause in several layers is one finding, every bad layer has one with a way out, and what is
/// exact has none that counts.
class GroupCausesTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void oneEntryInManyLayers();
  void oneChoiceOfTypes();
  void repeatedStructures();
  void otherNamesStayApart();
  void channelsMayDiffer();
  void whatMayHelpStaysApart();
  void twoRepeatsOfAScope_data();
  void twoRepeatsOfAScope();
  void exactOutputs();
  void noDeadEnd();
  void noDeadEndInBodies();
  void theSameAdviceIsGivenOnce();
};

namespace {

std::vector<Tensor> waves(const Shape& shape) {
  std::vector<Tensor> samples;
  for (int s = 0; s < 3; ++s) {
    samples.push_back(filled(shape, [&](std::size_t i) {
      return 2.0 * static_cast<double>((i * 37 + static_cast<std::size_t>(s) * 11) % 101) / 100 - 1;
    }));
  }
  return samples;
}

// Layers of one structure; `end` follows the last one, `y`.
std::string chain(const std::vector<const char*>& names, const char* end) {
  std::string text = "input x:float[1,4,6,6]\nw:float[4,4,1,1]\n";
  std::string from = "x";
  for (std::size_t i = 0; i < names.size(); ++i) {
    const std::string to = i + 1 == names.size() ? "y" : "v" + std::to_string(i);
    text += to + " = Conv(" + from + ", w) @" + names[i] + "\n";
    from = to;
  }
  return text + end;
}

// Outliers in the channel of the place of each layer, grouped. `others`: layers without any.
std::vector<Finding> groupedOutliers(const std::vector<const char*>& names,
                                     bool onlyIfItHelps = false,
                                     const std::vector<const char*>& others = {}) {
  std::vector<const char*> all = names;
  all.insert(all.end(), others.begin(), others.end());
  const std::string text = chain(all, "output y\n");
  const DetectorCase with(text.c_str(), waves({1, 4, 6, 6}));
  const ResolvedConfig resolved(*with.graph, *with.config.precision);
  const std::shared_ptr<const Backend> backend = findBackend(with.config.precision->backend);
  const ModelIndex index(*with.graph, with.model);
  const JudgedLayers layers(*with.engine, with.model, with.mode);
  const DetectorInput input{*with.engine, with.config, resolved, *backend,    with.observations,
                            with.model,   index,       layers,   with.result, with.mode};
  std::vector<Finding> findings;
  for (std::size_t i = 0; i < names.size(); ++i) {
    Finding finding;
    finding.detector = "outlier";
    finding.onlyIfItHelps = onlyIfItHelps;
    finding.nodeName = names[i];
    finding.node = with.graph->findNode(names[i]);
    finding.value = (*with.graph)[finding.node].inputs[0];
    finding.channels = {static_cast<std::int64_t>(i)};
    ConfigChange change;
    change.node = names[i];
    change.float32 = true;
    finding.suggestion = Suggestion{"Leave it in float.", {change}, {}};
    findings.push_back(std::move(finding));
  }
  groupCauses(input, findings);
  return findings;
}

}  // namespace

void GroupCausesTest::oneEntryInManyLayers() {
  const std::string text = chain({"first", "second", "third", "last"}, "output y\n");
  const DetectorCase testCase(text.c_str(), waves({1, 4, 6, 6}), kPerTensor);
  const std::vector<Finding> findings = testCase.findings("per_channel");
  QCOMPARE(findings.size(), std::size_t{1});
  QCOMPARE(findings[0].nodeName, std::string("first"));
  QCOMPARE(findings[0].members.size(), std::size_t{3});
  QCOMPARE(findings[0].suggestion->changes.size(), std::size_t{4});
  QVERIFY(findings[0].text.ends_with("The same is true of 3 more layers."));
}

// Sums of such codes overflow whatever the layers are called, and whichever entries they have.
void GroupCausesTest::oneChoiceOfTypes() {
  const std::string text = chain({"first", "second", "third", "last"}, "output y\n");
  const QString q = R"("%1": {"weight": {"type": "int16"}, "activation": {"type": "uint16"}})";
  const QStringList entries{q.arg("first"), q.arg("second"), q.arg("third"), q.arg("last")};
  const std::string config = QString(R"({"quantscope": 1, "backend": "generic", "nodes": {%1}})")
                                 .arg(entries.join(", "))
                                 .toStdString();
  const DetectorCase testCase(text.c_str(), waves({1, 4, 6, 6}), config);
  const std::vector<Finding> findings = testCase.findings("accumulator_overflow");
  QCOMPARE(findings.size(), std::size_t{1});
  QCOMPARE(findings[0].members.size(), std::size_t{3});
  QCOMPARE(findings[0].suggestion->changes.size(), std::size_t{4});
}

void GroupCausesTest::repeatedStructures() {
  const std::string text = chain({"b0/c", "b1/c", "b2/c"}, "output y\n");
  const DetectorCase testCase(text.c_str(), waves({1, 4, 6, 6}),
                              R"({"quantscope": 1, "default": {"weight": {"type": "int2"}}})");
  const std::vector<Finding> findings = testCase.findings("dominant_part");
  QCOMPARE(findings.size(), std::size_t{1});
  QCOMPARE(findings[0].members.size(), std::size_t{2});
}

void GroupCausesTest::otherNamesStayApart() {
  const std::string text = chain({"red", "green", "blue"}, "output y\n");
  const DetectorCase testCase(text.c_str(), waves({1, 4, 6, 6}),
                              R"({"quantscope": 1, "default": {"weight": {"type": "int2"}}})");
  QCOMPARE(testCase.findings("dominant_part").size(), std::size_t{3});
}

// Each layer has its outlier in another channel.
void GroupCausesTest::channelsMayDiffer() {
  const std::vector<Finding> findings = groupedOutliers({"b0/c", "b1/c", "b2/c"});
  QCOMPARE(findings.size(), std::size_t{1});
  QCOMPARE(findings[0].members.size(), std::size_t{2});
  QCOMPARE(findings[0].channels, std::vector<std::int64_t>{0});
  QCOMPARE(findings[0].memberChannels.size(), std::size_t{2});
  for (std::size_t i = 0; i < 2; ++i) {
    QVERIFY(findings[0].memberChannels[i].node == findings[0].members[i]);
    QCOMPARE(findings[0].memberChannels[i].channels,
             std::vector<std::int64_t>{static_cast<std::int64_t>(i) + 1});
  }
  QCOMPARE(findings[0].suggestion->changes.size(), std::size_t{3});
}

// What helps one layer may spoil another.
void GroupCausesTest::whatMayHelpStaysApart() {
  QCOMPARE(groupedOutliers({"c_1", "c_2", "c_3"}, true).size(), std::size_t{3});
  QCOMPARE(groupedOutliers({"b0/c_1", "b1/c_2", "b2/c_3"}, true).size(), std::size_t{3});
  QCOMPARE(groupedOutliers({"f0/c_5", "f1/c_5"}, true).size(), std::size_t{1});
  QCOMPARE(groupedOutliers({"b0/conv1/Conv", "b0/conv2/Conv"}, true).size(), std::size_t{2});
  QCOMPARE(groupedOutliers({"b0/conv1/Conv", "b1/conv1/Conv"}, true).size(), std::size_t{1});
  // A scope of several layers is one that repeats.
  QCOMPARE(groupedOutliers({"f0/Conv", "f1/Conv"}, true, {"f0/Conv_1", "f1/Conv_1"}).size(),
           std::size_t{1});
}

void GroupCausesTest::twoRepeatsOfAScope_data() {
  QTest::addColumn<QStringList>("names");
  QTest::addColumn<int>("count");
  QTest::newRow("one layer twice") << QStringList{"f0/c_5", "f1/c_5"} << 1;
  QTest::newRow("two layers") << QStringList{"f0/c_5", "f1/c_6"} << 2;
  QTest::newRow("one layer twice, named by operators")
      << QStringList{"b0/conv1/Conv", "b1/conv1/Conv"} << 1;
  QTest::newRow("two layers, named by operators")
      << QStringList{"b0/conv1/Conv", "b0/conv2/Conv"} << 2;
  QTest::newRow("two layers, without a number of their own")
      << QStringList{"b0/conv1/sum", "b0/conv2/sum"} << 2;
  QTest::newRow("no scope") << QStringList{"c_5", "c_6"} << 2;
}

void GroupCausesTest::twoRepeatsOfAScope() {
  QFETCH(const QStringList, names);
  const QByteArray first = names[0].toUtf8();
  const QByteArray second = names[1].toUtf8();
  QTEST(static_cast<int>(groupedOutliers({first.constData(), second.constData()}).size()), "count");
}

// Whatever goes into it, the output is 100.
void GroupCausesTest::exactOutputs() {
  const std::string text =
      chain({"red", "green", "blue"},
            "z = Clip(y, low:float[]{100}, high:float[]{200}) @limit\noutput z\n");
  const DetectorCase testCase(text.c_str(), waves({1, 4, 6, 6}), kPerTensor);
  QCOMPARE(*testCase.result.outputs[0].error.maxAbs, 0.0);
  std::vector<std::string> detectors;
  for (const Finding& finding : testCase.report().findings) {
    QVERIFY(finding.severity == Severity::Info);
    QVERIFY2(std::ranges::find(detectors, finding.detector) == detectors.end(),
             finding.detector.c_str());
    detectors.push_back(finding.detector);
  }
  QVERIFY(!detectors.empty());
}

void GroupCausesTest::noDeadEnd() {
  const std::string text = chain({"red", "green", "blue"}, "output y\n");
  for (const char* type : {"int2", "int4"}) {
    const std::string config =
        std::string(R"({"quantscope": 1, "default": {"weight": {"type": ")") + type + "\"}}}";
    const DetectorCase testCase(text.c_str(), waves({1, 4, 6, 6}), config);
    const std::vector<Finding> findings = testCase.findings("dominant_part");
    QVERIFY(!findings.empty());
    for (const Finding& finding : findings) {
      QVERIFY(finding.suggestion && !finding.suggestion->changes.empty());
      QVERIFY(finding.suggestion->gainDb.has_value());
    }
  }
}

// Their errors have no budget.
void GroupCausesTest::noDeadEndInBodies() {
  constexpr const char* kText = R"(
    input x:float[1,4,6,6]
    c:bool[]{1}
    w:float[4,4,1,1]
    r = If(c) then={
      a = Conv(x, w) @inner
      output a
    } else={
      b = Relu(x)
      output b
    } @choice
    output r
  )";
  const DetectorCase testCase(kText, waves({1, 4, 6, 6}),
                              R"({"quantscope": 1, "default": {"weight": {"type": "int2"}}})");
  const std::vector<Finding> findings = testCase.findings("dominant_part");
  QCOMPARE(findings.size(), std::size_t{1});
  QVERIFY2(findings[0].nodeName.ends_with("/then/inner"), findings[0].nodeName.c_str());
  QVERIFY(findings[0].suggestion && findings[0].suggestion->changes.front().float32);
  QVERIFY(findings[0].suggestion->gainDb.value_or(0) > 0);
}

// The third output channel of each layer has no weights.
void GroupCausesTest::theSameAdviceIsGivenOnce() {
  const std::string text =
      "input x:float[1,4,6,6]\n"
      "w:float[4,4,1,1]{1,2,1,2, 2,1,1,1, 0,0,0,0, 1,2,2,1}\n"
      "a = Conv(x, w) @red\nb = Conv(a, w) @green\ny = Conv(b, w) @blue\noutput y\n";
  const DetectorCase testCase(text.c_str(), waves({1, 4, 6, 6}));
  const std::vector<Finding> findings = testCase.findings("dead_channels");
  QCOMPARE(findings.size(), std::size_t{1});
  QCOMPARE(findings[0].nodeName, std::string("red"));
  QCOMPARE(findings[0].members.size(), std::size_t{2});
  QVERIFY(findings[0].suggestion && findings[0].suggestion->changes.empty());
}

QUANTSCOPE_TEST(GroupCausesTest)
#include "test_group_causes.moc"
