#include <QRegularExpression>
#include <QTemporaryDir>
#include <QtTest>
#include <algorithm>
#include <csignal>
#include <set>

#include "cli/command_line.h"
#include "project/project_file.h"
#include "support/onnx_bytes.h"
#include "support/test_main.h"
#include "support/write_file.h"

using namespace quantscope::test;
using nlohmann::json;

/// `analyze`: its files, the keys of report.json, and that the bundled networks come out as their
/// page says.
class AnalyzeCommandTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void init();
  void files();
  void otherReports();
  void resultAsJson();
  void findings();
  void anAxisThatNothingHas();
  void anAxisThatNothingReads();
  void acceptedSuggestions();
  void nothingToAccept();
  void reportsTellWhatHelps();
  void interruptedAdviceLeavesTheAnalysis();
  void whatAProjectDismissesIsLeftAlone();
  void keys();
  void accuracy_data();
  void accuracy();
  void fewerLabelsThanSamples();
  void perTensorWeightsHurt();
  void floatConfigurationIsExact();
  void threadsDoNotMatter();
  void samplesAndCalibration();
  void syntheticIsSaid();
  void unknownOperatorIsListed();

 private:
  QString file(const QString& name) const { return m_folder->filePath(name); }
  Outcome analyze(const QString& model, const QString& out, const QStringList& options) const {
    return runCli(QStringList{"analyze", model, "--out", file(out)} + options);
  }
  json reportIn(const QString& out) const { return readJson(file(out) + "/report.json"); }
  std::unique_ptr<QTemporaryDir> m_folder;
};

namespace {

QStringList firstSamples(int count) {
  return {"--data", sampleFile("digits_mobilenet.npz"), "--samples", QString::number(count)};
}

QByteArray missingKeys(const json& object, const std::vector<std::string>& keys) {
  QByteArray missing;
  for (const std::string& key : keys) {
    if (!object.contains(key)) missing += " " + QByteArray::fromStdString(key);
  }
  return missing;
}

}  // namespace

void AnalyzeCommandTest::init() {
  m_folder = std::make_unique<QTemporaryDir>();
}

void AnalyzeCommandTest::files() {
  const Outcome outcome = analyze(sampleNetwork(), "new/out", firstSamples(8));
  QVERIFY2(outcome.status == 0 && outcome.err.isEmpty(), describe(outcome));
  QVERIFY2(outcome.out.contains("SQNR") && outcome.out.contains("8 samples"), describe(outcome));
  QVERIFY2(outcome.out.contains(file("new/out")), describe(outcome));
  const QStringList written = entriesBelow(file("new/out"));
  QCOMPARE(written, (QStringList{"findings.txt", "heatmap.png", "report.html", "report.json"}));
  const QString page = QString::fromStdString(readBytes(file("new/out/report.html")));
  QVERIFY(page.size() < 5'000'000);
  QVERIFY(page.contains("digits_mobilenet") && page.contains("<svg"));
  // One file that needs nothing from elsewhere.
  QVERIFY(
      !page.contains(QRegularExpression("(src|href)=[\"']?(https?:|//|[a-z_]+\\.(js|css|png))")));
  QVERIFY(readBytes(file("new/out/heatmap.png")).starts_with("\x89PNG"));
}

void AnalyzeCommandTest::otherReports() {
  const Outcome outcome = analyze(sampleNetwork(), "all",
                                  firstSamples(2) << "--formats"
                                                  << "markdown,pdf,svg");
  QVERIFY2(outcome.status == 0, describe(outcome));
  const QStringList written = entriesBelow(file("all"));
  QCOMPARE(written, (QStringList{"findings.txt", "heatmap.png", "heatmap.svg", "report.html",
                                 "report.json", "report.md", "report.pdf"}));
  QVERIFY(readBytes(file("all/report.pdf")).starts_with("%PDF"));
  QVERIFY(readBytes(file("all/report.md")).starts_with("#"));
  QVERIFY(readBytes(file("all/heatmap.svg")).find("<svg") != std::string::npos);
  const Outcome refused = analyze(sampleNetwork(), "none",
                                  firstSamples(2) << "--formats"
                                                  << "markdown,docx");
  QVERIFY2(refused.status == 2 && refused.err.contains("docx"), describe(refused));
}

void AnalyzeCommandTest::resultAsJson() {
  const Outcome outcome = analyze(sampleNetwork(), "out",
                                  firstSamples(4) << "--json"
                                                  << "-");
  QVERIFY2(outcome.status == 0 && outcome.err.isEmpty(), describe(outcome));
  QVERIFY2(json::parse(outcome.out.toStdString()) == reportIn("out"), describe(outcome));
}

