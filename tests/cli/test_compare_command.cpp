#include <QFileInfo>
#include <QTemporaryDir>
#include <QtTest>
#include <cmath>
#include <nlohmann/json.hpp>

#include "cli/command_line.h"
#include "support/graph_bytes.h"
#include "support/graph_text.h"
#include "support/test_main.h"
#include "support/write_file.h"

using namespace quantscope::test;

/// `compare`: the keys of its result, corrections by hand, and what it refuses.
class CompareCommandTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase();
  void theResultIsComplete();
  void timesWithoutOnnxRuntime();
  void threadsDoNotCount();
  void correctionsByHand();
  void catalogueTwins_data();
  void catalogueTwins();
  void refusals_data();
  void refusals();

 private:
  QString file(const QString& name) const { return m_folder.filePath(name); }
  QStringList data() const {
    return {"--data", sampleFile("digits_mobilenet.npz"), "--samples", "4"};
  }
  QTemporaryDir m_folder;
  QString m_model = sampleFile("digits_mobilenet.onnx");
  QString m_quantized;
};

namespace {

/// The fault in the times of a comparison that has some; empty if there is none.
QString faultOfLatency(const nlohmann::json& report) {
  const nlohmann::json& latency = report.at("latency");
  const double first = latency.at("float_ms").get<double>();
  const double second = latency.at("quantized_ms").get<double>();
  if (!(first > 0) || !(second > 0)) return "no times";
  const double speedup = report.at("speedup").get<double>();
  if (std::abs(speedup - first / second) > 1e-9 * speedup) return "another speedup";
  const bool estimated = latency.at("estimated").get<bool>();
  if (latency.at("source") != (estimated ? "cost table (estimate)" : "onnxruntime")) {
    return "an unknown source";
  }
  if (latency.at("runtime").is_null() != estimated) return "no runtime";
  return report.at("latency_problem").is_string() == estimated ? "" : "no reason";
}

}  // namespace

void CompareCommandTest::initTestCase() {
  m_quantized = file("quantized.onnx");
  const Outcome exported =
      runCli(QStringList{"export", m_model, "--format", "qdq-onnx", "--out", m_quantized} + data());
  QVERIFY2(exported.status == 0, describe(exported));
}

void CompareCommandTest::theResultIsComplete() {
  const Outcome outcome =
      runCli(QStringList{"compare", m_model, m_quantized, "--labels",
                         sampleFile("digits_mobilenet.labels.npy"), "--out", file("out")} +
             data());
  QVERIFY2(outcome.status == 0, describe(outcome));
  QVERIFY2(outcome.out.contains("no suspects") && outcome.out.contains("time of a sample: "),
           describe(outcome));
  const nlohmann::json report = readJson(file("out/compare.json"));
  QVERIFY(report.at("accuracy_drop").is_number());
  QCOMPARE(report.at("accuracy_drop_of").get<std::string>(), std::string("accuracy"));
  QCOMPARE(faultOfLatency(report), QString());
  if (!qEnvironmentVariable("QUANTSCOPE_PEERS").isEmpty()) {
    QCOMPARE(report.at("latency").at("source").get<std::string>(), std::string("onnxruntime"));
  }
  const auto bytes = [](const QString& path) {
    return static_cast<double>(QFileInfo(path).size());
  };
  QCOMPARE(report.at("compression_ratio").get<double>(), bytes(m_model) / bytes(m_quantized));
  QVERIFY(report.at("suspects").empty());
  QVERIFY(report.at("findings_problem").is_null());
  QCOMPARE(report.at("outputs").size(), std::size_t{1});
  QVERIFY(report.at("outputs")[0].at("sqnr_db").get<double>() > 20);
  QVERIFY(report.at("unmatched").at("quantized").empty());
  QVERIFY(!report.at("unmatched").at("float").empty());
  for (const char* model : {"float", "quantized"}) {
    QVERIFY(report.at("not_compared").at(model).empty());
  }
  for (const nlohmann::json& match : report.at("matched")) {
    for (const char* key : {"float", "quantized", "how"}) QVERIFY(match.at(key).is_string());
    const double confidence = match.at("confidence").get<double>();
    QVERIFY(confidence > 0 && confidence <= 1);
    QVERIFY(match.at("sqnr_db").get<double>() > 10);
    for (const nlohmann::json& finding : match.at("findings")) {
      for (const char* key : {"detector", "severity", "text"}) {
        QVERIFY(finding.at(key).is_string());
      }
    }
  }
}

