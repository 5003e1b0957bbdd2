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

// A pattern of two nodes, and a lead alone.
constexpr const char* kFusedTwice = R"(
  input x:float[1,2,1,1]
  w:float[2,2,1,1]{1, 2, 3, 4}
  a = Conv(x, w) @conv
  b = Relu(a) @relu
  c = Conv(b, w) @last
  y = Erf(c) @erf
  output y
)";

// Gelu as exporters write it, which x86 runs in float, behind a pattern.
constexpr const char* kGelu = R"(
  input x:float[1,2,1,1]
  w:float[2,2,1,1]{1, 2, 3, 4}
  root:float[1]{1.41421356}
  one:float[1]{1}
  half:float[1]{0.5}
  a = Conv(x, w) @conv
  b = Relu(a) @relu
  c = Div(b, root) @div
  d = Erf(c) @erf
  e = Add(d, one) @add
  f = Mul(b, e) @mul
  y = Mul(f, half) @half
  output y
)";

struct ChoicesCase {
  explicit ChoicesCase(const std::string& config = "", const char* network = kConvolutionToErf)
      : quantized(network, {Tensor::of<float>(Shape{1, 2, 1, 1}, {1, -2})}, config),
        choices(with(quantized.config, nullptr)) {}

  // Of the case's own model, under its configuration or another one.
  TypeChoices with(const Configuration& config, const TypeChoices* before) const {
    return {std::shared_ptr<const Engine>(std::shared_ptr<void>(), &quantized.engine), config,
            std::shared_ptr<const QuantizedModel>(std::shared_ptr<void>(), &quantized.model),
            before};
  }

  std::size_t layer(const std::string& name) const {
    for (std::size_t i = 0; i < choices.layerCount(); ++i) {
      if (choices.name(i) == name) return i;
    }
    return choices.layerCount();
  }

  QuantizedCase quantized;
  TypeChoices choices;
};

// onnxruntime has weights of int4, no activations of it; of Erf nothing.
constexpr const char* kThreeAbilities = R"(
    input x:float[1,2,1,1]
    w:float[2,2,1,1]{1, 2, 3, 4}
    a = Conv(x, w) @conv
    b = Sigmoid(a) @sig
    y = Erf(b) @erf
    output y
  )";

}  // namespace

class TypeChoicesTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void refusals_data();
  void refusals();
  void anEntryThatSaysNothingNewGoes();
  void aTypeTakesWhatTheBackendHasBesideIt();
  void aSharedGridIsSetAsOne();
  void aRuleForOthersTooKeepsASharedGridWhole();
  void followersGoWithTheirLead_data();
  void followersGoWithTheirLead();
  void aRuleLeavesOutWhatCannotTakeIt();
  void fieldsOfARuleLeaveOutWhatCannotTakeThem();
  void aRangeStaysWithItsLayer();
  void aPrecisionGoesToOtherLayers();
  void takingOverChangesNothing();
  void tensorsRefuseTypes_data();
  void tensorsRefuseTypes();
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
  // An operator that stays float anyway gets no entry for that.
  const ConfigEdit anyway = test.choices.setType({test.layer("erf")}, QuantType::Float32);
  QVERIFY(anyway.apply(test.quantized.config) == test.quantized.config);
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

