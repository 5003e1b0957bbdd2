#include <QDir>
#include <QTemporaryDir>
#include <QtTest>

#include "cli/command_line.h"
#include "project/project_file.h"
#include "support/test_main.h"

using namespace quantscope::test;
using nlohmann::json;

/// `analyze --project` and `project info`: what is analysed is kept, and taken up again.
class ProjectCommandTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void init();
  void resultsAreKept();
  void whatIsNotNamedIsTakenFromIt();
  void aConfigurationBecomesAnEdit();
  void movedAndChangedFiles();
  void repairsAreNamed();
  void badRequests_data();
  void badRequests();
  void aFailureLeavesNothingBehind();

 private:
  QString file(const QString& name) const { return m_folder->filePath(name); }
  Outcome analyze(const QString& out, const QStringList& options) const {
    return runCli(QStringList{"analyze", "--project", file("p.quantscope"), "--out", file(out)} +
                  options);
  }
  json info() const {
    const Outcome outcome = runCli({"project", "info", file("p.quantscope"), "--json", "-"});
    return json::parse(outcome.out.toStdString());
  }
  QStringList named() const {
    return {file("net.onnx"), "--data", file("set.npz"), "--samples", "8"};
  }

  std::unique_ptr<QTemporaryDir> m_folder;
};

void ProjectCommandTest::init() {
  m_folder = std::make_unique<QTemporaryDir>();
  QFile::copy(sampleFile("digits_mobilenet.onnx"), file("net.onnx"));
  QFile::copy(sampleFile("digits_mobilenet.npz"), file("set.npz"));
}

void ProjectCommandTest::resultsAreKept() {
  const Outcome outcome = analyze("out", named() << "--batch"
                                                 << "2"
                                                 << "--detectors"
                                                 << "pytorch");
  QVERIFY2(outcome.status == 0 && outcome.err.isEmpty(), describe(outcome));
  QVERIFY2(outcome.out.contains("project: " + file("p.quantscope")), describe(outcome));
  const json report = readJson(file("out") + "/report.json");
  const json kept = info();
  QCOMPARE(kept.at("model").at("path"), json(file("net.onnx").toStdString()));
  QCOMPARE(kept.at("model").at("state"), json("same"));
  QCOMPARE(kept.at("data").at("state"), json("same"));
  QVERIFY(kept.at("labels").is_null());
  QCOMPARE(kept.at("settings"),
           json({{"batch", 2}, {"seed", 0}, {"detectors", "pytorch"}, {"samples", 8}}));
  const json& analysis = kept.at("analysis");
  QCOMPARE(analysis.at("samples"), json(8));
  QCOMPARE(analysis.at("findings"), json(report.at("findings").size()));
  QVERIFY(analysis.at("outputs")[0].at("sqnr_db") == report.at("outputs")[0].at("sqnr_db"));
  QVERIFY(analysis.at("current") == true && kept.at("errors").at("records") > 100);
  const Outcome text = runCli({"project", "info", file("p.quantscope")});
  QVERIFY2(text.status == 0 && text.out.contains(file("net.onnx")), describe(text));
  QVERIFY2(text.out.contains("8 samples, ") && text.out.contains("SQNR"), describe(text));
}

void ProjectCommandTest::repairsAreNamed() {
  QCOMPARE(analyze("out", named()).status, 0);
  QVERIFY(info().at("repairs").is_null());
  {
    quantscope::ProjectFile project(file("p.quantscope").toStdString());
    quantscope::Document document = project.document();
    document.setRepairs({.configuration = "0123",
                         .steps = {{.step = "equalize", .what = "", .kept = true, .reason = "good"},
                                   {.step = "round", .what = "", .reason = "bad"},
                                   {.step = "adaround", .what = "", .kept = true, .reason = ""}}});
    project.record(document);
  }
  QCOMPARE(info().at("repairs").at("steps").size(), std::size_t{3});
  const Outcome text = runCli({"project", "info", file("p.quantscope")});
  QVERIFY2(text.out.contains("repairs      equalize, adaround\n"), describe(text));
}

void ProjectCommandTest::whatIsNotNamedIsTakenFromIt() {
  QCOMPARE(analyze("first", named()).status, 0);
  const Outcome outcome = analyze("second", {});
  QVERIFY2(outcome.status == 0 && outcome.err.isEmpty(), describe(outcome));
  QVERIFY(readJson(file("first/report.json")) == readJson(file("second/report.json")));
  // The command line beats the project.
  QCOMPARE(analyze("third", {"--samples", "4"}).status, 0);
  QCOMPARE(readJson(file("third/report.json")).at("samples"), json(4));
  QCOMPARE(info().at("analysis").at("samples"), json(4));
  // Other data has nothing of the settings of the first.
  QCOMPARE(analyze("fourth", {"--data", "random:3", "--seed", "5"}).status, 0);
  QCOMPARE(readJson(file("fourth/report.json")).at("samples"), json(3));
  QCOMPARE(info().at("data").at("path"), json("random:3"));
  QCOMPARE(info().at("settings").at("seed"), json(5));
  QCOMPARE(analyze("fifth", {}).status, 0);
  QVERIFY(readJson(file("fifth/report.json")) == readJson(file("fourth/report.json")));
}

