#include <QTemporaryDir>
#include <QtTest>
#include <csignal>

#include "cli/command_line.h"
#include "cli/ranks.h"
#include "support/test_main.h"
#include "support/write_file.h"

using namespace quantscope::test;
using nlohmann::json;

/// `sensitivity` and `optimize` as processes: on several ranks, with a curve.
class SensitivityCommandTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void init() { m_folder = std::make_unique<QTemporaryDir>(); }
  void anyCountIsWidened();
  void wideningMistakes_data();
  void wideningMistakes();
  void simulatedTypesAreNoticed();
  void sameForAnyNumberOfRanks_data();
  void sameForAnyNumberOfRanks();
  void theFirstRankWidens();
  void aRankThatFailsEndsAll();
  void interruptedItKeepsItsRows();

 private:
  QString file(const QString& name) const { return m_folder->filePath(name); }
  QStringList measureTo(const QString& result, const QString& samples) const {
    return {"sensitivity", sampleFile("digits_mobilenet.onnx"),
            "--data",      sampleFile("digits_mobilenet.npz"),
            "--samples",   samples,
            "--config",    file("generic.json"),
            "--types",     "int8,int4,fp16",
            "--json",      file(result)};
  }
  void writeGeneric() const {
    writeFile(*m_folder, "generic.json", R"({"quantscope": 1, "backend": "generic"})");
  }

  std::unique_ptr<QTemporaryDir> m_folder;
};

// The counts that are asked for, ascending; the first one is the configuration as it is.
void SensitivityCommandTest::anyCountIsWidened() {
  const QStringList data{sampleFile("digits_mobilenet.onnx"), "--data",
                         sampleFile("digits_mobilenet.npz"), "--samples", "4"};
  const Outcome outcome = runCli(QStringList{"sensitivity"} + data +
                                 QStringList{"--types", "int8", "--widen", "fp32", "--worst",
                                             "7,0,19", "--json", file("s.json")});
  QVERIFY2(outcome.status == 0, describe(outcome));
  const json widening = readJson(file("s.json")).at("widening");
  QCOMPARE(widening.at("type"), json("fp32"));
  QVERIFY(widening.at("order").size() > 19);
  const json& points = widening.at("points");
  QCOMPARE(points.size(), std::size_t{3});
  double before = 0;
  for (std::size_t i = 0; i < points.size(); ++i) {
    QVERIFY(points[i].at("count") == json::array({0, 7, 19})[i]);
    QVERIFY(points[i].at("sqnr_db").get<double>() > before);
    before = points[i].at("sqnr_db").get<double>();
  }
  const Outcome analysis =
      runCli(QStringList{"analyze"} + data + QStringList{"--out", file("out")});
  QVERIFY2(analysis.status == 0, describe(analysis));
  const json report = readJson(file("out/report.json"));
  QVERIFY(report.at("outputs")[0].at("sqnr_db") == points[0].at("sqnr_db"));
  QVERIFY(report.at("summary").at("bytes") == points[0].at("bytes"));
}

void SensitivityCommandTest::wideningMistakes_data() {
  QTest::addColumn<QStringList>("options");
  QTest::addColumn<int>("status");
  QTest::addColumn<QString>("expected");
  QTest::newRow("type") << QStringList{"--widen", "int7"} << 2 << "'int7' is none of";
  QTest::newRow("alone") << QStringList{"--worst", "3"} << 2 << "--widen";
  QTest::newRow("shard") << QStringList{"--widen", "fp32", "--shard", "1/2"} << 2
                         << "a part of the rows";
  QTest::newRow("not on this backend")
      << QStringList{"--widen", "int16"} << 1
      << "no layer can be set to int16 with x86: choose another type or backend";
  QTest::newRow("not on this backend, counted")
      << QStringList{"--widen", "int16", "--worst", "100"} << 1
      << "no layer can be set to int16 with x86: choose another type or backend";
  QTest::newRow("not wider") << QStringList{"--widen", "int8"} << 1
                             << "every layer that can be set to int8 has that type or a wider one";
  QTest::newRow("too many") << QStringList{"--widen", "fp32", "--worst", "5000"} << 1
                            << "5000 layers cannot be set to fp32";
}

void SensitivityCommandTest::wideningMistakes() {
  QFETCH(const QStringList, options);
  QFETCH(const int, status);
  QFETCH(const QString, expected);
  const Outcome outcome =
      runCli(QStringList{"sensitivity", sampleFile("digits_mobilenet.onnx"), "--data",
                         sampleFile("digits_mobilenet.npz"), "--samples", "2", "--types", "int8"} +
             options);
  QVERIFY2(outcome.status == status && outcome.err.contains(expected), describe(outcome));
}

// As `analyze` does of a configuration that the backend does not run.
void SensitivityCommandTest::simulatedTypesAreNoticed() {
  writeGeneric();
  const auto measured = [&](const QStringList& more) {
    return runCli(QStringList{"sensitivity", sampleFile("digits_mobilenet.onnx"), "--data",
                              sampleFile("digits_mobilenet.npz"), "--samples", "1", "--types",
                              "uint8,int4,fp32,bf16", "--json", file("s.json")} +
                  more);
  };
  const Outcome outcome = measured({});
  QVERIFY2(outcome.status == 0 && outcome.err.count('\n') == 2, describe(outcome));
  for (const char* type : {"int4", "bf16"}) {
    QVERIFY2(
        outcome.err.contains(QString("notice: no layer can be set to %1 with x86: its rows are "
                                     "simulated; leave the type out or choose another backend")
                                 .arg(type)),
        describe(outcome));
  }
  const Outcome generic = measured({"--config", file("generic.json")});
  QVERIFY2(generic.status == 0 && generic.err.isEmpty(), describe(generic));
}

