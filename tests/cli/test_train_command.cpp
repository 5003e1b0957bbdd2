#include <QElapsedTimer>
#include <QProcess>
#include <QTemporaryDir>
#include <QtTest>
#include <csignal>

#include "cli/command_line.h"
#include "support/test_main.h"
#include "support/test_paths.h"
#include "support/write_file.h"

using namespace quantscope::test;
using nlohmann::json;

namespace {

// What a training may come to where what is before it leaves little to win.
bool isNothingBetter(const json& step) {
  return step.at("kept") == false && step.at("reason") == "no state was better than the start";
}

}  // namespace

/// `train`: what it writes, what it refuses, and that a kill costs nothing but time.
class TrainCommandTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void init();
  void writesModelConfigurationAndReport();
  void exportsAndVerifies();
  void sameForAnyThreads();
  void killedItResumes();
  void interruptedItGoesOnAnotherTime();
  void interruptedItKeepsTheBest();
  void isTimed();
  void inTheRecipe();
  void refusals_data();
  void refusals();
  void wrongUsage_data();
  void wrongUsage();

 private:
  QString file(const QString& name) const { return m_folder->filePath(name); }
  QStringList trainOf(const QString& samples, const QString& steps, const QString& out) const {
    return {"train",
            sampleFile("digits_mobilenet.onnx"),
            "--data",
            sampleFile("digits_mobilenet.npz"),
            "--samples",
            samples,
            "--config",
            file("c.json"),
            "--training-steps",
            steps,
            "--out",
            file(out)};
  }
  bool sameResults(const QString& a, const QString& b) const {
    return readBytes(file(a + "/model.onnx")) == readBytes(file(b + "/model.onnx")) &&
           readBytes(file(a + "/config.json")) == readBytes(file(b + "/config.json"));
  }
  std::unique_ptr<QTemporaryDir> m_folder;
};

void TrainCommandTest::init() {
  m_folder = std::make_unique<QTemporaryDir>();
  writeFile(*m_folder, "c.json", R"({"quantscope": 1, "default": {"weight": {"type": "int4"}}})");
}

void TrainCommandTest::writesModelConfigurationAndReport() {
  // So many that it wins clearly, however the processor's products round.
  const Outcome outcome =
      runCli(trainOf("64", "100", "t") +
             QStringList{"--labels", sampleFile("digits_mobilenet.labels.npy"), "--scales", "lsq"});
  QVERIFY2(outcome.status == 0 && outcome.err.startsWith("notice: "), describe(outcome));
  QVERIFY2(outcome.out.contains("38 to train on, 10 to stop by, 16 held out"), describe(outcome));
  QVERIFY2(outcome.out.contains("trained: "), describe(outcome));
  const json report = readJson(file("t/train.json"));
  for (const char* key :
       {"start", "end", "kept", "reason", "gain_calibration_db", "gain_held_out_db", "kl",
        "top1_agreement", "bytes", "seconds", "finished", "steps", "samples", "curve", "notes"}) {
    QVERIFY2(report.contains(key), key);
  }
  QVERIFY(report.at("kept").get<bool>());
  QVERIFY(report.at("training") == json({{"steps", 100}, {"scales", "lsq"}}));
  QVERIFY(report.at("end").at("held_out_db")[0] > report.at("start").at("held_out_db")[0]);
  QVERIFY(report.at("end").at("calibration_db")[0] > report.at("start").at("calibration_db")[0]);
  QVERIFY(report.at("curve").size() > 40);
  QVERIFY(report.at("best_loss") < report.at("start_loss"));
  QVERIFY2(outcome.out.contains(" after " + QString::number(report.at("steps").get<int>())),
           describe(outcome));
  // And as `repair` has it.
  const json repair = readJson(file("t/repair.json"));
  QCOMPARE(repair.at("start").at("outputs_db"), report.at("start").at("outputs_db"));
  QCOMPARE(repair.at("steps").size(), std::size_t{1});
  QCOMPARE(repair.at("steps")[0].at("step"), json("train"));
  QCOMPARE(repair.at("steps")[0].at("gain_held_out_db"), report.at("gain_held_out_db"));
  QCOMPARE(repair.at("steps")[0].at("finished"), report.at("finished"));
  QCOMPARE(repair.at("steps")[0].at("steps_done"), report.at("steps"));
}

