#include <QtTest>

#include "base/workers.h"
#include "compare/compare_models.h"
#include "export/json/comparison_json.h"
#include "support/graph_text.h"
#include "support/memory_source.h"
#include "support/test_main.h"

using namespace quantscope;
using namespace quantscope::test;

/// Each output is compared with one output of the other model, and what has none is told.
class PairedOutputsTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void pairs_data();
  void pairs();
  void aTakenOutputIsNotTheOneOfItsPlace();
};

namespace {

// A network with outputs of ten numbers; `outputs`: names among x, h, y and z.
std::string networkOf(const QStringList& outputs, const QString& last = "y") {
  QString text = R"(
    input x:float[1,10]
    w:float[10,10]
    h = MatMul(x, w)
    LAST = Relu(h)
    z = Neg(LAST)
  )";
  text.replace("LAST", last);
  for (const QString& output : outputs) text += "output " + output + "\n";
  return text.toStdString();
}

ModelComparison comparedOutputs(const std::string& first, const std::string& second) {
  const Workers workers(2);
  JobContext job(workers);
  const Engine ours(graphFromText(first), workers);
  const Engine theirs(graphFromText(second), workers);
  Tensor sample(ElementType::Float32, Shape{1, 10});
  float next = -2;
  for (float& x : sample.mutableValues<float>()) x = next += 0.37F;
  MemorySource source(ours.graph().inputs()[0], {sample});
  return compareModels(ours, theirs, source, {}, {}, job);
}

QString namesIn(const std::vector<std::string>& names) {
  QStringList list;
  for (const std::string& name : names) list << QString::fromStdString(name);
  return list.join(' ');
}

}  // namespace

void PairedOutputsTest::pairs_data() {
  QTest::addColumn<QStringList>("first");
  QTest::addColumn<QStringList>("second");
  QTest::addColumn<QString>("secondLast");
  QTest::addColumn<QString>("compared");
  QTest::addColumn<QString>("firstOnly");
  QTest::addColumn<QString>("secondOnly");
  QTest::newRow("names, in another order") << QStringList{"h", "y"} << QStringList{"y", "h"} << "y"
                                           << "h y"
                                           << ""
                                           << "";
  QTest::newRow("by name, one is gone") << QStringList{"h", "y"} << QStringList{"y"} << "y"
                                        << "y"
                                        << "h"
                                        << "";
  QTest::newRow("by match, one is gone") << QStringList{"h", "y"} << QStringList{"k"} << "k"
                                         << "y"
                                         << "h"
                                         << "";
  QTest::newRow("one is new") << QStringList{"y"} << QStringList{"h", "y"} << "y"
                              << "y"
                              << ""
                              << "h";
  QTest::newRow("by place") << QStringList{"y"} << QStringList{"z"} << "y"
                            << "y"
                            << ""
                            << "";
}

void PairedOutputsTest::pairs() {
  QFETCH(QStringList, first);
  QFETCH(QStringList, second);
  QFETCH(QString, secondLast);
  QFETCH(QString, compared);
  QFETCH(QString, firstOnly);
  QFETCH(QString, secondOnly);
  const ModelComparison comparison =
      comparedOutputs(networkOf(first), networkOf(second, secondLast));
  std::vector<std::string> outputs;
  for (const OutputResult& output : comparison.outputs) outputs.push_back(output.value);
  QCOMPARE(namesIn(outputs), compared);
  QCOMPARE(namesIn(comparison.firstOutputsOnly), firstOnly);
  QCOMPARE(namesIn(comparison.secondOutputsOnly), secondOnly);
  // What only stands in the same place is another value.
  const bool byPlace = qstrcmp(QTest::currentDataTag(), "by place") == 0;
  QCOMPARE(namesIn(comparison.unlikeOutputs), QString(byPlace ? "y" : ""));
}

// An output in front of the one that both models have does not stand for the model's accuracy.
void PairedOutputsTest::aTakenOutputIsNotTheOneOfItsPlace() {
  ModelComparison comparison = comparedOutputs(networkOf({"z", "y"}), networkOf({"y"}));
  QCOMPARE(comparison.outputs.size(), std::size_t{1});
  QCOMPARE(comparison.outputs[0].top1Agreement.value_or(0), 1.0);
  comparison.first = "float.onnx";
  const ComparisonHeadline headline = headlineOf(comparison);
  QCOMPARE(headline.accuracyDrop.value_or(1), 0.0);
  QVERIFY(QString::fromStdString(comparisonText(comparison, headline))
              .contains("output 'z' is only in float.onnx, and not compared\n"));
}

QUANTSCOPE_TEST(PairedOutputsTest)
#include "test_paired_outputs.moc"
