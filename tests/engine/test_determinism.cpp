// A sample has the same bits with any observers, on any threads and beside any other samples. The
// catalogue's models need QUANTSCOPE_MODELS.

#include <QtTest>
#include <algorithm>
#include <cstring>
#include <map>

#include "base/workers.h"
#include "calibration/open_samples.h"
#include "engine/execution.h"
#include "onnx/import.h"
#include "support/feeds.h"
#include "support/test_main.h"
#include "support/test_paths.h"

using namespace quantscope;
using namespace quantscope::test;

namespace {

using Values = std::map<ValueId, Tensor>;

constexpr std::size_t kSamples = 2;
// Values that get a run of their own, spread evenly over a network.
constexpr std::size_t kRunsOfTheirOwn = 60;

/// A network with its samples.
struct Network {
  explicit Network(const QString& path, const Workers& workers)
      : graph(importModel((path + ".onnx").toStdString())),
        samples(openSamples((path + ".npz").toStdString(), *graph, {})),
        engine(graph, workers) {}

  PlanRequest requestFor(const std::vector<ValueId>& wanted) const {
    return {{graph->inputs().begin(), graph->inputs().end()}, wanted, wanted};
  }

  std::shared_ptr<const Graph> graph;
  std::unique_ptr<SampleSource> samples;
  Engine engine;
};

bool sameBits(const Tensor& a, const Tensor& b) {
  if (!a.defined() || !b.defined()) return a.defined() == b.defined();
  return a.type() == b.type() && a.shape() == b.shape() &&
         (a.byteSize() == 0 || std::memcmp(a.bytes(), b.bytes(), a.byteSize()) == 0);
}

/// Every value outside sub-graphs, looked at as it is made.
Values tapped(const Network& network, const Feeds& feeds, std::size_t batch = 1) {
  const Plan plan = planForAllValues(network.engine);
  Execution execution(plan, feeds, nullptr, batch);
  Values values;
  while (!execution.finished()) {
    const NodeId done = execution.step();
    if (!done.valid() || execution.depth() > 0) continue;
    for (const ValueId output : (*network.graph)[done].outputs) {
      if (output.valid()) values[output] = execution.value(output);
    }
  }
  return values;
}

/// What a run computes of which nobody sees more than `wanted`.
Values untapped(const Network& network, const Feeds& feeds, const std::vector<ValueId>& wanted) {
  const Plan plan(network.engine, network.requestFor(wanted));
  Execution execution(plan, feeds);
  execution.run();
  Values values;
  for (const ValueId value : wanted) values[value] = execution.value(value);
  return values;
}

std::vector<ValueId> someOf(const Values& values) {
  const std::size_t stride = (values.size() + kRunsOfTheirOwn - 1) / kRunsOfTheirOwn;
  std::vector<ValueId> some;
  std::size_t i = 0;
  for (const auto& [value, tensor] : values) {
    if (i++ % stride == 0) some.push_back(value);
  }
  return some;
}

/// Names of the values in `part` that differ from those in `all`.
QStringList differences(const Network& network, const Values& all, const Values& part) {
  QStringList names;
  for (const auto& [value, tensor] : part) {
    const auto found = all.find(value);
    if (found != all.end() && sameBits(found->second, tensor)) continue;
    names << QString::fromStdString((*network.graph)[value].name);
  }
  return names;
}

/// Samples [0, batch) on axis 0 of one tensor.
Tensor stacked(SampleSource& samples, std::size_t batch) {
  const Tensor first = samples.read(0).inputs.front().second;
  Shape shape = first.shape();
  shape[0] = static_cast<std::int64_t>(batch);
  Tensor result(first.type(), shape);
  for (std::size_t i = 0; i < batch; ++i) {
    const Tensor sample = samples.read(i).inputs.front().second;
    std::memcpy(result.mutableBytes() + i * sample.byteSize(), sample.bytes(), sample.byteSize());
  }
  return result;
}

/// True where the part of `all` that is sample `i` of `batch` has the bits of `one`.
bool isPart(const Tensor& all, const Tensor& one, std::size_t i, std::size_t batch) {
  if (one.shape().empty() || one.shape()[0] != 1) return sameBits(all, one);
  return all.byteSize() == batch * one.byteSize() &&
         std::memcmp(all.bytes() + i * one.byteSize(), one.bytes(), one.byteSize()) == 0;
}

bool isProduct(const Graph& graph, ValueId value) {
  const NodeId producer = graph[value].producer;
  return producer.valid() && graph[producer].op == "Gemm";
}

void addNetworks(const QStringList& catalogue,
                 const QStringList& bundled = {"digits_mobilenet", "digits_transformer"}) {
  QTest::addColumn<QString>("path");
  for (const QString& name : bundled) {
    QTest::newRow(qPrintable(name)) << QStringLiteral(QUANTSCOPE_SAMPLES_DIRECTORY "/") + name;
  }
  const QString models = qEnvironmentVariable("QUANTSCOPE_MODELS");
  for (const QString& name : models.isEmpty() ? QStringList() : catalogue) {
    QTest::newRow(qPrintable(name)) << models + "/" + name;
  }
}

}  // namespace

class DeterminismTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void tappedEqualsUntapped_data();
  void tappedEqualsUntapped();
  void anyThreadsGiveTheSameBits_data() { tappedEqualsUntapped_data(); }
  void anyThreadsGiveTheSameBits();
  void anyBatchGivesTheSameBits_data();
  void anyBatchGivesTheSameBits();
  void aChangedBitIsSeen();
};

void DeterminismTest::tappedEqualsUntapped_data() {
  addNetworks({"mnist_cntk", "cifar10_resnet8_bn", "vww_mobilenet025_96_bn", "ultraface_rfb320",
               "fastestdet", "silero_vad_16k_op15", "basic_pitch_nmp", "gtcrn_simple",
               "magika_v3_3", "mobilenet_v1_025_224_imagenet", "squeezenet_fp16", "vittracker"});
}

// Where nobody looks, nodes may be fused and memory reused; no value may show it.
void DeterminismTest::tappedEqualsUntapped() {
  QFETCH(QString, path);
  const Workers workers(2);
  const Network network(path, workers);
  workers.run([&] {
    for (std::size_t i = 0; i < std::min(kSamples, network.samples->feedCount()); ++i) {
      const Feeds feeds = network.samples->read(i).inputs;
      const Values all = tapped(network, feeds);
      const auto outputs = network.graph->outputs();
      const Values last = untapped(network, feeds, {outputs.begin(), outputs.end()});
      for (const auto& [value, tensor] : last) {
        const auto found = all.find(value);
        if (found != all.end()) QVERIFY(sameBits(found->second, tensor));
      }
      if (i > 0) continue;
      for (const ValueId value : someOf(all)) {
        const QStringList wrong = differences(network, all, untapped(network, feeds, {value}));
        QVERIFY2(wrong.isEmpty(), qPrintable(wrong.join(", ")));
      }
    }
  });
}

void DeterminismTest::anyThreadsGiveTheSameBits() {
  QFETCH(QString, path);
  std::vector<Values> byThreads;
  for (const int threads : {1, 2, 7}) {
    const Workers workers(threads);
    const Network network(path, workers);
    const std::size_t feeds = std::min<std::size_t>(3, network.samples->feedCount());
    std::vector<Feeds> given;
    for (std::size_t i = 0; i < feeds; ++i) given.push_back(network.samples->read(i).inputs);
    std::vector<Values> values(feeds);
    workers.forEach(feeds, [&](std::size_t i) { values[i] = tapped(network, given[i]); });
    if (byThreads.empty()) {
      byThreads = std::move(values);
      continue;
    }
    for (std::size_t i = 0; i < feeds; ++i) {
      QCOMPARE(values[i].size(), byThreads[i].size());
      QCOMPARE(differences(network, byThreads[i], values[i]), QStringList());
    }
  }
}

// No command runs several samples as one where the model does not ask for it. Up to the first
// matrix product it would change no bit; a product of one row adds up in ONNX Runtime's order.
void DeterminismTest::anyBatchGivesTheSameBits_data() {
  addNetworks({"cifar10_resnet8_bn", "vww_mobilenet025_96_bn"}, {"digits_mobilenet"});
}

// A sample alone and as one of 3 or 32.
void DeterminismTest::anyBatchGivesTheSameBits() {
  QFETCH(QString, path);
  const Workers workers(2);
  const Network network(path, workers);
  const ValueId input = network.graph->inputs()[0];
  QStringList wrong;
  workers.run([&] {
    for (const std::size_t batch : {1, 3, 32}) {
      const Values all = tapped(network, {{input, stacked(*network.samples, batch)}}, batch);
      for (const std::size_t i : {std::size_t{0}, batch / 2, batch - 1}) {
        const Values one = tapped(network, network.samples->read(i).inputs);
        for (const auto& [value, tensor] : one) {
          if (isProduct(*network.graph, value)) continue;
          if (isPart(all.at(value), tensor, i, batch)) continue;
          wrong << QString::fromStdString((*network.graph)[value].name);
        }
      }
    }
  });
  QCOMPARE(wrong, QStringList());
}

void DeterminismTest::aChangedBitIsSeen() {
  const Tensor a = Tensor::of<float>(Shape{2}, {1.0F, 0.0F});
  const Tensor b = Tensor::of<float>(Shape{2}, {1.0F, -0.0F});
  QVERIFY(sameBits(a, a));
  QVERIFY(!sameBits(a, b));
  QVERIFY(!sameBits(a, a.reshaped(Shape{1, 2})));
  QVERIFY(!sameBits(a, Tensor()));
  QVERIFY(!isPart(b, Tensor::of<float>(Shape{1}, {0.0F}), 1, 2));
  QVERIFY(isPart(b, Tensor::of<float>(Shape{1}, {1.0F}), 0, 2));
}

QUANTSCOPE_TEST(DeterminismTest)
#include "test_determinism.moc"
