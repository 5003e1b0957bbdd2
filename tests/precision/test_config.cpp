#include <QTemporaryDir>
#include <QtTest>
#include <filesystem>

#include "base/error.h"
#include "precision/backend/backend_content.h"
#include "precision/config/configuration.h"
#include "support/test_main.h"
#include "support/write_file.h"

using namespace quantscope;

class ConfigTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void defaults();
  void leftOutKeysKeepTheirDefaults();
  void aRangeOfWeightsIsKept();
  void nodesAreRead();
  void everyTypeIsRead();
  void whatIsWrittenReadsBackTheSame();
  void anOwnBackendIsNamedByItsWholePath();
  void anOwnBackendIsWrittenAsSeenFromTheFile_data();
  void anOwnBackendIsWrittenAsSeenFromTheFile();
  void anOwnBackendCountsByItsContent();
  void mistakesAreNamed_data();
  void mistakesAreNamed();
};

void ConfigTest::defaults() {
  const Configuration config = parseConfiguration(R"({"quantscope": 1})", "config");
  QCOMPARE(config.precision->backend, std::string("x86"));
  QCOMPARE(config.precision->defaults.weight.type, QuantType::Int8);
  QVERIFY(config.precision->defaults.weight.symmetric);
  QCOMPARE(config.precision->defaults.weight.granularity.kind, Granularity::Kind::PerChannel);
  QCOMPARE(config.precision->defaults.activation.type, QuantType::UInt8);
  QVERIFY(!config.precision->defaults.activation.symmetric);
  QVERIFY(!config.precision->defaults.activation.dynamic);
  QVERIFY(config.precision->defaults.output == config.precision->defaults.activation);
}

void ConfigTest::leftOutKeysKeepTheirDefaults() {
  const Configuration config = parseConfiguration(
      R"({"quantscope": 1, "default": {"weight": {"granularity": "per-tensor"},
          "activation": {"range": [-1, 2]}, "output": {"type": "int8", "symmetric": true}}})",
      "config");
  QCOMPARE(config.precision->defaults.weight.type, QuantType::Int8);
  QCOMPARE(config.precision->defaults.weight.granularity.kind, Granularity::Kind::PerTensor);
  QVERIFY(config.precision->defaults.activation.range->high == 2);
  QVERIFY(!config.precision->defaults.output.range);  // not that of the activation
}

void ConfigTest::aRangeOfWeightsIsKept() {
  const Configuration config = parseConfiguration(
      R"({"quantscope": 1, "nodes": {"a": {"weight": {"range": [-0.5, 0.25]}}}})", "config");
  const Configuration again = parseConfiguration(toJson(config), "again");
  QVERIFY(again == config);
  const Range range = again.precision->nodes[0].second.weight.range.value();
  QVERIFY(range.low == -0.5F && range.high == 0.25F);
}

void ConfigTest::nodesAreRead() {
  const Configuration config = parseConfiguration(
      R"({"quantscope": 1, "nodes": {"a": "fp32", "b": {"weight": {"type": "int4"}}}})", "config");
  QCOMPARE(config.precision->nodes.size(), std::size_t{2});
  QVERIFY(config.precision->nodes[0].second.float32);
  QCOMPARE(config.precision->nodes[1].second.weight.type, QuantType::Int4);
}

void ConfigTest::everyTypeIsRead() {
  for (int i = 1; i <= static_cast<int>(QuantType::Binary); ++i) {
    const auto type = static_cast<QuantType>(i);
    const std::string quoted = "\"" + std::string(name(type)) + "\"";
    const Configuration config =
        parseConfiguration(R"({"quantscope": 1, "default": {"weight": {"type": )" + quoted +
                               R"(}, "activation": {"type": )" + quoted + "}}}",
                           "config");
    QCOMPARE(config.precision->defaults.weight.type, type);
    QCOMPARE(config.precision->defaults.activation.type, type);
    QCOMPARE(config.precision->defaults.output.type, type);
    // Activations are asymmetric by default, which only integers can be.
    QCOMPARE(config.precision->defaults.activation.symmetric, !isInteger(type));
    QVERIFY(parseConfiguration(toJson(config), "again").precision->defaults ==
            config.precision->defaults);
  }
}