void SensitivityCommandTest::sameForAnyNumberOfRanks_data() {
  QTest::addColumn<int>("ranks");
  QTest::newRow("2") << 2;
  QTest::newRow("3") << 3;
  QTest::newRow("5") << 5;
}

void SensitivityCommandTest::sameForAnyNumberOfRanks() {
  QFETCH(const int, ranks);
  writeGeneric();
  const std::optional<Outcome> shared = runOnRanks(ranks, measureTo("shared.json", "6"));
  if (!shared) QSKIP("no mpirun, or a program without MPI");
  QVERIFY2(shared->status == 0 && shared->out.isEmpty(), describe(*shared));
  const Outcome alone = runCli(measureTo("alone.json", "6"));
  QVERIFY2(alone.status == 0, describe(alone));
  QVERIFY(readBytes(file("shared.json")) == readBytes(file("alone.json")));
  const auto search = [&](const QString& result) {
    return QStringList{"optimize",  sampleFile("digits_mobilenet.onnx"),
                       "--data",    sampleFile("digits_mobilenet.npz"),
                       "--samples", "4",
                       "--budget",  "bits=12",
                       "--out",     file(result)};
  };
  const std::optional<Outcome> found = runOnRanks(ranks, search("shared_config.json"));
  QVERIFY2(found && found->status == 0 && found->out.count("chosen") == 1, describe(*found));
  QVERIFY(runCli(search("config.json")).status == 0);
  QVERIFY(readBytes(file("shared_config.json")) == readBytes(file("config.json")));
}

// The others have no rows to find the most sensitive layers by.
void SensitivityCommandTest::theFirstRankWidens() {
  const auto widenTo = [&](const QString& result) {
    return QStringList{"sensitivity", sampleFile("digits_mobilenet.onnx"),
                       "--data",      sampleFile("digits_mobilenet.npz"),
                       "--samples",   "4",
                       "--types",     "int8",
                       "--widen",     "fp32",
                       "--worst",     "0,3",
                       "--json",      file(result)};
  };
  const std::optional<Outcome> shared = runOnRanks(2, widenTo("shared.json"));
  if (!shared) QSKIP("no mpirun, or a program without MPI");
  QVERIFY2(shared->status == 0 && shared->out.isEmpty(), describe(*shared));
  const Outcome alone = runCli(widenTo("alone.json"));
  QVERIFY2(alone.status == 0, describe(alone));
  QVERIFY(readJson(file("shared.json")).contains("widening"));
  QVERIFY(readBytes(file("shared.json")) == readBytes(file("alone.json")));
}

void SensitivityCommandTest::aRankThatFailsEndsAll() {
  const std::optional<Outcome> failed =
      runOnRanks(3, {"sensitivity", file("none.onnx"), "--data", "random:2", "--types", "int8"});
  if (!failed) QSKIP("no mpirun, or a program without MPI");
  QVERIFY2(failed->status == 1 && failed->err.contains("none.onnx"), describe(*failed));
  QVERIFY2(failed->err.count("error:") == 1, describe(*failed));
  const std::optional<Outcome> misused =
      runOnRanks(3, {"sensitivity", file("none.onnx"), "--data", "random:2", "--types", "int7"});
  QVERIFY2(misused->status == 2 && misused->err.count("error:") == 1, describe(*misused));
  const std::optional<Outcome> other =
      runOnRanks(2, {"inspect", sampleFile("digits_mobilenet.onnx")});
  QVERIFY2(other->status == 1 && other->err.contains("does not share work"), describe(*other));
  QVERIFY2(other->err.count("error:") == 1, describe(*other));
}

// After some tries: one that has no row yet gets more time, one that has all of them less.
void SensitivityCommandTest::interruptedItKeepsItsRows() {
  writeGeneric();
  double patience = 1000;
  for (int tries = 0; tries < 30; ++tries) {
    QFile::remove(file("rows.json"));
    QProcess process;
    process.start(QUANTSCOPE_CLI, measureTo("rows.json", "256"));
    QVERIFY(process.waitForStarted());
    bool finished = process.waitForFinished(static_cast<int>(patience));
    if (!finished) {
      ::kill(static_cast<pid_t>(process.processId()), SIGINT);
      finished = process.waitForFinished(60'000);
    }
    const Outcome outcome = outcomeOf(process, finished);
    const bool delivered = QFile::exists(file("rows.json"));
    QVERIFY2(delivered || outcome.status == 130, describe(outcome));
    const json result = delivered ? readJson(file("rows.json")) : json();
    if (!result.contains("complete")) {
      patience *= delivered ? 0.8 : 1.5;
      continue;
    }
    QVERIFY2(outcome.status == 130, describe(outcome));
    QVERIFY2(outcome.err.contains("notice: the result is incomplete: "), describe(outcome));
    QVERIFY(result.at("complete") == false && result.at("nodes").size() < result.at("rows"));
    return;
  }
  QFAIL("never interrupted while it measured");
}

QUANTSCOPE_TEST(SensitivityCommandTest)
#include "test_sensitivity_command.moc"
