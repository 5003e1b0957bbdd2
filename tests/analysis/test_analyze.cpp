#include <QtTest>
#include <cmath>

#include "analysis/analyze.h"
#include "base/error.h"
#include "base/workers.h"
#include "calibration/calibrate.h"
#include "support/graph_text.h"
#include "support/memory_source.h"
#include "support/test_main.h"

using namespace quantscope;
using quantscope::test::graphFromText;
using quantscope::test::MemorySource;
using quantscope::test::randomSamples;

namespace {

AnalysisResult analyzeText(const char* text, const std::vector<Tensor>& samples,
                           const PrecisionConfig& config = {}, int threads = 2,
                           const std::vector<std::int64_t>& labels = {}) {
  const Workers workers(threads);
  const auto graph = graphFromText(text);
  const Engine engine(graph, workers);
  SampleSet set(std::make_unique<MemorySource>(graph->inputs()[0], samples));
  JobContext job(workers);
  const Observations observations = calibrate(engine, set, {}, job);
  const QuantizedModel model = quantizeModel(engine, config, observations);
  AnalysisMemory memory(std::size_t{64} << 20);
  return analyze(engine, config, model, observations, set, {labels, "labels.npy"}, memory, job);
}

const LayerResult& layerNamed(const AnalysisResult& result, const std::string& name) {
  for (const LayerResult& layer : result.layers) {
    if (layer.name == name) return layer;
  }
  throw std::runtime_error("no layer " + name);
}

constexpr const char* kTwoConvolutions = R"(
  input x:float[1,3,6,6]
  w1:float[4,3,3,3]
  w2:float[2,4,3,3]
  a = Conv(x, w1) @c1
  r = Relu(a) @relu
  b = Conv(r, w2) @c2
  m = MaxPool(b) kernel_shape=[2,2] @pool
  output m
)";

}  // namespace

class AnalyzeTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void firstLayerErrsLocallyAsAccumulated();
  void nothingQuantizedMeansNoError();
  void singleLayerQuantized();
  void anyThreadCountGivesTheSameBits();
  void whatCalibrationLeavesChangesNoBit_data();
  void whatCalibrationLeavesChangesNoBit();
  void rowsOfFusedPatterns();
  void macsAbove8Bits_data();
  void macsAbove8Bits();
  void macsOfOtherLayers();
  void outputsAgreeAndHitTheirLabels();
  void divergingBranchesDoNotDisturb();
  void bodiesOfLoopsAreQuantized();
  void unknownOperatorsAreListed();
  void noSamplesAndCancel();
};

// The first layer reads float inputs either way; every later one adds its own error to what comes.
void AnalyzeTest::firstLayerErrsLocallyAsAccumulated() {
  const AnalysisResult result = analyzeText(kTwoConvolutions, randomSamples({1, 3, 6, 6}, 5, 7));
  const LayerResult& first = layerNamed(result, "c1");
  const LayerResult& second = layerNamed(result, "c2");
  QVERIFY(first.local->total.sqnrDb == first.accumulated->total.sqnrDb);
  QVERIFY(*second.accumulated->total.sqnrDb < *second.local->total.sqnrDb);
  QVERIFY(*first.local->total.sqnrDb > 25 && *first.local->total.sqnrDb < 60);
  QCOMPARE(first.local->sampleSqnrDb.size(), std::size_t{5});
  QCOMPARE(first.local->channelSqnrDb.size(), std::size_t{4});
  QCOMPARE(first.channelAxis, 1);
  // Uniform rounding to a step: between an ideal 1/√12 and what the input's error adds to it.
  QVERIFY(*first.local->total.rmseOverScale > 0.2 && *first.local->total.rmseOverScale < 1.5);
}

void AnalyzeTest::nothingQuantizedMeansNoError() {
  PrecisionConfig config;
  config.defaults.float32 = true;
  const AnalysisResult result =
      analyzeText(kTwoConvolutions, randomSamples({1, 3, 6, 6}, 2, 7), config);
  for (const LayerResult& layer : result.layers) {
    QVERIFY(!layer.local);
    QVERIFY(std::isinf(*layer.accumulated->total.sqnrDb));
  }
  QCOMPARE(result.summary.quantizedLayers, std::size_t{0});
}

