#include <QtTest>

#include "graph/parameters.h"
#include "support/graph_text.h"
#include "support/test_main.h"

using namespace quantscope;
using quantscope::test::graphFromText;

/// The constants that count as parameters, and those that only say how something is computed.
class ParametersTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void names_data();
  void names();
};

void ParametersTest::names_data() {
  QTest::addColumn<QByteArray>("network");
  QTest::addColumn<QString>("expected");
  const auto row = [](const char* name, const char* network, const char* expected) {
    QTest::newRow(name) << QByteArray(network) << QString(expected);
  };
  row("weights and bias", R"(
    input x:float[1,1,2,2]
    w:float[1,1,1,1]{1}
    b:float[1]{1}
    y = Conv(x, w, b)
    output y
  )",
      "w b");
  row("operands, slopes and exponents", R"(
    input x:float[2]
    a:float[1]{1}
    s:float[1]{1}
    e:float[]{2}
    b = Add(x, a)
    c = PRelu(b, s)
    y = Pow(c, e)
    output y
  )",
      "a s e");
  row("scales and regions of a Resize", R"(
    input x:float[1,1,2,2]
    roi:float[8]{0, 0, 0, 0, 1, 1, 1, 1}
    s:float[4]{1, 1, 2, 2}
    y = Resize(x, roi, s)
    output y
  )",
      "");
  row("scales that are computed", R"(
    input x:float[1,1,2,2]
    s:float[2]{1, 1}
    t:float[2]{2, 2}
    st = Concat(s, t) axis=0
    y = Resize(x, , st)
    output y
  )",
      "");
  row("bounds of a Slice", R"(
    input x:float[4]
    s:int32[1]{1}
    e:int32[1]{3}
    a:int32[1]{0}
    y = Slice(x, s, e, a)
    output y
  )",
      "");
  row("limits, pads and axes", R"(
    input x:float[1,4]
    low:float[]{0}
    high:float[]{6}
    pads:int64[4]{0, 1, 0, 1}
    value:float[]{1}
    axes:int64[1]{1}
    a = Clip(x, low, high)
    b = Pad(a, pads, value)
    y = ReduceSum(b, axes)
    output y
  )",
      "");
  row("a limit that is added too", R"(
    input x:float[4]
    low:float[]{0}
    a = Clip(x, low)
    y = Add(a, low)
    output y
  )",
      "low");
  row("codes beside their grids", R"(
    input x:float[1,2]
    q:int8[2,2]{1, 2, 3, 4}
    s:float[]{0.5}
    z:int8[]{0}
    b:int32[2]{1, 2}
    t:float[]{0.25}
    w = DequantizeLinear(q, s, z)
    c = DequantizeLinear(b, t)
    y = Gemm(x, w, c)
    output y
  )",
      "q b w c");
  row("operators on codes", R"(
    input x:uint8[1,1,1,2]
    s:float[]{0.5}
    z:uint8[]{0}
    w:int8[1,1,1,1]{1}
    ws:float[]{0.5}
    wz:int8[]{0}
    b:int32[1]{1}
    o:uint8[1,1,1,2]{1, 2}
    a = QLinearConv(x, s, z, w, ws, wz, s, z, b)
    y = QLinearAdd(a, s, z, o, s, z, s, z)
    output y
  )",
      "w b o");
  row("lengths of sequences", R"(
    input x:float[1,1,1]
    w:float[1,4,1]{1, 2, 3, 4}
    r:float[1,4,1]{1, 2, 3, 4}
    b:float[1,8]{1, 2, 3, 4, 5, 6, 7, 8}
    n:int32[1]{1}
    h:float[1,1,1]{1}
    y = LSTM(x, w, r, b, n, h) hidden_size=1
    output y
  )",
      "w r b h");
}

void ParametersTest::names() {
  QFETCH(const QByteArray, network);
  QFETCH(const QString, expected);
  const std::shared_ptr<const Graph> graph = graphFromText(network.constData());
  const std::vector<bool> found = findParameters(*graph);
  QStringList names;
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (found[i]) names << QString::fromStdString(graph->values()[i].name);
  }
  QCOMPARE(names.join(' '), expected);
}

QUANTSCOPE_TEST(ParametersTest)
#include "test_parameters.moc"
