#include <QTemporaryDir>
#include <QtTest>
#include <string>

#include "calibration/open_samples.h"
#include "onnx/import.h"
#include "support/test_main.h"
#include "support/write_file.h"

using namespace quantscope;

// The data of real models; where they lie, QUANTSCOPE_MODELS says.
class CatalogueSamplesTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void init();
  void everySampleFeedsItsModel_data();
  void everySampleFeedsItsModel();
  void labelsOfTheSamples_data();
  void labelsOfTheSamples();
  void imagesFeedTheirModel_data();
  void imagesFeedTheirModel();

 private:
  std::string path(const QString& name) const { return (m_models + "/" + name).toStdString(); }
  QString m_models;
};

namespace {

// Every feed has a tensor of the right type for every input; returns the number of samples in them.
std::size_t readEverything(SampleSource& source, const Graph& graph) {
  std::size_t samples = 0;
  for (std::size_t i = 0; i < source.feedCount(); ++i) {
    const Feed feed = source.read(i);
    if (feed.firstSample != samples || feed.inputs.size() != graph.inputs().size()) return 0;
    for (const auto& [value, tensor] : feed.inputs) {
      if (tensor.type() != graph[value].type.element) return 0;
    }
    samples += feed.samples;
  }
  return samples;
}

}  // namespace

void CatalogueSamplesTest::init() {
  m_models = qEnvironmentVariable("QUANTSCOPE_MODELS");
  if (m_models.isEmpty()) QSKIP("skipped: QUANTSCOPE_MODELS does not say where the models are");
}

void CatalogueSamplesTest::everySampleFeedsItsModel_data() {
  QTest::addColumn<QString>("data");
  QTest::addColumn<int>("samples");
  const auto row = [](const char* model, const char* data, int samples) {
    QTest::newRow(model) << QString(data) << samples;
  };
  row("mnist_cntk", "mnist_cntk", 200);
  row("factorio_mnist_float", "factorio_mnist_float", 2000);
  row("factorio_mnist_dynq_int8", "factorio_mnist_float", 2000);
  row("cifar10_resnet8_float", "cifar10_resnet8_float", 200);
  row("cifar10_resnet8_int8qdq", "cifar10_resnet8_float", 200);
  row("cifar10_resnet8_bn", "cifar10_resnet8_bn", 200);
  row("vww_mobilenet025_96_float", "vww_mobilenet025_96_float", 58);
  row("vww_mobilenet025_96_int8qdq", "vww_mobilenet025_96_float", 58);
  row("vww_mobilenet025_96_bn", "vww_mobilenet025_96_bn", 58);
  row("mobilenet_v1_025_224_imagenet", "mobilenet_v1_025_224_imagenet", 24);
  row("squeezenet_fp32", "squeezenet_fp32", 24);
  row("squeezenet_fp16", "squeezenet_fp16", 24);
  row("ultraface_rfb320", "ultraface_rfb320", 16);
  row("ultraface_rfb320_simplified", "ultraface_rfb320", 16);
  row("fastestdet", "fastestdet", 12);
  row("vittracker", "vittracker", 8);
  row("magika_v3_3", "magika_v3_3", 58);
  row("gtcrn_simple", "gtcrn_simple", 40);
  row("gtcrn", "gtcrn_simple", 40);
  row("gtcrn_unrolled_x4", "gtcrn_unrolled_x4", 10);
  row("silero_vad_16k_op15", "silero_vad_16k_op15", 48);
  row("silero_vad", "silero_vad_16k_op15", 48);
  row("fns_mosaic_std", "fns_mosaic_std", 3);
  row("fns_candy", "fns_mosaic_std", 3);
  row("supres_core", "supres_core", 8);
  row("basic_pitch_nmp", "basic_pitch_nmp", 8);
}

void CatalogueSamplesTest::everySampleFeedsItsModel() {
  QFETCH(QString, data);
  QFETCH(int, samples);
  const auto graph = importModel(path(QString(QTest::currentDataTag()) + ".onnx"));
  const auto source = openSamples(path(data + ".npz"), *graph, {});
  QCOMPARE(source->sampleCount(), static_cast<std::size_t>(samples));
  QCOMPARE(readEverything(*source, *graph), static_cast<std::size_t>(samples));
}

void CatalogueSamplesTest::labelsOfTheSamples_data() {
  QTest::addColumn<int>("labels");
  QTest::addColumn<int>("classes");
  QTest::newRow("mnist_cntk") << 200 << 10;
  QTest::newRow("factorio_mnist_float") << 2000 << 10;
  QTest::newRow("cifar10_resnet8_bn") << 200 << 10;
  QTest::newRow("vww_mobilenet025_96_float") << 58 << 2;
  QTest::newRow("imagenet12") << 12 << 1000;
}

void CatalogueSamplesTest::labelsOfTheSamples() {
  QFETCH(int, labels);
  QFETCH(int, classes);
  const auto read = readLabels(path(QString(QTest::currentDataTag()) + ".labels.npy"));
  QCOMPARE(read.size(), static_cast<std::size_t>(labels));
  QVERIFY(std::ranges::all_of(read, [&](std::int64_t label) { return label < classes; }));
}

void CatalogueSamplesTest::imagesFeedTheirModel_data() {
  QTest::addColumn<QString>("folder");
  QTest::addColumn<std::string>("preprocessing");
  QTest::addColumn<int>("samples");
  QTest::newRow("mobilenet_v1_025_224_imagenet")
      << QString("images/natural")
      << std::string(R"({"size":[256,256],"resize":"shorter-side","crop":[224,224],
                         "scale":0.00784313725,"mean":[1]})")
      << 31;
  QTest::newRow("ultraface_rfb320")
      << QString("images/faces")
      << std::string(R"({"size":[240,320],"resize":"letterbox","scale":0.0078125,
                         "mean":[0.9921875]})")
      << 30;
}

void CatalogueSamplesTest::imagesFeedTheirModel() {
  QFETCH(QString, folder);
  QFETCH(std::string, preprocessing);
  QFETCH(int, samples);
  const auto graph = importModel(path(QString(QTest::currentDataTag()) + ".onnx"));
  SourceOptions options;
  options.preprocessing = parsePreprocessing(preprocessing);
  const auto source = openSamples(path(folder), *graph, options);
  QCOMPARE(source->sampleCount(), static_cast<std::size_t>(samples));
  QCOMPARE(readEverything(*source, *graph), static_cast<std::size_t>(samples));
}

QUANTSCOPE_TEST(CatalogueSamplesTest)
#include "test_catalogue_samples.moc"