void AnalyzeTest::singleLayerQuantized() {
  const PrecisionConfig config =
      *parseConfiguration(R"({"quantscope": 1, "default": "fp32", "nodes": {"c2": {}}})", "config")
           .precision;
  const AnalysisResult result =
      analyzeText(kTwoConvolutions, randomSamples({1, 3, 6, 6}, 3, 7), config);
  QVERIFY(std::isinf(*layerNamed(result, "c1").accumulated->total.sqnrDb));
  const LayerResult& second = layerNamed(result, "c2");
  QVERIFY(second.local->total.sqnrDb == second.accumulated->total.sqnrDb);
  QVERIFY(std::isfinite(*second.local->total.sqnrDb));
}

void AnalyzeTest::anyThreadCountGivesTheSameBits() {
  const std::vector<Tensor> samples = randomSamples({1, 3, 6, 6}, 9, 7);
  const AnalysisResult one = analyzeText(kTwoConvolutions, samples, {}, 1);
  for (const int threads : {2, 7}) {
    const AnalysisResult other = analyzeText(kTwoConvolutions, samples, {}, threads);
    QCOMPARE(other.layers.size(), one.layers.size());
    for (std::size_t i = 0; i < one.layers.size(); ++i) {
      QVERIFY(one.layers[i].accumulated->total.mse == other.layers[i].accumulated->total.mse);
      QVERIFY(one.layers[i].accumulated->sampleSqnrDb == other.layers[i].accumulated->sampleSqnrDb);
      QVERIFY(one.layers[i].accumulated->channelSqnrDb ==
              other.layers[i].accumulated->channelSqnrDb);
    }
  }
}

