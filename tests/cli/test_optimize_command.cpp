#include <QTemporaryDir>
#include <QtTest>

#include "cli/command_line.h"
#include "support/onnx_bytes.h"
#include "support/test_main.h"
#include "support/write_file.h"

using namespace quantscope::test;
using nlohmann::json;

/// `optimize`: by profiles, by measuring, and what goes with what.
class OptimizeCommandTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void init() { m_folder = std::make_unique<QTemporaryDir>(); }
  void byProfiles();
  void byMeasuring();
  void byTime();
  void timeOutOfReach();
  void mistakesOfTables();
  void outOfReach();
  void typesThatNoLayerTakes();
  void noOutputCanBeComputed();
  void saysItsGap();
  void mistakesOfProfiles();
  void wrongUsage_data();
  void wrongUsage();

 private:
  QString file(const QString& name) const { return m_folder->filePath(name); }
  std::unique_ptr<QTemporaryDir> m_folder;
};

void OptimizeCommandTest::byProfiles() {
  const QString network = sampleFile("digits_mobilenet.onnx");
  const Outcome outcome =
      runCli({"optimize", network, "--criteria", "balanced", "--out", file("c.json")});
  QVERIFY2(outcome.status == 0 && outcome.err.isEmpty(), describe(outcome));
  const QString counts = outcome.out.section('\n', 0, 0);
  QVERIFY2(counts.count(" in ") > 1 && counts.count(", ") == counts.count(" in "),
           describe(outcome));
  const json config = readJson(file("c.json"));
  QCOMPARE(config.at("backend"), json("generic"));
  QVERIFY(config.at("pareto").empty());
  const json& why = config.at("why").at("/stem/conv/Conv");
  QCOMPARE(why.at("source"), json("profile"));
  QCOMPARE(why.at("scheme"), json("int8"));
  // It is a configuration like any other.
  const Outcome run = runCli({"analyze", network, "--data", sampleFile("digits_mobilenet.npz"),
                              "--samples", "2", "--config", file("c.json"), "--out", file("out")});
  QVERIFY2(run.status == 0, describe(run));
}

void OptimizeCommandTest::byMeasuring() {
  const QStringList what{"optimize",  sampleFile("digits_mobilenet.onnx"),
                         "--data",    sampleFile("digits_mobilenet.npz"),
                         "--samples", "8"};
  const Outcome outcome =
      runCli(what + QStringList{"--budget", "bits=12", "--out", file("c.json"), "--json", "-"});
  QVERIFY2(outcome.status == 0 && outcome.err.isEmpty(), describe(outcome));
  const json config = readJson(file("c.json"));
  QVERIFY(json::parse(outcome.out.toStdString()) == config);
  QVERIFY(config.at("pareto").size() > 5);
  for (const char* key : {"bits", "bytes", "speedup", "drop"}) {
    QVERIFY2(config.at("pareto")[0].contains(key), key);
  }
  const json& why = config.at("why").at("/stem/conv/Conv");
  QCOMPARE(why.at("source"), json("measured"));
  // What is fused with it goes with it.
  QCOMPARE(config.at("why").at("/stem/norm/BatchNormalization").at("scheme"), why.at("scheme"));
  const Outcome text = runCli(what + QStringList{"--max-drop", "0.5", "--out", file("d.json")});
  QVERIFY2(text.status == 0 && text.out.contains("chosen ") && text.out.contains(" dB"),
           describe(text));
}

