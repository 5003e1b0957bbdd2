#include <QtTest>
#include <nlohmann/json.hpp>

#include "export/json/parameters_json.h"
#include "precision/quantized_case.h"
#include "support/test_main.h"

using namespace quantscope;
using nlohmann::json;
using quantscope::test::QuantizedCase;

namespace {

json parametersOf(const QuantizedCase& testCase, std::size_t layer) {
  const RangeSources sources(*testCase.graph, testCase.config, testCase.model);
  const auto written =
      parametersJson(testCase.model, testCase.model.layers.at(layer), *testCase.graph, sources);
  return json::parse(written.dump());
}

}  // namespace

/// The quantization of each layer in report.json.
class ParametersJsonTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void convolution();
  void severalWeights();
  void edgesThatShare();
  void whatStaysFloat();
  void rangesAndTheirSources_data();
  void rangesAndTheirSources();
  void fixedRange();
};

// Input 0 … 2.55, steps of 0.01; weights 127 and 12.7, steps of 1 and 0.1.
void ParametersJsonTest::convolution() {
  const QuantizedCase testCase(R"(
    input x:float[1,1,1,2]
    w:float[2,1,1,1]{127, 12.7}
    b:float[2]{1, 2}
    y = Conv(x, w, b) @conv
    output y
  )",
                               {Tensor::of<float>(Shape{1, 1, 1, 2}, {0.0F, 2.55F})},
                               R"({"quantscope": 1, "bias": "int32"})");
  const json found = parametersOf(testCase, 0);
  const json& weight = found.at("weight");
  QVERIFY(weight == found.at("weights").at(0));
  QVERIFY(weight.at("value") == "w" && weight.at("input") == 1 && weight.at("type") == "int8");
  QVERIFY(weight.at("symmetric") == true && weight.at("axis") == 0);
  QVERIFY(weight.at("block_size").is_null());
  QVERIFY(weight.at("scale") == json({1.0, static_cast<double>(12.7F / 127)}));
  QVERIFY(weight.at("zero_point") == json({0, 0}));
  const json& bias = found.at("bias");
  QVERIFY(bias.at("value") == "b" && bias.at("type") == "int32" && bias.at("axis") == 0);
  QCOMPARE(bias.at("scale").size(), std::size_t{2});
  QVERIFY(bias.at("scale")[0] == found.at("inputs")[0].at("scale")[0]);
  const json& input = found.at("inputs").at(0);
  QVERIFY(input.at("value") == "x" && input.at("point") == json({"x", "conv"}));
  QVERIFY(input.at("type") == "uint8" && input.at("mode") == "static");
  QVERIFY(input.at("symmetric") == false && input.at("observer") == "minmax");
  QVERIFY(input.at("seat") == "on-edge" && input.at("group") == 0);
  QVERIFY(found.at("output").at("point") == "conv");
  QVERIFY(found.at("output").at("seat") == "at-output" && found.at("output").at("group") == 1);
  QCOMPARE(found.at("output").at("zero_point").size(), std::size_t{1});
}

void ParametersJsonTest::severalWeights() {
  const QuantizedCase testCase(R"(
    input x:float[1,1,2]
    w:float[1,4,2]{1, 2, 3, 4, 5, 6, 7, 8}
    r:float[1,4,1]{1, 2, 3, 4}
    y = LSTM(x, w, r) hidden_size=1 @lstm
    output y
  )",
                               {Tensor::of<float>(Shape{1, 1, 2}, {0.0F, 2.55F})},
                               R"({"quantscope": 1, "op_types": {"LSTM": {
      "weight": {"granularity": "per-group:2:1"}, "activation": {"mode": "dynamic"},
      "output": {"type": "fp32"}}}})");
  const json found = parametersOf(testCase, 0);
  QCOMPARE(found.at("weights").size(), std::size_t{2});
  QVERIFY(found.at("weights")[0].at("value") == "w" && found.at("weights")[1].at("value") == "r");
  QVERIFY(found.at("weights")[0].at("block_size") == 1 && found.at("weights")[0].at("axis") == 2);
  QCOMPARE(found.at("weights")[0].at("scale").size(), std::size_t{8});
  QVERIFY(found.at("inputs")[0].at("mode") == "dynamic");
  QVERIFY(found.at("inputs")[0].at("scale") == json::array());
  QVERIFY(found.at("output").is_null() && found.at("bias").is_null());
}

// Both operands come from one value: its observer is put in once.
void ParametersJsonTest::edgesThatShare() {
  const QuantizedCase testCase(R"(
    input x:float[1,2]
    a = Mul(x, x) @square
    y = Add(a, x) @sum
    output y
  )",
                               {Tensor::of<float>(Shape{1, 2}, {0.0F, 2.55F})});
  const json square = parametersOf(testCase, 0);
  QCOMPARE(square.at("inputs").size(), std::size_t{2});
  QVERIFY(square.at("inputs")[0].at("seat") == "on-edge");
  QVERIFY(square.at("inputs")[1].at("seat") == "reuses-edge");
  const json sum = parametersOf(testCase, 1);
  QVERIFY(sum.at("inputs")[0].at("seat") == "reuses-output");
  QVERIFY(sum.at("inputs")[0].at("group") == square.at("output").at("group"));
  QVERIFY(sum.at("inputs")[1].at("group") == square.at("inputs")[0].at("group"));
}

