#include <QFileInfo>
#include <QProcess>
#include <QTemporaryDir>
#include <QtTest>
#include <csignal>
#include <nlohmann/json.hpp>

#include "cli/command_line.h"
#include "support/test_main.h"
#include "support/write_file.h"

using namespace quantscope::test;

namespace {

bool hasVnni() {
  QFile processors(QStringLiteral("/proc/cpuinfo"));
  return processors.open(QIODevice::ReadOnly) && processors.readAll().contains("vnni");
}

}  // namespace

/// `export`: files for other tools, verified, with what they cannot express.
class ExportCommandTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void verifiedModel_data();
  void verifiedModel();
  void resultAsText();
  void biasesAreIntegers();
  void aBiasRuleIsKept();
  void onnxRuntimeRunsIt();
  void theMobileModelFollowsQnnpack();
  void theCheckerAccepts();
  void refusals_data();
  void refusals();
  void anOlderMapOfNamesIsRenewed();
  void aFailedExportLeavesTheMapOfNames();
  void cancelledLeavesNothing_data();
  void cancelledLeavesNothing();
  void aFullDiskLeavesNothing_data();
  void aFullDiskLeavesNothing();

 private:
  QString file(const QString& name) const { return m_folder.filePath(name); }
  Outcome exportSample(const QString& network, const QString& out,
                       const QStringList& options) const {
    return runCli(QStringList{"export", sampleFile(network + ".onnx"), "--data",
                              sampleFile(network + ".npz"), "--samples", "8", "--format",
                              "qdq-onnx", "--out", out} +
                  options);
  }

  QTemporaryDir m_folder;
};

void ExportCommandTest::verifiedModel_data() {
  QTest::addColumn<QString>("network");
  QTest::addColumn<QStringList>("options");
  QTest::addColumn<int>("opset");
  QTest::newRow("convolutions") << "digits_mobilenet" << QStringList{} << 17;
  QTest::newRow("transformer") << "digits_transformer" << QStringList{} << 17;
  QTest::newRow("lifted") << "digits_mobilenet" << QStringList{"--opset", "21"} << 21;
  QTest::newRow("other calibration data")
      << "digits_mobilenet" << QStringList{"--calibration", "random:2"} << 17;
  QTest::newRow("integer biases") << "digits_mobilenet"
                                  << QStringList{"--config", sampleFile("fitted_bias.json")} << 17;
}

void ExportCommandTest::verifiedModel() {
  QFETCH(QString, network);
  QFETCH(QStringList, options);
  QFETCH(int, opset);
  const QString out = file("model.onnx");
  const Outcome outcome = exportSample(network, out, options + QStringList{"--json", "-"});
  QVERIFY2(outcome.status == 0, describe(outcome));
  const auto printed = nlohmann::json::parse(outcome.out.toStdString());
  QCOMPARE(printed.at("format").get<std::string>(), std::string("qdq-onnx"));
  QCOMPARE(printed.at("file").get<std::string>(), out.toStdString());
  QCOMPARE(printed.at("bytes").get<qint64>(), QFileInfo(out).size());
  QVERIFY(printed.at("opset").get<int>() >= std::min(opset, 13));
  if (options.contains("--opset")) QCOMPARE(printed.at("opset").get<int>(), opset);
  for (const auto& loss : printed.at("losses")) {
    QVERIFY(loss.at("node").is_string() || loss.at("node").is_null());  // the whole model
    QVERIFY(!loss.at("what").get<std::string>().empty());
  }
  const auto& agreement = printed.at("agreement");
  QVERIFY(agreement.at("samples").get<int>() == 8);
  QVERIFY(agreement.at("layers").get<int>() > 5);
  QVERIFY(agreement.at("within_one_step").get<double>() >= 0.999);
  const auto& output = agreement.at("outputs").at(0);
  const auto& toSimulation = output.at("to_simulation_db");
  const bool same = toSimulation.is_string() && toSimulation == "Infinity";
  QVERIFY(same || toSimulation.get<double>() > output.at("simulation_to_float_db").get<double>());

  // The file runs like any other model.
  const Outcome run = runCli({"run", out, "--data", sampleFile(network + ".npz"), "--samples", "2",
                              "--out", file("values")});
  QVERIFY2(run.status == 0, describe(run));
}

