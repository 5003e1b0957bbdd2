// What published repairs win, on the catalogue's networks: their direction and order, held out.
// Needs QUANTSCOPE_MODELS.

#include <QTemporaryDir>
#include <QtTest>
#include <algorithm>

#include "cli/command_line.h"
#include "support/test_main.h"
#include "support/write_file.h"

using namespace quantscope::test;

namespace {

constexpr const char* kByTensor =
    R"({"quantscope": 1, "default": {"weight": {"granularity": "per-tensor"}}})";
constexpr const char* kFourBitWeights = R"({"quantscope": 1, "backend": "generic",
    "default": {"weight": {"type": "int4", "granularity": "per-channel:0"}}})";

QString catalogue(const QString& name) {
  return qEnvironmentVariable("QUANTSCOPE_MODELS") + "/" + name;
}

// The SQNR of the worst output on held-out samples, before and after.
struct HeldOut {
  double start = 0;
  double end = 0;

  double gain() const { return end - start; }
};

double worstOf(const nlohmann::json& state) {
  const auto values = state.at("held_out_db").get<std::vector<double>>();
  return std::ranges::min(values);
}

}  // namespace

class AnchorsTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase();
  void tensorScalesReachChannelScales_data();
  void tensorScalesReachChannelScales();
  void fourBitsByTheirMethods_data();
  void fourBitsByTheirMethods();
  void scalesGoThrough_data();
  void scalesGoThrough();
  void codesAreRefused_data();
  void codesAreRefused();

 private:
  Outcome repair(const QString& model, const QString& data, const char* config,
                 const QString& steps);
  HeldOut heldOut(const QString& name, const char* config, const QString& steps);

  QTemporaryDir m_folder;
};

void AnchorsTest::initTestCase() {
  if (qEnvironmentVariableIsEmpty("QUANTSCOPE_MODELS")) {
    QSKIP("skipped: QUANTSCOPE_MODELS is not set");
  }
}

Outcome AnchorsTest::repair(const QString& model, const QString& data, const char* config,
                            const QString& steps) {
  writeFile(m_folder, "config.json", config);
  return runCli({"repair", catalogue(model + ".onnx"), "--data", catalogue(data + ".npz"),
                 "--config", m_folder.filePath("config.json"), "--steps", steps, "--json", "-",
                 "--out", m_folder.filePath("repaired")});
}

HeldOut AnchorsTest::heldOut(const QString& name, const char* config, const QString& steps) {
  const Outcome outcome = repair(name, name, config, steps);
  if (outcome.status != 0) throw std::runtime_error(describe(outcome).toStdString());
  const auto report = nlohmann::json::parse(outcome.out.toStdString());
  return {worstOf(report.at("start")), worstOf(report.at("end"))};
}

void AnchorsTest::tensorScalesReachChannelScales_data() {
  QTest::addColumn<QString>("model");
  QTest::newRow("rectifiers: equalization is legal at once") << "vww_mobilenet025_96_bn";
  QTest::newRow("clips everywhere: they become rectifiers first")
      << "mobilenet_v1_025_224_imagenet";
}

// At least 80 % of the way from a scale per tensor to one per channel.
void AnchorsTest::tensorScalesReachChannelScales() {
  QFETCH(QString, model);
  const HeldOut byTensor = heldOut(model, kByTensor, "auto");
  const HeldOut byChannel = heldOut(model, R"({"quantscope": 1})", "dead-channels");
  qInfo("%.1f -> %.1f dB, per channel %.1f dB", byTensor.start, byTensor.end, byChannel.start);
  QVERIFY(byTensor.gain() >= 0.8 * (byChannel.start - byTensor.start));
}

void AnchorsTest::fourBitsByTheirMethods_data() {
  QTest::addColumn<QString>("model");
  QTest::newRow("residual additions") << "cifar10_resnet8_bn";
  QTest::newRow("concatenations") << "squeezenet_fp32";
}

// Nearest rounding < rounding by the moments of the inputs, no more than 0.5 dB below AdaRound.
void AnchorsTest::fourBitsByTheirMethods() {
  QFETCH(QString, model);
  const HeldOut rounded = heldOut(model, kFourBitWeights, "round");
  const HeldOut learned = heldOut(model, kFourBitWeights, "adaround");
  qInfo("nearest %.1f dB, rounded %.1f dB, learned %.1f dB", rounded.start, rounded.end,
        learned.end);
  QVERIFY(rounded.gain() >= 4);
  QVERIFY(rounded.end >= learned.end - 0.5);
}

void AnchorsTest::scalesGoThrough_data() {
  QTest::addColumn<QString>("model");
  QTest::newRow("shuffles") << "fastestdet";
}

void AnchorsTest::scalesGoThrough() {
  QFETCH(QString, model);
  const HeldOut equalized = heldOut(model, R"({"quantscope": 1})", "equalize");
  qInfo("%.1f -> %.1f dB", equalized.start, equalized.end);
  QVERIFY(equalized.gain() >= 1);
}

void AnchorsTest::codesAreRefused_data() {
  QTest::addColumn<QString>("model");
  QTest::addColumn<QString>("data");
  QTest::newRow("cifar10") << "cifar10_resnet8_int8qdq"
                           << "cifar10_resnet8_float";
  QTest::newRow("vww") << "vww_mobilenet025_96_int8qdq"
                       << "vww_mobilenet025_96_float";
}

void AnchorsTest::codesAreRefused() {
  QFETCH(QString, model);
  QFETCH(QString, data);
  const QByteArray fault = faultOfRefusal(repair(model, data, R"({"quantscope": 1})", "round"),
                                          "stored as codes, which are frozen", "`import`");
  QVERIFY2(fault.isEmpty(), fault);
}

QUANTSCOPE_TEST(AnchorsTest)
#include "test_anchors.moc"
