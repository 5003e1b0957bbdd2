#include <QtTest>
#include <atomic>
#include <bit>
#include <thread>

#include "analysis/analyze.h"
#include "analysis/random_edits.h"
#include "analysis/sensitivity/sweep.h"
#include "base/error.h"
#include "base/workers.h"
#include "calibration/calibrate.h"
#include "engine/evaluation/evaluation.h"
#include "support/graph_text.h"
#include "support/memory_source.h"
#include "support/test_main.h"
#include "tensor/tensor_id.h"

using namespace quantscope;
using quantscope::test::graphFromText;
using quantscope::test::MemorySource;
using quantscope::test::RandomEdits;
using quantscope::test::randomSamples;

// Whatever was computed before, and whatever of it is still there: values and errors have the bits
// of a run that starts from nothing. QUANTSCOPE_RANDOM_EDITS sets the number of edits.
class RandomEditsTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void everyResultIsThatOfAColdRun_data();
  void everyResultIsThatOfAColdRun();
  void everyValueIsThatOfAColdRun_data();
  void everyValueIsThatOfAColdRun();
  void everyChangeIsThatOfAColdSweep();
};

namespace {

// Fused patterns, a residual, shared and forced groups, two outputs, and a loop with layers inside.
constexpr const char* kNetwork = R"(
  input x:float[1,3,6,6]
  w1:float[4,3,3,3]
  b1:float[4]
  scale:float[4]{1, 0.5, 2, 1.5}
  shift:float[4]{0.1, -0.2, 0.3, 0}
  mean:float[4]{0, 0.1, -0.1, 0.2}
  variance:float[4]{1, 0.5, 2, 1}
  w2:float[4,4,1,1]
  w3:float[4,1,3,3]
  w4:float[5,8]
  flat:int64[2]{1, -1}
  rows:int64[3]{1, 4, -1}
  start:float[1,2]{0, 0}
  c1 = Conv(x, w1, b1) pads=[1,1,1,1] @c1
  n1 = BatchNormalization(c1, scale, shift, mean, variance) @n1
  r1 = Relu(n1) @r1
  c2 = Conv(r1, w2) @c2
  s2 = Sigmoid(c2) @s2
  c3 = Conv(r1, w3) group=4 pads=[1,1,1,1] @c3
  add = Add(s2, c3) @add
  both = Concat(add, r1) axis=1 @both
  pool = MaxPool(both) kernel_shape=[2,2] strides=[2,2] @pool
  mean1 = GlobalAveragePool(pool) @gap
  line = Reshape(mean1, flat) @line
  y = Gemm(line, w4) transB=1 @fc
  z = Softmax(y) @softmax
  table = Reshape(add, rows) @table
  last, all = Scan(start, table) @rnn num_scan_inputs=1 scan_input_axes=[1] body={
    input state:float[1,2]
    input item:float[1,36]
    w:float[36,2]
    v:float[2,2]
    a = MatMul(item, w) @project
    b = MatMul(state, v) @recur
    next = Add(a, b) @sum
    copy = Identity(next)
    output next
    output copy
  }
  t = Tanh(last) @t
  output z
  output t
)";

const std::vector<std::string> kNodes{"c1",
                                      "n1",
                                      "r1",
                                      "c2",
                                      "s2",
                                      "c3",
                                      "add",
                                      "pool",
                                      "gap",
                                      "fc",
                                      "rnn/body/project",
                                      "rnn/body/recur",
                                      "t"};
const std::vector<std::string> kPoints{"c1", "c2", "c3", "add", "both", "fc"};

std::size_t editCount(std::size_t few) {
  const QByteArray text = qgetenv("QUANTSCOPE_RANDOM_EDITS");
  return text.isEmpty() ? few : text.toUInt();
}

void add(ContentHasher& hasher, std::optional<double> number) {
  hasher.add(std::uint64_t{number.has_value()})
      .add(std::bit_cast<std::uint64_t>(number.value_or(0)));
}

void add(ContentHasher& hasher, const ErrorMetrics& metrics) {
  hasher.add(std::uint64_t{metrics.count}).add(std::uint64_t{metrics.nonFinite});
  for (const auto& number :
       {metrics.sqnrDb, metrics.nmse, metrics.cosine, metrics.mse, metrics.rmse, metrics.maxAbs,
        metrics.meanAbs, metrics.meanSigned, metrics.rmseOverScale}) {
    add(hasher, number);
  }
}

template <class Element>
void add(ContentHasher& hasher, const std::vector<Element>& elements) {
  hasher.add(std::as_bytes(std::span(elements)));
}

void add(ContentHasher& hasher, const std::optional<LayerError>& error) {
  hasher.add(std::uint64_t{error.has_value()});
  if (!error) return;
  add(hasher, error->total);
  add(hasher, error->channelSqnrDb);
  add(hasher, error->sampleSqnrDb);
}

