#include <QRegularExpression>
#include <QTemporaryDir>
#include <QtTest>
#include <algorithm>

#include "cli/command_line.h"
#include "support/onnx_bytes.h"
#include "support/test_main.h"
#include "support/write_file.h"

using namespace quantscope::test;
using nlohmann::json;

/// `inspect`, `calibrate`, `bench engine`, and what standard error gets while they run.
class OtherCommandsTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void inspectJson();
  void inspectText();
  void errorsTellNotices();
  void calibrate();
  void calibrateEveryObserver();
  void calibrateChannels();
  void calibrateTooFewSamples();
  void calibrateTellsWhatHasNoRange();
  void calibrateThreads();
  void benchCalibration();
  void benchFindings();
  void benchEngine();
  void progress_data();
  void progress();
  void noProgressElsewhere();

 private:
  QString configFile(const QString& text) const;

  QTemporaryDir m_folder;
};

namespace {

json calibrated(const QString& out, const QStringList& options) {
  const Outcome outcome = runCli(QStringList{"calibrate", sampleNetwork(), "--out", out} + options);
  if (outcome.status != 0) qFatal("%s", describe(outcome).constData());
  return readJson(out);
}

}  // namespace

QString OtherCommandsTest::configFile(const QString& text) const {
  QFile file(m_folder.filePath("config.json"));
  if (!file.open(QIODevice::WriteOnly)) qFatal("cannot write a configuration");
  file.write(text.toUtf8());
  return file.fileName();
}

void OtherCommandsTest::inspectJson() {
  const Outcome outcome = runCli({"inspect", sampleNetwork(), "--json", "-"});
  QVERIFY2(outcome.status == 0 && outcome.err.isEmpty(), describe(outcome));
  const json model = json::parse(outcome.out.toStdString());
  QVERIFY(model.at("opsets").at("ai.onnx") == 13);
  QVERIFY(model.at("params") == 47602);
  QVERIFY(model.at("inputs") ==
          json::parse(R"([{"name":"image","dtype":"float32","shape":["batch",1,16,16]}])"));
  QVERIFY(model.at("outputs") ==
          json::parse(R"([{"name":"logits","dtype":"float32","shape":["batch",10]}])"));
  QVERIFY(model.at("operators").at("Conv") == 19);
  QCOMPARE(model.at("nodes").size(), std::size_t{91});
  const json& node = model.at("nodes")[0];
  QVERIFY(node.at("name") == "/stem/conv/Conv" && node.at("scope") == "/stem/conv");
  QVERIFY(node.at("op") == "Conv" && node.at("params") == 144);
  QVERIFY(model.at("not_computed").empty());
  const QString file = m_folder.filePath("model.json");
  const Outcome toFile = runCli({"inspect", sampleNetwork(), "--json", file});
  QVERIFY2(toFile.status == 0 && toFile.out.isEmpty(), describe(toFile));
  QVERIFY(readJson(file) == model);
}

void OtherCommandsTest::inspectText() {
  const Outcome outcome = runCli({"inspect", sampleNetwork()});
  QVERIFY2(outcome.status == 0 && outcome.err.isEmpty(), describe(outcome));
  for (const char* line : {"opset      ai.onnx 13\n", "nodes      91\n", "parameters 47602\n",
                           "  Conv                  19\n", "every node can be computed\n"}) {
    QVERIFY2(outcome.out.contains(line), line);
  }
}

void OtherCommandsTest::errorsTellNotices() {
  const QString config = QString::fromStdString(
      writeFile(m_folder, "vain.json", R"({"quantscope": 1, "op_types": {"Celu": "fp32"}})"));
  const Outcome outcome = runCli({"errors", sampleNetwork(), "--data", "random:1", "--config",
                                  config, "--layer", "/stem/conv/Conv"});
  QVERIFY2(outcome.status == 0, describe(outcome));
  QVERIFY2(outcome.err == "notice: 'op_types.Celu' has no effect: the model has no Celu\n",
           describe(outcome));
}

void OtherCommandsTest::calibrate() {
  const QString out = m_folder.filePath("c.json");
  const json result =
      calibrated(out, {"--data", sampleFile("digits_mobilenet.npz"), "--samples", "6"});
  QVERIFY(result.at("samples") == 6);
  const json& image = result.at("values").at("image");
  for (const char* key : {"min", "max", "mean", "std", "absmax", "channel_axis", "channel_min",
                          "channel_max", "histogram", "batch_to_epoch", "params"}) {
    QVERIFY2(image.contains(key), key);
  }
  QVERIFY(image.at("min") == 0.0 && image.at("max") == 1.0 && image.at("absmax") == 1.0);
  QVERIFY(image.at("channel_axis") == 1);
  QVERIFY(image.at("channel_max") == json::array({1.0}));
  std::size_t counted = 0;
  for (const json& count : image.at("histogram").at("counts")) counted += count.get<std::size_t>();
  QCOMPARE(counted, std::size_t{6 * 256});
  QVERIFY(image.at("histogram").contains("lo") && image.at("histogram").contains("width"));
  const json& params = image.at("params").at("uint8/minmax");
  QVERIFY(params.at("scale") == json::array({static_cast<double>(1.0F / 255.0F)}));
  QVERIFY(params.at("zero_point") == json::array({0}));
  QVERIFY(params.at("observed_min") == 0.0 && params.at("observed_max") == 1.0);
  QVERIFY(result.at("values").contains("logits"));

  const Outcome printed =
      runCli({"calibrate", sampleNetwork(), "--data", "random:2", "--out", out, "--json", "-"});
  QVERIFY2(printed.status == 0 && printed.err.isEmpty(), describe(printed));
  QVERIFY(json::parse(printed.out.toStdString()) == readJson(out));
  QVERIFY(readJson(out).at("synthetic") == true);
}

