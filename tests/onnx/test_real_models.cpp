#include <QDir>
#include <QtTest>
#include <algorithm>
#include <set>

#include "onnx/import.h"
#include "support/test_main.h"

using namespace quantscope;

/// The models that QUANTSCOPE_MODELS names a folder of: what has to hold for any model whose
/// operators are all standard ones.
class RealModelsTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void everyModelIsImported_data();
  void everyModelIsImported();
};

void RealModelsTest::everyModelIsImported_data() {
  const QString folder = qEnvironmentVariable("QUANTSCOPE_MODELS");
  if (folder.isEmpty()) QSKIP("skipped: QUANTSCOPE_MODELS is not set");
  QTest::addColumn<QByteArray>("file");
  const QDir models(folder);
  for (const QString& file : models.entryList({"*.onnx"}, QDir::Files)) {
    QTest::newRow(qPrintable(file)) << models.filePath(file).toLocal8Bit();
  }
}

void RealModelsTest::everyModelIsImported() {
  QFETCH(QByteArray, file);
  const auto graph = importModel(file.toStdString());
  QVERIFY(!graph->nodes().empty() && !graph->inputs().empty() && !graph->outputs().empty());

  std::set<std::string> names;
  for (const Node& node : graph->nodes()) {
    QVERIFY2(node.version > 0, node.op.c_str());
    QVERIFY2(names.insert(node.name).second, node.name.c_str());
    const bool isInner = node.block != Graph::mainBlock();
    const NodeId owner = (*graph)[node.block].owner;
    QVERIFY(isInner == owner.valid());
    QVERIFY2(!isInner || node.name.starts_with((*graph)[owner].name + "/"), node.name.c_str());
  }
  for (const Value& value : graph->values()) {
    QVERIFY2(value.type.element.has_value(), value.name.c_str());
    QVERIFY(graph->findValue(value.name).valid());
  }
  for (const ValueId input : graph->inputs()) QVERIFY(graph->constant(input) == nullptr);
  // A second import is the same to the name.
  const auto again = importModel(file.toStdString());
  QVERIFY(std::ranges::equal(graph->nodes(), again->nodes(), {}, &Node::name, &Node::name));
  QVERIFY(std::ranges::equal(graph->values(), again->values(), {}, &Value::name, &Value::name));
}

QUANTSCOPE_TEST(RealModelsTest)
#include "test_real_models.moc"
