// Operators and their attributes against ONNX Runtime, a small graph each: what is newer than
// ONNX's own cases, and what only ONNX Runtime defines. The rows need QUANTSCOPE_PEERS.

#include <QFile>
#include <QTemporaryDir>
#include <QtTest>

#include "base/error.h"
#include "base/workers.h"
#include "engine/execution.h"
#include "onnx/import.h"
#include "parity/operator_rows.h"
#include "parity/peer_run.h"
#include "parity/value_error.h"
#include "support/graph_bytes.h"
#include "support/graph_text.h"
#include "support/test_main.h"
#include "tensor/npy.h"

using namespace quantscope;
using namespace quantscope::test;

namespace {

// "[2, 3] 1 0.5 -2 …"
QString beginning(const Tensor& tensor) {
  constexpr std::size_t kShown = 12;
  QString text = QString::fromStdString(toString(tensor.shape()));
  const Tensor plain = toFloat32(toLayout(tensor, Layout::Plain));
  for (std::size_t i = 0; i < std::min(kShown, plain.elementCount()); ++i) {
    text += QString(" %1").arg(static_cast<double>(plain.values<float>()[i]));
  }
  return plain.elementCount() > kShown ? text + " …" : text;
}

}  // namespace

class OperatorParityTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase();
  void resultsAgree_data();
  void resultsAgree();

 private:
  QString path(std::size_t row) const { return m_folder.filePath(QString("%1.onnx").arg(row)); }
  QString result(std::size_t row, std::size_t output) const {
    return m_folder.filePath(QString("%1_%2.npy").arg(row).arg(output));
  }
  QString difference(std::size_t row) const;

  QTemporaryDir m_folder;
  Workers m_workers{1};
  std::vector<OperatorRow> m_rows;
};

// All models are run by one process of the peer, before the first row is looked at.
void OperatorParityTest::initTestCase() {
  if (!PeerRun::missing().isEmpty()) return;
  for (const auto& rows : {elementwiseRows(), reductionRows(), normalizationRows(), windowRows(),
                           resamplingRows(), indexingRows(), recurrenceRows(), controlFlowRows()}) {
    m_rows.insert(m_rows.end(), rows.begin(), rows.end());
  }
  const std::vector<OperatorRow> quantized = quantizedRows();
  m_rows.insert(m_rows.end(), quantized.begin(), quantized.end());
  for (std::size_t i = 0; i < m_rows.size(); ++i) {
    QFile file(path(i));
    QVERIFY(file.open(QFile::WriteOnly));
    try {
      file.write(
          QByteArray::fromStdString(onnxModelOf(*graphFromText(m_rows[i].text, m_rows[i].opset))));
    } catch (const std::exception& error) {
      QFAIL((m_rows[i].text + ": " + error.what()).c_str());
    }
  }
  callPeer("node", "onnxruntime_models.js", {m_folder.path()});
}

void OperatorParityTest::resultsAgree_data() {
  QTest::addColumn<std::size_t>("row");
  for (std::size_t i = 0; i < m_rows.size(); ++i) {
    const std::string name = m_rows[i].text.substr(0, 150) + " (" +
                             std::to_string(m_rows[i].opset) + ", " + std::to_string(i) + ")";
    QTest::newRow(name.c_str()) << i;
  }
  if (m_rows.empty()) QTest::newRow("no peer") << std::size_t{0};
}

QString OperatorParityTest::difference(std::size_t row) const {
  QFile refusal(m_folder.filePath(QString("%1.error").arg(row)));
  if (refusal.open(QFile::ReadOnly)) return "the peer: " + QString::fromUtf8(refusal.readAll());
  const auto graph = importModel(path(row).toStdString());
  const Engine engine(graph, m_workers);
  for (const NotExecutable& node : engine.notExecutable()) return node.reason.c_str();
  const Plan plan = planForAllValues(engine);
  Execution execution(plan, {});
  m_workers.run([&] { execution.run(); });
  for (std::size_t i = 0; i < graph->outputs().size(); ++i) {
    const Tensor ours = execution.value(graph->outputs()[i]);
    const Tensor theirs = readNpy(result(row, i).toStdString());
    if (!ours.defined()) return QString("output %1 was not computed").arg(i);
    const double ratio = errorRatio(ours, theirs, Tolerance::Float32);
    if (ratio > 1) {
      return QString("output %1, %2 of the bound: %3 instead of %4")
          .arg(i)
          .arg(ratio)
          .arg(beginning(ours), beginning(theirs));
    }
  }
  return {};
}

void OperatorParityTest::resultsAgree() {
  QFETCH(std::size_t, row);
  if (m_rows.empty()) QSKIP(qPrintable("skipped: " + PeerRun::missing()));
  try {
    const QString found = difference(row);
    QVERIFY2(found.isEmpty(), qPrintable(found));
  } catch (const std::exception& error) {
    QFAIL(error.what());
  }
}

QUANTSCOPE_TEST(OperatorParityTest)
#include "test_operators.moc"