void AnalyzeCommandTest::findings() {
  for (const QString mode : {"quantscope", "pytorch"}) {
    const Outcome outcome = analyze(sampleNetwork(), mode,
                                    firstSamples(16) << "--batch"
                                                     << "4"
                                                     << "--detectors" << mode);
    QVERIFY2(outcome.status == 0 && outcome.err.isEmpty(), describe(outcome));
    const json report = reportIn(mode);
    QVERIFY(report.at("detectors").at("mode") == mode.toStdString());
    for (const json& finding : report.at("findings")) {
      const QByteArray missing =
          missingKeys(finding, {"id", "detector", "node", "channels", "statistic", "threshold",
                                "severity", "confidence", "text", "suggestion"});
      QVERIFY2(missing.isEmpty(), missing);
    }
    const json& outliers = report.at("detectors").at("outlier").at("/stem/conv/Conv");
    for (const char* key : {"ratio", "outlier", "batches_used", "constant_batches"}) {
      QVERIFY2(outliers.at(key).size() == 1, key);  // the image has one channel
    }
    const json& layer = report.at("detectors").at("dynamic_static").at("/stem/conv/Conv");
    QVERIFY(layer.at("input_s").get<double>() > 0.5 && layer.at("dynamic_recommended") == false);
    QVERIFY(report.at("detectors").at("per_channel").at("/stem/conv/Conv").at("used") == true);
    const QString text = QString::fromStdString(readBytes(file(mode + "/findings.txt")));
    const auto count = static_cast<qsizetype>(report.at("findings").size());
    QVERIFY2(text.count("\n  why: ") == count, qPrintable(text));
    QVERIFY2(outcome.out.contains("finding"), describe(outcome));
  }
}

void AnalyzeCommandTest::anAxisThatNothingHas() {
  writeFile(*m_folder, "axis.json", R"({"quantscope": 1, "detectors": {"channel_axis": 99}})");
  const Outcome outcome = analyze(sampleNetwork(), "out",
                                  firstSamples(2) << "--detectors"
                                                  << "pytorch"
                                                  << "--config" << file("axis.json"));
  QVERIFY2(outcome.status == 0, describe(outcome));
  QCOMPARE(outcome.err.count("'detectors.channel_axis' has no effect: no value has an axis 99"), 1);
}

void AnalyzeCommandTest::anAxisThatNothingReads() {
  writeFile(*m_folder, "axis.json", R"({"quantscope": 1, "detectors": {"channel_axis": 2}})");
  for (const bool pytorch : {false, true}) {
    const Outcome outcome =
        analyze(sampleNetwork(), "out",
                firstSamples(2) << "--detectors" << (pytorch ? "pytorch" : "quantscope")
                                << "--config" << file("axis.json"));
    QVERIFY2(outcome.status == 0, describe(outcome));
    QCOMPARE(outcome.err.count("'detectors.channel_axis' has no effect: only PyTorch's detectors"),
             pytorch ? 0 : 1);
  }
}

// Weights that share one scale get one for each channel, which more than doubles the signal. The
// output is spoilt before, so that no suggestion is left out for what it does alone.
void AnalyzeCommandTest::acceptedSuggestions() {
  QString told;
  const auto run = [&](const QString& out, const QString& config, const QStringList& more) {
    const Outcome outcome =
        analyze(sampleNetwork(), out, firstSamples(16) + more << "--config" << config);
    QVERIFY2(outcome.status == 0 && outcome.err.isEmpty(), describe(outcome));
    QVERIFY2(more.isEmpty() || outcome.out.contains(file("accepted.json")), describe(outcome));
    if (!more.isEmpty()) told = outcome.out;
  };
  const auto findingsOf = [&](const QString& out, const char* detector) {
    const json findings = reportIn(out).at("findings");
    return std::ranges::count_if(
        findings, [&](const json& finding) { return finding.at("detector") == detector; });
  };
  const auto decibels = [&](const QString& out) {
    return reportIn(out).at("outputs")[0].at("sqnr_db").get<double>();
  };
  run("before", sampleFile("per_tensor.json"), {"--accept", file("accepted.json")});
  run("after", file("accepted.json"), {});
  QVERIFY(findingsOf("before", "per_channel") > 0);
  QCOMPARE(findingsOf("after", "per_channel"), 0);
  QVERIFY(decibels("after") > decibels("before") + 6);
  const json accepted = reportIn("before").at("accepted");
  QVERIFY(!reportIn("after").contains("accepted"));
  QVERIFY(accepted.at("before_db") == reportIn("before").at("outputs")[0].at("sqnr_db"));
  QVERIFY(accepted.at("after_db") == reportIn("after").at("outputs")[0].at("sqnr_db"));
  QVERIFY(accepted.at("bytes").get<double>() ==
          reportIn("after").at("summary").at("bytes").get<double>() -
              reportIn("before").at("summary").at("bytes").get<double>());
  QVERIFY(!accepted.at("changes").empty());
  for (const json& change : accepted.at("changes")) {
    const std::string text = change.get<std::string>();
    QVERIFY2(text.front() >= 'A' && text.front() <= 'Z' && text.back() != '.', text.c_str());
    QVERIFY2(told.contains("\n  " + QString::fromStdString(text) + "\n"), text.c_str());
  }
}