void ConfigTest::whatIsWrittenReadsBackTheSame() {
  const Configuration config = parseConfiguration(
      R"({"quantscope": 1, "convention": "pytorch", "calibration_samples": 12,
          "default": {"weight": {"type": "int4", "granularity": "per-group:1:32", "qmin": -7,
                                 "observer": "mse"},
                      "activation": {"observer": "moving-average:0.1", "mode": "static"}},
          "nodes": {"/x": "fp32", "/y": {"activation": {"mode": "dynamic"}}}})",
      "config");
  const Configuration again = parseConfiguration(toJson(config), "again");
  QVERIFY(again.precision->defaults == config.precision->defaults);
  QVERIFY(again.precision->nodes == config.precision->nodes);
  QCOMPARE(again.precision->convention, config.precision->convention);
  QCOMPARE(again.precision->calibrationSamples, config.precision->calibrationSamples);
  QCOMPARE(toJson(again), toJson(config));
}

// So that it is found from any working folder.
void ConfigTest::anOwnBackendIsNamedByItsWholePath() {
  namespace fs = std::filesystem;
  const QTemporaryDir folder;
  test::writeFile(folder, "cfg/mine.json", "{}");
  test::writeFile(folder, "cfg/c.json", R"({"quantscope": 1, "backend": "mine.json"})");
  test::writeFile(folder, "cfg/shipped.json", R"({"quantscope": 1, "backend": "fbgemm"})");
  test::writeFile(folder, "cfg/gone.json", R"({"quantscope": 1, "backend": "../none.json"})");
  const fs::path place = folder.path().toStdString();
  const auto backendIn = [&](const fs::path& file) {
    return readConfiguration(file).precision->backend;
  };
  const std::string mine = (place / "cfg/mine.json").string();
  QCOMPARE(backendIn(place / "cfg/c.json"), mine);
  QCOMPARE(backendIn(fs::relative(place / "cfg/c.json")), mine);
  QCOMPARE(backendIn(place / "cfg/shipped.json"), std::string("fbgemm"));
  QCOMPARE(backendIn(place / "cfg/gone.json"), (place / "none.json").string());
  // One beside the configuration goes before one in the working folder, which is found as well.
  const fs::path before = fs::current_path();
  fs::create_directory(place / "work");
  test::writeFile(folder, "work/mine.json", "{}");
  test::writeFile(folder, "work/other.json", "{}");
  test::writeFile(folder, "cfg/other_c.json", R"({"quantscope": 1, "backend": "other.json"})");
  fs::current_path(place / "work");
  const std::string beside = backendIn("../cfg/c.json");
  const std::string here = backendIn("../cfg/other_c.json");
  fs::current_path(before);
  QCOMPARE(fs::weakly_canonical(beside).string(), fs::weakly_canonical(mine).string());
  QCOMPARE(fs::weakly_canonical(here).string(),
           fs::weakly_canonical(place / "work/other.json").string());
}

void ConfigTest::anOwnBackendIsWrittenAsSeenFromTheFile_data() {
  QTest::addColumn<QString>("backend");
  QTest::addColumn<QString>("written");
  QTest::newRow("beside") << "/p/mine.json"
                          << "mine.json";
  QTest::newRow("in a folder") << "/p/backends/mine.json"
                               << "backends/mine.json";
  QTest::newRow("elsewhere") << "/q/mine.json"
                             << "../q/mine.json";
  QTest::newRow("with the name of a shipped one") << "/p/x86"
                                                  << "./x86";
  QTest::newRow("without a dot") << "/p/mine"
                                 << "./mine";
  QTest::newRow("a shipped one") << "x86"
                                 << "x86";
}