// With a table that is given, nothing of the machine's speed is in the result.
void OptimizeCommandTest::byTime() {
  const QString network = sampleFile("digits_mobilenet.onnx");
  const QString data = sampleFile("digits_mobilenet.npz");
  const Outcome timed = runCli(
      {"bench", "layers", network, "--data", data, "--samples", "1", "--json", file("t.json")});
  QVERIFY2(timed.status == 0, describe(timed));
  json table = readJson(file("t.json"));
  for (json& layer : table.at("layers")) {
    for (auto& [type, time] : layer.items()) time["us"] = type == "int8" ? 10 : 40;
  }
  for (json& conversion : table.at("conversions")) {
    conversion["quantize_us"] = 2;
    conversion["dequantize_us"] = 3;
  }
  table["backend"] = "qnnpack";
  writeFile(*m_folder, "cost.json", table.dump());
  const auto optimize = [&](const QString& out, const QStringList& threads) {
    return runCli(QStringList{"optimize", network, "--data", data, "--samples", "3", "--types",
                              "int8,fp32", "--cost", file("cost.json"), "--budget", "speedup=2",
                              "--out", file(out)} +
                  threads);
  };
  const Outcome outcome = optimize("c.json", {});
  QVERIFY2(outcome.status == 0 && outcome.out.contains("speedup "), describe(outcome));
  const json config = readJson(file("c.json"));
  QVERIFY(config.at("cost").at("layers") == table.at("layers"));
  std::size_t fast = 0;
  for (const json& point : config.at("pareto")) {
    fast += point.at("speedup").get<double>() >= 2;
    QVERIFY(point.at("us").get<double>() > 0);
  }
  QVERIFY(fast > 0);
  // By time no point beats another one, and what was chosen is one of them.
  const json& front = config.at("pareto");
  for (std::size_t i = 1; i < front.size(); ++i) {
    QVERIFY(front[i].at("us").get<double>() > front[i - 1].at("us").get<double>());
  }
  const auto chosen = [](const json& point) { return point.contains("chosen"); };
  QCOMPARE(std::ranges::count_if(front, chosen), 1);
  QVERIFY(std::ranges::find_if(front, chosen)->at("speedup").get<double>() >= 2);
  QVERIFY2(outcome.err.contains("notice: the data are too few to hold some out"),
           describe(outcome));
  QVERIFY2(outcome.err.contains("notice: times that are estimated"), describe(outcome));
  QVERIFY2(outcome.err.contains("notice: the cost table is for the backend qnnpack"),
           describe(outcome));
  // Each reason has the times of its layer.
  for (const json& why : config.at("why")) {
    const std::string text = why.at("text").get<std::string>();
    const auto has = [&](const char* words) { return text.find(words) != std::string::npos; };
    QVERIFY2(has(", it takes 10 µs") && has(", it takes 40 µs"), text.c_str());
    QCOMPARE(why.at("speedup"), json(why.at("scheme") == "int8" ? 4.0 : 1.0));
  }
  const Outcome again = optimize("d.json", {"--threads", "1"});
  QVERIFY2(again.status == 0, describe(again));
  QVERIFY(readBytes(file("c.json")) == readBytes(file("d.json")));
  // It is a configuration like any other.
  const Outcome run = runCli({"analyze", network, "--data", data, "--samples", "2", "--config",
                              file("c.json"), "--out", file("out")});
  QVERIFY2(run.status == 0, describe(run));
}

void OptimizeCommandTest::timeOutOfReach() {
  const Outcome outcome =
      runCli({"optimize", sampleFile("digits_mobilenet.onnx"), "--data",
              sampleFile("digits_mobilenet.npz"), "--samples", "2", "--types", "int8,fp32",
              "--budget", "time=0.000001", "--out", file("c.json")});
  const QByteArray fault = faultOfRefusal(outcome, "no configuration is as fast", "allow more");
  QVERIFY2(fault.isEmpty(), fault);
  QVERIFY(!QFile::exists(file("c.json")));
}

void OptimizeCommandTest::mistakesOfTables() {
  const auto refused = [&](const std::string& table, const QString& place, const QString& remedy) {
    writeFile(*m_folder, "cost.json", table);
    return faultOfRefusal(
        runCli({"optimize", sampleFile("digits_mobilenet.onnx"), "--data",
                sampleFile("digits_mobilenet.npz"), "--samples", "2", "--cost", file("cost.json"),
                "--budget", "bits=12", "--out", file("c.json")}),
        place, remedy);
  };
  QByteArray fault = refused(R"({"quantscope_cost": 1, "layers": {"a": {"fp32": {"us": -1}}}})",
                             "'layers.a.fp32.us'", "write microseconds");
  QVERIFY2(fault.isEmpty(), fault);
  fault = refused(R"({"quantscope_cost": 1, "layers": {"a": {"fp32": {"us": 1e306}}}})",
                  "'layers.a.fp32.us' is too large", "float32");
  QVERIFY2(fault.isEmpty(), fault);
  fault = refused(R"({"quantscope_cost": 1, "layers": {}})", "'layers' has no entry for",
                  "bench layers");
  QVERIFY2(fault.isEmpty(), fault);
}

void OptimizeCommandTest::outOfReach() {
  const Outcome outcome = runCli({"optimize", sampleFile("digits_mobilenet.onnx"), "--data",
                                  sampleFile("digits_mobilenet.npz"), "--samples", "4", "--budget",
                                  "bits=7", "--out", file("c.json")});
  const QByteArray fault = faultOfRefusal(outcome, "no configuration has 7 bits", "allow more");
  QVERIFY2(fault.isEmpty(), fault);
  QVERIFY(!QFile::exists(file("c.json")));
}

void OptimizeCommandTest::typesThatNoLayerTakes() {
  const Outcome outcome = runCli({"optimize", sampleFile("digits_mobilenet.onnx"), "--data",
                                  sampleFile("digits_mobilenet.npz"), "--samples", "2", "--types",
                                  "fp32,int4", "--budget", "bits=12", "--out", file("c.json")});
  const QByteArray fault =
      faultOfRefusal(outcome, "no layer can be set to int4 with x86", "another backend");
  QVERIFY2(fault.isEmpty(), fault);
  const Outcome alone = runCli({"optimize", sampleFile("digits_mobilenet.onnx"), "--data",
                                sampleFile("digits_mobilenet.npz"), "--samples", "2", "--types",
                                "int8,int16", "--budget", "bits=12", "--out", file("c.json")});
  const QByteArray other =
      faultOfRefusal(alone, "no layer can be set to int16 with x86", "another backend");
  QVERIFY2(other.isEmpty(), other);
}

