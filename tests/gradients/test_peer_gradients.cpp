// Gradients of layers and of generated networks against PyTorch's.

#include <QtTest>

#include "base/workers.h"
#include "gradients/gradient_case.h"
#include "onnx/import.h"
#include "support/test_main.h"
#include "support/test_paths.h"
#include "tensor/npz.h"

using namespace quantscope;
using namespace quantscope::test;

namespace {

constexpr double kTolerance = 1e-4;
// Debian's own interpreter: python3-torch is not there for any other.
const QString kPython = "/usr/bin/python3";

Tensor arrayOf(const NpzFile& file, const std::string& name) {
  return file.open(name).read();
}

// The differences in one network: "value: relative error". `factor` falsifies the expectation.
QStringList differencesOf(const QString& path, float factor) {
  const Workers workers(1);
  const auto graph = importModel((path + ".onnx").toStdString());
  const Engine engine(graph, workers);
  const NpzFile file((path + ".npz").toStdString());
  const Feeds feeds{{graph->findValue("x"), arrayOf(file, "in.x")}};
  std::vector<ValueId> values;
  std::vector<Tensor> expected;
  std::vector<QString> names;
  for (const NpzArray& array : file.arrays()) {
    if (!array.name.starts_with("d.")) continue;
    names.push_back(QString::fromStdString(array.name.substr(2)));
    values.push_back(graph->findValue(array.name.substr(2)));
    Tensor tensor = arrayOf(file, array.name);
    for (float& element : tensor.mutableValues<float>()) element *= factor;
    expected.push_back(std::move(tensor));
  }
  const std::vector<Tensor> actual = cotangentsOf(engine, feeds, values, {arrayOf(file, "dy")});
  QStringList differences;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double error = relativeError({actual[i]}, {expected[i]});
    if (!actual[i].defined() || !(error <= kTolerance)) {
      differences << QString("%1: %2").arg(names[i]).arg(error);
    }
  }
  return differences;
}

}  // namespace

class PeerGradientsTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase();
  void agree();
  void aWrongGradientIsFound();

 private:
  QTemporaryDir m_folder;
  QStringList m_networks;
};

void PeerGradientsTest::initTestCase() {
  if (QProcess::execute(kPython, {"-c", "import torch, onnx"}) != 0) {
    QSKIP("PyTorch is not installed");
  }
  QProcess maker;
  maker.setProcessChannelMode(QProcess::MergedChannels);
  maker.start(kPython, {QUANTSCOPE_PEERS_DIRECTORY "/gradients.py", m_folder.path()});
  QVERIFY(maker.waitForFinished(600'000));
  QVERIFY2(maker.exitCode() == 0, maker.readAll());
  for (const QString& file : QDir(m_folder.path()).entryList({"*.onnx"}, QDir::Files, QDir::Name)) {
    m_networks << file.chopped(5);
  }
  QVERIFY(m_networks.size() >= 70);
}

void PeerGradientsTest::agree() {
  QStringList all;
  for (const QString& network : m_networks) {
    for (const QString& each : differencesOf(m_folder.filePath(network), 1)) {
      all << network + ": " + each;
    }
  }
  QVERIFY2(all.isEmpty(), qPrintable("\n" + all.join('\n')));
}

void PeerGradientsTest::aWrongGradientIsFound() {
  QVERIFY(!differencesOf(m_folder.filePath("conv_plain"), 1.0003F).isEmpty());
}

QUANTSCOPE_TEST(PeerGradientsTest)
#include "test_peer_gradients.moc"