// Of every bit that was measured.
ContentId digestOf(const AnalysisResult& result) {
  ContentHasher hasher;
  hasher.add(std::uint64_t{result.samples});
  for (const LayerResult& layer : result.layers) {
    hasher.add(layer.name);
    add(hasher, layer.local);
    add(hasher, layer.accumulated);
    for (const auto& number :
         {layer.clippedShare, layer.clippedSquare, layer.analysedMin, layer.analysedMax}) {
      add(hasher, number);
    }
    if (!layer.histogram) continue;
    add(hasher, layer.histogram->reference);
    add(hasher, layer.histogram->quantized);
  }
  for (const OutputResult& output : result.outputs) {
    add(hasher, output.error);
    add(hasher, output.sampleSqnrDb);
    for (const auto& number :
         {output.kl, output.top1Agreement, output.accuracyFloat, output.accuracyQuantized}) {
      add(hasher, number);
    }
  }
  return hasher.id();
}

struct Data {
  std::unique_ptr<SampleSet> samples;
  Observations observations;
};

constexpr std::size_t kMuch = std::size_t{64} << 20;

struct Bench {
  explicit Bench(int threads)
      : workers(threads),
        job(workers),
        graph(graphFromText(kNetwork)),
        engine(graph, workers, ContentHasher().add(kNetwork).id()) {
    for (const unsigned seed : {1U, 2U}) {
      Data each;
      each.samples = std::make_unique<SampleSet>(std::make_unique<MemorySource>(
          graph->inputs()[0], randomSamples({1, 3, 6, 6}, 3 + seed, seed)));
      ObservationSettings settings;
      settings.averagingConstants = {0.5};
      each.observations = calibrate(engine, *each.samples, settings, job);
      data.push_back(std::move(each));
    }
  }

  AnalysisResult analyzeUnder(const Configuration& config, const QuantizedModel& model, Data& on,
                              AnalysisMemory& memory) {
    return analyze(engine, config, model, on.observations, *on.samples, {}, memory, job);
  }

  /// From what the cache has; null where the configuration contradicts itself.
  std::shared_ptr<const QuantizedModel> quantized(const Configuration& config, const Data& on) {
    try {
      return quantizeModel(engine, config, on.observations, parameters, &job);
    } catch (const Error&) {
      return nullptr;
    }
  }

  Workers workers;
  JobContext job;
  std::shared_ptr<const Graph> graph;
  Engine engine;
  std::vector<Data> data;
  ParameterCache parameters{kMuch};
};

// Takes things away while runs go on.
class Evictions {
 public:
  explicit Evictions(AnalysisMemory& memory)
      : m_thread([this, &memory] {
          for (unsigned i = 0; !m_stop; ++i) {
            memory.setBudget(i % 3 == 0 ? (i * 4096U) % (1U << 20) : kMuch);
            std::this_thread::sleep_for(std::chrono::microseconds(200));
          }
        }) {}
  ~Evictions() {
    m_stop = true;
    m_thread.join();
  }

 private:
  std::atomic<bool> m_stop{false};
  std::thread m_thread;
};

}  // namespace

void RandomEditsTest::everyResultIsThatOfAColdRun_data() {
  QTest::addColumn<int>("threads");
  for (const int threads : {1, 2, 7}) QTest::addRow("%d threads", threads) << threads;
}

