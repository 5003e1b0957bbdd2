#include <QTemporaryDir>
#include <QtTest>
#include <cmath>
#include <csignal>

#include "cli/command_line.h"
#include "support/test_main.h"
#include "support/write_file.h"

using namespace quantscope::test;
using nlohmann::json;

/// `repair`: what it writes, what it says, and what it refuses.
class RepairCommandTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void init() { m_folder = std::make_unique<QTemporaryDir>(); }
  void writesModelConfigurationAndReport();
  void isMeasuredAgainstTheOriginal();
  void stepsAreChosen();
  void onlySomeLayers();
  void trainsAsChosen();
  void timeIsUp();
  void interruptedItKeepsWhatWasWon_data();
  void interruptedItKeepsWhatWasWon();
  void outMustBeWritable();
  void sameForAnyThreads();
  void isTimed();
  void wrongUsage_data();
  void wrongUsage();

 private:
  QString file(const QString& name) const { return m_folder->filePath(name); }
  QStringList repairOf(const QString& samples, const QString& out) const {
    return {"repair",    sampleFile("digits_mobilenet.onnx"),
            "--data",    sampleFile("digits_mobilenet.npz"),
            "--samples", samples,
            "--config",  file("c.json"),
            "--out",     file(out)};
  }
  void writeConfig() const {
    writeFile(*m_folder, "c.json",
              R"({"quantscope": 1, "default": {"weight": {"granularity": "per-tensor"}}})");
  }
  std::unique_ptr<QTemporaryDir> m_folder;
};

void RepairCommandTest::writesModelConfigurationAndReport() {
  writeConfig();
  const Outcome outcome = runCli(
      repairOf("32", "r") + QStringList{"--labels", sampleFile("digits_mobilenet.labels.npy")});
  QVERIFY2(outcome.status == 0 && outcome.err.isEmpty(), describe(outcome));
  QVERIFY2(outcome.out.contains("24 samples to fit to, 8 held out"), describe(outcome));
  const json report = readJson(file("r/repair.json"));
  QVERIFY(report.at("start").at("outputs_db").is_array());
  QVERIFY(report.at("end").at("outputs_db")[0] > report.at("start").at("outputs_db")[0]);
  bool any = false;
  for (const json& step : report.at("steps")) {
    for (const char* key :
         {"step", "nodes", "inserted", "bytes", "gain_calibration_db", "gain_held_out_db", "kl",
          "top1_agreement", "seconds", "kept", "reason"}) {
      QVERIFY2(step.contains(key), key);
    }
    any = any || step.at("kept").get<bool>();
  }
  QVERIFY(any);
  QVERIFY(report.at("original").at("file").get<std::string>().ends_with("/digits_mobilenet.onnx"));
  QCOMPARE(report.at("original").at("content").get<std::string>().size(), std::size_t{32});
  // What is written can be analysed like any model.
  const Outcome run =
      runCli({"analyze", file("r/model.onnx"), "--data", sampleFile("digits_mobilenet.npz"),
              "--samples", "4", "--config", file("r/config.json"), "--out", file("out")});
  QVERIFY2(run.status == 0, describe(run));
}

