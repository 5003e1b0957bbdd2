#include <QtTest>
#include <map>
#include <nlohmann/json.hpp>
#include <random>
#include <set>

#include "precision/config/json_reader.h"
#include "precision/edits/edit_groups.h"
#include "precision/edits/edit_precision.h"
#include "support/configuration_keys.h"
#include "support/error_text.h"
#include "support/graph_text.h"
#include "support/test_main.h"

using namespace quantscope;
using namespace quantscope::test;

namespace {

using Random = std::mt19937;

std::shared_ptr<const Graph> network() {
  return graphFromText(R"(
    input x:float[1,2,1,1]
    w:float[2,2,1,1]{1, 2, 3, 4}
    a = Conv(x, w) @/one/conv
    b = Relu(a) @/one/relu
    c = Conv(b, w) @/two/conv
    d = Add(b, c) @/two/add
    y = Conv(d, w) @/two.b
    output y
  )");
}

template <class Of>
const Of& oneOf(Random& random, const std::vector<Of>& list) {
  return list[random() % list.size()];
}

NodePrecision anyPrecision(Random& random) {
  NodePrecision precision = defaultPrecision();
  PrecisionFields fields;
  fields.float32 = random() % 4 == 0;
  if (random() % 2 == 0) {
    fields.weight.type = oneOf<QuantType>(
        random, {QuantType::Int4, QuantType::Int8, QuantType::Float16, QuantType::Ternary});
  }
  if (random() % 2 == 0)
    fields.activation.range = Range{-1, static_cast<float>(random() % 9), false};
  if (random() % 3 == 0) fields.output.observer = parseObserver("percentile:0.1:99.9");
  return withFields(precision, fields);
}

PointName anyPoint(Random& random) {
  const std::vector<PointName> points{
      {"/one/relu", {}}, {"x", "/one/conv"}, {"/one/relu", "/two/conv"}, {"w", {}}};
  return oneOf(random, points);
}

// Encodings are looked up in the model only when they are applied.
PointName anyName(Random& random) {
  return random() % 5 == 0 ? PointName{"[odd]", {}} : anyPoint(random);
}

PrecisionTarget anyTarget(Random& random) {
  using Kind = PrecisionTarget::Kind;
  const std::vector<PrecisionTarget> targets{{Kind::Default},
                                             {Kind::OpType, {"Conv"}},
                                             {Kind::OpType, {"Add"}},
                                             {Kind::Pattern, {".*conv"}},
                                             {Kind::Pattern, {"/one/.*"}},
                                             {Kind::Scope, {"/two"}},
                                             {Kind::Nodes, {"/one/conv"}},
                                             {Kind::Nodes, {"/two/conv", "/two/add"}}};
  return oneOf(random, targets);
}

ConfigEdit anyEdit(Random& random, const Configuration& config, const Graph& graph) {
  const HandSharing& groups = config.precision->groups;
  switch (random() % 14) {
    case 0:
      return setBackend(oneOf<std::string>(random, {"x86", "qnnpack", "generic"}));
    case 1:
      return setConvention(oneOf<Convention>(random, {Convention::Onnx, Convention::PyTorch}));
    case 2:
      return setBias(oneOf<std::optional<BiasRule>>(
          random, {std::nullopt, BiasRule::Float, BiasRule::Int32Fit}));
    case 3:
      return setCalibrationSamples(random() % 3);
    case 4:
      return setThresholds({.outlierRatio = 1.0 + static_cast<double>(random() % 4)});
    case 5:
      return clearPrecision(config, graph, anyTarget(random));
    case 6:
      return mergePoints(groups, anyPoint(random), {"/two/add", {}});
    case 7:
      return splitPoint(groups, {anyPoint(random)}, true);
    case 8:
      return random() % 2 == 0 ? leaveMerge(groups, {anyPoint(random)})
                               : leaveSplit(groups, {anyPoint(random)});
    case 9:
      return setEncoding(anyName(random), {QuantType::Int8,
                                           {0.1F * static_cast<float>(1 + random() % 7)},
                                           {static_cast<std::int32_t>(random() % 5)}});
    case 10:
      return random() % 2 == 0 ? clearEncoding(anyName(random)) : clearEqualization("/one/conv");
    case 11:
      return equalize(oneOf<std::string>(random, {"/one/conv", "/two/conv"}),
                      {0.3F * static_cast<float>(1 + random() % 9), 2});
    case 12:
      return setPrecision(config, graph, anyTarget(random), fieldsOf(anyPrecision(random)));
    default: {
      PrecisionFields fields;
      fields.weight.granularity = granularityFromText("per-tensor");
      if (random() % 2 == 0) fields.output.type = QuantType::Int16;
      return setPrecision(config, graph, anyTarget(random), fields);
    }
  }
}

ConfigEdit writtenAndRead(const ConfigEdit& edit) {
  const std::string source = "edit";
  const std::string whole = "the edit";
  const JsonReader::Json json = parseStrictJson(toJson(edit).dump(), source, whole);
  return readConfigEdit(JsonReader(json, source, whole));
}

}  // namespace