void ExportCommandTest::resultAsText() {
  const Outcome outcome = exportSample("digits_mobilenet", file("text.onnx"), {});
  QVERIFY2(outcome.status == 0, describe(outcome));
  for (const char* part :
       {"text.onnx: opset ", "agrees to 100.0 % of elements within one step",
        "output logits: agrees to ", "not expressed as it was shown:", "its bias is int32"}) {
    QVERIFY2(outcome.out.contains(part), describe(outcome));
  }
}

// As integer kernels need them, with the scales of weights that hold them.
void ExportCommandTest::biasesAreIntegers() {
  const Outcome outcome = exportSample("digits_mobilenet", file("int.onnx"), {"--json", "-"});
  QVERIFY2(outcome.status == 0, describe(outcome));
  const auto printed = nlohmann::json::parse(outcome.out.toStdString());
  const auto count = [&](const char* words) {
    return std::ranges::count_if(printed.at("losses"), [&](const auto& loss) {
      return loss.at("what").template get<std::string>().find(words) != std::string::npos;
    });
  };
  QCOMPARE(count("its bias is int32"), 20);
  QCOMPARE(count("scales of its weights are larger than shown"), 7);
  QCOMPARE(count("its bias stays float"), 0);
  QVERIFY(printed.at("agreement").at("outputs").at(0).at("top1_agreement").get<double>() == 1);
}

void ExportCommandTest::aBiasRuleIsKept() {
  const QTemporaryDir folder;
  writeFile(folder, "float.json", R"({"quantscope":1,"bias":"float"})");
  const Outcome outcome = exportSample("digits_mobilenet", file("float.onnx"),
                                       {"--config", folder.filePath("float.json")});
  QVERIFY2(outcome.status == 0, describe(outcome));
  QVERIFY2(outcome.out.contains("its bias stays float, as the backend adds it"), describe(outcome));
  QVERIFY2(!outcome.out.contains("int32, as runtimes"), describe(outcome));
}

void ExportCommandTest::onnxRuntimeRunsIt() {
  const QTemporaryDir empty;
  const Outcome refused =
      exportSample("digits_mobilenet", file("no.onnx"), {"--ort", empty.path()});
  QVERIFY2(refused.status == 1, describe(refused));
  QVERIFY2(refused.err.contains("there is no ONNX Runtime in the folder"), describe(refused));
  QVERIFY(!QFileInfo::exists(file("no.onnx")));
  const QString peers = qEnvironmentVariable("QUANTSCOPE_PEERS");
  if (peers.isEmpty()) QSKIP("skipped: QUANTSCOPE_PEERS is not set");
  const Outcome outcome =
      exportSample("digits_mobilenet", file("ort.onnx"), {"--ort", peers, "--json", "-"});
  QVERIFY2(outcome.status == 0, describe(outcome));
  const auto ran = nlohmann::json::parse(outcome.out.toStdString()).at("onnxruntime");
  QVERIFY2(ran.contains("outputs"), ran.dump().c_str());
  QVERIFY(!ran.at("version").get<std::string>().empty());
  QCOMPARE(ran.at("samples").get<int>(), 8);
  const auto& output = ran.at("outputs").at(0);
  QCOMPARE(output.at("value").get<std::string>(), std::string("logits"));
  const auto plain = output.at("to_simulation_db").get<double>();
  QVERIFY2(plain > 30, output.dump().c_str());
  // Its optimizations fuse the layers: with float biases they would leave nothing. On processors
  // without VNNI its kernels saturate, which is told.
  const auto optimized = output.at("optimized_to_simulation_db").get<double>();
  const bool saturates = optimized < plain - 6 && optimized <= 30;
  QVERIFY2(!saturates || !hasVnni(), output.dump().c_str());
  QCOMPARE(ran.contains("notes"), saturates);
  QVERIFY(output.at("top1_agreement").get<double>() == 1);
}