void TypeChoicesTest::aRuleForOthersTooKeepsASharedGridWhole() {
  const ChoicesCase test("", kJoined);
  PrecisionFields fields;
  fields.activation.observer = ObserverSpec{.kind = ObserverSpec::Kind::Mse};
  const Configuration changed =
      test.choices.setFieldsOf({PrecisionTarget::Kind::Pattern, {".*"}}, fields, "set")
          .apply(test.quantized.config);
  QCOMPARE(changed.precision->nodes.size(), std::size_t{1});
  QCOMPARE(changed.precision->nodes[0].first, std::string("join"));
  // As it would be refused otherwise.
  const QuantizedCase quantized(kJoined, {Tensor::of<float>(Shape{1, 2, 1, 1}, {1, -2})},
                                toJson(changed));
  for (const QuantizationPoint& point : quantized.model.groups.points) {
    const bool left = point.isOutput() && quantized.engine.graph()[point.value].name == "a";
    QCOMPARE(point.precision.observer.kind == ObserverSpec::Kind::Mse, !left);
  }
  // The next edit of the rule reaches what it entered, too.
  const ChoicesCase next(toJson(changed), kJoined);
  fields.activation.observer = ObserverSpec{.kind = ObserverSpec::Kind::Percentile};
  const Configuration again =
      next.choices.setFieldsOf({PrecisionTarget::Kind::Pattern, {".*"}}, fields, "set")
          .apply(next.quantized.config);
  QCOMPARE(again.precision->nodes.size(), std::size_t{1});
  QVERIFY(again.precision->nodes[0].second.activation.observer == fields.activation.observer);
  QVERIFY(again.precision->nodes[0].second.output.observer == fields.activation.observer);
  // A type holds for input and output alike, so that the rule needs no entry for it.
  const Configuration typed =
      next.choices.setTypeOf({PrecisionTarget::Kind::Pattern, {".*"}}, QuantType::Int8)
          .apply(next.quantized.config);
  QVERIFY(typed.precision->nodes.empty());
  // The entry goes with the rule that it completes, and stays where it says something else.
  const auto withoutRule = [](const ChoicesCase& from) {
    const ConfigEdit removal{"", {{.place = ConfigStep::Entry::Pattern, .name = ".*"}}};
    return from.choices.complete(removal).apply(from.quantized.config);
  };
  QVERIFY(withoutRule(next).precision->nodes.empty());
  QVERIFY(withoutRule(next).precision->patterns.empty());
  Configuration own = changed;
  PrecisionConfig precision = *own.precision;
  precision.nodes[0].second.activation.observer.kind = ObserverSpec::Kind::Percentile;
  precision.nodes[0].second.output.observer.kind = ObserverSpec::Kind::Percentile;
  own.precision = precision;
  QCOMPARE(withoutRule(ChoicesCase(toJson(own), kJoined)).precision->nodes.size(), std::size_t{1});
}

// The entries after an edit, as "conv:float relu:float"; of rules "every Conv:float".
static QString entries(const Configuration& config) {
  QStringList words;
  const auto add = [&](const QString& name, const NodePrecision& precision) {
    words << name + (precision.float32 ? QStringLiteral(":float")
                                       : u':' + QString::fromStdString(std::string(
                                                    quantscope::name(precision.activation.type))));
  };
  for (const auto& [op, precision] : config.precision->opTypes) {
    add("every " + QString::fromStdString(op), precision);
  }
  for (const PatternPrecision& pattern : config.precision->patterns) {
    add(QString::fromStdString(pattern.match.expression()), pattern.use);
  }
  for (const auto& [node, precision] : config.precision->nodes) {
    add(QString::fromStdString(node), precision);
  }
  return words.join(' ');
}