void AnalyzeTest::whatCalibrationLeavesChangesNoBit_data() {
  QTest::addColumn<std::size_t>("budget");
  QTest::newRow("no budget") << std::size_t{0};
  QTest::newRow("some of the samples") << std::size_t{24'000};
  QTest::newRow("all samples") << (std::size_t{64} << 20);
}

void AnalyzeTest::whatCalibrationLeavesChangesNoBit() {
  QFETCH(const std::size_t, budget);
  const std::vector<Tensor> samples = randomSamples({1, 3, 6, 6}, 9, 7);
  const AnalysisResult expected = analyzeText(kTwoConvolutions, samples);

  const Workers workers(2);
  const auto graph = graphFromText(kTwoConvolutions);
  const Engine engine(graph, workers);
  SampleSet set(std::make_unique<MemorySource>(graph->inputs()[0], samples));
  JobContext job(workers);
  const Configuration config;
  ActivationCache cache(budget);
  const std::vector<ValueId> values = valuesToAnalyze(engine, *config.precision);
  const Observations observations =
      calibrate(engine, set, {}, job, samples.size(), {&cache, values});
  QCOMPARE(cache.bytes() > 0, budget > 0);
  QVERIFY(cache.bytes() <= budget);
  const QuantizedModel model = quantizeModel(engine, config, observations);
  AnalysisMemory warm(budget);
  calibrate(engine, set, {}, job, samples.size(), {&warm.activations, values});
  const AnalysisResult actual = analyze(engine, config, model, observations, set, {}, warm, job);
  QCOMPARE(actual.layers.size(), expected.layers.size());
  for (std::size_t i = 0; i < expected.layers.size(); ++i) {
    QVERIFY(actual.layers[i].accumulated->sampleSqnrDb ==
            expected.layers[i].accumulated->sampleSqnrDb);
    QVERIFY(actual.layers[i].accumulated->channelSqnrDb ==
            expected.layers[i].accumulated->channelSqnrDb);
    QCOMPARE(actual.layers[i].local.has_value(), expected.layers[i].local.has_value());
    if (!expected.layers[i].local) continue;
    QVERIFY(actual.layers[i].local->sampleSqnrDb == expected.layers[i].local->sampleSqnrDb);
  }
}

void AnalyzeTest::rowsOfFusedPatterns() {
  const AnalysisResult result = analyzeText(kTwoConvolutions, randomSamples({1, 3, 6, 6}, 1, 7));
  QCOMPARE(result.layers.size(), std::size_t{3});
  QCOMPARE(layerNamed(result, "c1").fusedOps, std::string("Conv+Relu"));
  QCOMPARE(layerNamed(result, "c1").outputValue, std::string("r"));
  QCOMPARE(layerNamed(result, "c1").parameters, std::int64_t{108});
  QVERIFY(layerNamed(result, "pool").dataMover);
  QVERIFY(!layerNamed(result, "pool").quantized);
  const QuantizationSummary& summary = result.summary;
  // 180 float weights; as int8 one byte each and a float scale for each of 6 channels.
  QCOMPARE(summary.floatBytes, std::size_t{720});
  QCOMPARE(summary.quantizedBytes, std::size_t{180 + 6 * 4});
  QVERIFY(std::abs(summary.memorySavedPercent - 100.0 * (720 - 204) / 720) < 1e-9);
}

// c1 has 4·4·4 outputs of 27 products each, c2 has 2·2·2 of 36.
void AnalyzeTest::macsAbove8Bits_data() {
  QTest::addColumn<QString>("config");
  QTest::addColumn<double>("macs");
  QTest::newRow("8 bits") << R"({"quantscope": 1})" << 0.0;
  QTest::newRow("float") << R"({"quantscope": 1, "default": "fp32"})" << 2016.0;
  QTest::newRow("a layer in float") << R"({"quantscope": 1, "nodes": {"c1": "fp32"}})" << 1728.0;
  QTest::newRow("wide activations")
      << R"({"quantscope": 1, "nodes": {"c2": {"activation": {"type": "int16"}}}})" << 288.0;
  QTest::newRow("weights alone")
      << R"({"quantscope": 1, "nodes": {"c2": {"activation": {"type": "fp32"}}}})" << 288.0;
  QTest::newRow("activations alone")
      << R"({"quantscope": 1, "nodes": {"c1": {"weight": {"type": "fp32"}}}})" << 1728.0;
  QTest::newRow("wide outputs do not count")
      << R"({"quantscope": 1, "nodes": {"c2": {"output": {"type": "int16"}}}})" << 0.0;
  QTest::newRow("4-bit weights") << R"({"quantscope": 1, "default": {"weight": {"type": "int4"}}})"
                                 << 0.0;
}

void AnalyzeTest::macsAbove8Bits() {
  QFETCH(QString, config);
  QFETCH(double, macs);
  const PrecisionConfig precision = *parseConfiguration(config.toStdString(), "config").precision;
  const AnalysisResult result =
      analyzeText(kTwoConvolutions, randomSamples({1, 3, 6, 6}, 3, 7), precision);
  QCOMPARE(result.summary.macsAbove8Bits.value(), macs / 2016);
}

// A product of two activations; nothing is known where nothing is multiplied.
void AnalyzeTest::macsOfOtherLayers() {
  const char* const product = R"(
    input x:float[1,2,4,4]
    y = MatMul(x, x) @product
    output y
  )";
  const std::vector<Tensor> samples = randomSamples({1, 2, 4, 4}, 2, 7);
  QCOMPARE(analyzeText(product, samples).summary.macsAbove8Bits.value(), 0.0);
  // A recurrence, which x86 runs with dynamic activations only; each of 4 steps has 8·(3 + 2).
  const char* const recurrence = R"(
    input x:float[4,1,3]
    y = LSTM(x, w:float[1,8,3], r:float[1,8,2]) hidden_size=2 @lstm
    output y
  )";
  const std::vector<Tensor> sequences = randomSamples({4, 1, 3}, 2, 7);
  QCOMPARE(analyzeText(recurrence, sequences).summary.macsAbove8Bits.value(), 1.0);
  const PrecisionConfig dynamic =
      *parseConfiguration(R"({"quantscope": 1, "default": {"activation": {"mode": "dynamic"}}})",
                          "config")
           .precision;
  QCOMPARE(analyzeText(recurrence, sequences, dynamic).summary.macsAbove8Bits.value(), 0.0);
  const char* const none = R"(
    input x:float[1,2,4,4]
    y = Relu(x) @relu
    output y
  )";
  QVERIFY(!analyzeText(none, samples).summary.macsAbove8Bits);
}

// Identity weights: class = the largest input.
void AnalyzeTest::outputsAgreeAndHitTheirLabels() {
  const std::vector<Tensor> samples{Tensor::of<float>({1, 3}, {5, 1, 0}),
                                    Tensor::of<float>({1, 3}, {0, 1, 0.5F}),
                                    Tensor::of<float>({1, 3}, {0, 1, 4})};
  const AnalysisResult result = analyzeText(R"(
    input x:float[1,3]
    w:float[3,3]{1, 0, 0, 0, 1, 0, 0, 0, 1}
    y = Gemm(x, w) @g
    output y
  )",
                                            samples, {}, 2, {0, 2});
  const OutputResult& output = result.outputs.at(0);
  QVERIFY(output.top1Agreement == 1.0);
  QVERIFY(output.accuracyFloat == 0.5);  // of the two that have labels
  QVERIFY(output.accuracyQuantized == 0.5);
  QVERIFY(output.kl && *output.kl >= 0 && *output.kl < 1e-3);
}

