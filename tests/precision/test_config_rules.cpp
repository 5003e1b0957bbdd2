#include <QtTest>

#include "base/error.h"
#include "precision/config/configuration.h"
#include "precision/config/replace_types.h"
#include "precision/config/resolved_config.h"
#include "support/error_text.h"
#include "support/graph_text.h"
#include "support/test_main.h"

using namespace quantscope;
using quantscope::test::graphFromText;

namespace {

std::shared_ptr<const Graph> layers() {
  return graphFromText(R"(
    input x:float[1,1,1,2]
    w:float[1,1,1,1]{1}
    a = Conv(x, w) @/head/conv
    b = Relu(a) @/head/relu
    c = Conv(b, w) @/tail/conv
    y = Conv(c, w) @/tail/conv2
    output y
  )");
}

Configuration configurationFrom(const QString& json) {
  return parseConfiguration(json.toStdString(), "config");
}

QString weights(const char* type) {
  return QString(R"({"weight": {"type": "%1"}})").arg(type);
}

}  // namespace

/// Which rule of a configuration gives a node its precision, and rules that match nothing.
class ConfigRulesTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void theClosestRuleWins_data();
  void theClosestRuleWins();
  void whatMatchesNothing_data();
  void whatMatchesNothing();
  void anOperatorThatIsNotThereIsANotice();
  void coveredEntriesAreNotices_data();
  void coveredEntriesAreNotices();
  void longExpressionsAreRefused();
  void patternsMatchWholeNames_data();
  void patternsMatchWholeNames();
  void bytesThatAreNoTextMatchNothing();
  void noPatternTakesForever();
  void everyKeyIsWrittenAndReadAgain();
  void typesAreReplaced_data();
  void typesAreReplaced();
};

void ConfigRulesTest::theClosestRuleWins_data() {
  QTest::addColumn<QString>("rules");
  QTest::addColumn<QStringList>("expected");  // of conv, relu, tail/conv, tail/conv2
  const auto row = [](const char* name, const QString& rules, const QStringList& expected) {
    QTest::newRow(name) << rules << expected;
  };
  const QString byType = QString(R"("op_types": {"Conv": %1})").arg(weights("int4"));
  row("default only", "\"why\": {}",
      {"int8 default", "int8 default", "int8 default", "int8 default"});
  row("operator type", byType,
      {"int4 op_types.Conv", "int8 default", "int4 op_types.Conv", "int4 op_types.Conv"});
  row("a pattern beats the operator type",
      byType + QString(R"(, "patterns": [{"match": "/tail/.*", "use": %1}])").arg(weights("int16")),
      {"int4 op_types.Conv", "int8 default", "int16 patterns[0] (/tail/.*)",
       "int16 patterns[0] (/tail/.*)"});
  row("the whole name must match",
      QString(R"("patterns": [{"match": "/tail/conv", "use": %1}])").arg(weights("int16")),
      {"int8 default", "int8 default", "int16 patterns[0] (/tail/conv)", "int8 default"});
  row("the first pattern wins",
      QString(R"("patterns": [{"match": ".*2", "use": %1}, {"match": "/(tail|head)/conv\\d?",
               "use": %2}])")
          .arg(weights("int2"), weights("int16")),
      {"int16 patterns[1] (/(tail|head)/conv\\d?)", "int8 default",
       "int16 patterns[1] (/(tail|head)/conv\\d?)", "int2 patterns[0] (.*2)"});
  row("a node beats all",
      byType + QString(R"(, "patterns": [{"match": ".*", "use": %1}],
                       "nodes": {"/tail/conv": "fp32"})")
                   .arg(weights("int16")),
      {"int16 patterns[0] (.*)", "int16 patterns[0] (.*)", "fp32 nodes./tail/conv",
       "int16 patterns[0] (.*)"});
}

void ConfigRulesTest::theClosestRuleWins() {
  QFETCH(QString, rules);
  QFETCH(QStringList, expected);
  const std::shared_ptr<const Graph> graph = layers();
  const Configuration config = configurationFrom("{\"quantscope\": 1, " + rules + "}");
  const ResolvedConfig resolved(*graph, *config.precision);
  QStringList found;
  for (const char* name : {"/head/conv", "/head/relu", "/tail/conv", "/tail/conv2"}) {
    const NodeId node = graph->findNode(name);
    const NodePrecision& precision = resolved[node];
    const std::string type =
        precision.float32 ? "fp32" : std::string(quantscope::name(precision.weight.type));
    found << QString::fromStdString(type + " " + describe(*config.precision, resolved.rule(node)));
  }
  QCOMPARE(found, expected);
}

