#include <QFileInfo>
#include <QTemporaryDir>
#include <QtTest>
#include <csignal>

#include "base/number_text.h"
#include "cli/command_line.h"
#include "support/test_main.h"

using namespace quantscope::test;

/// `export` of reports for people: the same as `analyze` writes, as one file.
class ExportReportsTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase();
  void sameAsAnalyze_data();
  void sameAsAnalyze();
  void sameForAnyThreads_data();
  void sameForAnyThreads();
  void markdownHasTheFigures();
  void refusals_data();
  void refusals();
  void cancelledLeavesNothing_data();
  void cancelledLeavesNothing();

 private:
  QString file(const QString& name) const { return m_folder.filePath(name); }
  static QStringList data() {
    return {"--data",    sampleFile("digits_mobilenet.npz"),
            "--labels",  sampleFile("digits_mobilenet.labels.npy"),
            "--config",  sampleFile("per_tensor.json"),
            "--samples", "8"};
  }
  Outcome exportReport(const QString& format, const QString& out) const {
    return runCli(QStringList{"export", sampleFile("digits_mobilenet.onnx"), "--format", format,
                              "--out", out, "--json", "-"} +
                  data());
  }

  QTemporaryDir m_folder;
};

void ExportReportsTest::initTestCase() {
  const Outcome outcome = runCli(
      QStringList{"analyze", sampleFile("digits_mobilenet.onnx"), "--out", file("analyzed")} +
      data());
  QVERIFY2(outcome.status == 0, describe(outcome));
}

void ExportReportsTest::sameAsAnalyze_data() {
  QTest::addColumn<QString>("format");
  QTest::addColumn<QString>("written");
  QTest::newRow("html") << "html"
                        << "report.html";
  QTest::newRow("png") << "png"
                       << "heatmap.png";
}

void ExportReportsTest::sameAsAnalyze() {
  QFETCH(QString, format);
  QFETCH(QString, written);
  const QString out = file("exported." + format);
  const Outcome outcome = exportReport(format, out);
  QVERIFY2(outcome.status == 0, describe(outcome));
  const auto printed = nlohmann::json::parse(outcome.out.toStdString());
  QCOMPARE(printed.at("format").get<std::string>(), format.toStdString());
  QCOMPARE(printed.at("file").get<std::string>(), out.toStdString());
  QCOMPARE(printed.at("bytes").get<qint64>(), QFileInfo(out).size());
  QVERIFY(printed.at("losses").empty());
  QVERIFY(readBytes(out) == readBytes(file("analyzed/" + written)));
}

void ExportReportsTest::sameForAnyThreads_data() {
  QTest::addColumn<QString>("format");
  for (const char* format : {"markdown", "pdf", "svg"}) QTest::newRow(format) << format;
}

void ExportReportsTest::sameForAnyThreads() {
  QFETCH(QString, format);
  std::string first;
  for (const char* threads : {"1", "3"}) {
    const Outcome outcome =
        runCli(QStringList{"export", sampleFile("digits_mobilenet.onnx"), "--format", format,
                           "--out", file("threads"), "--threads", threads} +
               data());
    QVERIFY2(outcome.status == 0, describe(outcome));
    const std::string bytes = readBytes(file("threads"));
    QVERIFY(!bytes.empty() && (first.empty() || bytes == first));
    first = bytes;
  }
}

void ExportReportsTest::markdownHasTheFigures() {
  const Outcome outcome = exportReport("markdown", file("report.md"));
  QVERIFY2(outcome.status == 0, describe(outcome));
  const QString page = QString::fromStdString(readBytes(file("report.md")));
  const nlohmann::json report = readJson(file("analyzed/report.json"));
  const nlohmann::json& output = report["outputs"][0];
  const auto row = [](const char* title, const std::string& figure) {
    return "| " + QString(title) + " | " + QString::fromStdString(figure) + " |";
  };
  for (const QString& part :
       {row("Output SQNR", quantscope::shortNumber(output["sqnr_db"].get<double>()) + " dB"),
        row("Top-1 agreement", quantscope::percent(output["top1_agreement"].get<double>()))}) {
    QVERIFY2(page.contains(part), qPrintable(part + " in " + page));
  }
  QVERIFY(page.contains("| Accuracy | "));
  QVERIFY(page.contains("\n- ") && page.contains("dB at the output when simulated"));
  QVERIFY(page.contains("→") && page.contains("per-tensor"));
  // Each finding with its sentence, in the order of the report.
  qsizetype at = page.indexOf("## Findings");
  for (const auto& finding : report["findings"]) {
    const QString id = QString::fromStdString(finding["severity"].get<std::string>());
    at = page.indexOf("\n- " + id + ": ", at + 1);
    QVERIFY2(at >= 0, finding["id"].get<std::string>().c_str());
  }
}

void ExportReportsTest::refusals_data() {
  QTest::addColumn<QStringList>("options");
  QTest::addColumn<QString>("out");
  QTest::addColumn<QString>("place");
  QTest::addColumn<QString>("remedy");
  const QString labels = sampleFile("digits_mobilenet.labels.npy");
  QTest::newRow("opset") << QStringList{"--format", "markdown", "--opset", "17"} << "r"
                         << "'markdown' has no opset"
                         << "--opset";
  QTest::newRow("runtime of a report") << QStringList{"--format", "markdown", "--ort", "."} << "r"
                                       << "'markdown' is nothing that ONNX Runtime could run"
                                       << "--ort";
  QTest::newRow("runtime of a text") << QStringList{"--format", "csv", "--ort", "."} << "r"
                                     << "'csv' is nothing that ONNX Runtime could run"
                                     << "--ort";
  QTest::newRow("labels of a model") << QStringList{"--format", "csv", "--labels", labels} << "r"
                                     << "'csv' has no place for accuracy"
                                     << "--labels";
  QTest::newRow("no folder") << QStringList{"--format", "markdown"} << "none/r"
                             << "none/r"
                             << "";
  QTest::newRow("a folder") << QStringList{"--format", "html"} << "."
                            << ""
                            << "";
}

void ExportReportsTest::refusals() {
  QFETCH(QStringList, options);
  QFETCH(QString, out);
  QFETCH(QString, place);
  QFETCH(QString, remedy);
  const QTemporaryDir folder;
  const QByteArray fault =
      faultOfRefusal(runCli(QStringList{"export", sampleFile("digits_mobilenet.onnx"), "--data",
                                        "random:1", "--out", folder.filePath(out)} +
                            options),
                     place, remedy);
  QVERIFY2(fault.isEmpty(), fault);
  QVERIFY(entriesBelow(folder.path()).isEmpty());
}

void ExportReportsTest::cancelledLeavesNothing_data() {
  QTest::addColumn<QString>("format");
  for (const char* format : {"markdown", "html", "png", "svg", "pdf"})
    QTest::newRow(format) << format;
}

void ExportReportsTest::cancelledLeavesNothing() {
  QFETCH(QString, format);
  const QTemporaryDir folder;
  double seconds = 0;
  const Outcome outcome =
      interruptCli({"export", sampleFile("digits_mobilenet.onnx"), "--data", "random:1000000",
                    "--format", format, "--out", folder.filePath("report")},
                   SIGINT, seconds);
  QVERIFY2(outcome.status == 130, describe(outcome));
  QVERIFY(entriesBelow(folder.path()).isEmpty());
}

QUANTSCOPE_TEST(ExportReportsTest)
#include "test_export_reports.moc"