// Float outputs are exact already.
void AnalyzeCommandTest::nothingToAccept() {
  writeFile(*m_folder, "float.json", R"({"quantscope": 1, "default": "fp32"})");
  const Outcome outcome =
      analyze(sampleNetwork(), "out",
              firstSamples(4) << "--config" << file("float.json") << "--best-change"
                              << "--accept" << file("accepted.json"));
  QVERIFY2(outcome.status == 0, describe(outcome));
  QVERIFY2(outcome.out.contains("accepted nothing: the outputs are exact\n"), describe(outcome));
  QVERIFY2(outcome.out.contains("best next change: none that helps within 25 % more bytes and 25 % "
                                "of the multiply-accumulates above 8 bits\n"),
           describe(outcome));
  QVERIFY(reportIn("out").at("accepted").at("changes").empty());
  QVERIFY(reportIn("out").at("summary").at("best_change").is_null());
  QVERIFY(readJson(file("accepted.json")).at("default") == "fp32");
}

// Whenever the interrupt comes: the whole analysis, or nothing.
void AnalyzeCommandTest::interruptedAdviceLeavesTheAnalysis() {
  double seconds = 0;
  const Outcome outcome =
      interruptCli(QStringList{"analyze", sampleNetwork(), "--data",
                               sampleFile("digits_mobilenet.npz"), "--samples", "100", "--out",
                               file("stopped"), "--accept", file("stopped.json"), "--quiet"},
                   SIGINT, seconds);
  if (outcome.status == 0) QSKIP("it had ended before");
  QCOMPARE(outcome.status, 130);
  QVERIFY(!QFile::exists(file("stopped.json")));
  const bool told = outcome.err.contains("the reports are of the analysis alone");
  QCOMPARE(QFile::exists(file("stopped/report.json")), told);
  if (told) QVERIFY(!reportIn("stopped").contains("accepted"));
}

// On so few samples nothing is held out, which is said, too.
void AnalyzeCommandTest::reportsTellWhatHelps() {
  const Outcome outcome =
      analyze(sampleNetwork(), "out",
              firstSamples(3) << "--config" << sampleFile("per_tensor.json") << "--best-change"
                              << "--accept" << file("accepted.json") << "--formats"
                              << "markdown");
  QVERIFY2(outcome.status == 0, describe(outcome));
  QVERIFY2(outcome.err.contains("notice: the data are too few to hold some out"),
           describe(outcome));
  const json report = reportIn("out");
  const json& accepted = report.at("accepted");
  QCOMPARE(accepted.at("notices").size(), std::size_t{1});
  for (const json& change : {accepted, report.at("summary").at("best_change")}) {
    QCOMPARE(change.at("outputs").size(), report.at("outputs").size());
  }
  QVERIFY(accepted.at("outputs")[0].at("from_db") == accepted.at("before_db"));
  QVERIFY(accepted.at("outputs")[0].at("to_db") == accepted.at("after_db"));
  const std::string first = accepted.at("changes")[0].get<std::string>().substr(0, 12);
  for (const char* name : {"report.html", "report.md", "findings.txt"}) {
    const std::string text = readBytes(file("out/") + name);
    QVERIFY2(text.find("Best next change: ") != text.npos ||
                 text.find("best next change: ") != text.npos,
             name);
    QVERIFY2(text.find("ccepted for another configuration: ") != text.npos, name);
    QVERIFY2(text.find(first) != text.npos, name);
    QVERIFY2(text.find("Nothing was changed yet") == text.npos, name);
  }
}