void ConfigRulesTest::whatMatchesNothing_data() {
  QTest::addColumn<QString>("rules");
  QTest::addColumn<QString>("place");
  QTest::newRow("node") << R"("nodes": {"/nobody": "fp32"})"
                        << "'nodes./nobody'";
  QTest::newRow("pattern")
      << R"("patterns": [{"match": ".*", "use": "fp32"}, {"match": "/head", "use": "fp32"}])"
      << "'patterns[1].match' (/head)";
}

void ConfigRulesTest::whatMatchesNothing() {
  QFETCH(QString, rules);
  QFETCH(QString, place);
  const Configuration config = configurationFrom("{\"quantscope\": 1, " + rules + "}");
  try {
    ResolvedConfig(*layers(), *config.precision);
    QFAIL("accepted");
  } catch (const Error& error) {
    QCOMPARE(error.code(), ErrorCode::InvalidConfiguration);
    QVERIFY2(QString(error.what()).contains(place), error.what());
  }
}

void ConfigRulesTest::anOperatorThatIsNotThereIsANotice() {
  const Configuration config =
      configurationFrom(R"({"quantscope": 1, "op_types": {"Relu": "fp32", "LSTM": "fp32"}})");
  const ResolvedConfig resolved(*layers(), *config.precision);
  QCOMPARE(resolved.notices().size(), std::size_t{1});
  QVERIFY(resolved.notices()[0].find("'op_types.LSTM'") != std::string::npos);
}

void ConfigRulesTest::coveredEntriesAreNotices_data() {
  QTest::addColumn<QString>("rules");
  QTest::addColumn<QStringList>("notices");
  QTest::newRow("a pattern behind another one")
      << R"("patterns": [{"match": "/tail/.*", "use": "fp32"}, {"match": ".*/conv2", "use": {}}])"
      << QStringList{
             "'patterns[1] (.*/conv2)' has no effect: patterns before it and 'nodes' take each "
             "node that it matches"};
  QTest::newRow("a pattern behind a node")
      << R"("patterns": [{"match": ".*/conv2", "use": {}}], "nodes": {"/tail/conv2": "fp32"})"
      << QStringList{
             "'patterns[0] (.*/conv2)' has no effect: patterns before it and 'nodes' take each "
             "node that it matches"};
  QTest::newRow("an operator behind a pattern")
      << R"("op_types": {"Conv": {}}, "patterns": [{"match": ".*conv.*", "use": "fp32"}])"
      << QStringList{
             "'op_types.Conv' has no effect: 'patterns' and 'nodes' take each node that it "
             "matches"};
  QTest::newRow("each takes one") << R"("op_types": {"Conv": {}}, "nodes": {"/tail/conv2": "fp32"},
            "patterns": [{"match": "/tail/.*", "use": "fp32"}])"
                                  << QStringList{};
}

void ConfigRulesTest::coveredEntriesAreNotices() {
  QFETCH(QString, rules);
  QFETCH(QStringList, notices);
  const Configuration config = configurationFrom("{\"quantscope\": 1, " + rules + "}");
  const std::shared_ptr<const Graph> graph = layers();
  const ResolvedConfig resolved(*graph, *config.precision);
  QStringList told;
  for (const std::string& notice : resolved.notices()) told.append(QString::fromStdString(notice));
  QCOMPARE(told, notices);
}

void ConfigRulesTest::longExpressionsAreRefused() {
  QVERIFY(NamePattern("a*").matches(std::string(100 * NamePattern::kLongest, 'a')));
  QVERIFY(NamePattern(std::string(NamePattern::kLongest, 'a')).matches("a") == false);
  VERIFY_ERROR(NamePattern(std::string(NamePattern::kLongest + 1, 'a')), "use at most 1024");
}

void ConfigRulesTest::patternsMatchWholeNames_data() {
  QTest::addColumn<QString>("pattern");
  QTest::addColumn<QString>("name");
  QTest::addColumn<bool>("matches");
  const auto row = [](const char* what, const char* pattern, const char* name, bool matches) {
    QTest::newRow(what) << pattern << name << matches;
  };
  row("the whole name", "/head/conv", "/head/conv", true);
  row("only its beginning", "/head", "/head/conv", false);
  row("only its end", "conv", "/head/conv", false);
  row("the longer alternative", "a|ab", "ab", true);
  row("a digit class", R"(/(tail|head)/conv\d?)", "/tail/conv2", true);
  row("an end before a line end", "a$", "a\n", false);
  row("one character of two bytes", "caf.", "café", true);
  row("a reference back", R"((a)\1)", "aa", true);
  row("a reference back to something else", R"((a)\1)", "ab", false);
  row("looking ahead", "(?!/head/).*", "/tail/conv", true);
  row("looking ahead in vain", "(?!/head/).*", "/head/conv", false);
  row("capitals do not matter", "(?i)CONV", "conv", true);
  row("alternatives that are the same", "(a|a)*b",
      "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", false);
}

