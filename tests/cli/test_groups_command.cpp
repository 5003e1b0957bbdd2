#include <QTemporaryDir>
#include <QtTest>

#include "cli/command_line.h"
#include "support/test_main.h"
#include "support/write_file.h"

using namespace quantscope::test;
using nlohmann::json;

class GroupsCommandTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void withoutAModel();
  void withAModel();
  void intoAFile();
  void ofAConfiguration();
  void wrongUsage_data();
  void wrongUsage();
  void refusals_data();
  void refusals();

 private:
  QString annotations(const std::string& text) const {
    return QString::fromStdString(writeFile(m_folder, "annotations.json", text));
  }
  QTemporaryDir m_folder;
};

namespace {}  // namespace

void GroupsCommandTest::withoutAModel() {
  const QString file = annotations(
      R"({"nodes":{"op1":{"output":{"dtype":"int8"}},"op2":{"output":{"dtype":"int8"}},
          "cat":{"inputs":{"op1":{"dtype":"int8"},"op2":{"shared_with":["op1","cat"]}},
                 "output":{"dtype":"int8"}},
          "relu":{"inputs":{"cat":{"dtype":"int8"}},"implicit_sharing":false}}})");
  const Outcome outcome = runCli({"groups", "-", "--annotations", file});
  QVERIFY2(outcome.status == 0 && outcome.err.isEmpty(), describe(outcome));
  QVERIFY2(json::parse(outcome.out.toStdString()) == json::parse(R"({"groups":[
             ["op1","op2",["op1","cat"],["op2","cat"]], ["cat"], [["cat","relu"]]],
             "observers":[
             {"spec":{"dtype":"int8","dynamic":false},"seat":"op1","seats":["op1","op2"]},
             {"spec":{"dtype":"int8","dynamic":false},"seat":"cat","seats":["cat"]},
             {"spec":{"dtype":"int8","dynamic":false},"seat":["cat","relu"],
              "seats":[["cat","relu"]]}]})"),
           describe(outcome));
}

void GroupsCommandTest::withAModel() {
  const QString file = annotations(
      R"({"nodes":{"image":{"output":{"dtype":"uint8"}},
          "/stem/conv/Conv":{"inputs":{"image":{"dtype":"uint8"}},"output":{"dtype":"uint8"}}}})");
  const Outcome outcome = runCli({"groups", sampleNetwork(), "--annotations", file, "--quiet"});
  QVERIFY2(outcome.status == 0 && outcome.err.isEmpty(), describe(outcome));
  QVERIFY2(json::parse(outcome.out.toStdString()) ==
               json::parse(R"({"groups":[["image",["image","/stem/conv/Conv"]],
                                         ["/stem/conv/Conv"]],
             "observers":[
             {"spec":{"dtype":"uint8","dynamic":false},"seat":"image","seats":["image"]},
             {"spec":{"dtype":"uint8","dynamic":false},"seat":"/stem/conv/Conv",
              "seats":["/stem/conv/Conv"]}]})"),
           describe(outcome));
}

void GroupsCommandTest::intoAFile() {
  const QString file = annotations(R"({"nodes":{}})");
  const QString result = m_folder.filePath("groups.json");
  const Outcome outcome = runCli({"groups", "-", "--annotations", file, "--json", result});
  QVERIFY2(outcome.status == 0 && outcome.out.isEmpty(), describe(outcome));
  QVERIFY(readJson(result) == json::parse(R"({"groups":[],"observers":[]})"));
}

// Both operands of the addition stand on one grid there, and so does what reads them.
void GroupsCommandTest::ofAConfiguration() {
  const QString config = QString::fromStdString(writeFile(m_folder, "config.json",
                                                          R"({"quantscope":1,"backend":"qnnpack",
          "op_types":{"Celu":"fp32"},
          "nodes":{"/stem/conv/Conv":{"activation":{"mode":"dynamic"}}}})"));
  const Outcome outcome = runCli({"groups", sampleNetwork(), "--config", config, "--quiet"});
  QVERIFY2(outcome.status == 0, describe(outcome));
  QVERIFY2(outcome.err.contains("notice: 'op_types.Celu' has no effect: the model has no Celu\n") &&
               outcome.err.contains("notice: '/stem/conv/Conv' asks for "),
           describe(outcome));
  const json found = json::parse(outcome.out.toStdString());
  QCOMPARE(found.at("groups").size(), found.at("observers").size());
  QVERIFY2(found.at("groups")[0] == json::parse(R"([["image","/stem/conv/Conv"]])"),
           describe(outcome));
  QVERIFY(found.at("observers")[0] == json::parse(R"({"spec":{"dtype":"uint8","dynamic":true,
      "symmetric":false,"granularity":"per-tensor","observer":"minmax"},
      "seat":["image","/stem/conv/Conv"],"seats":[["image","/stem/conv/Conv"]]})"));
  const bool anyShared = std::ranges::any_of(
      found.at("observers"), [](const json& observer) { return observer.at("seats").size() > 1; });
  QVERIFY(anyShared);
}

void GroupsCommandTest::wrongUsage_data() {
  QTest::addColumn<QStringList>("options");
  QTest::newRow("neither") << QStringList{};
  QTest::newRow("both") << QStringList{"--annotations", "a.json", "--config", "c.json"};
  QTest::newRow("a configuration of no model") << QStringList{"--config", "c.json"};
}

void GroupsCommandTest::wrongUsage() {
  QFETCH(QStringList, options);
  const Outcome outcome = runCli(QStringList{"groups", "-"} + options);
  QVERIFY2(outcome.status == 2 && outcome.out.isEmpty(), describe(outcome));
}

void GroupsCommandTest::refusals_data() {
  QTest::addColumn<QString>("model");
  QTest::addColumn<QByteArray>("text");
  QTest::addColumn<QString>("remedy");
  const auto row = [](const char* name, const QString& model, const char* text,
                      const char* remedy) {
    QTest::newRow(name) << model << QByteArray(text) << QString(remedy);
  };
  row("no JSON", "-", "sharing", "correct the JSON there");
  row("duplicate", "-", R"({"nodes":{"a":{},"a":{}}})", "remove one");
  row("unknown point", "-", R"({"nodes":{"a":{"output":{"shared_with":"b"}}}})",
      "annotate that one too");
  row("circle", "-", R"({"nodes":{"a":{"output":{"shared_with":"a"}}}})", "a dtype of its own");
  row("unknown node", sampleNetwork(), R"({"nodes":{"a":{"output":{"dtype":"int8"}}}})", "inspect");
  row("no such edge", sampleNetwork(),
      R"({"nodes":{"/Flatten":{"inputs":{"image":{"dtype":"int8"}}}}})", "it reads from");
}

void GroupsCommandTest::refusals() {
  QFETCH(QString, model);
  QFETCH(QByteArray, text);
  QFETCH(QString, remedy);
  const QString file = annotations(text.toStdString());
  const QByteArray fault =
      faultOfRefusal(runCli({"groups", model, "--annotations", file}), "annotations.json", remedy);
  QVERIFY2(fault.isEmpty(), fault);
}

QUANTSCOPE_TEST(GroupsCommandTest)
#include "test_groups_command.moc"
