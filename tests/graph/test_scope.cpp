#include <QtTest>

#include "graph/graph.h"
#include "support/test_main.h"

class ScopeTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void splitsNames_data();
  void splitsNames();
};

void ScopeTest::splitsNames_data() {
  QTest::addColumn<QByteArray>("name");
  QTest::addColumn<QByteArray>("scope");
  QTest::addColumn<QByteArray>("last");
  const auto row = [](const char* what, const char* name, const char* scope, const char* last) {
    QTest::newRow(what) << QByteArray(name) << QByteArray(scope) << QByteArray(last);
  };
  row("no scope", "Conv_0", "", "Conv_0");
  row("PyTorch 2", "/layer1/layer1.0/conv1/Conv", "/layer1/layer1.0/conv1", "Conv");
  row("PyTorch 2, top level", "/MatMul", "", "MatMul");
  row("older PyTorch", "layer1.0.conv1", "layer1.0", "conv1");
  row("numbered", "Conv.1", "", "Conv.1");
  row("numbered twice", "features.3.conv.0.1", "features.3", "conv.0.1");
  row("begins with a dot", ".7", "", ".7");
  row("jax", "jax2tf_get_logits_/pjit/Reshape", "jax2tf_get_logits_/pjit", "Reshape");
  row("sub-graph", "If_0/then//model/stft/Conv", "If_0/then//model/stft", "Conv");
  row("fused by TensorFlow Lite", "model_1/a/strided_slice;model_1/b/c/Reshape", "model_1/a",
      "strided_slice");
  row("fused, joined by a converter", "model/dense/MatMul_model/dense/BiasAdd_Gemm", "model/dense",
      "MatMul");
  row("a module called like its root", "model/my_model/conv/Conv2D", "model/my_model/conv",
      "Conv2D");
  row("fused, without a scope", "Relu;BiasAdd", "", "Relu");
  row("empty", "", "", "");
}

void ScopeTest::splitsNames() {
  QFETCH(QByteArray, name);
  QFETCH(QByteArray, scope);
  QFETCH(QByteArray, last);
  QCOMPARE(QByteArray::fromStdString(quantscope::scopeOf(name.toStdString())), scope);
  QCOMPARE(QByteArray::fromStdString(quantscope::shortName(name.toStdString())), last);
}

QUANTSCOPE_TEST(ScopeTest)
#include "test_scope.moc"
