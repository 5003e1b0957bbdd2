#include <QtTest>
#include <regex>

#include "base/workers.h"
#include "compare/compare_models.h"
#include "support/graph_text.h"
#include "support/memory_source.h"
#include "support/test_main.h"

using namespace quantscope;
using namespace quantscope::test;

/// Branches that all samples take are compared; what is not is listed with the reason.
class SubGraphsTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void branches_data();
  void branches();
  void aWrongLayerInABranch();
  void repetitionsAreListed();
};

namespace {

// A condition on the data in front of branches, one of them in another.
const char* const kFirst = R"(
input x:float[1,8]
w:float[8,8]
v:float[8,8]
a = MatMul(x, w)
s = ReduceSum(x) keepdims=0
c = Greater(s, limit:float[]{0})
r = If(c) then={
  p = MatMul(a, v)
  t = If(c) then={
    q = Tanh(p)
    output q
  } else={
    o = Neg(p)
    output o
  }
  output t
} else={
  n = Sigmoid(a)
  output n
}
z = Neg(r)
output z
)";

// What the nodes make is called otherwise.
std::string renamed(const char* text) {
  static const std::regex made("\\b([acnopqrstz])\\b");
  return std::regex_replace(text, made, "$&2");
}

ModelComparison comparedTexts(const std::string& first, const std::string& second,
                              const std::vector<float>& signs) {
  const Workers workers(2);
  JobContext job(workers);
  const Engine ours(graphFromText(first), workers);
  const Engine theirs(graphFromText(second), workers);
  std::vector<Tensor> samples;
  for (const float sign : signs) {
    Tensor tensor(ElementType::Float32, Shape{1, 8});
    float next = sign;
    for (float& x : tensor.mutableValues<float>()) x = next += sign * 0.3F;
    samples.push_back(tensor);
  }
  MemorySource source(ours.graph().inputs()[0], samples);
  return compareModels(ours, theirs, source, {}, {}, job);
}

QStringList matchesOf(const ModelComparison& comparison) {
  QStringList matches;
  for (const ComparedLayer& layer : comparison.layers) {
    matches << QString("%1 %2").arg(layer.firstValue.c_str(), layer.secondValue.c_str());
  }
  matches.sort();
  return matches;
}

QStringList skippedOf(const std::vector<SkippedBody>& bodies) {
  QStringList lines;
  for (const SkippedBody& body : bodies) {
    lines << QString("%1 of %2, %3: %4")
                 .arg(body.body.c_str(), body.op.c_str())
                 .arg(body.nodes)
                 .arg(body.reason.c_str());
  }
  return lines;
}

}  // namespace

void SubGraphsTest::branches_data() {
  QTest::addColumn<std::vector<float>>("signs");
  QTest::addColumn<QStringList>("matches");
  QTest::addColumn<QStringList>("skipped");
  QTest::newRow("one branch") << std::vector<float>{1, 2, 3}
                              << QStringList{"a a2", "p p2", "q q2", "x x", "z z2"}
                              << QStringList{"else of If, 1: no sample takes it",
                                             "else of If, 1: no sample takes it"};
  QTest::newRow("the other branch")
      << std::vector<float>{-1, -2} << QStringList{"a a2", "n n2", "x x", "z z2"}
      << QStringList{"then of If, 4: no sample takes it"};
  QTest::newRow("both") << std::vector<float>{1, -2} << QStringList{"a a2", "r r2", "x x", "z z2"}
                        << QStringList{"then of If, 4: only some of the samples take it",
                                       "else of If, 1: only some of the samples take it"};
}

void SubGraphsTest::branches() {
  QFETCH(std::vector<float>, signs);
  QFETCH(QStringList, matches);
  QFETCH(QStringList, skipped);
  const ModelComparison comparison = comparedTexts(kFirst, renamed(kFirst), signs);
  QStringList found = matchesOf(comparison);
  // Of the condition, which is no float.
  found.removeIf([](const QString& match) { return match.startsWith("s ") || match[0] == 'c'; });
  QCOMPARE(found, matches);
  QCOMPARE(skippedOf(comparison.firstSkipped), skipped);
  QCOMPARE(skippedOf(comparison.secondSkipped), skipped);
}

void SubGraphsTest::aWrongLayerInABranch() {
  const std::string wrong = QString::fromStdString(renamed(kFirst))
                                .replace("MatMul(a2, v)", "MatMul(a2, w)")
                                .toStdString();
  const ModelComparison comparison = comparedTexts(kFirst, wrong, {1, 2, 3});
  QVERIFY(!comparison.suspects.empty());
  const ComparedLayer& layer = comparison.layers[comparison.suspects.front().layer];
  QCOMPARE(layer.firstValue, std::string("p"));
}

void SubGraphsTest::repetitionsAreListed() {
  const std::string loop = R"(
input x:float[1,8]
w:float[8,8]
a = MatMul(x, w)
r = Loop(count:int64[]{3}, go:bool[]{1}, a) body={
  input i:int64[]
  input on:bool[]
  input carried:float[1,8]
  still = Identity(on)
  next = Tanh(carried)
  output still
  output next
}
z = Neg(r)
output z
)";
  const ModelComparison comparison = comparedTexts(loop, loop, {1, 2});
  QCOMPARE(matchesOf(comparison), (QStringList{"a a", "r r", "x x", "z z"}));
  const QStringList skipped{"body of Loop, 2: its nodes run several times for a sample"};
  QCOMPARE(skippedOf(comparison.firstSkipped), skipped);
  QCOMPARE(skippedOf(comparison.secondSkipped), skipped);
}

QUANTSCOPE_TEST(SubGraphsTest)
#include "test_sub_graphs.moc"
