#include <QtTest>

#include "precision/edits/type_choices.h"
#include "precision/quantized_case.h"
#include "support/test_main.h"

using namespace quantscope;
using namespace quantscope::test;

namespace {

constexpr const char* kConvolutionToErf = R"(
  input x:float[1,2,1,1]
  w:float[2,2,1,1]{1, 2, 3, 4}
  s:int64[2]{1, 2}
  a = Conv(x, w) @conv
  b = Reshape(a, s) @shape
  c = Softmax(b) @soft
  y = Erf(c) @erf
  output y
)";

constexpr const char* kJoined = R"(
  input x:float[1,2,1,1]
  w:float[2,2,1,1]{1, 2, 3, 4}
  a = Conv(x, w) @conv
  y = Concat(a, x) axis=1 @join
  output y
)";

struct ChoicesCase {
  explicit ChoicesCase(const std::string& config = "", const char* network = kConvolutionToErf)
      : quantized(network, {Tensor::of<float>(Shape{1, 2, 1, 1}, {1, -2})}, config),
        choices(std::shared_ptr<const Engine>(std::shared_ptr<void>(), &quantized.engine),
                quantized.config,
                std::shared_ptr<const QuantizedModel>(std::shared_ptr<void>(), &quantized.model)) {}

  std::size_t layer(const std::string& name) const {
    for (std::size_t i = 0; i < choices.layerCount(); ++i) {
      if (choices.name(i) == name) return i;
    }
    return choices.layerCount();
  }

  QuantizedCase quantized;
  TypeChoices choices;
};

}  // namespace

class TypeChoicesTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void refusals_data();
  void refusals();
  void anEntryThatSaysNothingNewGoes();
  void aTypeTakesWhatTheBackendHasBesideIt();
  void aSharedGridIsSetAsOne();
};

void TypeChoicesTest::refusals_data() {
  QTest::addColumn<QString>("backend");
  QTest::addColumn<QString>("layer");
  QTest::addColumn<QString>("type");
  QTest::addColumn<QString>("refusal");
  const auto row = [](const char* backend, const char* layer, const char* type,
                      const char* refusal) {
    QTest::addRow("%s %s %s", backend, layer, type)
        << QString(backend) << QString(layer) << QString(type) << QString(refusal);
  };
  row("x86", "conv", "int8", "");
  row("x86", "conv", "int16", "x86 runs Conv in INT8 only");
  row("x86", "conv", "fp32", "");
  row("generic", "conv", "fp16", "");
  row("generic", "conv", "int4", "");
  row("x86", "erf", "int8", "x86 does not quantize Erf: it stays float");
  row("x86", "erf", "fp32", "");
  row("x86", "shape", "int8", "Reshape only moves data: its output stays on the grid of its input");
}

void TypeChoicesTest::refusals() {
  QFETCH(QString, backend);
  QFETCH(QString, layer);
  QFETCH(QString, type);
  QFETCH(QString, refusal);
  const ChoicesCase test(R"({"quantscope": 1, "backend": ")" + backend.toStdString() + "\"}");
  const std::string& found =
      test.choices.refusal(test.layer(layer.toStdString()), *quantTypeFromName(type.toStdString()));
  QCOMPARE(QString::fromStdString(found), refusal);
}

void TypeChoicesTest::anEntryThatSaysNothingNewGoes() {
  const ChoicesCase test(R"({"quantscope": 1, "nodes": {"conv": "fp32"}})");
  const std::size_t conv = test.layer("conv");
  QVERIFY(test.choices.typeOf(conv) == QuantType::Float32);
  QVERIFY(test.choices.overridden(conv));
  const ConfigEdit edit = test.choices.setType({conv}, QuantType::Int8);
  QCOMPARE(QString::fromStdString(edit.sentence), QStringLiteral("set conv to INT8"));
  QVERIFY(edit.apply(test.quantized.config).precision->nodes.empty());
}

void TypeChoicesTest::aTypeTakesWhatTheBackendHasBesideIt() {
  const ChoicesCase test(R"({"quantscope": 1, "backend": "onnxruntime"})");
  const NodePrecision wide = test.choices.precisionAt(test.layer("conv"), QuantType::Int16);
  QVERIFY(wide.weight.type == QuantType::Int16);
  QVERIFY(wide.activation.type == QuantType::UInt16);
  const NodePrecision narrow = test.choices.precisionAt(test.layer("conv"), QuantType::Int4);
  QVERIFY(narrow.weight.type == QuantType::Int4);
  QVERIFY(bitWidth(narrow.activation.type) >= 8);
}

// A range that is dragged at the output of a Concat is that of its inputs too.
void TypeChoicesTest::aSharedGridIsSetAsOne() {
  const ChoicesCase test("", kJoined);
  QVERIFY(findBackend("x86")->shares("Concat"));
  PrecisionFields fields;
  fields.output.range = Range{-1, 1, false};
  const ConfigEdit edit = test.choices.setFields({test.layer("join")}, fields, "set the range of");
  const Configuration changed = edit.apply(test.quantized.config);
  const QuantizedCase quantized(kJoined, {Tensor::of<float>(Shape{1, 2, 1, 1}, {1, -2})},
                                toJson(changed));
  std::size_t fixed = 0;
  for (const QuantizationPoint& point : quantized.model.groups.points) {
    const bool joined = point.isOutput() ? quantized.engine.graph()[point.value].name == "y"
                                         : quantized.engine.graph()[point.consumer].name == "join";
    QCOMPARE(point.precision.range.has_value(), joined);
    fixed += joined ? 1 : 0;
  }
  QCOMPARE(fixed, std::size_t{3});
}

QUANTSCOPE_TEST(TypeChoicesTest)
#include "test_type_choices.moc"