// Every value has parameters for every type and observer that the configuration asks for.
void OtherCommandsTest::calibrateEveryObserver() {
  const QString config = configFile(R"({"quantscope":1,
      "default":{"activation":{"type":"uint8","symmetric":false,"observer":"moving-average:0.5"}},
      "nodes":{"/stem/conv/Conv":{"activation":{"type":"int8","symmetric":true,
                                                "observer":"percentile:1:99"}}}})");
  const json result = calibrated(m_folder.filePath("o.json"),
                                 {"--data", sampleFile("digits_mobilenet.npz"), "--samples", "6",
                                  "--batch", "4", "--config", config});
  QVERIFY(result.at("synthetic") == false);
  for (const auto& [name, value] : result.at("values").items()) {
    QVERIFY2(value.at("batches") == 2, name.c_str());
    for (const char* key : {"uint8/moving-average:0.5", "int8/percentile:1:99"}) {
      const json& params = value.at("params").at(key);
      QVERIFY2(params.at("scale").size() == 1 && params.at("scale")[0] > 0.0, name.c_str());
      QVERIFY2(params.at("clipped") >= 0.0, name.c_str());
    }
  }
  const json& image = result.at("values").at("image");
  QVERIFY(image.at("kurtosis") > 1.0);
  QVERIFY(image.at("overflows") == json::parse(R"({"fp16":0,"bf16":0})"));
  QVERIFY(image.at("channel_report").at("axis") == 1);
  QVERIFY(image.at("channel_report").at("upper_ratio").size() == 1);
  QVERIFY(image.at("channel_report").at("upper_ratio")[0] >= 1.0);
}

void OtherCommandsTest::calibrateChannels() {
  for (const char* observer : {"percentile:5:95", "histogram", "mse", "kl", "max-code-entropy"}) {
    const QString config = configFile(QString(R"({"quantscope":1,"backend":"generic",
        "default":"fp32","nodes":{"/features/features.0/pointwise/conv/Conv":{"activation":
        {"type":"uint8","granularity":"per-channel","observer":"%1"}}}})")
                                          .arg(observer));
    const json result = calibrated(
        m_folder.filePath("channels.json"),
        {"--data", sampleFile("digits_mobilenet.npz"), "--samples", "4", "--config", config});
    std::size_t perChannel = 0;
    for (const auto& [name, value] : result.at("values").items()) {
      const json& scales = value.at("params").at(std::string("uint8/") + observer).at("scale");
      const std::size_t channels = value.at("channel_min").size();
      QCOMPARE(scales.size(), std::max<std::size_t>(channels, 1));
      if (channels > 4 && scales[0] != scales[1]) ++perChannel;
    }
    QVERIFY2(perChannel > 20, observer);
  }
}

void OtherCommandsTest::calibrateTooFewSamples() {
  const QString config = configFile(R"({"quantscope":1,"calibration_samples":50})");
  const QString out = m_folder.filePath("few.json");
  const Outcome outcome =
      runCli({"calibrate", sampleNetwork(), "--data", sampleFile("digits_mobilenet.npz"),
              "--samples", "6", "--config", config, "--out", out});
  QCOMPARE(outcome.status, 1);
  QVERIFY2(outcome.err.contains("insufficient data") && outcome.err.contains("50"),
           describe(outcome));
  QVERIFY(!QFile::exists(out));
}

void OtherCommandsTest::calibrateTellsWhatHasNoRange() {
  const std::string network =
      writeFile(m_folder, "odd.onnx",
                onnxModel(OnnxGraph{.nodes = {{"Neg", {"x"}, {"y"}, "", {}, {}},
                                              {"Odd", {"x"}, {"z"}, "odd", {}, "com.example"}},
                                    .inputs = {"x"},
                                    .outputs = {"y", "z"},
                                    .initializers = {},
                                    .functions = {}}));
  const Outcome outcome = runCli({"calibrate", QString::fromStdString(network), "--data",
                                  "random:2", "--out", m_folder.filePath("odd.json")});
  QVERIFY2(outcome.status == 0, describe(outcome));
  QVERIFY2(outcome.err.contains("1 value could not be computed and has no range"),
           describe(outcome));
}

void OtherCommandsTest::calibrateThreads() {
  const QStringList data{"--data", sampleFile("digits_mobilenet.npz"), "--samples", "33"};
  const json one = calibrated(m_folder.filePath("1.json"), data + QStringList{"--threads", "1"});
  for (const char* threads : {"2", "7"}) {
    const QString out = m_folder.filePath(QString("%1.json").arg(threads));
    QVERIFY(calibrated(out, data + QStringList{"--threads", threads}) == one);
  }
}

