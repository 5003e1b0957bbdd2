#include <QTemporaryDir>
#include <QtTest>

#include "cli/command_line.h"
#include "support/test_main.h"
#include "support/write_file.h"

using namespace quantscope::test;

/// `config diff`, and what the user is told of a configuration that is odd but no mistake.
class ConfigCommandTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void init() { m_folder = std::make_unique<QTemporaryDir>(); }
  void diff();
  void diffOfWhatIsNone();
  void noticesReachTheUser();
  void ownBackend();
  void mistakes_data();
  void mistakes();

 private:
  QString file(const QString& name) const { return m_folder->filePath(name); }
  QString write(const char* name, const char* content) const {
    return QString::fromStdString(writeFile(*m_folder, name, content));
  }
  std::unique_ptr<QTemporaryDir> m_folder;
};

void ConfigCommandTest::diff() {
  const QString before = write("a.json", R"({"quantscope": 1})");
  const QString after = write("b.json", R"({"quantscope": 1, "nodes": {"conv1": {"weight":
      {"type": "int4", "granularity": "per-group:1:32"}}}})");
  const QString sentence = "'conv1' weights: int8 per-channel → int4 per-group of 32";
  const Outcome outcome = runCli({"config", "diff", before, after});
  QVERIFY2(outcome.status == 0, describe(outcome));
  QCOMPARE(outcome.out, sentence + "\n");
  const Outcome changes = runCli({"config", "diff", before, after, "--json", "-"});
  QCOMPARE(nlohmann::json::parse(changes.out.toStdString()),
           (nlohmann::json{{"changes", {sentence.toStdString()}}}));
  const Outcome same = runCli({"config", "diff", before, before});
  QVERIFY2(same.status == 0 && same.out == "both say the same\n", describe(same));
}

void ConfigCommandTest::diffOfWhatIsNone() {
  const QString good = write("a.json", R"({"quantscope": 1})");
  const QString bad =
      write("b.json", R"({"quantscope": 1, "patterns": [{"match": "(", "use": {}}]})");
  const QByteArray pattern =
      faultOfRefusal(runCli({"config", "diff", good, bad}), "patterns[0].match", "PCRE2");
  QVERIFY2(pattern.isEmpty(), pattern);
  const QByteArray missing =
      faultOfRefusal(runCli({"config", "diff", good, file("none.json")}), "none.json", "");
  QVERIFY2(missing.isEmpty(), missing);
  const Outcome half = runCli({"config", "diff", good});
  QVERIFY2(half.status == 2 && half.err.contains("AFTER is required"), describe(half));
}

void ConfigCommandTest::noticesReachTheUser() {
  const QString config = write("c.json", R"({"quantscope": 1, "op_types": {"LSTM": "fp32",
      "Gemm": {"weight": {"type": "int4"}}}})");
  const QStringList data{"--data", "random:1", "--config", config};
  for (const char* command : {"analyze", "run", "calibrate"}) {
    const Outcome outcome = runCli(
        QStringList{command, sampleFile("digits_mobilenet.onnx"), "--out", file(command)} + data);
    QVERIFY2(outcome.status == 0, describe(outcome));
    const QStringList lines = outcome.err.split('\n', Qt::SkipEmptyParts);
    QVERIFY2(lines.size() == 2, describe(outcome));
    QVERIFY2(lines[0].startsWith("notice: 'op_types.LSTM' has no effect"), describe(outcome));
    QVERIFY2(lines[1].contains("weights int4") && lines[1].contains("weights int8"),
             describe(outcome));
  }
  const QStringList asking[] = {{"sensitivity", "--types", "int8", "--json", file("s.json")},
                                {"optimize", "--budget", "bits=9", "--out", file("o.json")},
                                {"repair", "--steps", "clip", "--out", file("repaired")},
                                {"train", "--training-steps", "1", "--out", file("trained")}};
  for (const QStringList& command : asking) {
    const Outcome outcome =
        runCli(command + QStringList{sampleFile("digits_mobilenet.onnx"), "--data", "random:16",
                                     "--config", config});
    QVERIFY2(outcome.status == 0, describe(outcome));
    QVERIFY2(outcome.err.contains("notice: 'op_types.LSTM' has no effect"), describe(outcome));
  }
  const nlohmann::json report = readJson(file("analyze") + "/report.json");
  QCOMPARE(report.at("notices").size(), std::size_t{2});
  QCOMPARE(report.at("not_supported").size(), std::size_t{1});
  const nlohmann::json& entry = report.at("not_supported")[0];
  for (const char* key : {"node", "asked", "nearest", "reason"}) QVERIFY(entry.contains(key));
  QVERIFY(entry.at("asked") == "weights int4 symmetric per-channel");
  QVERIFY(readBytes(file("analyze") + "/report.html").find("op_types.LSTM") != std::string::npos);
}