// As the button of the window does.
void AnalyzeCommandTest::whatAProjectDismissesIsLeftAlone() {
  const QStringList options = firstSamples(8)
                              << "--config" << sampleFile("per_tensor.json") << "--project"
                              << file("p.quantscope") << "--accept" << file("accepted.json");
  const auto changed = [&](const QString& out, const json& node) {
    const json layers = reportIn(out).at("accepted").at("layers");
    return std::ranges::any_of(layers, [&](const json& layer) { return layer.at("node") == node; });
  };
  const Outcome before = analyze(sampleNetwork(), "before", options);
  QVERIFY2(before.status == 0, describe(before));
  const json findings = reportIn("before").at("findings");
  const auto finding = std::ranges::find_if(
      findings, [&](const json& each) { return changed("before", each.at("node")); });
  QVERIFY(finding != findings.end());
  {
    quantscope::ProjectFile project(file("p.quantscope").toStdString());
    quantscope::Document document = project.document();
    document.apply(quantscope::Dismissal{finding->at("id").get<std::string>()});
    project.record(document);
  }
  const Outcome after = analyze(sampleNetwork(), "after", options);
  QVERIFY2(after.status == 0, describe(after));
  QVERIFY(!changed("after", finding->at("node")));
}

void AnalyzeCommandTest::keys() {
  analyze(sampleNetwork(), "out", firstSamples(4));
  const json report = reportIn("out");
  const QByteArray top =
      missingKeys(report, {"quantscope", "model", "samples", "synthetic", "config", "nodes",
                           "outputs", "summary", "not_computed", "findings", "detectors"});
  QVERIFY2(top.isEmpty(), top);
  QVERIFY(report.at("quantscope") == 1);
  QVERIFY(report.at("model") == "digits_mobilenet.onnx");
  QVERIFY(report.at("samples") == 4);
  QVERIFY(report.at("synthetic") == false);
  QVERIFY(report.at("not_computed").empty());
  QVERIFY(!report.at("nodes").empty());
  for (const json& node : report.at("nodes")) {
    const QByteArray inNode =
        missingKeys(node, {"node", "op", "scope", "params", "weight", "activation", "parameters",
                           "local", "accumulated"});
    QVERIFY2(inNode.isEmpty(), inNode);
    for (const char* errors : {"local", "accumulated"}) {
      if (node.at(errors).is_null()) continue;
      const QByteArray metrics =
          missingKeys(node.at(errors), {"sqnr_db", "nmse", "cosine", "max_abs", "rmse_over_scale"});
      QVERIFY2(metrics.isEmpty(), metrics);
    }
  }
  const json& output = report.at("outputs").at(0);
  const QByteArray inOutput =
      missingKeys(output, {"value", "sqnr_db", "cosine", "kl", "top1_agreement", "accuracy_float",
                           "accuracy_quantized"});
  QVERIFY2(inOutput.isEmpty(), inOutput);
  QVERIFY(output.at("accuracy_float").is_null() && output.at("accuracy_quantized").is_null());
}

void AnalyzeCommandTest::accuracy_data() {
  QTest::addColumn<QString>("name");
  QTest::addColumn<int>("correct");
  QTest::addColumn<QString>("told");
  QTest::newRow("mobilenet") << "digits_mobilenet" << 399 << "accuracy 99.75 % -> ";
  QTest::newRow("transformer") << "digits_transformer" << 394 << "accuracy 98.50 % -> ";
}

void AnalyzeCommandTest::accuracy() {
  QFETCH(QString, name);
  QFETCH(int, correct);
  QFETCH(QString, told);
  const Outcome outcome =
      analyze(sampleFile(name + ".onnx"), "out",
              {"--data", sampleFile(name + ".npz"), "--labels", sampleFile(name + ".labels.npy")});
  QVERIFY2(outcome.status == 0 && outcome.out.contains(told), describe(outcome));
  const json output = reportIn("out").at("outputs").at(0);
  QVERIFY(output.at("accuracy_float").get<double>() == correct / 400.0);
  // Sensible networks lose little under the default configuration.
  QVERIFY(output.at("accuracy_quantized").get<double>() > 0.95);
  QVERIFY(output.at("top1_agreement").get<double>() > 0.95);
}

