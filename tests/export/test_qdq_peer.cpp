// Exported models of real networks in ONNX Runtime, beside the simulation. Needs QUANTSCOPE_PEERS,
// and QUANTSCOPE_MODELS for the catalogue's.

#include <QFile>
#include <QtTest>

#include "export/exported_case.h"
#include "parity/peer_run.h"
#include "support/test_main.h"

using namespace quantscope;
using namespace quantscope::test;

class QdqPeerTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void exportsAgree_data();
  void exportsAgree();
};

void QdqPeerTest::exportsAgree_data() {
  QTest::addColumn<QString>("model");
  QTest::addColumn<QString>("data");
  QTest::addColumn<QString>("config");
  for (const auto& [name, model, data] : floatModels()) {
    for (const char* config : {"x86", "generic", "mixed"}) {
      QTest::newRow(qPrintable(name + " " + config)) << model << data << QString(config);
    }
  }
}

void QdqPeerTest::exportsAgree() {
  QFETCH(QString, model);
  QFETCH(QString, data);
  QFETCH(QString, config);
  if (const QString missing = PeerRun::missing(); !missing.isEmpty()) {
    QSKIP(qPrintable("skipped: " + missing));
  }
  if (model.isEmpty()) QSKIP("skipped: QUANTSCOPE_MODELS is not set");
  QVERIFY2(QFile::exists(model), qPrintable(model));
  try {
    const std::size_t samples = model.contains("fns_") ? 1 : 8;
    const std::string text = config == "mixed"
                                 ? mixedConfig(model, data)
                                 : R"({"quantscope":1,"backend":")" + config.toStdString() + "\"}";
    ExportedCase exported(model, data, text, samples);
    const PeerAgreement agreement = runInPeer(exported, samples);
    qInfo("%s", qPrintable(agreement.row(QString::fromUtf8(QTest::currentDataTag()))));
    const QString fault = agreement.fault(model.contains("fp16"));
    QVERIFY2(fault.isEmpty(), qPrintable(fault));
  } catch (const std::exception& error) {
    QFAIL(error.what());
  }
}

QUANTSCOPE_TEST(QdqPeerTest)
#include "test_qdq_peer.moc"