void ConfigTest::anOwnBackendIsWrittenAsSeenFromTheFile() {
  QFETCH(QString, backend);
  Configuration config;
  config.precision.edit([&](PrecisionConfig& types) { types.backend = backend.toStdString(); });
  QTEST(QString::fromStdString(configurationFor("/p/c.json", config).precision->backend),
        "written");
}

void ConfigTest::anOwnBackendCountsByItsContent() {
  const QTemporaryDir folder;
  const auto idWith = [](const std::string& backend) {
    Configuration config;
    config.precision.edit([&](PrecisionConfig& types) { types.backend = backend; });
    return namedByContent(config).id();
  };
  const ContentId one = idWith(test::writeFile(folder, "one/mine.json", "1"));
  QVERIFY(idWith(test::writeFile(folder, "two/mine.json", "1")) == one);
  QVERIFY(idWith(test::writeFile(folder, "two/mine.json", "2")) != one);
  QVERIFY(idWith("x86") == Configuration().id());
}

void ConfigTest::mistakesAreNamed_data() {
  QTest::addColumn<QByteArray>("json");
  QTest::addColumn<QString>("named");
  const auto row = [](const char* name, const char* json, const char* named) {
    QTest::newRow(name) << QByteArray(json) << QString(named);
  };
  row("not JSON", "{\"quantscope\": 1,", "line 1");
  row("where it is no JSON", "{\"quantscope\": 1,\n  \"bias\" \"int32\"}", "line 2, column 16");
  row("no object", "[1]", "is not an object");
  row("no version", "{}", "version");
  row("another version", R"({"quantscope": 2})", "version");
  row("unknown key", R"({"quantscope": 1, "defualt": {}})", "'defualt'");
  row("unknown inner key", R"({"quantscope": 1, "default": {"weight": {"typ": "int8"}}})",
      "'default.weight'");
  row("key of the other kind", R"({"quantscope": 1, "default": {"weight": {"mode": "static"}}})",
      "'mode'");
  row("key twice", R"({"quantscope": 1, "nodes": {"a": "fp32", "a": {}}})", "\"a\"");
  row("unknown type", R"({"quantscope": 1, "default": {"weight": {"type": "int7"}}})", "int7");
  row("unknown precision", R"({"quantscope": 1, "nodes": {"a": "fp23"}})", "'nodes.a'");
  row("unknown granularity",
      R"({"quantscope": 1, "default": {"weight": {"granularity": "per-row"}}})", "per-row");
  row("group of nothing",
      R"({"quantscope": 1, "default": {"weight": {"granularity": "per-group:0:0"}}})",
      "per-group:0:0");
  row("unknown observer", R"({"quantscope": 1, "default": {"activation": {"observer": "guess"}}})",
      "guess");
  row("range upside down", R"({"quantscope": 1, "default": {"activation": {"range": [2, 1]}}})",
      "default.activation.range");
  row("range of half weights",
      R"({"quantscope": 1, "default": {"weight": {"type": "fp16", "range": [0, 1]}}})",
      "default.weight.range");
  row("range of a dynamic edge",
      R"({"quantscope": 1, "default": {"activation": {"range": [0, 1], "mode": "dynamic"}}})",
      "dynamic");
  row("code beyond the type",
      R"({"quantscope": 1, "default": {"weight": {"type": "int4", "qmax": 8}}})", "int4");
  row("limits of a type without codes",
      R"({"quantscope": 1, "default": {"weight": {"type": "fp8e4m3", "qmax": 8}}})", "fp8e4m3");
  row("activation codes beyond the type",
      R"({"quantscope": 1, "default": {"activation": {"qmax": 256}}})", "activation.qmax");
  row("no codes between", R"({"quantscope": 1, "default": {"activation": {"qmin": 255}}})",
      "qmin that is not below its qmax");
  row("symmetric below 0", R"({"quantscope": 1, "default": {"weight": {"qmax": -1}}})",
      "no code above its zero point");
  row("symmetric, two codes",
      R"({"quantscope": 1, "default": {"activation": {"symmetric": true, "qmax": 1}}})",
      "no code above its zero point");
  row("equalization ratio of 1", R"({"quantscope": 1, "detectors": {"equalization_ratio": 1}})",
      "detectors.equalization_ratio");
  row("equalization ratio of 0", R"({"quantscope": 1, "detectors": {"equalization_ratio": 0}})",
      "detectors.equalization_ratio");
  row("a code beyond 64 bits",
      R"({"quantscope": 1, "default": {"weight": {"qmin": 18446744073709551615}}})",
      "'default.weight.qmin' is too large");
  row("an axis beyond 64 bits",
      R"({"quantscope": 1, "encodings": {"w": {"type": "int8", "scale": [1],
          "axis": 18446744073709551615}}})",
      "'encodings.w.axis' is too large");
  row("axis below 0", R"({"quantscope": 1, "detectors": {"channel_axis": -1}})",
      "detectors.channel_axis");
  row("half an axis", R"({"quantscope": 1, "detectors": {"channel_axis": 1.5}})",
      "detectors.channel_axis");
  row("asymmetric float format",
      R"({"quantscope": 1, "default": {"activation": {"type": "bf16", "symmetric": false}}})",
      "default.activation.symmetric");
  row("asymmetric binary",
      R"({"quantscope": 1, "default": {"weight": {"type": "binary", "symmetric": false}}})",
      "default.weight.symmetric");
  row("range of a type without scale",
      R"({"quantscope": 1, "default": {"activation": {"type": "fp16", "range": [0, 1]}}})",
      "default.activation.range");
  row("ternary activations per channel",
      R"({"quantscope": 1, "default": {"activation": {"type": "ternary",
          "granularity": "per-channel:1"}}})",
      "default.activation.granularity");
  row("boolean as text", R"({"quantscope": 1, "default": {"weight": {"symmetric": "yes"}}})",
      "default.weight.symmetric");
  row("unknown bias", R"({"quantscope": 1, "bias": "int16"})", "int32-fit");
  row("samples below zero", R"({"quantscope": 1, "calibration_samples": -1})",
      "calibration_samples");
  row("an operator's unknown key", R"({"quantscope": 1, "op_types": {"Conv": {"weigth": {}}}})",
      "'op_types.Conv'");
  row("operators as a list", R"({"quantscope": 1, "op_types": ["Conv"]})", "'op_types'");
  row("patterns as an object", R"({"quantscope": 1, "patterns": {".*": "fp32"}})", "'patterns'");
  row("a pattern without use", R"({"quantscope": 1, "patterns": [{"match": ".*"}]})", "'use'");
  row("a pattern's unknown key",
      R"({"quantscope": 1, "patterns": [{"match": "a", "use": {}, "nodes": 1}]})", "patterns[0]");
  row("no expression",
      R"({"quantscope": 1, "patterns": [{"match": "a", "use": {}}, {"match": "[", "use": {}}]})",
      "'patterns[1].match'");
  row("unknown threshold", R"({"quantscope": 1, "detectors": {"outliers": 3}})", "'outliers'");
  row("threshold out of range", R"({"quantscope": 1, "detectors": {"batches_used": 1.5}})",
      "detectors.batches_used");
  row("threshold of nothing", R"({"quantscope": 1, "detectors": {"outlier_ratio": 0}})",
      "detectors.outlier_ratio");
}

void ConfigTest::mistakesAreNamed() {
  QFETCH(QByteArray, json);
  QFETCH(QString, named);
  try {
    parseConfiguration(json.toStdString(), "my.json");
    QFAIL("accepted");
  } catch (const Error& error) {
    QCOMPARE(error.code(), ErrorCode::InvalidConfiguration);
    const QString text = error.what();
    QVERIFY2(text.contains(named), qPrintable(text));
    QVERIFY2(text.contains("my.json"), qPrintable(text));
    QVERIFY(!error.remedy().empty());
  }
}

QUANTSCOPE_TEST(ConfigTest)
#include "test_config.moc"