// The condition 0.5 > 0.49 is lost when x is rounded to steps of 1: the quantized run takes the
// other branch. What follows is compared all the same.
void AnalyzeTest::divergingBranchesDoNotDisturb() {
  const std::vector<Tensor> samples{Tensor::of<float>({1, 2}, {0.45F, 255.0F}),
                                    Tensor::of<float>({1, 2}, {3.0F, 255.0F})};
  const AnalysisResult result = analyzeText(R"(
    input x:float[1,2]
    w:float[2,1]{1, 0}
    limit:float[1,1]{0.4}
    shape:int64[0]
    one:float[1,1]{1}
    a = MatMul(x, w) @m
    c = Greater(a, limit) @compare
    condition = Reshape(c, shape) @scalar
    r = If(condition) @choice then={
      t = Neg(a) @negate
      output t
    } else={
      u = Add(a, one) @add
      output u
    }
    z = Relu(r) @relu
    output z
  )",
                                            samples);
  QVERIFY(layerNamed(result, "relu").accumulated.has_value());
  QCOMPARE(layerNamed(result, "relu").accumulated->sampleSqnrDb.size(), std::size_t{2});
  // Both runs enter "then" for the second sample only.
  const LayerResult& inner = layerNamed(result, "choice/then/negate");
  QVERIFY(std::isnan(inner.accumulated->sampleSqnrDb[0]));
  QVERIFY(!std::isnan(inner.accumulated->sampleSqnrDb[1]));
}

// What the body is handed in each run has a range of its own.
void AnalyzeTest::bodiesOfLoopsAreQuantized() {
  const AnalysisResult result = analyzeText(R"(
    input x:float[1,4,3]
    start:float[1,2]{0, 0}
    r = Relu(x) @front
    last, all = Scan(start, r) @rnn num_scan_inputs=1 scan_input_axes=[1] body={
      input state:float[1,2]
      input item:float[1,3]
      w:float[3,2]
      v:float[2,2]
      a = MatMul(item, w) @project
      b = MatMul(state, v) @recur
      next = Add(a, b) @add
      copy = Identity(next)
      output next
      output copy
    }
    output last
  )",
                                            randomSamples({1, 4, 3}, 5, 7));
  for (const char* name : {"rnn/body/project", "rnn/body/recur"}) {
    const LayerResult& layer = layerNamed(result, name);
    QVERIFY2(layer.quantized, name);
    QVERIFY(std::isfinite(*layer.local->total.sqnrDb));
    QVERIFY(std::isfinite(*layer.accumulated->total.sqnrDb));
  }
  QVERIFY(std::isfinite(*result.outputs.at(0).error.sqnrDb));
}

void AnalyzeTest::unknownOperatorsAreListed() {
  const AnalysisResult result = analyzeText(R"(
    input x:float[1,3]
    w:float[3,3]
    y = Gemm(x, w) @g
    z = com.example.Mystery(y) @strange
    output y
    output z
  )",
                                            randomSamples({1, 3}, 2, 7));
  QCOMPARE(result.notComputed.size(), std::size_t{1});
  QCOMPARE(result.notComputed[0].node, std::string("strange"));
  QCOMPARE(result.notComputed[0].domain, std::string("com.example"));
  QVERIFY(layerNamed(result, "g").accumulated.has_value());
  QVERIFY(!layerNamed(result, "strange").accumulated);
}

void AnalyzeTest::noSamplesAndCancel() {
  QVERIFY_EXCEPTION_THROWN(analyzeText(kTwoConvolutions, {}), Error);

  const Workers workers(2);
  const auto graph = graphFromText(kTwoConvolutions);
  const Engine engine(graph, workers);
  MemorySource source(graph->inputs()[0], randomSamples({1, 3, 6, 6}, 4, 7));
  JobContext job(workers);
  job.requestCancel();
  QVERIFY_EXCEPTION_THROWN(calibrate(engine, source, {}, job), Cancelled);
}

QUANTSCOPE_TEST(AnalyzeTest)
#include "test_analyze.moc"