// The repaired float network makes up for quantization: only the original says what was won.
void RepairCommandTest::isMeasuredAgainstTheOriginal() {
  writeFile(*m_folder, "c.json", R"({"quantscope": 1, "backend": "generic",
      "default": {"weight": {"type": "int4", "granularity": "per-tensor"}}})");
  const Outcome outcome = runCli(repairOf("16", "r") + QStringList{"--steps", "equalize,clip"});
  QVERIFY2(outcome.status == 0 && outcome.out.contains("--against"), describe(outcome));
  const json promised = readJson(file("r/repair.json")).at("end").at("outputs_db")[0];
  const QStringList analyze{"analyze",   file("r/model.onnx"),
                            "--data",    sampleFile("digits_mobilenet.npz"),
                            "--samples", "16",
                            "--config",  file("r/config.json"),
                            "--out",     file("out")};
  const auto measured = [&] { return readJson(file("out/report.json")); };
  const Outcome run =
      runCli(analyze + QStringList{"--against", sampleFile("digits_mobilenet.onnx")});
  QVERIFY2(run.status == 0 && run.err.contains("outputs are compared with those of"),
           describe(run));
  QVERIFY(std::abs(measured().at("outputs")[0].at("sqnr_db").get<double>() -
                   promised.get<double>()) < 1e-3);
  QVERIFY(measured().contains("against"));
  QCOMPARE(runCli(analyze).status, 0);
  QVERIFY(measured().at("outputs")[0].at("sqnr_db") < promised);
  const Outcome other =
      runCli(analyze + QStringList{"--against", sampleFile("digits_transformer.onnx")});
  QVERIFY2(other.status == 1 && other.err.contains("the original model"), describe(other));
}

void RepairCommandTest::stepsAreChosen() {
  writeConfig();
  const Outcome outcome =
      runCli(repairOf("16", "r") + QStringList{"--steps", "bias-correction,clip", "--json", "-"});
  QVERIFY2(outcome.status == 0, describe(outcome));
  const json report = json::parse(outcome.out.toStdString());
  QCOMPARE(report.at("steps").size(), std::size_t{2});
  QCOMPARE(report.at("steps")[0].at("step"), json("clip"));
  QCOMPARE(report.at("steps")[1].at("step"), json("bias-correction"));
}

void RepairCommandTest::onlySomeLayers() {
  writeConfig();
  const QStringList steps = {"--steps", "bias-correction", "--json", "-"};
  const Outcome everywhere = runCli(repairOf("16", "all") + steps);
  QVERIFY2(everywhere.status == 0, describe(everywhere));
  QVERIFY(json::parse(everywhere.out.toStdString()).at("steps")[0].at("nodes") > 1);
  const json inspected = json::parse(
      runCli({"inspect", sampleFile("digits_mobilenet.onnx"), "--json", "-"}).out.toStdString());
  QString layer;
  for (const json& node : inspected.at("nodes")) {
    if (node.at("op") == "Conv") layer = QString::fromStdString(node.at("name"));
  }
  const Outcome one = runCli(repairOf("16", "one") + steps + QStringList{"--only", layer});
  QVERIFY2(one.status == 0, describe(one));
  const json step = json::parse(one.out.toStdString()).at("steps")[0];
  QCOMPARE(step.at("nodes"), json(1));
  QCOMPARE(step.at("only"), json::array({layer.toStdString()}));
  QVERIFY(!json::parse(everywhere.out.toStdString()).at("steps")[0].contains("only"));
  const Outcome none = runCli(repairOf("16", "none") + steps + QStringList{"--only", "nowhere"});
  QCOMPARE(none.status, 1);
  QVERIFY2(none.err.contains("nowhere"), describe(none));
}

// As `train` does, with its options.
void RepairCommandTest::trainsAsChosen() {
  writeConfig();
  const Outcome outcome = runCli(
      repairOf("16", "r") + QStringList{"--steps", "train", "--training-steps", "4", "--scales",
                                        "tqt", "--freeze-weights", "--checkpoint", file("c.ckpt")});
  QVERIFY2(outcome.status == 0, describe(outcome));
  QVERIFY(QFile::exists(file("c.ckpt")));
  const json step = readJson(file("r/repair.json")).at("steps")[0];
  QCOMPARE(step.at("step"), json("train"));
  QCOMPARE(step.at("steps_planned"), json(4));
  QCOMPARE(step.at("way"), json(0));
  QVERIFY2(step.at("training") == json({{"steps", 4}, {"scales", "tqt"}, {"keeps_weights", true}}),
           step.dump().c_str());
}