/// Edits of configurations: what they make, that they lead back exactly, how they read.
class ConfigEditTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void whatAnEditMakes_data();
  void whatAnEditMakes();
  void anyEditLeadsBack();
  void continuedEditsAreOne();
  void oneConfigurationBecomesAnother();
  void idsFollowTheContent();
  void damagedEditsAreRefused_data();
  void damagedEditsAreRefused();
};

void ConfigEditTest::whatAnEditMakes_data() {
  using Kind = PrecisionTarget::Kind;
  QTest::addColumn<QString>("before");
  QTest::addColumn<ConfigEdit>("edit");
  QTest::addColumn<QString>("sentence");
  QTest::addColumn<QString>("after");
  const auto graph = network();
  const auto row = [&](const char* name, const char* before, const PrecisionTarget& target,
                       const PrecisionFields& fields, const char* sentence, const char* after) {
    QTest::newRow(name) << QString(before)
                        << setPrecision(configurationWith(before), *graph, target, fields)
                        << QString(sentence) << QString(after);
  };
  PrecisionFields half;
  half.weight.type = half.activation.type = half.output.type = QuantType::Float16;
  PrecisionFields none;
  none.float32 = true;
  PrecisionFields weights;
  weights.weight.type = QuantType::Int4;
  weights.weight.granularity = granularityFromText("per-group:1:32");
  PrecisionFields range;
  range.activation.range = Range{-1, 2.5F, false};
  const char* kHalf = R"({"weight": {"type": "fp16"}, "activation": {"type": "fp16"}})";
  row("a node", R"("backend": "generic")", {Kind::Nodes, {"/two/conv"}}, half,
      "set /two/conv to FP16",
      (QString(R"("backend": "generic", "nodes": {"/two/conv": )") + kHalf + "}").toUtf8());
  row("two nodes", R"("backend": "generic")", {Kind::Nodes, {"/two/conv", "/one/conv"}}, none,
      "set 2 nodes to float",
      R"("backend": "generic", "nodes": {"/two/conv": "fp32", "/one/conv": "fp32"})");
  row("a single field keeps what holds otherwise",
      R"("op_types": {"Conv": {"weight": {"observer": "mse"}}})", {Kind::Nodes, {"/one/conv"}},
      range, "set /one/conv to activations from -1 to 2.5",
      R"("op_types": {"Conv": {"weight": {"observer": "mse"}}}, "nodes": {"/one/conv":
         {"weight": {"observer": "mse"}, "activation": {"range": [-1, 2.5]}, "output": {}}})");
  row("an operator type", R"("backend": "generic")", {Kind::OpType, {"Conv"}}, weights,
      "set every Conv to weights int4 per-group of 32 along axis 1",
      R"("backend": "generic",
         "op_types": {"Conv": {"weight": {"type": "int4", "granularity": "per-group:1:32"}}})");
  row("everything", R"("nodes": {"/one/conv": "fp32"})", {}, none, "set everything to float",
      R"("default": "fp32", "nodes": {"/one/conv": "fp32"})");
  row("a pattern goes before the others", R"("patterns": [{"match": ".*", "use": "fp32"}])",
      {Kind::Pattern, {".*conv"}}, none, "set names like .*conv to float",
      R"("patterns": [{"match": ".*conv", "use": "fp32"}, {"match": ".*", "use": "fp32"}])");
  row("a scope beats the entries inside it", R"("nodes": {"/one/conv": {}, "/two/add": {}})",
      {Kind::Scope, {"/two"}}, none, "set scope /two to float",
      R"("patterns": [{"match": "/two[/.].*", "use": "fp32"}],
         "nodes": {"/one/conv": {}, "/two/add": "fp32"})");
}

void ConfigEditTest::whatAnEditMakes() {
  QFETCH(QString, before);
  QFETCH(ConfigEdit, edit);
  QFETCH(QString, sentence);
  QFETCH(QString, after);
  QCOMPARE(QString::fromStdString(edit.sentence), sentence);
  const Configuration made = edit.apply(configurationWith(before.toUtf8().constData()));
  QCOMPARE(QString::fromStdString(toJson(made)),
           QString::fromStdString(toJson(configurationWith(after.toUtf8().constData()))));
}

