// Exported models of real networks in ONNX Runtime, beside the simulation. Needs QUANTSCOPE_PEERS,
// and QUANTSCOPE_MODELS for the catalogue's.

#include <QFile>
#include <QtTest>

#include "export/exported_case.h"
#include "parity/peer_run.h"
#include "support/test_main.h"
#include "support/test_paths.h"

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
  const auto add = [](const QString& name, const QString& folder, const QString& data) {
    const QString path = folder.isEmpty() ? QString() : folder + "/";
    for (const char* config : {"x86", "generic", "mixed"}) {
      QTest::newRow(qPrintable(name + " " + config))
          << path + name + ".onnx" << path + data + ".npz" << QString(config);
    }
  };
  const QString samples = QUANTSCOPE_SAMPLES_DIRECTORY;
  for (const char* name : {"digits_mobilenet", "digits_transformer"}) add(name, samples, name);
  const QString models = qEnvironmentVariable("QUANTSCOPE_MODELS");
  for (const char* name :
       {"mnist_cntk", "factorio_mnist_float", "cifar10_resnet8_float", "cifar10_resnet8_bn",
        "vww_mobilenet025_96_float", "vww_mobilenet025_96_bn", "mobilenet_v1_025_224_imagenet",
        "squeezenet_fp32", "squeezenet_fp16", "ultraface_rfb320", "fastestdet", "vittracker",
        "magika_v3_3", "gtcrn_simple", "gtcrn_unrolled_x4", "silero_vad_16k_op15", "supres_core",
        "basic_pitch_nmp", "fns_mosaic_std"}) {
    add(name, models, name);
  }
  add("ultraface_rfb320_simplified", models, "ultraface_rfb320");
  add("gtcrn", models, "gtcrn_simple");
  add("silero_vad", models, "silero_vad_16k_op15");
  add("fns_candy", models, "fns_mosaic_std");
}

void QdqPeerTest::exportsAgree() {
  QFETCH(QString, model);
  QFETCH(QString, data);
  QFETCH(QString, config);
  if (const QString missing = PeerRun::missing(); !missing.isEmpty()) {
    QSKIP(qPrintable("skipped: " + missing));
  }
  if (!model.contains('/')) QSKIP("skipped: QUANTSCOPE_MODELS is not set");
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