void RepairCommandTest::timeIsUp() {
  writeConfig();
  const Outcome outcome = runCli(repairOf("16", "r") + QStringList{"--time", "0.001"});
  QVERIFY2(outcome.status == 0 && outcome.out.contains("time      is over"), describe(outcome));
  QVERIFY(QFile::exists(file("r/model.onnx")));
}

void RepairCommandTest::interruptedItKeepsWhatWasWon_data() {
  QTest::addColumn<QStringList>("options");
  QTest::newRow("repairs") << QStringList();
  QTest::newRow("and a training with a checkpoint")
      << QStringList{"--steps", "auto,train", "--checkpoint", "c.ckpt"};
}

void RepairCommandTest::interruptedItKeepsWhatWasWon() {
  QFETCH(QStringList, options);
  if (!options.isEmpty()) options.back() = file(options.back());
  writeConfig();
  double seconds = 0;
  const Outcome outcome = interruptCli(repairOf("64", "r") + options, SIGINT, seconds);
  QVERIFY2(outcome.status == 130, describe(outcome));
  QVERIFY(QFile::exists(file("r/model.onnx")));
  const json report = readJson(file("r/repair.json"));
  QVERIFY2(report.at("out_of_time") == true && report.at("stopped") == true, describe(outcome));
  QVERIFY2(outcome.out.contains("what was won so far stays"), describe(outcome));
}

// Told before anything is computed, not after the repair.
void RepairCommandTest::outMustBeWritable() {
  writeConfig();
  QStringList command = repairOf("32", "c.json/r");
  command.replaceInStrings(sampleFile("digits_mobilenet.npz"), "missing.npz");
  const QByteArray fault = faultOfRefusal(runCli(command), "c.json", "--out");
  QVERIFY2(fault.isEmpty(), fault);
}

void RepairCommandTest::sameForAnyThreads() {
  writeConfig();
  QCOMPARE(runCli(repairOf("12", "a") + QStringList{"--threads", "1"}).status, 0);
  QCOMPARE(runCli(repairOf("12", "b") + QStringList{"--threads", "3"}).status, 0);
  QVERIFY(readBytes(file("a/model.onnx")) == readBytes(file("b/model.onnx")));
  QVERIFY(readBytes(file("a/config.json")) == readBytes(file("b/config.json")));
}

void RepairCommandTest::isTimed() {
  const Outcome outcome =
      runCli({"bench", "repair", sampleFile("digits_mobilenet.onnx"), "--data",
              sampleFile("digits_mobilenet.npz"), "--samples", "8", "--json", "-"});
  QVERIFY2(outcome.status == 0, describe(outcome));
  const json result = json::parse(outcome.out.toStdString());
  QCOMPARE(result.at("samples"), json(8));
  QVERIFY(result.at("seconds") > result.at("float_pass_seconds"));
  QVERIFY(result.at("end_db") >= result.at("start_db"));
  QVERIFY(result.at("steps").size() >= 5);
}

void RepairCommandTest::wrongUsage_data() {
  QTest::addColumn<QStringList>("options");
  QTest::addColumn<QString>("expected");
  QTest::newRow("step") << QStringList{"--steps", "clip,polish"}
                        << "'polish' is no step; there are";
  QTest::newRow("empty step") << QStringList{"--steps", "clip,"} << "'' is no step";
  QTest::newRow("time") << QStringList{"--time", "-1"} << "--time";
  QTest::newRow("scales") << QStringList{"--scales", "pact"} << "--scales";
}

void RepairCommandTest::wrongUsage() {
  QFETCH(const QStringList, options);
  QFETCH(const QString, expected);
  writeConfig();
  const Outcome outcome = runCli(repairOf("4", "r") + options);
  QVERIFY2(outcome.status == 2 && outcome.err.contains(expected), describe(outcome));
}

QUANTSCOPE_TEST(RepairCommandTest)
#include "test_repair_command.moc"