// Nothing would tell one configuration from another.
void OptimizeCommandTest::noOutputCanBeComputed() {
  const OnnxGraph graph{.nodes = {{"Relu", {"x"}, {"y"}, "relu", {}, {}},
                                  {"Odd", {"y"}, {"z"}, "odd", {}, "com.example"}},
                        .inputs = {"x"},
                        .outputs = {"z"},
                        .initializers = {},
                        .functions = {}};
  const QString model =
      QString::fromStdString(writeFile(*m_folder, "model.onnx", onnxModel(graph)));
  writeFile(*m_folder, "generic.json", R"({"quantscope": 1, "backend": "generic"})");
  const QStringList data{model, "--data", "random:2", "--config", file("generic.json")};
  for (const QStringList& command :
       {QStringList{"optimize"} + data + QStringList{"--budget", "bits=6", "--out", file("c.json")},
        QStringList{"sensitivity"} + data +
            QStringList{"--types", "int8", "--json", file("c.json")}}) {
    const QByteArray fault =
        faultOfRefusal(runCli(command), "no output of the model can be computed, because of Odd",
                       "standard ONNX operators");
    QVERIFY2(fault.isEmpty(), fault);
    QVERIFY(!QFile::exists(file("c.json")));
  }
}

// What proposals may be from the best is said, and stands in the file, which reads back.
void OptimizeCommandTest::saysItsGap() {
  const QString network = sampleFile("digits_mobilenet.onnx");
  const QString data = sampleFile("digits_mobilenet.npz");
  const Outcome outcome = runCli({"optimize", network, "--data", data, "--samples", "4", "--budget",
                                  "bits=12", "--out", file("c.json")});
  QVERIFY2(outcome.status == 0 && outcome.out.contains("\ngap       "), describe(outcome));
  const double gap = readJson(file("c.json")).at("gap").get<double>();
  QVERIFY(gap >= 0 && gap < 0.2);
  const Outcome run = runCli({"groups", network, "--config", file("c.json")});
  QVERIFY2(run.status == 0, describe(run));
}

void OptimizeCommandTest::mistakesOfProfiles() {
  writeFile(*m_folder, "p.json",
            R"({"quantscope_profiles": 1, "profiles": {"generic": {"recommended": "int7"}}})");
  const Outcome outcome =
      runCli({"optimize", sampleFile("digits_mobilenet.onnx"), "--criteria", "balanced",
              "--profiles", file("p.json"), "--out", file("c.json")});
  QVERIFY2(outcome.status == 1 && outcome.err.contains("p.json") &&
               outcome.err.contains("'profiles.generic"),
           describe(outcome));
  writeFile(*m_folder, "p.json", "none");
  const Outcome text = runCli({"optimize", sampleFile("digits_mobilenet.onnx"), "--criteria",
                               "balanced", "--profiles", file("p.json"), "--out", file("c.json")});
  const QByteArray fault = faultOfRefusal(text, "the table of profiles is not JSON", "correct");
  QVERIFY2(fault.isEmpty(), fault);
}

void OptimizeCommandTest::wrongUsage_data() {
  QTest::addColumn<QStringList>("options");
  QTest::addColumn<QString>("expected");
  const auto row = [](const char* what, const QStringList& options, const QString& expected) {
    QTest::newRow(what) << options << expected;
  };
  row("no goal", {}, "one of --criteria, --budget and --max-drop");
  row("two goals", {"--criteria", "balanced", "--max-drop", "0.1"},
      "--max-drop: not together with --criteria: only one of");
  row("criteria", {"--criteria", "cheap"}, "are no criteria");
  row("budget", {"--budget", "speed=2"}, "none of bits=B, bytes=N, speedup=X and time=MS");
  row("bits", {"--budget", "bits=-1"}, "'-1' in 'bits=-1' is no number above 0");
  row("speedup", {"--budget", "speedup=0"}, "'0' in 'speedup=0' is no number above 0");
  row("time", {"--budget", "time=fast"}, "'fast' in 'time=fast' is no number above 0");
  row("no number", {"--budget", "bytes="}, "'' in 'bytes=' is no number above 0");
  row("empty list", {"--budget", "bits=8", "--data", "random:2", "--types", ","},
      "--types: the list is empty");
  row("drop", {"--max-drop", "2"}, "no share from 0 to 1");
  row("data with profiles", {"--criteria", "balanced", "--data", "random:2"}, "for measuring");
  row("profiles with a budget", {"--budget", "bits=8", "--data", "random:2", "--strategy", "s"},
      "is about profiles");
  row("no data", {"--budget", "bits=8"}, "--data");
}

void OptimizeCommandTest::wrongUsage() {
  QFETCH(const QStringList, options);
  QFETCH(const QString, expected);
  const Outcome outcome =
      runCli(QStringList{"optimize", sampleFile("digits_mobilenet.onnx"), "--out", file("c.json")} +
             options);
  QVERIFY2(outcome.status == 2 && outcome.err.contains(expected), describe(outcome));
}

QUANTSCOPE_TEST(OptimizeCommandTest)
#include "test_optimize_command.moc"