void TypeChoicesTest::followersGoWithTheirLead_data() {
  using Kind = PrecisionTarget::Kind;
  QTest::addColumn<QString>("config");
  QTest::addColumn<int>("kind");  // of the target; −1: removes the rule for Conv, −2: resets conv
  QTest::addColumn<QString>("name");
  QTest::addColumn<QString>("type");
  QTest::addColumn<QString>("expected");
  const auto row = [](const char* what, const char* config, int kind, const char* name,
                      const char* type, const char* expected) {
    QTest::newRow(what) << QString(config) << kind << QString(name) << QString(type)
                        << QString(expected);
  };
  const int opType = static_cast<int>(Kind::OpType);
  const int pattern = static_cast<int>(Kind::Pattern);
  const int nodes = static_cast<int>(Kind::Nodes);
  row("operator to float", "", opType, "Conv", "fp32", "every Conv:float relu:float");
  row("names to float", "", pattern, "con.*", "fp32", "con.*:float relu:float");
  row("names of lead and follower", "", pattern, "conv|relu", "fp32", "conv|relu:float");
  row("a lead alone", "", pattern, "last", "fp32", "last:float");
  row("a node to float", "", nodes, "conv", "fp32", "conv:float relu:float");
  row("a rule of a file, said again", R"("op_types": {"Conv": "fp32"})", opType, "Conv", "fp32",
      "every Conv:float relu:float");
  row("operator back", R"("op_types": {"Conv": "fp32"}, "nodes": {"relu": "fp32"})", opType, "Conv",
      "int8", "every Conv:uint8");
  row("operator back, a node stays",
      R"("op_types": {"Conv": "fp32"}, "nodes": {"conv": "fp32", "relu": "fp32"})", opType, "Conv",
      "int8", "every Conv:uint8 conv:float relu:float");
  row("node back from a rule", R"("op_types": {"Conv": "fp32"}, "nodes": {"relu": "fp32"})", nodes,
      "conv", "int8", "every Conv:float conv:uint8");
  row("reset to a rule", R"("op_types": {"Conv": "fp32"}, "nodes": {"conv": {}})", -2, "", "",
      "every Conv:float relu:float");
  row("the rule goes", R"("op_types": {"Conv": "fp32"}, "nodes": {"relu": "fp32"})", -1, "", "",
      "");
  row("the rule goes, a node stays",
      R"("op_types": {"Conv": "fp32"}, "nodes": {"conv": "fp32", "relu": "fp32"})", -1, "", "",
      "conv:float relu:float");
  row("a follower that was set apart stays", R"("nodes": {"relu": "fp32"})", opType, "Conv", "int8",
      "every Conv:uint8 relu:float");
  row("float by default", R"("default": "fp32", "nodes": {"conv": {}})", nodes, "conv", "fp32", "");
}

void TypeChoicesTest::followersGoWithTheirLead() {
  using Kind = PrecisionTarget::Kind;
  QFETCH(QString, config);
  QFETCH(int, kind);
  QFETCH(QString, name);
  QFETCH(QString, type);
  QFETCH(QString, expected);
  const std::string json =
      R"({"quantscope": 1)" + (config.isEmpty() ? "" : ", " + config.toStdString()) + "}";
  const ChoicesCase test(json, kFusedTwice);
  ConfigEdit edit;
  if (kind == -1) {
    edit = test.choices.complete(
        clearPrecision(test.quantized.config, test.choices.graph(), {Kind::OpType, {"Conv"}}));
  } else if (kind == -2) {
    edit = test.choices.reset({test.layer("conv")});
  } else {
    const QuantType to = *quantTypeFromName(type.toStdString());
    edit = static_cast<Kind>(kind) == Kind::Nodes
               ? test.choices.setType({test.layer(name.toStdString())}, to)
               : test.choices.setTypeOf({static_cast<Kind>(kind), {name.toStdString()}}, to);
  }
  const EditedConfiguration edited = edit.carryOut(test.quantized.config);
  QCOMPARE(entries(edited.config), expected);
  QVERIFY(edited.inverse.apply(edited.config) == test.quantized.config);
}

// Where only some of the layers can take a type, the others keep what they have.
void TypeChoicesTest::aRuleLeavesOutWhatCannotTakeIt() {
  const ChoicesCase test(R"({"quantscope": 1, "backend": "onnxruntime"})", kThreeAbilities);
  const PrecisionTarget all{PrecisionTarget::Kind::Pattern, {".*"}};
  QCOMPARE(test.choices.layersOf(all).size(), std::size_t{3});
  const Configuration edited =
      test.choices.setTypeOf(all, QuantType::Int4).apply(test.quantized.config);
  QCOMPARE(edited.precision->nodes.size(), std::size_t{1});
  QCOMPARE(edited.precision->nodes[0].first, std::string("sig"));
  QVERIFY(edited.precision->nodes[0].second == test.choices.precisionOf(test.layer("sig")));
}