// Without ONNX Runtime the cost table says it, and where nothing can, that is said.
void CompareCommandTest::timesWithoutOnnxRuntime() {
  const QByteArray path = qgetenv("PATH");
  qputenv("PATH", "/nowhere");
  const Outcome outcome =
      runCli(QStringList{"compare", m_model, m_quantized, "--out", file("estimate")} + data());
  const Outcome both =
      runCli(QStringList{"compare", m_quantized, m_quantized, "--out", file("both")} + data());
  qputenv("PATH", path);
  QVERIFY2(outcome.status == 0, describe(outcome));
  QVERIFY2(outcome.out.contains("an estimate from the cost table, since there is no Node"),
           describe(outcome));
  const nlohmann::json report = readJson(file("estimate/compare.json"));
  QCOMPARE(faultOfLatency(report), QString());
  QVERIFY(report.at("latency").at("estimated").get<bool>());
  QVERIFY(report.at("latency").at("float_ms") != report.at("latency").at("quantized_ms"));

  QVERIFY2(both.status == 0, describe(both));
  const nlohmann::json unknown = readJson(file("both/compare.json"));
  QVERIFY(unknown.at("speedup").is_null() && unknown.at("latency").is_null());
  QVERIFY(unknown.at("latency_problem").get<std::string>().find("quantized itself") !=
          std::string::npos);
}

void CompareCommandTest::threadsDoNotCount() {
  std::string first;
  for (const char* threads : {"1", "3"}) {
    const Outcome outcome = runCli(QStringList{"compare", m_model, m_quantized, "--threads",
                                               threads, "--json", "-", "--out", file("threads")} +
                                   data());
    QVERIFY2(outcome.status == 0, describe(outcome));
    QCOMPARE(readBytes(file("threads/compare.json")), outcome.out.toStdString());
    auto report = nlohmann::ordered_json::parse(outcome.out.toStdString());
    for (const char* measured : {"speedup", "latency"}) report.erase(measured);
    if (first.empty()) first = report.dump();
    QCOMPARE(report.dump(), first);
  }
}

void CompareCommandTest::correctionsByHand() {
  const nlohmann::json before = readJson(file("out/compare.json"));
  nlohmann::json hand;
  const std::string name = before.at("matched")[5].at("float");
  hand["matched"] = {{{"float", name}, {"quantized", nullptr}}};
  writeFile(m_folder, "hand.json", hand.dump().c_str());
  const Outcome outcome = runCli(QStringList{"compare", m_model, m_quantized, "--matches",
                                             file("hand.json"), "--out", file("corrected")} +
                                 data());
  QVERIFY2(outcome.status == 0, describe(outcome));
  const nlohmann::json after = readJson(file("corrected/compare.json"));
  for (const nlohmann::json& match : after.at("matched")) QVERIFY(match.at("float") != name);
  const auto& alone = after.at("unmatched").at("float");
  QVERIFY(std::find(alone.begin(), alone.end(), name) != alone.end());
}

void CompareCommandTest::catalogueTwins_data() {
  QTest::addColumn<QString>("model");
  QTest::addColumn<QString>("quantized");
  QTest::newRow("QDQ of TFLite") << "cifar10_resnet8_float"
                                 << "cifar10_resnet8_int8qdq";
  QTest::newRow("QDQ, depthwise") << "vww_mobilenet025_96_float"
                                  << "vww_mobilenet025_96_int8qdq";
  QTest::newRow("integer operators") << "factorio_mnist_float"
                                     << "factorio_mnist_dynq_int8";
}