void ParametersJsonTest::whatStaysFloat() {
  const QuantizedCase testCase("input x:float[1,2]\ny = Relu(x) @r\noutput y\n",
                               {Tensor::of<float>(Shape{1, 2}, {0.0F, 2.55F})},
                               R"({"quantscope": 1, "default": "fp32"})");
  QVERIFY(parametersOf(testCase, 0) ==
          json::parse(R"({"weight": null, "weights": [], "bias": null, "inputs": [],
                          "output": null})"));
}

void ParametersJsonTest::rangesAndTheirSources_data() {
  QTest::addColumn<QByteArray>("keys");
  QTest::addColumn<QByteArray>("part");  // of the parameters
  QTest::addColumn<QByteArray>("expected");
  const auto row = [](const char* name, const char* keys, const char* part, const char* expected) {
    QTest::newRow(name) << QByteArray(keys) << QByteArray(part) << QByteArray(expected);
  };
  row("observed", "", "/inputs/0",
      R"({"range_source": "observer", "qmin": 0, "qmax": 255, "threshold": null})");
  row("observed weights", "", "/weight",
      R"({"range_source": "observer", "qmin": -128, "qmax": 127, "threshold": null})");
  row("codes in use", R"(, "default": {"output": {"qmin": 10, "qmax": 100}})", "/output",
      R"({"range_source": "observer", "qmin": 10, "qmax": 100})");
  row("set by hand", R"(, "default": {"output": {"range": [0, 255]}})", "/output",
      R"({"range_source": "hand", "range": [0, 255], "qmin": 0, "qmax": 255})");
  row("weights by hand", R"(, "default": {"weight": {"range": [-127, 127]}})", "/weight",
      R"({"range_source": "hand", "range": [-128, 127]})");
  row("exact", R"(, "encodings": {"conv": {"type": "uint8", "scale": [0.5], "zero_point": [0]}})",
      "/output", R"({"range_source": "encoding", "range": [0, 127.5], "scale": [0.5]})");
  row("exact weights", R"(, "encodings": {"w": {"type": "int8", "scale": [0.5]}})", "/weight",
      R"({"range_source": "encoding", "range": [-64, 63.5], "scale": [0.5]})");
  row("exact weights beside what is observed",
      R"(, "encodings": {"w": {"type": "int8", "scale": [0.5]}})", "/output",
      R"({"range_source": "observer"})");
  row("each sample's own", R"(, "default": {"activation": {"mode": "dynamic"}})", "/inputs/0",
      R"({"range_source": "sample", "range": null, "qmin": 0, "qmax": 255})");
  row("without a scale", R"(, "default": {"activation": {"type": "fp16"}})", "/inputs/0",
      R"({"range_source": "none", "range": null, "qmin": null, "qmax": null})");
  // Mean magnitude 2.5; the threshold of Li and Liu (2016) is 0.7 of it.
  row("ternary", R"(, "default": {"weight": {"type": "ternary", "granularity": "per-tensor"}})",
      "/weight",
      R"({"range_source": "magnitude", "range": [-3, 3], "qmin": null, "qmax": null,
          "threshold": [1.75]})");
}

void ParametersJsonTest::rangesAndTheirSources() {
  QFETCH(const QByteArray, keys);
  QFETCH(const QByteArray, part);
  QFETCH(const QByteArray, expected);
  const QuantizedCase testCase(
      R"(
    input x:float[1,2,1,1]
    w:float[2,2,1,1]{1, -2, 3, -4}
    y = Conv(x, w) @conv
    output y
  )",
      {Tensor::of<float>(Shape{1, 2, 1, 1}, {0.0F, 2.55F})},
      R"({"quantscope": 1, "backend": "generic")" + keys.toStdString() + "}");
  const json parameters = parametersOf(testCase, 0);
  const json& found = parameters.at(json::json_pointer(part.toStdString()));
  const json wanted = json::parse(expected.toStdString());
  for (const auto& [key, value] : wanted.items()) {
    QVERIFY2(found.at(key) == value, (key + ": " + found.dump()).c_str());
  }
}

void ParametersJsonTest::fixedRange() {
  const QuantizedCase testCase(R"(
    input x:float[1,2]
    y = Softmax(x) axis=-1 @soft
    output y
  )",
                               {Tensor::of<float>(Shape{1, 2}, {0.0F, 2.55F})},
                               R"({"quantscope": 1, "backend": "onnxruntime"})");
  const json output = parametersOf(testCase, 0).at("output");
  QVERIFY2(output.at("range_source") == "backend" && output.at("qmax") == 255,
           output.dump().c_str());
}

QUANTSCOPE_TEST(ParametersJsonTest)
#include "test_parameters_json.moc"