void AnalyzeCommandTest::fewerLabelsThanSamples() {
  const Outcome outcome =
      analyze(sampleNetwork(), "out",
              firstSamples(8) << "--labels" << sampleFile("digits_mobilenet.labels.npy"));
  QVERIFY2(outcome.status == 0, describe(outcome));
  QVERIFY(reportIn("out").at("outputs").at(0).at("accuracy_float").get<double>() == 1.0);
}

void AnalyzeCommandTest::perTensorWeightsHurt() {
  analyze(sampleNetwork(), "channel", firstSamples(100));
  analyze(sampleNetwork(), "tensor",
          firstSamples(100) << "--config" << sampleFile("per_tensor.json"));
  const auto sqnr = [&](const QString& out) {
    return reportIn(out).at("outputs").at(0).at("sqnr_db").get<double>();
  };
  QVERIFY(sqnr("channel") > sqnr("tensor") + 5);
}

void AnalyzeCommandTest::floatConfigurationIsExact() {
  writeFile(*m_folder, "float.json", R"({"quantscope":1,"default":"fp32"})");
  const Outcome outcome =
      analyze(sampleNetwork(), "out", firstSamples(4) << "--config" << file("float.json"));
  QVERIFY2(outcome.status == 0 && outcome.out.contains("exact"), describe(outcome));
  QVERIFY(reportIn("out").at("outputs").at(0).at("sqnr_db") == "Infinity");
}

void AnalyzeCommandTest::threadsDoNotMatter() {
  std::set<std::string> reports;
  std::set<std::string> pictures;
  std::set<std::string> pages;
  for (const char* threads : {"1", "2", "7"}) {
    const Outcome outcome =
        analyze(sampleNetwork(), threads, firstSamples(45) << "--threads" << threads);
    QVERIFY2(outcome.status == 0, describe(outcome));
    reports.insert(readBytes(file(threads) + "/report.json"));
    pictures.insert(readBytes(file(threads) + "/heatmap.png"));
    pages.insert(readBytes(file(threads) + "/report.html"));
  }
  QCOMPARE(reports.size(), std::size_t{1});
  QCOMPARE(pictures.size(), std::size_t{1});
  QCOMPARE(pages.size(), std::size_t{1});
}

void AnalyzeCommandTest::samplesAndCalibration() {
  analyze(sampleNetwork(), "same", firstSamples(8));
  analyze(sampleNetwork(), "other",
          {"--data", sampleFile("digits_mobilenet.npz"), "--samples", "8", "--calibration",
           "random:3"});
  const json same = reportIn("same");
  const json other = reportIn("other");
  QVERIFY(same.at("samples") == 8 && same.at("summary").at("calibration_samples") == 8);
  QVERIFY(other.at("samples") == 8 && other.at("summary").at("calibration_samples") == 3);
  QVERIFY(same.at("outputs") != other.at("outputs"));
}

void AnalyzeCommandTest::syntheticIsSaid() {
  const Outcome outcome = analyze(sampleNetwork(), "out", {"--data", "random:4"});
  QVERIFY2(outcome.out.contains("SYNTHETIC"), describe(outcome));
  QVERIFY(reportIn("out").at("synthetic") == true);
  const Outcome calibrated = analyze(sampleNetwork(), "out",
                                     firstSamples(4) << "--calibration"
                                                     << "random:4");
  QVERIFY2(calibrated.out.contains("SYNTHETIC"), describe(calibrated));
  QVERIFY(reportIn("out").at("synthetic") == true);
}

void AnalyzeCommandTest::unknownOperatorIsListed() {
  const std::string model =
      writeFile(*m_folder, "model.onnx",
                onnxModel(OnnxGraph{.nodes = {{"Add", {"x", "x"}, {"y"}, "sum", {}, {}},
                                              {"Odd", {"y"}, {"z"}, "odd", {}, "com.example"}},
                                    .inputs = {"x"},
                                    .outputs = {"z"},
                                    .initializers = {},
                                    .functions = {}}));
  const Outcome outcome = analyze(QString::fromStdString(model), "out", {"--data", "random:4"});
  QVERIFY2(outcome.status == 0 && outcome.out.contains("odd (Odd)"), describe(outcome));
  const json missing = reportIn("out").at("not_computed");
  QCOMPARE(missing.size(), std::size_t{1});
  QVERIFY(missing[0].at("node") == "odd" && missing[0].at("operator") == "Odd");
  QVERIFY(missing[0].at("domain") == "com.example");
  QVERIFY(!missing[0].at("reason").get<std::string>().empty());
}

QUANTSCOPE_TEST(AnalyzeCommandTest)
#include "test_analyze_command.moc"
