// Lifted models of real networks in ONNX Runtime, beside the models as they are.

#include <QFile>
#include <QTemporaryDir>
#include <QtTest>
#include <algorithm>
#include <fstream>

#include "onnx/import.h"
#include "onnx/upgrade/upgrade_opset.h"
#include "onnx/writing/write_model.h"
#include "parity/peer_run.h"
#include "parity/value_error.h"
#include "support/test_main.h"
#include "tensor/npy.h"

using namespace quantscope;
using namespace quantscope::test;

class UpgradePeerTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void sameResults_data();
  void sameResults();
};

void UpgradePeerTest::sameResults_data() {
  QTest::addColumn<QString>("model");
  QTest::addColumn<QString>("data");
  const auto add = [](const char* model, const char* data) {
    QTest::newRow(model) << QString(model) << QString(data);
  };
  for (const char* name :
       {"mnist_cntk", "factorio_mnist_float", "cifar10_resnet8_float", "cifar10_resnet8_bn",
        "vww_mobilenet025_96_float", "vww_mobilenet025_96_bn", "mobilenet_v1_025_224_imagenet",
        "squeezenet_fp32", "ultraface_rfb320", "fastestdet", "vittracker", "magika_v3_3",
        "gtcrn_simple", "gtcrn_unrolled_x4", "silero_vad_16k_op15", "supres_core",
        "basic_pitch_nmp", "fns_mosaic_std", "squeezenet_fp16"}) {
    add(name, name);
  }
  add("ultraface_rfb320_simplified", "ultraface_rfb320");
  add("gtcrn", "gtcrn_simple");
  add("silero_vad", "silero_vad_16k_op15");
  add("fns_candy", "fns_mosaic_std");
  add("factorio_mnist_dynq_int8", "factorio_mnist_float");
}

void UpgradePeerTest::sameResults() {
  QFETCH(QString, model);
  QFETCH(QString, data);
  if (const QString missing = PeerRun::missing(); !missing.isEmpty()) {
    QSKIP(qPrintable("skipped: " + missing));
  }
  const QString models = qEnvironmentVariable("QUANTSCOPE_MODELS");
  if (models.isEmpty()) QSKIP("skipped: QUANTSCOPE_MODELS is not set");
  try {
    const QTemporaryDir folder;
    const auto run = [&](const QString& file, const QString& name) {
      const QString results = folder.filePath(name);
      QDir().mkpath(results);
      callPeer("node", "onnxruntime_values.js", {file, models + "/" + data + ".npz", "1", results});
    };
    const QString original = models + "/" + model + ".onnx";
    run(original, "original");
    const auto graph = importModel(original.toStdString());
    for (const int opset : {13, 18, 21, 22}) {
      if (graph->opsets.front().second > opset) continue;
      Graph lifted = *graph;
      upgradeOpset(lifted, opset);
      const QString file = folder.filePath(QString("%1.onnx").arg(opset));
      std::ofstream(file.toStdString(), std::ios::binary) << modelBytes({lifted, {}});
      run(file, QString::number(opset));
      for (std::size_t i = 0; i < graph->outputs().size(); ++i) {
        const auto read = [&](const QString& name) {
          return readNpy(folder.filePath(QString("%1/out%2_0.npy").arg(name).arg(i)).toStdString());
        };
        const double error =
            errorRatio(read("original"), read(QString::number(opset)),
                       model.contains("fp16") ? Tolerance::Float16 : Tolerance::Float32);
        QVERIFY2(error <= 1,
                 qPrintable(
                     QString("opset %1, output %2: %3 of the bound").arg(opset).arg(i).arg(error)));
      }
    }
  } catch (const std::exception& error) {
    QFAIL(error.what());
  }
}

QUANTSCOPE_TEST(UpgradePeerTest)
#include "test_upgrade_peer.moc"
