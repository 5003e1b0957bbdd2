// Exported models of real networks, read back as configurations. Needs QUANTSCOPE_MODELS for the
// catalogue's.

#include <QFile>
#include <QTemporaryDir>
#include <QtTest>
#include <fstream>

#include "export/exported_case.h"
#include "jobs/import_configuration.h"
#include "onnx/import.h"
#include "onnx/writing/write_model.h"
#include "support/test_main.h"
#include "support/test_paths.h"

using namespace quantscope;
using namespace quantscope::test;

class ImportedModelsTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void exportedComesBack_data();
  void exportedComesBack();
  void whatAnotherToolQuantized();
};

namespace {

constexpr const char* kDynamic =
    R"({"quantscope":1,"backend":"generic","default":{"activation":{"mode":"dynamic"}}})";

std::string configFor(const QString& kind, const QString& model, const QString& data) {
  if (kind == "mixed") return mixedConfig(model, data);
  if (kind == "dynamic") return kDynamic;
  return R"({"quantscope":1,"backend":")" + kind.toStdString() + "\"}";
}

std::vector<Tensor> outputsOf(const ExportedCase& exported, const AppliedQuantization& applied,
                              const Feed& feed) {
  const Engine& engine = *exported.model.engine;
  const std::span<const ValueId> outputs = engine.graph().outputs();
  return runOn(engine, feed.inputs, {outputs.begin(), outputs.end()}, &applied, feed.batch,
               exported.workers);
}

// The values whose rounding differs, for messages.
QString difference(const Graph& graph, const QuantizedModel& shown, const QuantizedModel& back) {
  QStringList nodes;
  for (const auto& [node, applied] : changesBetween(shown.applied, back.applied)) {
    const NodeQuantization& was = shown.applied[node];
    const NodeQuantization& is = back.applied[node];
    QString what = QString::fromStdString(graph[node].name + " (" + graph[node].op + ")");
    if (was.bypassed != is.bypassed) what += " folded";
    if (was.inputs != is.inputs)
      what += QString(" in %1>%2").arg(was.inputs.size()).arg(is.inputs.size());
    if (was.outputs != is.outputs)
      what += QString(" out %1>%2").arg(was.outputs.size()).arg(is.outputs.size());
    if (was.constants.size() != is.constants.size())
      what += QString(" constants %1>%2").arg(was.constants.size()).arg(is.constants.size());
    for (std::size_t i = 0; i < std::min(was.constants.size(), is.constants.size()); ++i) {
      if (!identical(was.constants[i].second, is.constants[i].second))
        what += QString(" constant %1").arg(was.constants[i].first);
    }
    nodes << what;
  }
  return QString("%1 nodes: %2").arg(nodes.size()).arg(nodes.mid(0, 6).join("; "));
}

}  // namespace

void ImportedModelsTest::exportedComesBack_data() {
  QTest::addColumn<QString>("model");
  QTest::addColumn<QString>("data");
  QTest::addColumn<QString>("kind");
  for (const auto& [name, model, data] : floatModels()) {
    for (const char* kind : {"x86", "qnnpack", "generic", "mixed", "dynamic"}) {
      QTest::newRow(qPrintable(name + " " + kind)) << model << data << QString(kind);
    }
  }
}

// The configuration that is read from a QDQ file computes the same bits with nothing calibrated.
void ImportedModelsTest::exportedComesBack() {
  QFETCH(QString, model);
  QFETCH(QString, data);
  QFETCH(QString, kind);
  if (model.isEmpty()) QSKIP("skipped: QUANTSCOPE_MODELS is not set");
  try {
    const ExportedCase exported(model, data, configFor(kind, model, data), 1);
    const QTemporaryDir folder;
    const std::string file = folder.filePath("shipped.onnx").toStdString();
    std::ofstream(file, std::ios::binary) << modelBytes(exported.qdq.draft);
    const ImportedConfiguration imported = importConfiguration(file, exported.model);
    for (const std::string& notice : imported.notices) {
      QVERIFY2(notice.find("DequantizeLinear'") == std::string::npos, notice.c_str());
    }
    const QuantizedModel back =
        quantizeModel(*exported.model.engine, imported.config, Observations());
    const Feed feed = exported.source->read(0);
    const auto shown = outputsOf(exported, exported.calibrated.model.applied, feed);
    const auto again = outputsOf(exported, back.applied, feed);
    for (std::size_t i = 0; i < shown.size(); ++i) {
      const QString words = difference(*exported.model.graph, exported.calibrated.model, back);
      QVERIFY2(identical(shown[i], again[i]), qPrintable(words));
    }
  } catch (const std::exception& error) {
    QFAIL(error.what());
  }
}

// TensorFlow Lite's model, which renames nodes, becomes a configuration that computes the same.
void ImportedModelsTest::whatAnotherToolQuantized() {
  const QString folder = qEnvironmentVariable("QUANTSCOPE_MODELS");
  if (folder.isEmpty()) QSKIP("skipped: QUANTSCOPE_MODELS is not set");
  const QString name = folder + "/vww_mobilenet025_96_";
  try {
    const ExportedCase shown(name + "float.onnx", name + "float.npz", "", 4);
    const std::string file = (name + "int8qdq.onnx").toStdString();
    const ImportedConfiguration imported = importConfiguration(file, shown.model);
    const QuantizedModel back = quantizeModel(*shown.model.engine, imported.config, Observations());
    const Engine theirs(importModel(file), shown.workers);
    for (std::size_t i = 0; i < shown.source->feedCount(); ++i) {
      const Feed feed = shown.source->read(i);
      const Tensor output =
          runOn(theirs, {{theirs.graph().inputs()[0], feed.inputs[0].second}},
                {theirs.graph().outputs()[0]}, nullptr, feed.batch, shown.workers)[0];
      QVERIFY(identical(outputsOf(shown, back.applied, feed)[0], output));
    }
  } catch (const std::exception& error) {
    QFAIL(error.what());
  }
}

QUANTSCOPE_TEST(ImportedModelsTest)
#include "test_imported_models.moc"