void TrainCommandTest::exportsAndVerifies() {
  QVERIFY(runCli(trainOf("32", "10", "t")).status == 0);
  const Outcome outcome = runCli(
      {"export", file("t/model.onnx"), "--data", sampleFile("digits_mobilenet.npz"), "--samples",
       "8", "--config", file("t/config.json"), "--format", "qdq-onnx", "--out", file("q.onnx")});
  QVERIFY2(outcome.status == 0, describe(outcome));
  QVERIFY(QFile::exists(file("q.onnx")));
}

void TrainCommandTest::sameForAnyThreads() {
  const QStringList random{"--stochastic", "1", "--seed", "5"};
  QCOMPARE(runCli(trainOf("16", "4", "a") + random + QStringList{"--threads", "1"}).status, 0);
  QCOMPARE(runCli(trainOf("16", "4", "b") + random + QStringList{"--threads", "3"}).status, 0);
  QVERIFY(sameResults("a", "b"));
}

// Killed at several moments, with a checkpoint or none yet, and once while it writes one.
void TrainCommandTest::killedItResumes() {
  const QStringList command = trainOf("24", "240", "killed");
  QElapsedTimer timer;
  timer.start();
  QVERIFY(runCli(trainOf("24", "240", "whole")).status == 0);
  const auto whole = static_cast<double>(timer.elapsed());
  const QStringList kept{"--checkpoint", file("c.ckpt")};
  std::size_t kills = 0;
  for (const double share : {0.2, 0.5, 0.6, 0.7}) {
    QProcess process;
    process.start(QUANTSCOPE_CLI, command + kept);
    QVERIFY(process.waitForStarted());
    if (!process.waitForFinished(static_cast<int>(share * whole) + 1)) {
      ++kills;
      ::kill(static_cast<pid_t>(process.processId()), SIGKILL);
      QVERIFY(process.waitForFinished(10'000));
    }
  }
  QVERIFY(kills > 0);
  QVERIFY(!QFile::exists(file("killed/model.onnx")) || kills < 4);
  const Outcome outcome = runCli(command + kept);
  QVERIFY2(outcome.status == 0, describe(outcome));
  QVERIFY(sameResults("whole", "killed"));
  QVERIFY(readJson(file("whole/train.json")).at("curve") ==
          readJson(file("killed/train.json")).at("curve"));
}

void TrainCommandTest::interruptedItGoesOnAnotherTime() {
  QVERIFY(runCli(trainOf("24", "60", "whole")).status == 0);
  const QStringList command =
      trainOf("24", "60", "resumed") + QStringList{"--checkpoint", file("c.ckpt")};
  double seconds = 0;
  const Outcome interrupted = interruptCli(command, SIGINT, seconds);
  // On a fast machine it has ended before.
  QVERIFY2(interrupted.status == 130 || interrupted.status == 0, describe(interrupted));
  QVERIFY(QFile::exists(file("resumed/model.onnx")));
  const Outcome outcome = runCli(command);
  QVERIFY2(outcome.status == 0, describe(outcome));
  QVERIFY(sameResults("whole", "resumed"));
}

void TrainCommandTest::interruptedItKeepsTheBest() {
  double seconds = 0;
  const Outcome outcome = interruptCli(trainOf("24", "1000000", "t"), SIGINT, seconds);
  QVERIFY2(outcome.status == 130, describe(outcome));
  QVERIFY(QFile::exists(file("t/model.onnx")));
  QVERIFY(QFile::exists(file("t/config.json")));
  const json report = readJson(file("t/train.json"));
  QCOMPARE(report.at("finished"), json("stopped"));
  QVERIFY(report.at("best_loss") <= report.at("start_loss"));
}

// With so few bits that the samples it stops by gain, however the processor's products round.
void TrainCommandTest::isTimed() {
  writeFile(*m_folder, "few.json", R"({"quantscope": 1, "default":
      {"weight": {"type": "int4"}, "activation": {"type": "uint4"}}})");
  const Outcome outcome =
      runCli({"bench", "training", sampleFile("digits_mobilenet.onnx"), "--data",
              sampleFile("digits_mobilenet.npz"), "--samples", "32", "--config", file("few.json"),
              "--training-steps", "150", "--json", "-"});
  QVERIFY2(outcome.status == 0, describe(outcome));
  const json result = json::parse(outcome.out.toStdString());
  QCOMPARE(result.at("samples"), json(32));
  QVERIFY(result.at("recipe_db") >= result.at("start_db"));
  QVERIFY(result.at("end_db") >= result.at("recipe_db"));
  // The recipe may leave nothing to win, as the processor's products round; then it says so.
  QVERIFY2(result.at("training_gain_db").is_number() || isNothingBetter(result), describe(outcome));
  QVERIFY(result.at("steps_per_s") > 0);
}

void TrainCommandTest::inTheRecipe() {
  const Outcome outcome =
      runCli({"repair", sampleFile("digits_mobilenet.onnx"), "--data",
              sampleFile("digits_mobilenet.npz"), "--samples", "32", "--config", file("c.json"),
              "--steps", "train,scales", "--time", "5", "--out", file("r"), "--json", "-"});
  QVERIFY2(outcome.status == 0, describe(outcome));
  const json report = json::parse(outcome.out.toStdString());
  QCOMPARE(report.at("steps").size(), std::size_t{2});
  QCOMPARE(report.at("steps")[0].at("step"), json("scales"));
  QCOMPARE(report.at("steps")[1].at("step"), json("train"));
  QVERIFY2(report.at("steps")[1].at("gain_held_out_db").is_number() ||
               isNothingBetter(report.at("steps")[1]),
           describe(outcome));
}

void TrainCommandTest::refusals_data() {
  QTest::addColumn<QStringList>("options");
  QTest::addColumn<QString>("place");
  QTest::addColumn<QString>("remedy");
  QTest::newRow("few samples") << QStringList{"--samples", "7"} << "insufficient data"
                               << "give at least 16 samples in 6 runs";
  QTest::newRow("too few to be judged") << QStringList{"--samples", "12"} << "nothing was trained"
                                        << "give at least 16 samples";
  // Told before anything is read.
  QTest::newRow("checkpoint") << QStringList{"--checkpoint", "/nowhere/such/c.ckpt", "--freeze",
                                             "nothing"}
                              << "the folder /nowhere/such does not exist"
                              << "create the folder";
  QTest::newRow("frozen") << QStringList{"--freeze", "nothing"}
                          << "'nothing', which is to be frozen"
                          << "inspect";
  QTest::newRow("observers") << QStringList{"--freeze-observers", "nothing"}
                             << "'nothing', whose scales and zero points are to stay"
                             << "inspect";
  QTest::newRow("not quantized") << QStringList{"--no-fake-quantize", "nothing"}
                                 << "'nothing', which is not to be fake-quantized"
                                 << "inspect";
}

void TrainCommandTest::refusals() {
  QFETCH(const QStringList, options);
  QFETCH(const QString, place);
  QFETCH(const QString, remedy);
  QStringList command = trainOf("16", "4", "t");
  if (options.front() == "--samples") command.remove(4, 2);
  const Outcome outcome = runCli(command + options);
  const QByteArray fault = faultOfRefusal(outcome, place, remedy);
  QVERIFY2(fault.isEmpty(), fault);
  QVERIFY(!QFile::exists(file("t")));
}

void TrainCommandTest::wrongUsage_data() {
  QTest::addColumn<QStringList>("options");
  QTest::addColumn<QString>("expected");
  QTest::newRow("scales") << QStringList{"--scales", "pact"} << "--scales";
  QTest::newRow("steps") << QStringList{"--training-steps", "0"} << "--training-steps";
  QTest::newRow("time") << QStringList{"--time", "-1"} << "--time";
  QTest::newRow("temperature") << QStringList{"--stochastic", "0"} << "--stochastic";
}

void TrainCommandTest::wrongUsage() {
  QFETCH(const QStringList, options);
  QFETCH(const QString, expected);
  QStringList command = trainOf("16", "4", "t");
  if (options.front() == "--training-steps") command.remove(8, 2);
  const Outcome outcome = runCli(command + options);
  QVERIFY2(outcome.status == 2 && outcome.err.contains(expected), describe(outcome));
}

QUANTSCOPE_TEST(TrainCommandTest)
#include "test_train_command.moc"
