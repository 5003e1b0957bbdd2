#include <QtTest>
#include <algorithm>

#include "detectors/detector_case.h"
#include "support/test_main.h"

using namespace quantscope;
using namespace quantscope::test;

/// One cause in several layers is one finding, every bad layer has one with a way out, and what is
/// exact has none that counts.
class GroupCausesTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void oneEntryInManyLayers();
  void repeatedStructures();
  void otherNamesStayApart();
  void exactOutputs();
  void noDeadEnd();
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