// A file of one's own lies beside the configuration; in it nothing but Gemm is quantized.
void ConfigCommandTest::ownBackend() {
  write("mine.json", R"({"quantscope_backend": 1, "name": "mine", "tensors": {"t": {"types":
      ["int8"]}}, "ways": [{"operators": ["Gemm"], "mode": "static", "weight": "t",
      "activation": "t"}]})");
  const QString config = write("c.json", R"({"quantscope": 1, "backend": "mine.json",
      "default": {"activation": {"type": "int8", "symmetric": true}}})");
  const Outcome outcome = runCli({"analyze", sampleFile("digits_mobilenet.onnx"), "--data",
                                  "random:1", "--config", config, "--out", file("out")});
  QVERIFY2(outcome.status == 0, describe(outcome));
  const nlohmann::json report = readJson(file("out") + "/report.json");
  for (const nlohmann::json& node : report.at("nodes")) {
    const bool quantized = node.at("weight").is_object() && node.at("weight").at("type") == "int8";
    QCOMPARE(quantized, node.at("op") == "Gemm");
  }
}

void ConfigCommandTest::mistakes_data() {
  QTest::addColumn<QByteArray>("config");
  QTest::addColumn<QString>("place");
  QTest::addColumn<QString>("remedy");
  const auto row = [](const char* name, const char* keys, const char* place, const char* remedy) {
    QTest::newRow(name) << QByteArray("{\"quantscope\": 1, ") + keys + "}" << QString(place)
                        << QString(remedy);
  };
  row("a pattern that matches nothing", R"("patterns": [{"match": "Conv", "use": "fp32"}])",
      "'patterns[0].match' (Conv) matches no node", "inspect");
  row("a pattern that is none", R"("patterns": [{"match": "*", "use": "fp32"}])",
      "'patterns[0].match'", "PCRE2");
  row("a key of the wrong kind", R"("op_types": {"Conv": {"weight": {"mode": "static"}}})",
      "'op_types.Conv.weight' has the unknown key 'mode'", "granularity");
  row("a threshold", R"("detectors": {"batches_used": 2})", "'detectors.batches_used'", "0 to 1");
  row("a backend with a mistake", R"("backend": "broken.json")", "'ways[0].weight'", "add it");
  row("a backend that is not there", R"("backend": "nowhere.json")", "nowhere.json", "");
}

void ConfigCommandTest::mistakes() {
  QFETCH(QByteArray, config);
  QFETCH(QString, place);
  QFETCH(QString, remedy);
  write("broken.json", R"({"quantscope_backend": 1, "name": "b", "tensors": {}, "ways":
      [{"operators": ["Conv"], "mode": "static", "weight": "w"}]})");
  const Outcome outcome =
      runCli({"analyze", sampleFile("digits_mobilenet.onnx"), "--data", "random:1", "--config",
              write("c.json", config), "--out", file("out")});
  const QByteArray fault = faultOfRefusal(outcome, place, remedy);
  QVERIFY2(fault.isEmpty(), fault);
  QVERIFY(!QFile::exists(file("out")));
}

QUANTSCOPE_TEST(ConfigCommandTest)
#include "test_config_command.moc"