void ConfigRulesTest::patternsMatchWholeNames() {
  QFETCH(QString, pattern);
  QFETCH(QString, name);
  QFETCH(bool, matches);
  QCOMPARE(NamePattern(pattern.toStdString()).matches(name.toStdString()), matches);
}

void ConfigRulesTest::bytesThatAreNoTextMatchNothing() {
  QVERIFY(!NamePattern(".").matches("\xff"));
  QVERIFY(!NamePattern("a.*").matches("a\xc3"));
}

// A matcher that goes back over each choice needs 2^60 steps to see that none of them fits.
void ConfigRulesTest::noPatternTakesForever() {
  const NamePattern pattern("(a+)+[bc]");
  QVERIFY(pattern.matches(std::string(60, 'a') + "b"));
  VERIFY_ERROR(pattern.matches(std::string(60, 'a')), "the pattern '(a+)+[bc]' cannot be matched");
}

void ConfigRulesTest::everyKeyIsWrittenAndReadAgain() {
  const Configuration config = configurationFrom(R"({
    "quantscope": 1, "backend": "generic", "convention": "pytorch", "bias": "int32-fit",
    "calibration_samples": 3,
    "detectors": {"equalization_ratio": 0.25, "outlier_ratio": 4, "reference_percentile": 0.99,
                  "dynamic_tolerance": 0.4, "batches_used": 1, "channel_axis": 2},
    "default": {"activation": {"qmin": 1, "qmax": 254}, "output": {"range": [-0.1, 6]}},
    "op_types": {"LSTM": {"activation": {"mode": "dynamic"}}, "Gelu": "fp32"},
    "patterns": [{"match": "/a/\\d+", "use": "fp32"}, {"match": ".*", "use": {}}],
    "nodes": {"/b": {"weight": {"type": "int4", "granularity": "per-group:1:32"}}},
    "why": {"anything": 1}, "pareto": []})");
  QVERIFY(config.detectors->outlierRatio == 4);
  QVERIFY(config.detectors->dynamicTolerance == 0.4);
  QCOMPARE(config.detectors->channelAxis, 2);
  QCOMPARE(config.precision->defaults.activation.highest, std::optional<std::int32_t>(254));
  QVERIFY(!config.precision->defaults.output.lowest);
  const Configuration again = parseConfiguration(toJson(config), "again");
  QVERIFY(again == config);
  QCOMPARE(toJson(again), toJson(config));
  Configuration other = config;
  other.precision.edit([](PrecisionConfig& precision) { precision.patterns.pop_back(); });
  QVERIFY(!(other == config));
}

void ConfigRulesTest::typesAreReplaced_data() {
  QTest::addColumn<QString>("before");
  QTest::addColumn<QString>("type");
  QTest::addColumn<QString>("expected");  // weight, activation, output
  QTest::newRow("int4") << "{}"
                        << "int4"
                        << "int4 uint4 uint4";
  QTest::newRow("uint4") << "{}"
                         << "uint4"
                         << "uint4 uint4 uint4";
  QTest::newRow("int16") << "{}"
                         << "int16"
                         << "int16 uint16 uint16";
  QTest::newRow("fp16") << "{}"
                        << "fp16"
                        << "fp16 fp16 fp16";
  QTest::newRow("ternary") << "{}"
                           << "ternary"
                           << "ternary ternary ternary";
  QTest::newRow("fp32") << "{}"
                        << "fp32"
                        << "float";
  QTest::newRow("signed activations") << R"({"activation": {"type": "int8", "symmetric": true}})"
                                      << "int4"
                                      << "int4 int4 int4";
  QTest::newRow("weights only") << R"({"activation": {"type": "fp32"}})"
                                << "int4"
                                << "int4 fp32 fp32";
  QTest::newRow("out of float") << "\"fp32\""
                                << "int4"
                                << "int4 uint4 uint4";
}

void ConfigRulesTest::typesAreReplaced() {
  QFETCH(QString, before);
  QFETCH(QString, type);
  QFETCH(QString, expected);
  PrecisionConfig config =
      *configurationFrom("{\"quantscope\": 1, \"default\": " + before + "}").precision;
  config.defaults = withType(config.defaults, *quantTypeFromName(type.toStdString()));
  QStringList found;
  for (const TensorPrecision* tensor :
       {&config.defaults.weight, &config.defaults.activation, &config.defaults.output}) {
    found << QString::fromStdString(std::string(name(tensor->type)));
  }
  QCOMPARE(config.defaults.float32 ? "float" : found.join(' '), expected);
  // Whatever it is, it can be written to a file and read.
  QVERIFY(parseConfiguration(toJson(config), "again").precision->defaults.float32 ==
          config.defaults.float32);
}

QUANTSCOPE_TEST(ConfigRulesTest)
#include "test_config_rules.moc"