void TypeChoicesTest::fieldsOfARuleLeaveOutWhatCannotTakeThem() {
  const ChoicesCase test(R"({"quantscope": 1, "backend": "onnxruntime"})", kThreeAbilities);
  const PrecisionTarget all{PrecisionTarget::Kind::Pattern, {".*"}};
  PrecisionFields fields;
  fields.weight.type = QuantType::Int4;
  fields.weight.granularity = Granularity{};
  QVERIFY(test.choices.refusal(test.layer("conv"), fields).empty());
  const ConfigEdit edit = test.choices.setFieldsOf(all, fields, "set weights to int4 of");
  QCOMPARE(QString::fromStdString(edit.sentence),
           QStringLiteral("set weights to int4 of names like .*"));
  const Configuration edited = edit.apply(test.quantized.config);
  // Sigmoid has no weights that could not take it; of Erf nothing is quantized.
  QVERIFY(edited.precision->nodes.empty());
  QVERIFY(hasEntry(*edited.precision, all) && !hasEntry(*test.quantized.config.precision, all));
  const NodePrecision& rule = edited.precision->patterns[0].use;
  QVERIFY(rule.weight.type == QuantType::Int4 && rule.weight.granularity == Granularity{});
  QVERIFY(rule.activation == edited.precision->defaults.activation);

  PrecisionFields narrow;
  narrow.activation.type = QuantType::Int2;
  const std::string why = test.choices.refusal(test.layer("conv"), narrow);
  QVERIFY2(QString::fromStdString(why).startsWith(
               QStringLiteral("onnxruntime runs Conv with activations of ")),
           why.c_str());
  const Configuration kept =
      test.choices.setFieldsOf(all, narrow, "set").apply(test.quantized.config);
  QCOMPARE(kept.precision->nodes.size(), std::size_t{2});
  for (const auto& [name, precision] : kept.precision->nodes) {
    QVERIFY(precision == test.choices.precisionOf(test.layer(name)));
  }
}

void TypeChoicesTest::aRangeStaysWithItsLayer() {
  const ChoicesCase test(R"({"quantscope": 1, "nodes": {"conv": {"output": {"range": [0, 3]}}}})",
                         kFusedTwice);
  const ConfigEdit rule =
      test.choices.setTypeOf({PrecisionTarget::Kind::OpType, {"Conv"}}, QuantType::Int8);
  QVERIFY(!rule.apply(test.quantized.config).precision->opTypes[0].second.output.range);
  const NodePrecision own = test.choices.precisionOf(test.layer("conv"));
  QVERIFY(own.output.range.has_value());
  const ConfigEdit paste = test.choices.setPrecisionOf({test.layer("last")}, own, "paste to");
  QVERIFY(!paste.steps.empty());
  for (const auto& [name, precision] : paste.apply(test.quantized.config).precision->nodes) {
    QCOMPARE(precision.output.range.has_value(), name == "conv");
  }
}

void TypeChoicesTest::aPrecisionGoesToOtherLayers() {
  const ChoicesCase test(R"({"quantscope": 1, "backend": "onnxruntime"})");
  NodePrecision wide = test.choices.precisionAt(test.layer("conv"), QuantType::Int16);
  wide.weight.granularity = Granularity{};
  const std::vector<std::size_t> layers{test.layer("conv"), test.layer("shape"), test.layer("soft"),
                                        test.layer("erf")};
  const ConfigEdit edit = test.choices.setPrecisionOf(layers, wide, "paste the precision to");
  QCOMPARE(QString::fromStdString(edit.sentence),
           QStringLiteral("paste the precision to 2 layers"));
  const Configuration edited = edit.apply(test.quantized.config);
  QCOMPARE(entries(edited), QStringLiteral("conv:uint16 soft:uint16"));
  // Without weights there is nothing to say of them.
  QVERIFY(edited.precision->nodes[0].second.weight == wide.weight);
  QVERIFY(edited.precision->nodes[1].second.weight == edited.precision->defaults.weight);
}