void ProjectCommandTest::aConfigurationBecomesAnEdit() {
  QCOMPARE(analyze("first", named()).status, 0);
  const Outcome outcome = analyze("second", {"--config", sampleFile("per_tensor.json")});
  QVERIFY2(outcome.status == 0, describe(outcome));
  const json kept = info();
  QCOMPARE(kept.at("edits"), json(1));
  QCOMPARE(kept.at("history")[0].at("done"), json(true));
  QCOMPARE(kept.at("config").at("default").at("weight").at("granularity"), json("per-tensor"));
  const std::string page = readBytes(file("second/report.html"));
  QVERIFY(page.find("History") != page.npos);
  QVERIFY(page.find("take another configuration") != page.npos);
  // The project's configuration is the one to go on with.
  QCOMPARE(analyze("third", {}).status, 0);
  QVERIFY(readJson(file("second/report.json")) == readJson(file("third/report.json")));
  QCOMPARE(info().at("edits"), json(1));
  const Outcome text = runCli({"project", "info", file("p.quantscope")});
  QVERIFY2(text.out.contains("1 done, 0 undone"), describe(text));
}

void ProjectCommandTest::movedAndChangedFiles() {
  QVERIFY(QDir(m_folder->path()).mkdir("one"));
  const auto inFolder = [&](const QString& folder, const QStringList& more) {
    return runCli(
        QStringList{"analyze", "--project", file(folder + "/p.quantscope"), "--out", file("out")} +
        more);
  };
  for (const char* name : {"net.onnx", "set.npz"}) {
    QVERIFY(QFile::rename(file(name), file(QString("one/") + name)));
  }
  QCOMPARE(inFolder("one", {file("one/net.onnx"), "--data", file("one/set.npz")}).status, 0);
  // All together elsewhere: nothing is amiss.
  QVERIFY(QDir(m_folder->path()).rename("one", "two"));
  const Outcome moved = inFolder("two", {});
  QVERIFY2(moved.status == 0 && moved.err.isEmpty(), describe(moved));
  // The data is another one under the same name.
  QVERIFY(QFile::remove(file("two/set.npz")));
  QVERIFY(QFile::copy(sampleFile("digits_mobilenet.labels.npy"), file("two/set.npz")));
  const Outcome told = runCli({"project", "info", file("two/p.quantscope")});
  QVERIFY2(told.status == 0 && told.out.contains("(has changed)"), describe(told));
  // And then there is none.
  QVERIFY(QFile::remove(file("two/set.npz")));
  const Outcome missing = inFolder("two", {});
  const QByteArray fault = faultOfRefusal(missing, "set.npz", "name it with --data");
  QVERIFY2(fault.isEmpty(), fault);
  QCOMPARE(inFolder("two", {"--data", sampleFile("digits_mobilenet.npz")}).status, 0);
}

void ProjectCommandTest::badRequests_data() {
  QTest::addColumn<QByteArray>("bytes");
  QTest::addColumn<QString>("told");
  QTest::newRow("text") << QByteArray("hello") << "is no project of Quantscope";
  QTest::newRow("empty") << QByteArray() << "is no project of Quantscope";
}

void ProjectCommandTest::badRequests() {
  QFETCH(QByteArray, bytes);
  QFETCH(QString, told);
  QFile broken(file("p.quantscope"));
  QVERIFY(broken.open(QFile::WriteOnly));
  broken.write(bytes);
  broken.close();
  for (const Outcome& outcome :
       {analyze("out", named()), runCli({"project", "info", file("p.quantscope")})}) {
    const QByteArray fault = faultOfRefusal(outcome, "p.quantscope", "choose another file");
    QVERIFY2(fault.isEmpty(), fault);
    QVERIFY2(outcome.err.contains(told), describe(outcome));
  }
  QCOMPARE(readBytes(file("p.quantscope")), bytes.toStdString());
}

void ProjectCommandTest::aFailureLeavesNothingBehind() {
  // Nothing is known of a project that is not there.
  const Outcome unnamed = analyze("out", {});
  QVERIFY2(faultOfRefusal(unnamed, "p.quantscope", "analyze MODEL").isEmpty(), describe(unnamed));
  const Outcome failed = analyze("out", {file("none.onnx"), "--data", file("set.npz")});
  QVERIFY2(failed.status == 1, describe(failed));
  QVERIFY(!QFile::exists(file("p.quantscope")));
  const Outcome usage = runCli({"analyze", "--out", file("out")});
  QVERIFY2(usage.status == 2 && usage.err.contains("MODEL is required"), describe(usage));
  const Outcome twice = runCli({"analyze", file("net.onnx"), "--data", file("set.npz"), "--out",
                                file("out"), "--project", file("x"), "--json", file("x")});
  QVERIFY2(twice.status == 2, describe(twice));
}

QUANTSCOPE_TEST(ProjectCommandTest)
#include "test_project_command.moc"
