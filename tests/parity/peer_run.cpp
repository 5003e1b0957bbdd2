#include "parity/peer_run.h"

#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QProcess>
#include <QStandardPaths>
#include <stdexcept>

#include "support/test_paths.h"
#include "tensor/npy.h"

namespace quantscope::test {
namespace {

const QString kPeers = QUANTSCOPE_PEERS_DIRECTORY;
// Debian's own interpreter: python3-onnx is not there for any other.
const QString kPython = "/usr/bin/python3";
constexpr int kTimeLimitMs = 600'000;

}  // namespace

void callPeer(const QString& interpreter, const QString& script, const QStringList& arguments) {
  const QString program = interpreter == "python" ? kPython : interpreter;
  QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
  environment.insert("NODE_PATH", environment.value("QUANTSCOPE_PEERS") + "/node_modules");
  QProcess process;
  process.setProcessEnvironment(environment);
  process.setProcessChannelMode(QProcess::MergedChannels);
  process.start(program, QStringList{kPeers + "/" + script} + arguments);
  process.waitForFinished(kTimeLimitMs);
  if (process.exitStatus() == QProcess::NormalExit && process.exitCode() == 0) return;
  throw std::runtime_error(
      (program + " failed: " + QString::fromUtf8(process.readAll())).toStdString());
}

namespace {

std::vector<PeerRun::Entry> entries(const QJsonArray& array) {
  std::vector<PeerRun::Entry> result;
  for (const QJsonValue& entry : array) {
    QStringList files;
    for (const QJsonValue& file : entry["files"].toArray()) files << file.toString();
    result.push_back({entry["name"].toString(), files});
  }
  return result;
}

}  // namespace

PeerRun::PeerRun(const QString& model, const QString& data, int samples) {
  const QString exposed = m_directory.filePath("exposed.onnx");
  callPeer("python", "expose_values.py", {model, exposed});
  callPeer("node", "onnxruntime_values.js",
           {exposed, data, QString::number(samples), m_directory.path()});
  QFile manifest(m_directory.filePath("manifest.json"));
  if (!manifest.open(QFile::ReadOnly)) throw std::runtime_error("the peer left no manifest");
  const QJsonDocument document = QJsonDocument::fromJson(manifest.readAll());
  m_inputs = entries(document["inputs"].toArray());
  m_values = entries(document["values"].toArray());
}

QString PeerRun::missing() {
  const QString peers = qEnvironmentVariable("QUANTSCOPE_PEERS");
  if (peers.isEmpty()) return "QUANTSCOPE_PEERS is not set";
  if (!QFile::exists(peers + "/node_modules/onnxruntime-node")) return "no onnxruntime-node there";
  if (QStandardPaths::findExecutable("node").isEmpty()) return "no node";
  return {};
}

std::size_t PeerRun::samples() const {
  return m_values.empty() ? 0 : static_cast<std::size_t>(m_values.front().files.size());
}

Tensor PeerRun::read(const Entry& entry, std::size_t sample) const {
  const QString file = entry.files.at(static_cast<qsizetype>(sample));
  return readNpy(m_directory.filePath(file).toStdString());
}

}  // namespace quantscope::test