// Also while the model is still that of another configuration.
void TypeChoicesTest::takingOverChangesNothing() {
  std::vector<Configuration> configs;
  for (const char* config :
       {R"({"quantscope": 1, "backend": "x86"})",
        R"({"quantscope": 1, "backend": "x86", "nodes": {"mul": {}}})",
        R"({"quantscope": 1, "backend": "x86", "nodes": {"conv": "fp32"}})",
        R"({"quantscope": 1, "backend": "generic"})",
        R"({"quantscope": 1, "backend": "x86", "default": {"weight": {"type": "fp16"}}})",
        R"({"quantscope": 1, "backend": "onnxruntime"})"}) {
    configs.push_back(parseConfiguration(config, "test"));
  }
  int settable = 0;
  int refused = 0;
  for (const Configuration& modelled : configs) {
    const ChoicesCase made(toJson(modelled), kGelu);
    for (const Configuration& before : configs) {
      const TypeChoices former = made.with(before, nullptr);
      (void)former.setType({0}, QuantType::Float32);  // makes the followers
      for (const Configuration& after : configs) {
        const TypeChoices fresh = made.with(after, nullptr);
        const TypeChoices following = made.with(after, &former);
        for (std::size_t layer = 0; layer < fresh.layerCount(); ++layer) {
          QVERIFY(following.typeOf(layer) == fresh.typeOf(layer));
          fresh.typeOf(layer) ? ++settable : ++refused;
          for (const QuantType type : wholeTypes()) {
            QCOMPARE(following.refusal(layer, type), fresh.refusal(layer, type));
            QVERIFY(following.setType({layer}, type) == fresh.setType({layer}, type));
          }
        }
      }
    }
  }
  QVERIFY(settable > 0 && refused > 0);
}

void TypeChoicesTest::tensorsRefuseTypes_data() {
  QTest::addColumn<QString>("backend");
  QTest::addColumn<QString>("layer");
  QTest::addColumn<int>("role");
  QTest::addColumn<QString>("type");
  QTest::addColumn<QString>("refusal");
  const auto row = [](const char* backend, const char* layer, TensorRole role, const char* type,
                      const char* refusal) {
    QTest::addRow("%s %s %d %s", backend, layer, static_cast<int>(role), type)
        << QString(backend) << QString(layer) << static_cast<int>(role) << QString(type)
        << QString(refusal);
  };
  row("x86", "conv", TensorRole::Weight, "int8", "");
  row("x86", "conv", TensorRole::Weight, "uint8", "x86 runs Conv with weights of INT8 only");
  row("x86", "conv", TensorRole::Activation, "int8",
      "x86 runs Conv with activations of UINT8 only");
  row("x86", "conv", TensorRole::Output, "uint8", "");
  row("x86", "soft", TensorRole::Output, "int16", "x86 runs Softmax with outputs of UINT8 only");
  row("x86", "erf", TensorRole::Output, "uint8", "x86 does not quantize Erf: it stays float");
  row("tensorrt", "conv", TensorRole::Weight, "uint8",
      "tensorrt runs Conv with weights of INT8, FP8E4M3, FP16 or BF16 only");
  row("generic", "conv", TensorRole::Weight, "int2", "");
}

void TypeChoicesTest::tensorsRefuseTypes() {
  QFETCH(QString, backend);
  QFETCH(QString, layer);
  QFETCH(int, role);
  QFETCH(QString, type);
  QFETCH(QString, refusal);
  const ChoicesCase test(R"({"quantscope": 1, "backend": ")" + backend.toStdString() + "\"}");
  QCOMPARE(QString::fromStdString(test.choices.tensorRefusal(
               test.layer(layer.toStdString()), static_cast<TensorRole>(role),
               *quantTypeFromName(type.toStdString()))),
           refusal);
}

QUANTSCOPE_TEST(TypeChoicesTest)
#include "test_type_choices.moc"
