#include <QtTest>
#include <map>
#include <set>

#include "base/workers.h"
#include "engine/node_cases.h"
#include "onnx/node_case_scope.h"
#include "support/test_main.h"

using namespace quantscope;
using namespace quantscope::test;

Q_DECLARE_METATYPE(quantscope::Tensor)

class NodeCasesTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void caseGivesWhatOnnxExpects_data();
  void caseGivesWhatOnnxExpects();
  void theScopeIsWide();
  void cleanupTestCase();
  void comparisonSeesEveryDifference_data();
  void comparisonSeesEveryDifference();

 private:
  Workers m_workers{1};
  std::vector<NodeCase> m_cases;
  std::map<std::string, int> m_outOfScope;  // reason → cases
  std::set<std::string> m_wrongInThemselves;
  std::vector<std::string> m_failed;
  int m_passed = 0;
};

void NodeCasesTest::caseGivesWhatOnnxExpects_data() {
  QTest::addColumn<int>("index");
  m_cases = installedNodeCases();
  for (std::size_t i = 0; i < m_cases.size(); ++i) {
    const std::string reason = whyOutOfScope(m_cases[i].folder);
    if (reason.empty()) {
      QTest::newRow(m_cases[i].name.c_str()) << static_cast<int>(i);
    } else {
      ++m_outOfScope[reason];
    }
  }
  if (m_cases.empty()) QTest::newRow("no data") << -1;
}

void NodeCasesTest::caseGivesWhatOnnxExpects() {
  QFETCH(int, index);
  if (index < 0) QSKIP("skipped: ONNX's backend tests are not installed (libonnx-testdata)");
  const NodeCase& nodeCase = m_cases[static_cast<std::size_t>(index)];
  const std::string difference = runNodeCase(nodeCase, m_workers);
  if (!difference.empty() && expectsTruncatedBits(nodeCase)) {
    m_wrongInThemselves.insert(nodeCase.name);
    return;
  }
  if (!difference.empty()) m_failed.push_back(nodeCase.name);
  m_passed += difference.empty() ? 1 : 0;
  QVERIFY2(difference.empty(), difference.c_str());
}

// Of the 932 node cases of ONNX 1.12, 868 and more are in scope: the rule leaves out no others.
void NodeCasesTest::theScopeIsWide() {
  if (m_cases.empty()) QSKIP("skipped: ONNX's backend tests are not installed (libonnx-testdata)");
  const auto isNode = [](const NodeCase& nodeCase) { return nodeCase.name.starts_with("node/"); };
  const auto count = std::ranges::count_if(m_cases, isNode);
  const auto inScope = std::ranges::count_if(m_cases, [&](const NodeCase& nodeCase) {
    return isNode(nodeCase) && whyOutOfScope(nodeCase.folder).empty();
  });
  qInfo("%d of %d node cases are in scope", static_cast<int>(inScope), static_cast<int>(count));
  if (count == 932) QVERIFY(inScope >= 868);
}

void NodeCasesTest::cleanupTestCase() {
  if (m_cases.empty()) return;
  qInfo("ONNX backend tests: %d passed, %d failed, %d wrong in themselves", m_passed,
        static_cast<int>(m_failed.size()), static_cast<int>(m_wrongInThemselves.size()));
  for (const std::string& name : m_failed) qInfo("  fails: %s", name.c_str());
  for (const std::string& name : m_wrongInThemselves) {
    qInfo("  expects bits cut off instead of rounded: %s", name.c_str());
  }
  for (const auto& [reason, cases] : m_outOfScope) {
    qInfo("  out of scope: %d of %s", cases, reason.c_str());
  }
}

void NodeCasesTest::comparisonSeesEveryDifference_data() {
  QTest::addColumn<Tensor>("actual");
  QTest::addColumn<Tensor>("expected");
  QTest::addColumn<bool>("same");
  const auto floats = [](std::initializer_list<float> values) {
    return Tensor::of<float>(Shape{static_cast<std::int64_t>(values.size())}, values);
  };
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const float inf = std::numeric_limits<float>::infinity();
  QTest::newRow("inside the tolerance") << floats({1.0009F}) << floats({1}) << true;
  QTest::newRow("outside the tolerance") << floats({1.0011F}) << floats({1}) << false;
  QTest::newRow("absolute tolerance") << floats({0.9e-7F}) << floats({0}) << true;
  QTest::newRow("beyond the absolute tolerance") << floats({1.1e-7F}) << floats({0}) << false;
  QTest::newRow("NaN equals NaN") << floats({nan}) << floats({nan}) << true;
  QTest::newRow("NaN is no number") << floats({nan}) << floats({0}) << false;
  QTest::newRow("a number is no NaN") << floats({0}) << floats({nan}) << false;
  QTest::newRow("infinities") << floats({inf}) << floats({inf}) << true;
  QTest::newRow("opposite infinities") << floats({inf}) << floats({-inf}) << false;
  QTest::newRow("integers are exact")
      << Tensor::of<int>({1}, {100000}) << Tensor::of<int>({1}, {100001}) << false;
  QTest::newRow("types") << Tensor::of<int>({1}, {1}) << floats({1}) << false;
  QTest::newRow("shapes") << Tensor::of<float>({1, 2}, {1, 2}) << floats({1, 2}) << false;
  QTest::newRow("not computed") << Tensor() << floats({1}) << false;
}

void NodeCasesTest::comparisonSeesEveryDifference() {
  QFETCH(Tensor, actual);
  QFETCH(Tensor, expected);
  QFETCH(bool, same);
  QCOMPARE(nodeCaseDifference(actual, expected).empty(), same);
}

QUANTSCOPE_TEST(NodeCasesTest)
#include "test_node_cases.moc"