void RandomEditsTest::everyResultIsThatOfAColdRun() {
  QFETCH(int, threads);
  Bench bench(threads);
  Bench alone(1);
  AnalysisMemory memory(kMuch);
  RandomEdits edits(kNodes, kPoints, static_cast<unsigned>(threads));
  std::size_t tried = 0;
  std::size_t refused = 0;
  for (std::size_t i = 0; i < editCount(40); ++i) {
    const Configuration config = edits.next();
    const std::size_t which = edits.below(4) == 0 ? 1 : 0;
    const std::shared_ptr<const QuantizedModel> model = bench.quantized(config, bench.data[which]);
    if (!model) {
      edits.undo();
      ++refused;
      continue;
    }
    if (edits.below(8) == 0) memory.setBudget(edits.below(2) == 0 ? 0 : std::size_t{200} << 10);
    ContentId digest;
    if (edits.below(4) == 0) {
      const Evictions evictions(memory);
      digest = digestOf(bench.analyzeUnder(config, *model, bench.data[which], memory));
    } else {
      digest = digestOf(bench.analyzeUnder(config, *model, bench.data[which], memory));
    }
    if (edits.below(3) == 0) memory.setBudget(kMuch);
    AnalysisMemory nothing(0);
    const QuantizedModel cold = quantizeModel(alone.engine, config, alone.data[which].observations);
    QVERIFY(changesBetween(cold.applied, model->applied).empty());
    QVERIFY(cold.groupParams == model->groupParams);
    if (edits.below(5) == 0) bench.parameters.setBudget(edits.below(2) == 0 ? 0 : 20'000);
    if (edits.below(3) == 0) bench.parameters.setBudget(kMuch);
    const ContentId expected =
        digestOf(alone.analyzeUnder(config, cold, alone.data[which], nothing));
    QVERIFY2(digest == expected,
             qPrintable(QString("edit %1: ").arg(i) + QString::fromStdString(toJson(config))));
    ++tried;
  }
  QVERIFY(tried > refused);
}

void RandomEditsTest::everyValueIsThatOfAColdRun_data() {
  everyResultIsThatOfAColdRun_data();
}

// Any values of the main graph, in the layout and with the mark that a cold run has.
void RandomEditsTest::everyValueIsThatOfAColdRun() {
  QFETCH(int, threads);
  Bench bench(threads);
  ActivationCache cache(kMuch);
  ActivationCache nothing(0);
  const Evaluator warm(bench.engine, cache);
  const Evaluator cold(bench.engine, nothing);
  RandomEdits edits(kNodes, kPoints, static_cast<unsigned>(threads) + 100);
  const std::vector<ValueId> outputs(bench.graph->outputs().begin(), bench.graph->outputs().end());
  for (std::size_t i = 0; i < editCount(40); ++i) {
    const std::shared_ptr<const QuantizedModel> model =
        bench.quantized(edits.next(), bench.data[0]);
    if (!model) {
      edits.undo();
      continue;
    }
    const ValueKeys keys(bench.engine, &model->applied);
    std::vector<ValueId> wanted = outputs;
    for (std::size_t v = 0; v < bench.graph->values().size(); ++v) {
      const Value& value = bench.graph->values()[v];
      const bool main = value.block == Graph::mainBlock() && value.producer.valid();
      if (main && edits.below(4) == 0) wanted.emplace_back(v);
    }
    if (edits.below(6) == 0) cache.setBudget(std::size_t{2} << (10 + edits.below(8)));
    SampleSet& samples = *bench.data[0].samples;
    std::vector<int> differing(samples.feedCount());
    bench.workers.forEach(samples.feedCount(), [&](std::size_t index) {
      const Feed feed = samples.read(index);
      const SampleInputs inputs{feed.content, feed.inputs, feed.batch};
      Evaluation run(warm, inputs, keys, &model->applied, wanted, Evaluation::Keep::InCache);
      run.run(bench.job);
      std::vector<ValueId> all;
      for (std::size_t v = 0; v < bench.graph->values().size(); ++v) all.emplace_back(v);
      Evaluation fresh(cold, inputs, keys, &model->applied, all, Evaluation::Keep::Nowhere);
      fresh.run(bench.job);
      for (const ValueId value : wanted) {
        const StoredValue a = run.find(value);
        const StoredValue b = fresh.find(value);
        const bool same = a.tensor.defined() && identical(a.tensor, b.tensor) &&
                          a.tensor.layout() == b.tensor.layout() && a.half == b.half;
        differing[index] += same ? 0 : 1;
      }
    });
    QCOMPARE(differing, std::vector<int>(differing.size()));
    if (edits.below(3) == 0) cache.setBudget(kMuch);
  }
}

void RandomEditsTest::everyChangeIsThatOfAColdSweep() {
  Bench bench(2);
  Data& data = bench.data[0];
  const std::shared_ptr<const QuantizedModel> base = bench.quantized({}, data);
  const std::vector<ValueId> outputs(bench.graph->outputs().begin(), bench.graph->outputs().end());
  std::vector<QuantizationChanges> changes;
  std::vector<Configuration> configs;
  RandomEdits edits(kNodes, kPoints, 7);
  while (changes.size() < editCount(12)) {
    const Configuration config = edits.next();
    const std::shared_ptr<const QuantizedModel> model = bench.quantized(config, data);
    if (!model) {
      edits.undo();
      continue;
    }
    changes.push_back(changesBetween(base->applied, model->applied));
    configs.push_back(config);
  }
  AnalysisMemory memory(kMuch);
  Sweep sweep(bench.engine, *base, outputs, *data.samples, memory, bench.job);
  const auto rows = sweep.run(changes, "sweeping");
  QCOMPARE(rows.size(), changes.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    AnalysisMemory nothing(0);
    const QuantizedModel model = quantizeModel(bench.engine, configs[i], data.observations);
    const AnalysisResult expected = bench.analyzeUnder(configs[i], model, data, nothing);
    for (std::size_t output = 0; output < outputs.size(); ++output) {
      QVERIFY(rows[i][output].error.sqnrDb == expected.outputs[output].error.sqnrDb);
      QVERIFY(rows[i][output].kl == expected.outputs[output].kl);
      QVERIFY(rows[i][output].sampleSqnrDb == expected.outputs[output].sampleSqnrDb);
    }
  }
  // Asked again, nothing runs.
  const std::size_t bytes = memory.activations.bytes();
  memory.activations.setBudget(0);
  const auto again = sweep.run(changes, "sweeping");
  QCOMPARE(again[0][0].error.sqnrDb == rows[0][0].error.sqnrDb, true);
  QCOMPARE(memory.activations.bytes(), std::size_t{0});
  QVERIFY(bytes > 0);
}

QUANTSCOPE_TEST(RandomEditsTest)
#include "test_random_edits.moc"
