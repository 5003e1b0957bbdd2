#include <QtTest>

#include "precision/config/config_diff.h"
#include "support/test_main.h"

using namespace quantscope;

/// The changes between two configurations, in words.
class ConfigDiffTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void changes_data();
  void changes();
};

void ConfigDiffTest::changes_data() {
  QTest::addColumn<QString>("before");
  QTest::addColumn<QString>("after");
  QTest::addColumn<QStringList>("expected");
  const auto row = [](const char* name, const char* before, const char* after,
                      const QStringList& expected) {
    QTest::newRow(name) << QString(before) << QString(after) << expected;
  };
  const char* int4Node = R"("nodes": {"conv1": {"weight": {"type": "int4",
                             "granularity": "per-group:1:32"}}})";
  row("nothing", R"("nodes": {"a": "fp32"})", R"("nodes": {"a": "fp32"})", {});
  row("another text that says the same", "\"backend\": \"x86\"", "\"default\": {}", {});
  row("a node's weights", R"("nodes": {"conv1": {}})", int4Node,
      {"'conv1' weights: int8 per-channel → int4 per-group of 32"});
  row("a new entry", "\"default\": {}", int4Node,
      {"'conv1' weights: int8 per-channel → int4 per-group of 32"});
  row("an entry that went", int4Node, "\"default\": {}",
      {"'conv1' weights: int4 per-group of 32 → int8 per-channel"});
  row("an entry against the pattern that it overrules",
      R"("patterns": [{"match": "conv.*", "use": {"weight": {"type": "int2"}}}])",
      R"("patterns": [{"match": "conv.*", "use": {"weight": {"type": "int2"}}}],
         "nodes": {"conv1": {"weight": {"type": "int4"}}})",
      {"'conv1' weights: int2 per-channel → int4 per-channel"});
  row("an entry without effect", "\"default\": {}", R"("nodes": {"a": {}})",
      {"'a': an entry was added that says what holds without it"});
  row("to float", R"("nodes": {"a": {}})", R"("nodes": {"a": "fp32"})",
      {"'a': weights int8 symmetric per-channel, activations uint8 asymmetric per-tensor static → "
       "fp32"});
  row("activations", "\"default\": {}", R"("default": {"activation": {"mode": "dynamic"}})",
      {"default activations and outputs: uint8 per-tensor static → uint8 per-tensor dynamic"});
  row("outputs alone", "\"default\": {}", R"("default": {"output": {"type": "int8",
                                              "symmetric": true}})",
      {"default outputs: uint8 asymmetric per-tensor → int8 symmetric per-tensor"});
  row("from float activations", R"("default": {"activation": {"type": "fp16"}})", "\"default\": {}",
      {"default activations and outputs: fp16 → uint8 asymmetric per-tensor static"});
  row("a range and an observer", R"("default": {"activation": {"observer": "kl"}})",
      R"("default": {"activation": {"range": [-0.1, 6]}})",
      {"default activations and outputs: uint8 per-tensor kl → uint8 per-tensor minmax from -0.1 "
       "to 6"});
  row("an axis", R"("default": {"weight": {"granularity": "per-channel:1"}})", "\"default\": {}",
      {"default weights: int8 per-channel along axis 1 → int8 per-channel"});
  row("codes", "\"default\": {}", R"("default": {"weight": {"qmin": -127}})",
      {"default weights: int8 per-channel → int8 per-channel codes -127 to 127"});
  row("operator types", R"("op_types": {"Gelu": "fp32"})",
      R"("op_types": {"LSTM": {"weight": {"type": "int4"}}})",
      {"every Gelu: fp32 → weights int8 symmetric per-channel, activations uint8 asymmetric "
       "per-tensor static",
       "every LSTM weights: int8 per-channel → int4 per-channel"});
  row("patterns in another order",
      R"("patterns": [{"match": "a", "use": "fp32"}, {"match": "b", "use": {}}])",
      R"("patterns": [{"match": "b", "use": {}}, {"match": "a", "use": "fp32"}])",
      {"the patterns are tried in another order"});
  row("joined and split by hand", R"("groups": {"join": [["a", "b"]], "part": ["c"]})",
      R"("groups": {"join": [["a", "b", ["x", "c"]]], "part": [["c", "d"]]})",
      {"the output of 'a' and the output of 'b': no longer merged by hand",
       "the output of 'a', the output of 'b' and the edge from 'x' to 'c': merged by hand",
       "the output of 'c': no longer split by hand", "the edge from 'c' to 'd': split by hand"});
  row("joined in another order", R"("groups": {"part": ["a", "b"]})",
      R"("groups": {"part": ["b", "a"]})",
      {"what is merged or split by hand is listed in another order"});
  row("the rest", "\"default\": {}",
      R"("backend": "fbgemm", "convention": "pytorch", "bias": "int32", "calibration_samples": 8,
         "detectors": {"outlier_ratio": 4.5})",
      {"backend: x86 → fbgemm", "convention: onnx → pytorch", "bias: the backend's → int32",
       "calibration samples: 0 → 8", "detectors outlier_ratio: 3.5 → 4.5"});
}

void ConfigDiffTest::changes() {
  QFETCH(QString, before);
  QFETCH(QString, after);
  QFETCH(QStringList, expected);
  const auto parse = [](const QString& keys) {
    return parseConfiguration(("{\"quantscope\": 1, " + keys + "}").toStdString(), "config");
  };
  QStringList found;
  for (const std::string& change : describeChanges(parse(before), parse(after))) {
    found << QString::fromStdString(change);
  }
  QCOMPARE(found, expected);
}

QUANTSCOPE_TEST(ConfigDiffTest)
#include "test_config_diff.moc"
