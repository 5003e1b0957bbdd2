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

 private:
  QString file(const QString& name) const { return m_folder->filePath(name); }
  QString write(const char* name, const char* json) const {
    return QString::fromStdString(writeFile(*m_folder, name, json));
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
  const Outcome json = runCli({"config", "diff", before, after, "--json", "-"});
  QCOMPARE(nlohmann::json::parse(json.out.toStdString()),
           (nlohmann::json{{"changes", {sentence.toStdString()}}}));
  const Outcome same = runCli({"config", "diff", before, before});
  QVERIFY2(same.status == 0 && same.out == "both say the same\n", describe(same));
}

void ConfigCommandTest::diffOfWhatIsNone() {
  const QString good = write("a.json", R"({"quantscope": 1})");
  const QString bad =
      write("b.json", R"({"quantscope": 1, "patterns": [{"match": "(", "use": {}}]})");
  const QByteArray pattern =
      faultOfRefusal(runCli({"config", "diff", good, bad}), "patterns[0].match", "ECMAScript");
  QVERIFY2(pattern.isEmpty(), pattern);
  const QByteArray missing =
      faultOfRefusal(runCli({"config", "diff", good, file("none.json")}), "none.json", "");
  QVERIFY2(missing.isEmpty(), missing);
  const Outcome half = runCli({"config", "diff", good});
  QVERIFY2(half.status == 2 && half.err.contains("AFTER is required"), describe(half));
}

QUANTSCOPE_TEST(ConfigCommandTest)
#include "test_config_command.moc"
