#include <QtTest>

#include "onnx/operator_versions.h"
#include "support/test_main.h"

class OperatorVersionsTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void versionInForce_data();
  void versionInForce();
};

// Since-versions as Operators.md and Changelog.md of ONNX list them.
void OperatorVersionsTest::versionInForce_data() {
  QTest::addColumn<QByteArray>("domain");
  QTest::addColumn<QByteArray>("op");
  QTest::addColumn<int>("opset");
  QTest::addColumn<int>("version");
  const auto row = [](const char* op, int opset, int version, const char* domain = "") {
    QTest::addRow("%s %s %d", domain, op, opset)
        << QByteArray(domain) << QByteArray(op) << opset << version;
  };
  row("Conv", 1, 1);
  row("Conv", 10, 1);
  row("Conv", 11, 11);
  row("Conv", 21, 11);
  row("Conv", 22, 22);
  row("Relu", 5, 1);
  row("Relu", 6, 6);
  row("Relu", 13, 13);
  row("Relu", 18, 14);
  row("Reshape", 4, 1);
  row("Reshape", 5, 5);
  row("ReduceSum", 12, 11);
  row("ReduceSum", 18, 13);
  row("ReduceMean", 17, 13);
  row("ReduceMean", 18, 18);
  row("ReduceMax", 20, 20);
  row("Slice", 9, 1);
  row("Slice", 10, 10);
  row("Split", 18, 18);
  row("Pad", 24, 24);
  row("Resize", 9, 0);
  row("Resize", 19, 19);
  row("LayerNormalization", 16, 0);
  row("LayerNormalization", 17, 17);
  row("QuantizeLinear", 12, 10);
  row("QuantizeLinear", 21, 21);
  row("BatchNormalization", 9, 9);
  row("Gelu", 20, 20);
  row("Abs", 13, 13);
  row("Xor", 7, 7);
  // Deprecated operators keep the version that deprecates them.
  row("Upsample", 9, 9);
  row("Upsample", 10, 10);
  // The newest known version counts above the table.
  row("Cast", 99, 24);
  row("Conv", 0, 0);
  row("Nothing", 13, 0);
  // Experiments, and operators that were one before they were released.
  row("ImageScaler", 7, 1);
  row("FC", 1, 1);
  row("ThresholdedRelu", 7, 1);
  row("ThresholdedRelu", 10, 10);
  row("MeanVarianceNormalization", 8, 1);
  row("MeanVarianceNormalization", 9, 9);
  row("ZipMap", 1, 1, "ai.onnx.ml");
  row("LabelEncoder", 3, 2, "ai.onnx.ml");
  row("Conv", 3, 0, "ai.onnx.ml");
  row("FusedConv", 1, 1, "com.microsoft");
  row("FusedConv", 1, 0, "somebody.else");
}

void OperatorVersionsTest::versionInForce() {
  QFETCH(QByteArray, domain);
  QFETCH(QByteArray, op);
  QFETCH(int, opset);
  QFETCH(int, version);
  QCOMPARE(quantscope::operatorVersion(domain.toStdString(), op.toStdString(), opset), version);
}

QUANTSCOPE_TEST(OperatorVersionsTest)
#include "test_operator_versions.moc"
