#include <QDir>
#include <QProcess>
#include <QTemporaryDir>
#include <QtTest>
#include <cmath>
#include <nlohmann/json.hpp>

#include "base/files/input_file.h"
#include "base/workers.h"
#include "calibration/open_samples.h"
#include "export/json/findings_json.h"
#include "jobs/analysis/find_faults.h"
#include "jobs/quantize_model.h"
#include "support/test_main.h"
#include "support/test_paths.h"

using namespace quantscope;
using nlohmann::json;

/// Our detectors in PyTorch's mode against PyTorch 1.13's ModelReport, on small networks that
/// tests/peers/model_report.py makes: those that are kept with the tests, and where PyTorch is
/// installed freshly made ones.
class ModelReportTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void kept_data();
  void kept();
  void fresh();
  void wrongFiguresAreFound_data();
  void wrongFiguresAreFound();
};

namespace {

constexpr double kTolerance = 1e-4;  // ModelReport averages in float
constexpr std::uint64_t kMaxBytes = 1 << 20;
// Debian's own interpreter: python3-torch is not there for any other.
const QString kPython = "/usr/bin/python3";

const QString& keptFolder() {
  static const QString folder = QUANTSCOPE_TEST_DATA "/model_report";
  return folder;
}

QStringList networksIn(const QString& folder) {
  QStringList names;
  for (const QString& file : QDir(folder).entryList({"*.onnx"}, QDir::Files, QDir::Name)) {
    names << file.chopped(5);
  }
  return names;
}

json expectationOf(const QString& path) {
  return json::parse(readFile((path + ".json").toStdString(), kMaxBytes));
}

json detectorsOf(const QString& path, const json& expectation) {
  const Workers workers(2);
  JobContext job(workers);
  const LoadedModel model = loadModel((path + ".onnx").toStdString(), job);
  const auto samples = openSamples((path + ".npz").toStdString(), *model.graph, {});
  const Configuration config = parseConfiguration(expectation.at("config").dump(), "config");
  const CalibratedModel calibrated =
      calibrateAndQuantize(model, config, *samples, expectation.at("batch").get<std::size_t>(), job,
                           DetectorMode::PyTorch);
  return json::parse(detectorsJson(findFaults(model, config, calibrated.model,
                                              calibrated.observations, {}, DetectorMode::PyTorch))
                         .dump());
}

bool agree(const json& actual, const json& expected) {
  if (!actual.is_number_float() || !expected.is_number()) return actual == expected;
  const double wanted = expected.get<double>();
  return std::abs(actual.get<double>() - wanted) <= kTolerance * std::abs(wanted);
}

/// One line per difference; a node that only we list is none (PyTorch knows modules, not
/// operators).
QStringList differences(const json& actual, const json& expected, const QString& place) {
  if (expected.is_object()) {
    QStringList found;
    for (const auto& [key, value] : expected.items()) {
      const QString inside = place + "." + QString::fromStdString(key);
      found << (actual.contains(key) ? differences(actual.at(key), value, inside)
                                     : QStringList{inside + " is missing"});
    }
    return found;
  }
  if (expected.is_array() && actual.is_array() && actual.size() == expected.size()) {
    QStringList found;
    for (std::size_t i = 0; i < expected.size(); ++i) {
      found << differences(actual[i], expected[i], QString("%1[%2]").arg(place).arg(i));
    }
    return found;
  }
  if (agree(actual, expected)) return {};
  return {QString::fromStdString(place.toStdString() + ": " + actual.dump() + " instead of " +
                                 expected.dump())};
}

QStringList differencesOf(const QString& path) {
  const json expectation = expectationOf(path);
  return differences(detectorsOf(path, expectation), expectation.at("detectors"),
                     QFileInfo(path).fileName());
}

}  // namespace

void ModelReportTest::kept_data() {
  QTest::addColumn<QString>("path");
  const QStringList networks = networksIn(keptFolder());
  QVERIFY(networks.size() >= 10);
  for (const QString& network : networks) {
    QTest::newRow(qPrintable(network)) << keptFolder() + "/" + network;
  }
}

void ModelReportTest::kept() {
  QFETCH(QString, path);
  const QStringList found = differencesOf(path);
  QVERIFY2(found.isEmpty(), qPrintable("\n" + found.join('\n')));
}

void ModelReportTest::fresh() {
  if (QProcess::execute(kPython, {"-c", "import torch.ao.quantization.fx._model_report, onnx"}) !=
      0) {
    QSKIP("PyTorch is not installed");
  }
  const QTemporaryDir folder;
  const QStringList arguments{QUANTSCOPE_PEERS_DIRECTORY "/model_report.py", folder.path()};
  QCOMPARE(QProcess::execute(kPython, arguments), 0);
  const QStringList networks = networksIn(folder.path());
  QCOMPARE(networks, networksIn(keptFolder()));
  for (const QString& network : networks) {
    const QStringList found = differencesOf(folder.filePath(network));
    QVERIFY2(found.isEmpty(), qPrintable("\n" + found.join('\n')));
  }
}

void ModelReportTest::wrongFiguresAreFound_data() {
  QTest::addColumn<QByteArray>("actual");
  QTest::addColumn<QByteArray>("expected");
  QTest::addColumn<int>("count");
  QTest::newRow("within") << QByteArray("[1.00005]") << QByteArray("[1.0]") << 0;
  QTest::newRow("beyond") << QByteArray("[1.0002]") << QByteArray("[1.0]") << 1;
  QTest::newRow("of the largest float")
      << QByteArray("[3.4e38]") << QByteArray("[3.4028235e38]") << 1;
  QTest::newRow("infinity") << QByteArray(R"(["Infinity"])") << QByteArray("[3.4e38]") << 1;
  QTest::newRow("nothing") << QByteArray("[null]") << QByteArray("[0.0]") << 1;
  QTest::newRow("verdict") << QByteArray("[true, false]") << QByteArray("[true, true]") << 1;
  QTest::newRow("count") << QByteArray("[8, 7]") << QByteArray("[8, 8]") << 1;
  QTest::newRow("length") << QByteArray("[1.0]") << QByteArray("[1.0, 1.0]") << 1;
  QTest::newRow("node left out") << QByteArray("{}") << QByteArray(R"({"/conv1/Conv": [1.0]})")
                                 << 1;
}

void ModelReportTest::wrongFiguresAreFound() {
  QFETCH(QByteArray, actual);
  QFETCH(QByteArray, expected);
  QFETCH(int, count);
  const QStringList found =
      differences(json::parse(actual.toStdString()), json::parse(expected.toStdString()), "x");
  QCOMPARE(static_cast<int>(found.size()), count);
}

QUANTSCOPE_TEST(ModelReportTest)
#include "test_model_report.moc"