void ExportCommandTest::theMobileModelFollowsQnnpack() {
  const QTemporaryDir folder;
  writeFile(folder, "wide.json", R"({"quantscope":1,"backend":"generic","bias":"float",
      "default":{"weight":{"type":"int4"},"activation":{"type":"uint8"}}})");
  const QStringList options{"--config", folder.filePath("wide.json"), "--format",
                            "qdq-onnx-mobile"};
  const Outcome outcome = runCli(QStringList{"export", sampleFile("digits_mobilenet.onnx"),
                                             "--data", sampleFile("digits_mobilenet.npz"),
                                             "--samples", "8", "--out", file("mobile.onnx")} +
                                 options);
  QVERIFY2(outcome.status == 0, describe(outcome));
  for (const char* part : {"what the backend \"qnnpack\" shows, not \"generic\"",
                           "biases are int32 as in QNNPACK's kernels, not \"float\"",
                           "weights int8 symmetric per-channel instead of weights int4"}) {
    QVERIFY2(outcome.out.contains(part), describe(outcome));
  }
  // Read back it is a network of 8 bits.
  const Outcome back = runCli({"import", file("mobile.onnx"), "--model",
                               sampleFile("digits_mobilenet.onnx"), "--out", file("mobile.json")});
  QVERIFY2(back.status == 0, describe(back));
  const auto config = readJson(file("mobile.json"));
  QCOMPARE(config.at("bias").get<std::string>(), std::string("int32"));
  for (const auto& [name, encoding] : config.at("encodings").items()) {
    const std::string type = encoding.at("type").get<std::string>();
    QVERIFY2(type == "int8" || type == "uint8", name.c_str());
  }
}