void OtherCommandsTest::benchEngine() {
  const QStringList command{"bench",     "engine", sampleNetwork(), "--seconds", "0.1",
                            "--threads", "2"};
  const Outcome outcome = runCli(command + QStringList{"--slowest", "3", "--json", "-"});
  QVERIFY2(outcome.status == 0 && outcome.err.isEmpty(), describe(outcome));
  const json result = json::parse(outcome.out.toStdString());
  QVERIFY(result.at("threads") == 2);
  for (const char* key : {"ms_per_sample", "latency_ms", "samples_per_s", "gflop_per_s",
                          "peak_gflop_per_s", "peak_rss_mib"}) {
    QVERIFY2(result.at(key).get<double>() > 0, key);
  }
  QVERIFY(result.at("gflop_per_s") < result.at("peak_gflop_per_s"));
  const json& slowest = result.at("slowest");
  QVERIFY(slowest.size() == 3);
  for (std::size_t i = 0; i < 3; ++i) {
    const double share = slowest[i].at("share");
    QVERIFY(share > 0 && share <= (i == 0 ? 1.0 : slowest[i - 1].at("share").get<double>()));
    QVERIFY(slowest[i].at("ms_per_sample") > 0);
  }
  QVERIFY(std::ranges::any_of(slowest, [](const json& node) {
    return node.at("op") == "Conv" && node.at("gflop_per_s") > 0;
  }));
  QVERIFY(result.at("one_peak_gflop_per_s") > 0);
  const Outcome text = runCli(command + QStringList{"--slowest", "3"});
  QVERIFY2(text.out.contains(" Conv "), describe(text));
}

void OtherCommandsTest::benchCalibration() {
  const Outcome outcome = runCli({"bench", "calibration", sampleNetwork(), "--data", "random:40",
                                  "--threads", "2", "--json", "-"});
  QVERIFY2(outcome.status == 0 && outcome.err.isEmpty(), describe(outcome));
  const json result = json::parse(outcome.out.toStdString());
  QVERIFY(result.at("threads") == 2 && result.at("samples") == 40);
  for (const char* key :
       {"seconds", "peak_rss_mib", "sample_per_thread_rss_mib", "observations_mib", "limit_mib"}) {
    QVERIFY2(result.at(key).get<double>() > 0, key);
  }
  QVERIFY(result.at("fraction_of_limit").get<double>() ==
          result.at("peak_rss_mib").get<double>() / result.at("limit_mib").get<double>());
}

void OtherCommandsTest::benchFindings() {
  const Outcome outcome = runCli({"bench", "findings", sampleNetwork(), "--data", "random:4",
                                  "--config", sampleFile("per_tensor.json"), "--json", "-"});
  QVERIFY2(outcome.status == 0 && outcome.err.isEmpty(), describe(outcome));
  const json result = json::parse(outcome.out.toStdString());
  QVERIFY(result.at("nodes") == 91 && result.at("samples") == 4);
  QVERIFY(result.at("findings") > 5 && result.at("simulated") > 20);
  QVERIFY(result.at("detect_seconds") > 0 && result.at("simulate_seconds") > 0);
}

void OtherCommandsTest::progress_data() {
  QTest::addColumn<QStringList>("command");
  QTest::addColumn<QString>("shown");
  QTest::newRow("run") << QStringList{"run"} << "Running [0-9]+/6000 samples, [0-9]+ s left";
  QTest::newRow("calibrate") << QStringList{"calibrate"}
                             << "Calibrating [0-9]+/1500 samples, [0-9]+ s left";
  QTest::newRow("analyze") << QStringList{"analyze"}
                           << "Analysing [0-9]+/1500 samples, [0-9]+ s left";
  QTest::newRow("quiet") << QStringList{"run", "--quiet"} << "^$";
}

void OtherCommandsTest::progress() {
  QFETCH(QStringList, command);
  QFETCH(QString, shown);
  const QString out = m_folder.filePath(QString("progress_") + QTest::currentDataTag());
  // A run is quick: with fewer samples it would be over before there is anything to show.
  command << sampleNetwork() << "--data"
          << (command.front() == "run" ? "random:6000" : "random:1500") << "--out" << out;
  const Outcome outcome = runCliOnTerminal(command);
  QVERIFY2(outcome.status == 0, describe(outcome));
  QVERIFY2(outcome.err.contains(QRegularExpression(shown)), describe(outcome));
  // The line is wiped at the end.
  if (!command.contains("--quiet")) QVERIFY(outcome.err.endsWith("\r\033[K"));
}

void OtherCommandsTest::noProgressElsewhere() {
  const Outcome outcome = runCli(
      {"run", sampleNetwork(), "--data", "random:2000", "--out", m_folder.filePath("piped")});
  QVERIFY2(outcome.status == 0 && outcome.err.isEmpty(), describe(outcome));
}

QUANTSCOPE_TEST(OtherCommandsTest)
#include "test_other_commands.moc"