void ConfigEditTest::anyEditLeadsBack() {
  constexpr int kEdits = 500;
  const auto graph = network();
  Random random(7);
  std::vector<Configuration> states{
      configurationWith(R"("op_types": {"Add": "fp32", "Conv": {"weight": {"type": "int4"}}},
               "patterns": [{"match": "/two.*", "use": "fp32"}, {"match": ".*relu", "use": {}}],
               "nodes": {"/two/add": "fp32", "/one/conv": {}},
               "encodings": {"w": {"type": "int8", "scale": [0.5]},
                             "/one/relu": {"type": "uint8", "scale": [0.25], "zero_point": [3]}},
               "repairs": {"equalize": {"/two/conv": [1, 2]}})")};
  std::vector<ConfigEdit> inverses;
  for (int i = 0; i < kEdits; ++i) {
    const ConfigEdit edit = anyEdit(random, states.back(), *graph);
    QVERIFY2(writtenAndRead(edit) == edit, toJson(edit).dump().c_str());
    inverses.push_back(edit.inverse(states.back()));
    states.push_back(edit.apply(states.back()));
    const Configuration& now = states.back();
    QVERIFY2(parseConfiguration(toJson(now), "again") == now, toJson(now).c_str());
  }
  Configuration config = states.back();
  for (std::size_t i = inverses.size(); i > 0; --i) {
    QVERIFY(writtenAndRead(inverses[i - 1]) == inverses[i - 1]);
    config = inverses[i - 1].apply(config);
    QVERIFY2(config == states[i - 1], std::to_string(i).c_str());
    QCOMPARE(toJson(config), toJson(states[i - 1]));
  }
}

void ConfigEditTest::continuedEditsAreOne() {
  const auto graph = network();
  const Configuration before;
  const PrecisionTarget node{PrecisionTarget::Kind::Nodes, {"/one/conv"}};
  const auto drag = [&](const Configuration& config, float high) {
    PrecisionFields fields;
    fields.activation.range = Range{0, high, false};
    return setPrecision(config, *graph, node, fields);
  };
  const ConfigEdit first = drag(before, 1);
  const ConfigEdit second = drag(first.apply(before), 2);
  const std::optional<ConfigEdit> merged = mergedEdit(first, second);
  QVERIFY(merged.has_value());
  QVERIFY(merged->apply(before) == second.apply(first.apply(before)));
  QVERIFY(merged->inverse(before).apply(merged->apply(before)) == before);
  QVERIFY(!mergedEdit(first, setBackend("generic")));
  QVERIFY(!mergedEdit(setEncoding({"a", {}}, {QuantType::Int8, {1}, {0}}),
                      setEncoding({"b", {}}, {QuantType::Int8, {1}, {0}})));
}

void ConfigEditTest::oneConfigurationBecomesAnother() {
  const auto graph = network();
  Random random(11);
  Configuration before;
  for (int i = 0; i < 200; ++i) {
    Configuration after = before;
    for (int step = 0; step < 4; ++step) after = anyEdit(random, after, *graph).apply(after);
    const ConfigEdit edit = editBetween(before, after, "read a file");
    QVERIFY(edit.apply(before) == after);
    QVERIFY(edit.inverse(before).apply(after) == before);
    QCOMPARE(edit.steps.empty(), before == after);
    before = after;
  }
}

void ConfigEditTest::idsFollowTheContent() {
  const auto graph = network();
  Random random(13);
  std::map<std::string, ContentId> known;
  std::set<ContentId> ids;
  Configuration config;
  for (int i = 0; i < 300; ++i) {
    config = anyEdit(random, config, *graph).apply(config);
    const std::string text = toJson(config);
    const ContentId id = config.id();
    QVERIFY(known.try_emplace(text, id).first->second == id);
    ids.insert(id);
    QVERIFY(parseConfiguration(text, "again").id() == id);
  }
  QCOMPARE(ids.size(), known.size());
  QVERIFY(ids.size() > 100);
  // A part that stays is shared, and keeps its id.
  const Configuration other = setBackend("fbgemm").apply(config);
  QVERIFY(&*other.encodings == &*config.encodings);
  QVERIFY(other.encodings.id() == config.encodings.id());
  QVERIFY(other.precision.id() != config.precision.id());
}

void ConfigEditTest::damagedEditsAreRefused_data() {
  QTest::addColumn<QString>("step");
  QTest::addColumn<QString>("what");
  const auto row = [](const char* name, const char* step, const char* what) {
    QTest::newRow(name) << QString(step) << QString(what);
  };
  row("key", R"({"set": "node", "name": "a"})", "'steps[0].set' is the unknown key 'node'");
  row("no name", R"({"set": "nodes"})", "'steps[0]' has no key 'name'");
  row("a name too many", R"({"set": "default", "name": "a", "value": {}})",
      "'steps[0].name' has no meaning");
  row("no value", R"({"set": "backend"})", "'steps[0]' has no value");
  row("precision", R"({"set": "nodes", "name": "a", "value": "fp16"})",
      "'steps[0].value' is the unknown precision 'fp16'");
  row("expression", R"({"set": "patterns", "name": "("})",
      "'steps[0].name' is not a valid pattern");
  row("position", R"({"set": "nodes", "name": "a", "position": -1})",
      "'steps[0].position' is negative");
}

void ConfigEditTest::damagedEditsAreRefused() {
  QFETCH(QString, step);
  QFETCH(QString, what);
  const std::string source = "journal";
  const std::string whole = "the edit";
  const JsonReader::Json json =
      JsonReader::Json::parse((R"({"sentence": "", "steps": [)" + step + "]}").toStdString());
  VERIFY_ERROR(readConfigEdit(JsonReader(json, source, whole)), what.toStdString());
}

QUANTSCOPE_TEST(ConfigEditTest)
#include "test_config_edit.moc"