// Every value of the quantized twins stands for one of the float network.
void CompareCommandTest::catalogueTwins() {
  const QString models = qEnvironmentVariable("QUANTSCOPE_MODELS");
  if (models.isEmpty()) QSKIP("QUANTSCOPE_MODELS is not set");
  QFETCH(QString, model);
  QFETCH(QString, quantized);
  const Outcome outcome =
      runCli({"compare", models + "/" + model + ".onnx", models + "/" + quantized + ".onnx",
              "--data", models + "/" + model + ".npz", "--samples", "8", "--out", file(model)});
  QVERIFY2(outcome.status == 0, describe(outcome));
  const nlohmann::json report = readJson(file(model + "/compare.json"));
  QVERIFY(report.at("unmatched").at("quantized").empty());
  QVERIFY(report.at("unmatched").at("float").empty());
  for (const nlohmann::json& match : report.at("matched")) {
    const nlohmann::json& error = match.at("sqnr_db");
    QVERIFY2(error == "Infinity" || error.get<double>() > 5, match.dump().c_str());
  }
}

void CompareCommandTest::refusals_data() {
  QTest::addColumn<QStringList>("arguments");
  QTest::addColumn<QString>("place");
  QTest::addColumn<QString>("remedy");
  const QStringList pair{m_model, file("quantized.onnx")};
  QTest::newRow("models that share nothing")
      << QStringList{m_model, "strange.onnx"} << "share no value"
      << "two versions of one model";
  QTest::newRow("nothing that can be computed")
      << QStringList{m_model, "uncomputable.onnx"} << "because of Nonsense"
      << "standard ONNX operators";
  QTest::newRow("no model") << QStringList{m_model, "missing.onnx"} << "missing.onnx"
                            << "";
  QTest::newRow("no JSON") << pair + QStringList{"--matches", "no.json"} << "no.json"
                           << "write {";
  QTest::newRow("no list") << pair + QStringList{"--matches", "nolist.json"} << "nolist.json"
                           << "write {";
  QTest::newRow("no name") << pair + QStringList{"--matches", "noname.json"} << "matched[0]"
                           << "write {";
  QTest::newRow("no ONNX Runtime")
      << pair + QStringList{"--ort", m_folder.path()} << "no ONNX Runtime in the folder"
      << "npm install";
  QTest::newRow("an unknown name") << pair + QStringList{"--matches", "unknown.json"} << "'nowhere'"
                                   << "inspect";
}

void CompareCommandTest::refusals() {
  QFETCH(QStringList, arguments);
  QFETCH(QString, place);
  QFETCH(QString, remedy);
  writeFile(m_folder, "no.json", "{");
  writeFile(m_folder, "nolist.json", "{}");
  writeFile(m_folder, "noname.json", R"({"matched":[{"float":"logits"}]})");
  writeFile(m_folder, "unknown.json", R"({"matched":[{"float":"nowhere","quantized":"logits"}]})");
  // Takes the same image and makes nothing of it that the other does.
  const auto strange = graphFromText(
      "input image:float[1,1,16,16]\nm = ReduceSum(image) keepdims=0\noutput m\n", 17);
  writeFile(m_folder, "strange.onnx", onnxModelOf(*strange));
  const auto uncomputable =
      graphFromText("input image:float[1,1,16,16]\nm = Nonsense(image)\noutput m\n", 17);
  writeFile(m_folder, "uncomputable.onnx", onnxModelOf(*uncomputable));
  for (QString& argument : arguments) {
    if (argument.endsWith(".onnx") || argument.endsWith(".json")) {
      argument = QDir(m_folder.path()).absoluteFilePath(argument);
    }
  }
  const QStringList before = entriesBelow(m_folder.path());
  const Outcome outcome =
      runCli(QStringList{"compare"} + arguments + data() + QStringList{"--out", file("refused")});
  QCOMPARE(faultOfRefusal(outcome, place, remedy), QByteArray());
  QCOMPARE(entriesBelow(m_folder.path()), before);
}

QUANTSCOPE_TEST(CompareCommandTest)
#include "test_compare_command.moc"