void ExportCommandTest::theCheckerAccepts() {
  const QString out = file("checked.onnx");
  QCOMPARE(exportSample("digits_mobilenet", out, {}).status, 0);
  QProcess checker;
  checker.start("/usr/bin/python3", {"-c",
                                     "import sys, onnx; onnx.checker.check_model("
                                     "onnx.load(sys.argv[1]), full_check=True)",
                                     out});
  if (!checker.waitForFinished(60'000)) QSKIP("skipped: no python3");
  const QByteArray said = checker.readAllStandardError();
  if (said.contains("No module named 'onnx'")) QSKIP("skipped: no python3-onnx");
  QVERIFY2(checker.exitCode() == 0, said);
}

void ExportCommandTest::refusals_data() {
  QTest::addColumn<QStringList>("options");
  QTest::addColumn<QString>("out");
  QTest::addColumn<int>("status");
  QTest::addColumn<QString>("problem");
  QTest::newRow("opset below the model's")
      << QStringList{"--opset", "7"} << "m.onnx" << 1 << "cannot go back to 7";
  QTest::newRow("unknown opset") << QStringList{"--opset", "99"} << "m.onnx" << 1
                                 << "opset 99 is not known";
  QTest::newRow("no folder") << QStringList{} << "none/m.onnx" << 1 << "none/m.onnx";
  QTest::newRow("unknown format") << QStringList{"--format", "tflite"} << "m.onnx" << 2
                                  << "--format";
}

void ExportCommandTest::refusals() {
  QFETCH(QStringList, options);
  QFETCH(QString, out);
  QFETCH(int, status);
  QFETCH(QString, problem);
  const QTemporaryDir folder;
  QStringList arguments{"export", sampleFile("digits_mobilenet.onnx"),
                        "--data", "random:1",
                        "--out",  folder.filePath(out)};
  if (!options.contains("--format")) arguments += {"--format", "qdq-onnx"};
  const Outcome outcome = runCli(arguments + options);
  QVERIFY2(outcome.status == status, describe(outcome));
  QVERIFY2(outcome.err.contains(problem), describe(outcome));
  QVERIFY(entriesBelow(folder.path()).isEmpty());
}

// torchao has names of its own, our configuration does not.
void ExportCommandTest::anOlderMapOfNamesIsRenewed() {
  const QString out = file("changed.txt");
  const auto exportAs = [&](const QString& format) {
    const Outcome outcome = runCli({"export", sampleFile("digits_mobilenet.onnx"), "--data",
                                    "random:2", "--format", format, "--out", out});
    QVERIFY2(outcome.status == 0, describe(outcome));
  };
  const QString names = out + ".names.json";
  exportAs("json");
  QVERIFY(!QFileInfo::exists(names));
  exportAs("torchao");
  QVERIFY(!nlohmann::json::parse(readBytes(names)).empty());
  exportAs("json");
  QVERIFY(nlohmann::json::parse(readBytes(names)).empty());
}

void ExportCommandTest::aFailedExportLeavesTheMapOfNames() {
  const QTemporaryDir folder;
  const QString out = folder.filePath("kept.txt");
  QVERIFY(QDir().mkpath(out));
  const std::string earlier = R"({"a": "b"})";
  const std::string names = writeFile(folder, "kept.txt.names.json", earlier);
  for (const char* format : {"json", "torchao"}) {
    const Outcome outcome = runCli({"export", sampleFile("digits_mobilenet.onnx"), "--data",
                                    "random:2", "--format", format, "--out", out});
    QVERIFY2(outcome.status != 0, describe(outcome));
    QCOMPARE(readBytes(QString::fromStdString(names)), earlier);
  }
}

void ExportCommandTest::cancelledLeavesNothing_data() {
  QTest::addColumn<QString>("format");
  for (const char* format : {"qdq-onnx", "bundle", "html"}) {
    QTest::newRow(format) << QString(format);
  }
}

void ExportCommandTest::cancelledLeavesNothing() {
  QFETCH(QString, format);
  const QTemporaryDir folder;
  double seconds = 0;
  const Outcome outcome =
      interruptCli({"export", sampleFile("digits_mobilenet.onnx"), "--data", "random:1000000",
                    "--format", format, "--out", folder.filePath("m")},
                   SIGINT, seconds);
  QVERIFY2(outcome.status == 130, describe(outcome));
  QVERIFY(entriesBelow(folder.path()).isEmpty());
}

void ExportCommandTest::aFullDiskLeavesNothing_data() {
  QTest::addColumn<QString>("format");
  for (const char* format : {"qdq-onnx", "qdq-onnx-mobile", "bundle", "aimet-2.0.0", "torch", "csv",
                             "json", "markdown", "html", "pdf", "png"}) {
    QTest::newRow(format) << QString(format);
  }
}

// A limit on the size of files stands for the end of the disk.
void ExportCommandTest::aFullDiskLeavesNothing() {
  QFETCH(QString, format);
  const QTemporaryDir folder;
  QProcess shell;
  shell.start("/bin/sh",
              {"-c", "ulimit -f 2; exec \"$@\"", "sh", QUANTSCOPE_CLI, "export",
               sampleFile("digits_mobilenet.onnx"), "--data", sampleFile("digits_mobilenet.npz"),
               "--samples", "2", "--format", format, "--out", folder.filePath("out"), "--quiet"});
  QVERIFY(shell.waitForFinished(120'000));
  const QString said = QString::fromUtf8(shell.readAllStandardError());
  QVERIFY2(shell.exitStatus() == QProcess::NormalExit && shell.exitCode() == 1, qPrintable(said));
  QVERIFY2(said.contains("error: ") && said.contains("out"), qPrintable(said));
  const QStringList left = entriesBelow(folder.path());
  QVERIFY2(left.isEmpty(), qPrintable(left.join(' ')));
}

QUANTSCOPE_TEST(ExportCommandTest)
#include "test_export_command.moc"
