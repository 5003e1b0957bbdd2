#include <QtTest>
#include <map>

#include "base/workers.h"
#include "engine/node_cases.h"
#include "support/test_main.h"

using namespace quantscope;
using namespace quantscope::test;

Q_DECLARE_METATYPE(quantscope::Tensor)

class NodeCasesTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void caseGivesWhatOnnxExpects_data();
  void caseGivesWhatOnnxExpects();
  void cleanupTestCase();
  void comparisonSeesEveryDifference_data();
  void comparisonSeesEveryDifference();

 private:
  Workers m_workers{1};
  std::vector<NodeCase> m_cases;
  std::map<std::string, int> m_missing;  // operator → cases that need it
  int m_notCovered = 0;
  int m_excepted = 0;
  int m_passed = 0;
  int m_failed = 0;
};

void NodeCasesTest::caseGivesWhatOnnxExpects_data() {
  QTest::addColumn<int>("index");
  m_cases = installedNodeCases();
  for (std::size_t i = 0; i < m_cases.size(); ++i) {
    const std::vector<std::string> missing = missingOperators(m_cases[i]);
    for (const std::string& op : missing) ++m_missing[op];
    if (missing.empty()) {
      QTest::newRow(m_cases[i].name.c_str()) << static_cast<int>(i);
    } else {
      ++m_notCovered;
    }
  }
  if (m_cases.empty()) QTest::newRow("no data") << -1;
}

void NodeCasesTest::caseGivesWhatOnnxExpects() {
  QFETCH(int, index);
  if (index < 0) QSKIP("skipped: ONNX's backend tests are not installed (libonnx-testdata)");
  const NodeCase& nodeCase = m_cases[static_cast<std::size_t>(index)];
  const std::string difference = runNodeCase(nodeCase, m_workers);
  if (const auto reason = knownException(nodeCase.name)) {
    ++m_excepted;
    QVERIFY2(!difference.empty(), "passes although it is listed as an exception");
    return;
  }
  ++(difference.empty() ? m_passed : m_failed);
  QVERIFY2(difference.empty(), difference.c_str());
}

void NodeCasesTest::cleanupTestCase() {
  if (m_cases.empty()) return;
  qInfo("ONNX backend tests: %d passed, %d failed, %d known exceptions, %d not covered", m_passed,
        m_failed, m_excepted, m_notCovered);
  for (const auto& [op, cases] : m_missing) qInfo("  %s: %d cases", op.c_str(), cases);
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
